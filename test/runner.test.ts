/** The suite in a program: inputs, results and remains for a Node program. */
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type RunActivity, type RunnerOptions, run } from 'core-conformance'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RUN } from '../dist/commands/shared/declared.js'
import { DECLARED, RUN_SETTINGS } from '../dist/library/settings.js'
import { rerunLine } from '../dist/report/reproduce.js'
import { schemaErrors } from '../dist/suite/schema.js'
import { packageVersion } from '../dist/version.js'
import { type CoreReply, type CoreRequest, PASSWORD, type ScriptedCore, withCore, withMock } from './cli-support.js'
import { blockOf, PACKAGE } from './support/docs.js'
import { long } from './support/long.js'

const test = suite('the suite in a program')

const settingsOf = ({ url, fingerprint }: ScriptedCore): RunnerOptions => ({
  target: url.origin,
  username: 'anna',
  password: PASSWORD,
  fingerprint,
})

/** Runs a program in a project in which this package is installed. */
async function program(folder: string, code: string, env: Record<string, string> = {}) {
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  symlinkSync(PACKAGE, join(folder, 'node_modules', 'core-conformance'))
  writeFileSync(join(folder, 'program.mjs'), code)
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, ['program.mjs'], { cwd: folder, env: { PATH, ...env } })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) child[name].on('data', chunk => (output[name] += chunk))
  const timer = setTimeout(() => child.kill('SIGKILL'), 120_000)
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>(resolve =>
    child.once('close', code => {
      clearTimeout(timer)
      resolve({ code, ...output })
    }),
  )
  return { child, output, ended }
}

long(test)('the program of the docs: its progress, words and exit code; it ends by itself and leaves nothing', () =>
  withMock({}, async (core, folder, env) => {
    const { ended } = await program(folder, blockOf('library.md', 'conformance.mjs'), env)
    const { code, stdout, stderr } = await ended
    assert.is(code, 0, stdout + stderr)
    assert.match(stdout, /^conformant: \d+ specs passed, none failed\n$/)
    const lines = stderr.trimEnd().split('\n')
    assert.ok(lines.length > 20)
    for (const line of lines) assert.match(line, /^\d+ of \d+ done, 0 failed$/)
    const [, done, total] = /^(\d+) of (\d+)/.exec(lines.at(-1) ?? '') ?? []
    assert.is(done, total)
    assert.equal(readdirSync(folder).sort(), ['node_modules', 'program.mjs'])
    assert.is(core.state().tokens.live, 0)
  }),
)

long(test)('a program that is stopped by Ctrl-C, and its own signal, gives its tokens back', () =>
  withMock({}, async (core, folder) => {
    const code = `
      import { run } from 'core-conformance'
      const stop = new AbortController()
      process.once('SIGINT', () => stop.abort())
      const { url, username, password, fingerprint } = JSON.parse(process.env.CORE)
      const { verdict, tokens } = await run({
        target: url, username, password, fingerprint, signal: stop.signal,
        only: ['access-with*', 'logon-*-password', 'idle-expires'],
        onProgress: ({ done }) => { if (done >= 3) console.log('on its way') },
      })
      console.log(JSON.stringify([verdict, tokens.left]))`
    const target = { url: core.url, ...core.credentials, fingerprint: core.certificateFingerprint }
    const { child, ended } = await program(folder, code, { CORE: JSON.stringify(target) })
    child.stdout.once('data', () => child.kill('SIGINT'))
    const { code: exit, stdout, stderr } = await ended
    assert.equal([exit, stderr], [0, ''], stdout)
    assert.match(stdout, /\n\["incomplete",0\]\n$/, stdout)
  }),
)

test('the result is that of a run; settings are those of the command line; the plan and times are told', () =>
  withCore({ answer: ({ method }, _body, right) => (method === 'DELETE' ? { status: 204 } : right()) }, async core => {
    const plans: unknown[] = []
    const told: RunActivity[] = []
    const startedMs = Date.now()
    const result = await run({
      ...settingsOf(core),
      profile: 'quick',
      only: ['access-with-token', 'idle-expires', 'revocation-rejects'],
      label: 'lab',
      deadline: 5000,
      idleLifetime: '2h',
      concurrency: 2,
      onPlan: plan => plans.push(plan),
      onProgress: activity => told.push(activity),
    })
    assert.equal(schemaErrors('result', result), [])
    assert.is(result.verdict, 'nonconformant')
    assert.equal(
      result.specs.map(({ id, outcome }) => [id, outcome]),
      [
        ['access-with-token', 'passed'],
        ['idle-expires', 'skipped'],
        ['revocation-rejects', 'failed'],
      ],
    )
    const { configuration, target } = result
    assert.equal(
      [configuration.deadlineMs, configuration.idleLifetimeMs, configuration.concurrency, configuration.only],
      [5000, 7_200_000, 2, ['access-with-token', 'idle-expires', 'revocation-rejects']],
    )
    assert.equal(
      [configuration.maxRefusedLogons, configuration.idleTolerance],
      [150, 0.05],
      'the defaults of the command',
    )
    assert.equal([target.kind, target.label], ['core', 'lab'])
    for (const secret of [PASSWORD, ...core.secrets]) assert.not(JSON.stringify(result).includes(secret))
    assert.equal(plans[0], { specs: 2, durationMs: 0, tokens: result.plan.tokens })
    const last = told.at(-1)
    assert.equal([last?.total, last?.done, last?.failed], [2, 2, 1])
    assert.ok((last?.startedMs ?? 0) >= startedMs - 1000 && (last?.startedMs ?? 0) <= Date.now())
  }))

test('all requests carry the user agent, and the line that repeats a failure names another than usual', () => {
  const seen = new Set<string | undefined>()
  const answer = ({ headers }: CoreRequest, _body: string, right: () => CoreReply) => {
    seen.add(headers['user-agent'])
    return right()
  }
  return withCore({ answer }, async core => {
    // One of them writes a request on a connection by itself.
    const only = ['revocation-same-connection', 'connections-behind-no-token']
    const settings = { ...settingsOf(core), profile: 'quick' as const, only, explore: '0' }
    const { configuration } = await run(settings)
    const usual = `core-conformance/${packageVersion()}`
    assert.equal([configuration.userAgent, ...seen], [usual, usual])
    seen.clear()
    const userAgent = 'lab/2 (night; rack 7)'
    const own = await run({ ...settings, userAgent })
    assert.equal([own.configuration.userAgent, ...seen], [userAgent, userAgent])
    const lines = own.specs.map(spec => rerunLine(own, spec, false))
    assert.match(
      lines.join(),
      / --user-agent 'lab\/2 \(night; rack 7\)' --only revocation-same-connection --out reports\/rerun\/revocation-same-connection$/,
    )
  })
})

test('without a target, the embedded mock Core in virtual time', async () => {
  const { verdict, target, time, specs } = await run({ only: ['idle-expires'] })
  assert.equal([verdict, target.kind, time, specs[0]?.outcome], ['conformant', 'mock', 'virtual', 'passed'])
})

const WRONG: [settings: Record<string, unknown>, message: RegExp][] = [
  [{ idleLifetim: '1h' }, /^a run has no setting 'idleLifetim'; did you mean 'idleLifetime'\?$/],
  [{ idleLifetime: 5 }, /^idleLifetime must be a time from 1s to 7d, .* not '5ms'$/],
  [{ only: 'access' }, /^only must be a list of texts/],
  [{ only: ['a,b'] }, /^only must be a list of texts, none of them empty or with a comma$/],
  [{ only: ['nothing'] }, /^only: no spec and no area is called 'nothing'/],
  [{ maxTokens: '3' }, /^maxTokens must be a number$/],
  [{ measureLifetime: 'yes' }, /^measureLifetime must be true or false$/],
  [{ label: '' }, /^label must be a text that is not empty$/],
  [{ username: 'x', insecure: true }, /^username, insecure without a target: .* or leave them out/],
  [{ target: 'https://10.0.0.5' }, /^username is missing: /],
  [{ target: 'https://a:b@10.0.0.5', username: 'a', password: 'b' }, /^target holds credentials: /],
  [
    { target: 'https://10.0.0.5', username: 'a', password: 'b', controlUrl: 'http://127.0.0.1:1' },
    /^controlKey is missing/,
  ],
  ...['a\r\nX: y', 'ü', ' a', 'x'.repeat(201)].map((userAgent): (typeof WRONG)[number] => [
    { userAgent },
    /^userAgent must be 1 to 200 characters of ASCII that a header can carry, without spaces at its ends$/,
  ]),
  [{ specs: ['./nowhere'] }, /there is no such folder/],
  [{ baseline: 'nowhere.yaml' }, /the baseline cannot be used:\n.*there is no such file/],
]

test('what cannot be used is an error, by the name that the program gave it, and nothing is sent', async () => {
  for (const [settings, message] of WRONG) {
    const error = await run(settings as RunnerOptions).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    assert.instance(error, Error, JSON.stringify(settings))
    assert.match((error as Error).message, message)
    assert.not.match((error as Error).message, /--(?!max)/, 'no flag: this is no command line')
  }
})

long(test)('what a function throws ends the run, is thrown, and no token is left', () =>
  withCore({}, async core => {
    class Mine extends Error {}
    for (const told of ['onPlan', 'onProgress'] as const) {
      const failing = {
        [told]: () => {
          throw new Mine(told)
        },
      }
      const error = await run({ ...settingsOf(core), only: ['access-with*'], ...failing }).catch(
        (thrown: unknown) => thrown,
      )
      assert.instance(error, Mine)
      assert.is(core.live.size, 0)
    }
    const stop = AbortSignal.abort()
    const { verdict, tokens } = await run({ ...settingsOf(core), signal: stop })
    assert.equal([verdict, tokens.left], ['incomplete', 0])
  }),
)

long(test)('pins and a baseline are brought to bear, and a warning is told', () =>
  withCore({}, async (core, folder) => {
    const options = { ...settingsOf(core), only: ['observe'], profile: 'quick' as const }
    const before = await run(options)
    const pin = join(folder, 'before.json')
    writeFileSync(pin, JSON.stringify({ ...before, facts: { ...before.facts, 'no.such': 1, 'logon.status': 299 } }))
    const warnings: string[] = []
    const after = await run({ ...options, pin, onWarning: text => warnings.push(text) })
    assert.is(warnings.length, 1)
    assert.match(warnings[0] ?? '', /no spec observes these facts of .*: no\.such$/)
    assert.is(after.verdict, 'drifted')
    assert.equal(
      after.specs.filter(({ pin, outcome }) => pin && outcome === 'failed').map(({ pin }) => pin?.was),
      [299],
    )
    const baseline = join(folder, 'known.yaml')
    writeFileSync(baseline, `access-with-token:\n  reason: it is known\n`)
    const known = await run({ only: ['access-with-token'], baseline })
    assert.is(known.specs.find(({ id }) => id === 'access-with-token')?.outcome, 'unexpected pass')
  }),
)

test('every flag of run is a setting, or is about what a program has not got', () => {
  const settings = RUN_SETTINGS.map(name => DECLARED[name]?.flag)
  const NOT_HERE = {
    reports: ['out', 'reporter', 'quiet', 'verbose'],
    'the journal': ['detach'],
    contracts: ['consumer', 'contracts', 'interactions', 'pin-statuses', 'strict-token', 'fields'],
    'the configuration file': ['config'],
    'many Cores, of which each is a run': ['targets', 'all-targets', 'cores', 'shard', 'since'],
  }
  const known = [...settings, ...Object.values(NOT_HERE).flat()]
  assert.equal(
    RUN.options.map(({ flag }) => flag).filter(flag => !known.includes(flag)),
    [],
  )
  const page = readFileSync(join(PACKAGE, 'docs', 'library.md'), 'utf8')
  for (const name of RUN_SETTINGS) {
    const flag = DECLARED[name]?.flag
    if (flag === undefined) assert.ok(page.includes(`\`${name}\``), `docs/library.md does not name ${name}`)
    else
      assert.is(
        flag.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()),
        name,
        'the rule of docs/library.md',
      )
  }
})

test('require() says where run is', async () => {
  const library = createRequire(import.meta.url)('core-conformance') as { run?: () => Promise<unknown> }
  const error = await library.run?.().catch((thrown: unknown) => thrown)
  assert.match(String(error), /use \(await import\('core-conformance'\)\)\.run\(\)/)
})

test.run()
