/**
 * Writes the settings into the schemas in contracts/, from their declarations in src/: in config.schema.json the settings of
 * each part of the configuration file, in result.schema.json the configuration that a result records. The rest of these schemas
 * stays. Both are checked in; a test runs this with another folder to see that they are up to date.
 *
 * Usage: npm run schemas, or node tools/settings-schemas.mjs [FOLDER], which takes the declarations from dist/
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { COMMANDS } from '../dist/commands/index.js'
import { PROFILES } from '../dist/settings/configuration.js'
import { RECORDED, recordKey } from '../dist/settings/record.js'
import { aboutOf } from '../dist/settings/setting.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const [folder = join(root, 'contracts')] = process.argv.slice(2)
const SHARED = '#/$defs/settings/properties/'

/** Rewrites a schema of contracts/. */
function rewrite(name, change) {
  const schema = JSON.parse(readFileSync(join(root, 'contracts', name), 'utf8'))
  change(schema)
  const biome = join(root, 'node_modules', '.bin', 'biome')
  const input = JSON.stringify(schema)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, name), execFileSync(biome, ['format', `--stdin-file-path=${name}`], { cwd: root, input }))
}

/** The settings of the configuration file by their flags. Where commands share a flag, the first command's counts. */
const settings = new Map()
for (const { name: command, options } of COMMANDS)
  for (const setting of options)
    if (setting.file && !settings.has(setting.flag)) settings.set(setting.flag, { command, setting })

/** Makes the schema of a setting in the configuration file. */
function inFile({ command, setting }) {
  // A computed default, such as a version, would change from day to day.
  const about = typeof setting.default === 'function' ? setting.about : aboutOf(setting)
  const unit = setting.takes.inProgram === 'time' ? ' With its unit: 90s, 5m, 1h.' : ''
  const flag = `${command === 'run' ? '' : `${command} `}--${setting.flag}`
  return {
    description: `${about[0].toUpperCase()}${about.slice(1)}.${unit} (${flag})`,
    ...setting.takes.inFile,
  }
}

rewrite('config.schema.json', ({ properties, $defs }) => {
  const layers = {
    defaults: properties.defaults,
    targets: properties.targets.additionalProperties,
    profiles: properties.profiles.additionalProperties,
  }
  const isShared = ({ setting: { file } }) => file.includes('defaults')
  const all = [...settings.values()]
  $defs.settings.properties = Object.fromEntries(all.filter(isShared).map(each => [each.setting.flag, inFile(each)]))
  for (const [layer, schema] of Object.entries(layers)) {
    const own = Object.entries(schema.properties).filter(([name]) => !settings.has(name))
    const taken = all
      .filter(({ setting: { file } }) => file.includes(layer))
      .map(each => [each.setting.flag, isShared(each) ? { $ref: `${SHARED}${each.setting.flag}` } : inFile(each)])
    schema.properties = Object.fromEntries([...own, ...taken])
  }
  // A profile of the file starts from a built-in one.
  layers.profiles.properties.profile = {
    description: 'The built-in profile that it starts from (default full).',
    enum: PROFILES,
  }
})

rewrite('result.schema.json', ({ properties, $defs }) => {
  const { configuration } = properties
  // The configuration may be a definition of that name.
  const place = configuration.$ref ? $defs.ConfigurationRecord : configuration
  const { description } = place
  for (const key of Object.keys(place)) delete place[key]
  const recorded = RECORDED.map(each => [recordKey(each), { description: each.meaning, ...each.takes.inResult }])
  Object.assign(place, {
    description,
    type: 'object',
    additionalProperties: false,
    required: RECORDED.map(recordKey),
    properties: {
      ...Object.fromEntries(recorded),
      idleLifetimeFrom: {
        description: "Where the lifetime was set, such as by a flag. Absent: nowhere, so that it is the reference's.",
        type: 'string',
        minLength: 1,
      },
    },
  })
})
