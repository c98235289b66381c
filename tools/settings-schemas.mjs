/**
 * Writes what the schemas in contracts/ say of settings, by their declarations in src/: in config.schema.json the settings
 * of each part of the configuration file, in result.schema.json the configuration that a result records. What else stands in
 * these schemas is left as it is. Both are checked in; a test sees that they are up to date, by running this with another folder.
 *
 * Usage: npm run schemas, or node tools/settings-schemas.mjs [FOLDER], which takes the declarations from dist/
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { COMMANDS } from '../dist/options/index.js'
import { PROFILES } from '../dist/settings/configuration.js'
import { RECORD_SCHEMA } from '../dist/settings/record.js'
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

/** The settings that the configuration file takes, by their flags; of one flag the first command's. */
const settings = new Map()
for (const { name: command, options } of COMMANDS)
  for (const setting of options)
    if (setting.file && !settings.has(setting.flag)) settings.set(setting.flag, { command, setting })

/** What the configuration file says of a setting. */
function inFile({ command, setting }) {
  // What is found out when it is asked for, such as a version, would be another one tomorrow.
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
  // A profile of the file starts from one that is built in.
  layers.profiles.properties.profile = {
    description: 'The built-in profile that it starts from (default full).',
    enum: PROFILES,
  }
})

rewrite('result.schema.json', ({ properties, $defs }) => {
  const { configuration } = properties
  // Where it is a definition, it is one of that name.
  const place = configuration.$ref ? $defs.ConfigurationRecord : configuration
  const { description } = place
  for (const key of Object.keys(place)) delete place[key]
  Object.assign(place, { description, ...RECORD_SCHEMA })
})
