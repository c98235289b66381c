/**
 * Every report of every kind of run against a hostile Core: valid, inert, without a trace of a secret, and the same when made
 * again.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { SCRIPTS_FOLDER } from '../dist/report/scripts.js'
import type { RunResult } from '../dist/result.js'
import { Cli, cli, type Ended, inFolder } from './cli-support.js'
import { HostileCore, TRACES } from './support/hostile-core.js'
import { long } from './support/long.js'
import { assertNoTrace, checkOutput, checkReports, textsIn } from './support/report-checks.js'
import { ALL, FILES } from './support/reporters.js'

const test = suite('reports of runs against a hostile Core')

/** A few specs of each area with the most telling requests: a hostile answer has the same effect on each report. */
const SOME =
  'access-with*,access-token-*,access-unknown-token,access-two-tokens,access-head-*,host-missing-access*,logon-issues-token,logon-w*,logon-m*,revocation-rejects,observe-no-token,observe-revoked-token'

/** Fewer specs, for tests about the end of a run: to validate a page of many specs takes a second of processor time. */
const LESS =
  'access-with*,access-unknown-token,access-head-*,host-missing-access*,logon-issues-token,logon-wrong*,revocation-rejects,observe-revoked-token'

/** Names that a user may give, with characters that mean something in one of the formats. */
const NAMES = {
  CORE_LABEL: `rack|7 <b>&"']]>--> \`x\` ::error::pwned [x](y) @all #h`,
  CORE_FIRMWARE: '10.4.1',
}

interface Stage {
  core: HostileCore
  folder: string
  env: Record<string, string>
}

async function on(use: (stage: Stage) => Promise<void>): Promise<void> {
  const core = await HostileCore.start()
  try {
    await inFolder(folder => {
      const actions = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(folder, 'summary.md') }
      return use({ core, folder, env: { ...core.env, ...NAMES, ...actions, CORE_REPORTER: ALL, CORE_DEADLINE: '5s' } })
    })
  } finally {
    await core.close()
  }
}

const start = (args: string[], { folder, env }: Stage) => new Cli(args, { cwd: folder, env, deadlineMs: 300_000 })
const ran = (args: string[], { folder, env }: Stage, isProcess = args.includes('--detach')) =>
  cli(args, { cwd: folder, env, deadlineMs: 300_000, isProcess })

/**
 * Checks all files of a run against the rules for every run, and makes its reports again.
 * @param isProcess whether the run had a process of its own: reports have commands that start the program as it was started
 */
async function check(stage: Stage, ended: Ended[], isProcess = false): Promise<RunResult> {
  const { folder } = stage
  const reports = join(folder, 'reports')
  const result = await checkReports(reports)
  for (const { stdout, stderr } of ended) checkOutput(stdout, stderr)
  const { label, firmware } = result.target
  assert.equal([label, firmware], [NAMES.CORE_LABEL, NAMES.CORE_FIRMWARE])

  const again = await ran(['report', '--out', 'again'], stage, isProcess)
  assert.equal([again.code, again.stderr], [0, ''])
  checkOutput(again.stdout, again.stderr)
  // The same bytes are equally valid.
  const names = readdirSync(join(folder, 'again')).filter(name => name !== SCRIPTS_FOLDER)
  assert.equal(names.sort(), FILES)
  for (const name of FILES)
    assert.is(readFileSync(join(folder, 'again', name), 'latin1'), readFileSync(join(reports, name), 'latin1'), name)
  // The reports repeat the words of the process that ended the run.
  const said = ({ stdout }: Ended) =>
    stdout.slice(stdout.search(/^[✓✗?!…] (Con|Non|Inc|Unt|Pen)/m)).split(/^(?:::|Reports:)/m)[0]
  const last = ended.at(-1)
  if (last) assert.is(said(again), said(last))

  const outputs = Object.fromEntries(
    [...ended, again].flatMap(({ stdout, stderr }, at) => [
      [`stdout ${at}`, stdout],
      [`stderr ${at}`, stderr],
    ]),
  )
  assertNoTrace({ ...textsIn(folder), ...outputs }, TRACES)
  return result
}

long(test)('the traps are set: what is looked for was there to be found', () =>
  on(async stage => {
    const { core, folder } = stage
    const ended = await ran(['run', '--profile', 'quick', '--only', SOME], stage)
    const result = await check(stage, [ended])
    assert.is(ended.code, 0, ended.stdout + ended.stderr)
    assert.is(result.verdict, 'conformant')
    assert.ok(core.issued.length > 10)
    const json = readFileSync(join(folder, 'reports', 'result.json'), 'utf8')
    for (const trap of ['::error file=x::pwned', '</script><script>', ']]>', 'Bail out!', '[password]', '[token'])
      assert.ok(json.includes(trap), trap)
    const found = [`xx:${TRACES[0]} `, `x:${TRACES[0]} `]
      .map(text => Buffer.from(text).toString('base64'))
      .filter(text => {
        try {
          assertNoTrace({ text }, TRACES)
          return false
        } catch {
          return true
        }
      })
    assert.is(found.length, 2)
    const sizes = result.specs.flatMap(({ exchanges }) => exchanges.map(({ response }) => response?.bodyBytes ?? 0))
    assert.ok(sizes.some(bytes => bytes > 1_000_000))
  }),
)

long(test)('a Core that breaks off its answers', () =>
  on(async stage => {
    stage.core.nature.breaksOff = 9
    const ended = await ran(['run', '--profile', 'quick', '--only', `${LESS},access`], stage)
    const { verdict, specs } = await check(stage, [ended])
    assert.ok(verdict === 'incomplete' || verdict === 'conformant', verdict)
    assert.is(ended.code, verdict === 'incomplete' ? 3 : 0)
    const kinds = specs.flatMap(({ exchanges }) =>
      exchanges.flatMap(({ error, earlier = [] }) => [error?.kind, ...earlier.map(tried => tried.error?.kind)]),
    )
    assert.ok(kinds.includes('closed'))
  }),
)

long(test)('a Core that dies in the middle', () =>
  on(async stage => {
    const { core } = stage
    core.nature.onRequest = count => {
      if (count === 135) void core.crash()
    }
    const ended = await ran(['run', '--profile', 'quick', '--only', `${SOME},access`], stage)
    const { verdict, counts } = await check(stage, [ended])
    assert.ok(verdict === 'incomplete' || verdict === 'nonconformant', verdict)
    assert.is(ended.code, verdict === 'incomplete' ? 3 : 1)
    assert.ok(counts.passed > 0)
    assert.match(ended.stdout, /no request was answered from/)
    assert.not.match(ended.stdout, /the Core takes/)
  }),
)

long(test)('a run that is interrupted', () =>
  on(async stage => {
    const { core } = stage
    core.nature.revokes = false
    const run = start(['run', '--only', `${LESS},idle-expires*`], stage)
    core.nature.onRequest = count => {
      if (count === 30) run.child.kill('SIGINT')
    }
    const ended = await run.ended
    const { verdict, tokens } = await check(stage, [ended], true)
    assert.match(ended.stderr, /Interrupted/)
    assert.ok(verdict === 'incomplete' || verdict === 'nonconformant', verdict)
    assert.ok(tokens.issued > 0)
  }),
)

/** Kills a run in its middle, and checks its files. */
async function killed(stage: Stage, args: string[], at: number): Promise<Ended> {
  const run = start(['run', ...args], stage)
  stage.core.nature.onRequest = count => {
    if (count === at) run.child.kill('SIGKILL')
  }
  const ended = await run.ended
  assert.is(ended.signal, 'SIGKILL')
  stage.core.nature.onRequest = () => {}
  assertNoTrace({ ...textsIn(stage.folder), stdout: ended.stdout, stderr: ended.stderr }, TRACES)
  return ended
}

long(test)('a run that is killed, and finished by another process', () =>
  on(async stage => {
    await killed(stage, ['--profile', 'quick', '--only', LESS], 30)
    const ended = await ran(['resume'], stage)
    const { verdict } = await check(stage, [ended])
    assert.is(verdict, 'conformant', ended.stdout + ended.stderr)
    assert.is(ended.code, 0)
  }),
)

long(test)('a run that is killed and given up: no report, and no trace', () =>
  on(async stage => {
    const { core, folder } = stage
    await killed(stage, ['--profile', 'quick', '--only', LESS], 30)
    const ended = await ran(['resume', '--abandon'], stage)
    checkOutput(ended.stdout, ended.stderr)
    assert.match(ended.stdout, /^None of the \d+ tokens of the run is live any more|may still be live/)
    const files = Object.keys(textsIn(folder)).filter(path => !path.endsWith('journal.ndjson'))
    assert.equal(files, [])
    assertNoTrace({ ...textsIn(folder), stdout: ended.stdout, stderr: ended.stderr }, TRACES)
    assert.ok(core.liveTokens <= 4, `${core.liveTokens} tokens are live`)
  }),
)

long(test)('a run that is detached, and one that goes on with it', () =>
  on(async stage => {
    stage.core.nature.lifetimeMs = 8000
    const only = ['--idle-lifetime', '8s', '--only', 'access-with-token,idle-expires*']
    const detached = await ran(['run', '--detach', ...only], stage)
    const { verdict, visits = [] } = await check(stage, [detached], true)
    assert.equal([verdict, detached.code], ['pending', 0])
    await sleep(Math.max(0, Date.parse(visits.at(-1)?.fromAt ?? '') - Date.now()))
    const ended = await ran(['resume'], stage)
    const result = await check(stage, [ended])
    assert.is(result.counts.pending, 0)
    assert.is(result.counts.failed, 0, ended.stdout)
  }),
)

long(test)('a run with a baseline and pins: a known failure, an unexpected pass and a drift', () =>
  on(async stage => {
    const { core, folder } = stage
    const only = 'access-with*,access-unknown-token,revocation-rejects,observe-*-token'
    const args = ['run', '--profile', 'quick', '--only', only]
    await ran(args, stage)
    writeFileSync(join(folder, 'was.json'), readFileSync(join(folder, 'reports', 'result.json')))
    const reason = JSON.stringify(`${NAMES.CORE_LABEL} </script> | \`\`\` ]]>`)
    const known = `access-with-token:\n  reason: ${reason}\nrevocation-rejects:\n  reason: ${reason}\n  issue: https://issues.example/1?a=<b>&c="d"\n`
    writeFileSync(join(folder, 'known.yaml'), known)
    core.forget()
    core.nature.revokes = false
    core.nature.rejection = 403
    const ended = await ran([...args, '--pin', 'was.json', '--baseline', 'known.yaml'], stage)
    const { specs, verdict } = await check(stage, [ended])
    assert.equal([verdict, ended.code], ['drifted', 1])
    const outcome = (id: string) => specs.find(spec => spec.id === id)?.outcome
    assert.equal([outcome('revocation-rejects'), outcome('access-with-token')], ['known failure', 'unexpected pass'])
    assert.ok(specs.some(({ pin, outcome }) => pin?.was === 401 && pin.is === 403 && outcome === 'failed'))
  }),
)

test('a Core that refuses the credentials', () =>
  on(async stage => {
    stage.core.nature.admits = false
    const ended = await ran(['run', '--profile', 'quick', '--only', LESS], stage)
    const { verdict, advice } = await check(stage, [ended])
    assert.equal([verdict, ended.code], ['untestable', 3])
    assert.ok(advice)
  }))

test.run()
