/** How `diff` reads its operands, and which secret belongs to which Core where a configuration file names several. */
import { writeFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { diffConfig } from '../dist/commands/diff/diff.js'
import { COMMANDS } from '../dist/commands/index.js'
import { runConfig } from '../dist/commands/one-core/config.js'
import { Settings } from '../dist/config/settings.js'
import { ConfigError } from '../dist/ground/config-error.js'
import { commandOf } from './config-support.js'
import { makeFolder } from './support/folder.js'

const test = suite('the operands of diff')
const [ONE, TWO] = ['https://10.0.0.1', 'https://10.0.0.2']

const FILE = `
defaults: { out: elsewhere, detach: true }
targets:
  old: { url: "${ONE}", username: anna }
  lab-2: { url: "${TWO}", username: bert, insecure: true }
`

interface Given {
  env?: Record<string, string>
  file?: string
  /** A file with this name in the working directory. */
  beside?: string
}

/** Calls back with the settings of a command; its folder is the working directory meanwhile. */
async function withSettings<T>(args: string[], { env = {}, file = FILE, beside }: Given, use: (made: Settings) => T) {
  const [before, folder] = [process.cwd(), makeFolder()]
  process.chdir(folder)
  try {
    for (const name of ['old.json', 'new.json', ...(beside ? [beside] : [])]) writeFileSync(name, '{}')
    if (file) writeFileSync('core-conformance.config.yaml', file)
    const [name = '', ...rest] = args
    const settings = new Settings(commandOf(name), rest, env, folder, COMMANDS)
    await settings.load()
    return use(settings)
  } finally {
    process.chdir(before)
  }
}

const diff = (args: string[], given: Given = {}) => withSettings(['diff', ...args], given, diffConfig)

async function refusal(args: string[], given: Given = {}): Promise<string> {
  try {
    await diff(args, given)
  } catch (error) {
    assert.instance(error, ConfigError)
    return (error as ConfigError).message
  }
  assert.unreachable(`was taken: ${args.join(' ')}`)
  return ''
}

test('files, the oldest first, also one that is called like a target, or that is there twice', async () => {
  const { files, outDir } = await diff(['old.json', 'lab-2', 'old.json'], { beside: 'lab-2' })
  assert.equal([files, outDir], [['old.json', 'lab-2', 'old.json'], 'elsewhere'])
  assert.is((await diff(['old.json', 'new.json'], { file: '' })).outDir, 'reports')
})

test('whoever names a Core is told how to get its result; what may be a secret is not repeated', async () => {
  assert.is(
    await refusal(['old.json', 'lab-2']),
    "'lab-2' is a Core, and diff compares results: run it first (core-conformance run lab-2 --out FOLDER), and give the result.json in that folder",
  )
  assert.match(await refusal([ONE, 'new.json']), /^operand 1 is a Core, .* run URL --out FOLDER\)/)
  assert.is(
    await refusal(['old.json', 'none.json']),
    "'none.json' is nothing to compare: there is no such file; give a result.json, or a fleet.json",
  )
  for (const operand of ['admin:Hunter2@10.0.0.5', 'https://admin:Hunter2@10.0.0.5']) {
    const message = await refusal(['old.json', operand])
    assert.not.match(message, /Hunter2/)
    assert.match(message, /^operand 2 is /)
  }
})

test('a flag for runs is told to be one', async () => {
  assert.match(await refusal(['old.json', 'new.json', '--profile', 'quick']), /^--profile is an option of run, not of/)
  await diff(['old.json', 'new.json'], { env: { CORE_PROFILE: 'nonsense', CORE_FINGERPRINT: 'x' } })
})

test('a target may have its own password and key; a stray one is told', async () => {
  const env = { CORE_PASSWORD: 'all', CORE_PASSWORD_LAB_2: 'own', CORE_PASSWORD_LAB_3: 'none' }
  const passwordOf = (target: string, given = env) =>
    withSettings(['run', '--target', target], { env: given }, settings => runConfig(settings).password)
  assert.equal(
    [await passwordOf('old'), await passwordOf('lab-2'), await passwordOf('https://10.0.0.3')],
    ['all', 'own', 'all'],
  )
  const warnings = await withSettings(['run', 'old', 'lab-2'], { env }, settings => settings.warnings)
  assert.equal(warnings.length, 1)
  assert.match(
    warnings[0] ?? '',
    /^CORE_PASSWORD_LAB_3 means nothing here: .* has no such target; did you mean 'CORE_PASSWORD_LAB_2'\?$/,
  )
  await withSettings(['run', '--target', 'lab-2'], { env }, settings => {
    assert.equal(settings.foreign(), {}, 'none of them is for another program')
  })
  const empty = { ...env, CORE_PASSWORD_LAB_2: '' }
  await withSettings(['run', '--target', 'lab-2'], { env: empty }, settings => {
    assert.throws(() => runConfig(settings), /^CORE_PASSWORD_LAB_2 is empty: give it a value, or leave it out$/)
  })
  await withSettings(['resume'], { env }, settings => {
    assert.is(settings.secretAt('CORE_PASSWORD', TWO), 'own')
    assert.is(settings.secretAt('CORE_PASSWORD', ONE), 'all')
  })
  const [stray] = await withSettings(['run'], { env, file: '' }, ({ warnings }) => warnings)
  assert.match(stray ?? '', /^CORE_PASSWORD_LAB_2 means nothing here: there is no configuration file/)
})

test.run()
