/** What `diff` takes its operands for, and what of the settings goes to which Core. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type DiffConfig, diffConfig, type LiveOperand } from '../dist/config/diff.js'
import { ConfigError } from '../dist/config/error.js'
import { runConfig } from '../dist/config/run.js'
import { Settings } from '../dist/config/settings.js'
import { commandOf } from './config-support.js'

const test = suite('the operands of diff')
const [AA, BB] = ['AA', 'BB'].map(pair => Array(32).fill(pair).join(':')) as [string, string]
const [ONE, TWO] = ['https://10.0.0.1', 'https://10.0.0.2']

const FILE = `
defaults: { reporter: [console, markdown, junit], detach: true, only: [access] }
targets:
  old: { url: "${ONE}", username: anna, fingerprint: "${AA}", firmware: "4.1", idle-lifetime: 30s }
  lab-2: { url: "${TWO}", username: bert, insecure: true, label: The lab, profile: quick }
`

interface Given {
  env?: Record<string, string>
  file?: string
  /** A file with this name in the working directory. */
  beside?: string
}

/** The settings of a command in a folder of its own, which is the working directory meanwhile. */
async function withSettings<T>(args: string[], { env = {}, file = FILE, beside }: Given, use: (made: Settings) => T) {
  const [before, folder] = [process.cwd(), mkdtempSync(join(tmpdir(), 'core-conformance-diff-'))]
  process.chdir(folder)
  try {
    for (const name of ['old.json', 'new.json', ...(beside ? [beside] : [])]) writeFileSync(name, '{}')
    if (file) writeFileSync('core-conformance.config.yaml', file)
    const [name = '', ...rest] = args
    const settings = new Settings(commandOf(name), rest, env, folder)
    await settings.load()
    return use(settings)
  } finally {
    process.chdir(before)
    rmSync(folder, { recursive: true })
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

const live = ({ operands }: DiffConfig) => operands.filter((each): each is LiveOperand => each.kind === 'live')
const fingerprint = ({ run: { target } }: LiveOperand) =>
  target.trust.kind === 'fingerprint' ? target.trust.sha256 : target.trust.kind

test('a file, a URL and the name of a target; a name is one even if there is such a file', async () => {
  const config = await diff(['old.json', 'old', 'https://10.0.0.3:8443', './lab-2'], { beside: 'lab-2' })
  const { operands, warnings } = config
  assert.equal(
    operands.map(each => (each.kind === 'file' ? each.file : each.name)),
    ['old.json', 'old', '10.0.0.3:8443', './lab-2'],
  )
  assert.equal(
    live(config).map(({ run }) => [run.target.url.origin, run.outDir]),
    [
      [ONE, 'reports/2-old'],
      ['https://10.0.0.3:8443', 'reports/3-10.0.0.3-8443'],
    ],
  )
  assert.equal(warnings, [])
  const named = await diff(['lab-2', 'old.json', '--out', 'x'], { beside: 'lab-2' })
  assert.equal(
    live(named).map(({ name, run }) => [name, run.outDir]),
    [['lab-2', 'x/1-lab-2']],
  )
  assert.match(named.warnings[0] ?? '', /^lab-2 is taken for the target of .*; the file of that name is \.\/lab-2$/)
  const six = await diff(['https://[::1]:9', 'old.json'])
  assert.equal(live(six)[0]?.run.outDir, 'reports/1-1-9')
})

test('what is none of the three is told with all three, and what may be a secret is not repeated', async () => {
  assert.match(
    await refusal(['old.json', 'lab-3']),
    /^'lab-3' is nothing to compare: no file, no URL \(https:.*\), and no target of .*config\.yaml; did you mean 'lab-2'\?$/,
  )
  assert.match(await refusal(['old.json', 'x'], { file: '' }), /no target, since there is no core-conformance\.config/)
  for (const operand of ['admin:Hunter2@10.0.0.5', 'https://admin:Hunter2@10.0.0.5']) {
    const message = await refusal(['old.json', operand])
    assert.not.match(message, /Hunter2/)
    assert.match(message, /one of the operands is nothing|operand 2 holds credentials/)
  }
  assert.match(await refusal([ONE, 'http://10.0.0.2']), /^operand 2 must start with https:/)
})

test('one Core cannot be run twice at a time, however it is called', async () => {
  for (const twice of [
    [ONE, 'new.json', `${ONE}/`],
    ['old', 'old', 'new.json'],
    ['lab-2', ONE, 'old'],
  ]) {
    assert.match(await refusal(twice), /^operands \d and \d are the same Core \(https:.*run it once with --out/)
  }
  await diff([ONE, TWO, 'old.json', 'old.json'])
})

test('each run is configured as run would be for its target, but for the console, GitHub, detaching and contracts', async () => {
  const env = { GITHUB_ACTIONS: 'true', CORE_DETACH: '1', CORE_CONSUMER: 'x', CORE_URL: 'https://10.0.0.9' }
  const [old, lab] = live(await diff(['old', 'lab-2'], { env }))
  assert.ok(old && lab)
  const alone = await withSettings(['run', '--target', 'old'], { env: { CORE_DETACH: '0' } }, runConfig)
  assert.equal([old.run.configuration, old.run.target], [alone.configuration, alone.target])
  assert.equal([old.run.configuration.idleLifetimeMs, old.run.target.firmware], [30_000, '4.1'])
  assert.equal([lab.run.configuration.profile, lab.run.target.label, lab.run.username], ['quick', 'The lab', 'bert'])
  assert.equal([fingerprint(old), fingerprint(lab)], [AA, 'insecure'])
  assert.equal([old.run.detach, old.run.contracts.consumers], [false, []])
  assert.equal([...old.run.reporters].sort(), ['json', 'junit', 'markdown'])
  const [plain] = live(await diff([ONE, 'old.json'], { file: '' }))
  assert.equal([...(plain?.run.reporters ?? [])].sort(), ['html', 'json', 'junit'])
})

test('several values: one for each Core in the order of the operands; one is for all', async () => {
  const args = ['--fingerprint', `${AA},${BB}`, '--username', 'u', '--firmware', '1', '--firmware', '2']
  const cores = live(await diff([ONE, 'old.json', TWO, ...args], { file: '' }))
  assert.equal(
    cores.map(core => [fingerprint(core), core.run.username, core.run.target.firmware]),
    [
      [AA, 'u', '1'],
      [BB, 'u', '2'],
    ],
  )
  assert.is(
    await refusal([ONE, TWO, 'old.json', '--label', 'a,b,c']),
    '--label has 3 values, and there are 2 Cores to run: give one for each, in the order of the operands, or one for all',
  )
  assert.match(
    await refusal([ONE, 'old.json'], { env: { CORE_LABEL: 'a,b' } }),
    /^CORE_LABEL .* there is one Core to run/,
  )
})

test('a target may have its own password and key; a stray one is told', async () => {
  const env = { CORE_PASSWORD: 'all', CORE_PASSWORD_LAB_2: 'own', CORE_PASSWORD_LAB_3: 'none' }
  const { config, warnings } = await withSettings(['diff', 'old', 'lab-2', 'https://10.0.0.3'], { env }, settings => ({
    config: diffConfig(settings),
    warnings: settings.warnings,
  }))
  assert.equal(
    live(config).map(({ run, passwordVariables }) => [run.password, ...passwordVariables]),
    [
      ['all', 'CORE_PASSWORD_OLD', 'CORE_PASSWORD'],
      ['own', 'CORE_PASSWORD_LAB_2', 'CORE_PASSWORD'],
      ['all', 'CORE_PASSWORD'],
    ],
  )
  assert.equal(warnings.length, 1)
  assert.match(
    warnings[0] ?? '',
    /^CORE_PASSWORD_LAB_3 means nothing here: .* has no such target; did you mean 'CORE_PASSWORD_LAB_2'\?$/,
  )
  await withSettings(['run', '--target', 'lab-2'], { env }, settings => {
    assert.is(runConfig(settings).password, 'own')
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

test('flags for runs, where all operands are results, are a mistake; variables may be there for others', async () => {
  assert.is(
    await refusal(['old.json', 'new.json', '--profile', 'quick']),
    '--profile: all operands are results, and no Core is run; leave it out',
  )
  await diff(['old.json', 'new.json'], { env: { CORE_PROFILE: 'nonsense', CORE_FINGERPRINT: 'x' }, file: '' })
})

test.run()
