/**
 * The suite as users run it, on an honest Core behind networks and small devices that make trouble: it never accuses the Core.
 * The mock Core has a process of its own; the relay and the command line are in this one. Time is real.
 *
 * The kinds of trouble test the tolerance of the engine: bounded connections and repeats on a fresh connection
 * (workers, reset, dead), separate deadlines for connecting and answering (late). Two back ends that do not share their
 * tokens are no honest Core: exactly ACCESS-2 must be accused.
 *
 * The runs start with the file, some at a time; each test waits for its own.
 */
import { rmSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type ForkedMockCore, forkMockCore } from '../dist/mock/index.js'
import type { RunResult } from '../dist/result.js'
import { notMetOf } from '../tools/matrix-judge.js'
import { cli, makeFolder, PASSWORD, reportsIn } from './cli-support.js'
import { inEarnest } from './support/cheap-fork.js'
import { isShort } from './support/long.js'
import { type Relay, type RelayTrouble, startRelay } from './support/relay.js'

const test = suite('trouble on the network')
const LIFETIME_MS = 6000
/** A run is planned for about two lifetimes; slow machines and trouble get many. */
const DEADLINE_MS = 180_000
const REPORTERS = ['--reporter', 'console,junit,json']
const RUN = ['--insecure', '--idle-lifetime', '6s', '--idle-tolerance', '15%', ...REPORTERS]
const EXPLORING = ['--explore', '100']

const portOf = ({ url }: { url: string }) => Number(new URL(url).port)
const startCore = () =>
  inEarnest(() =>
    forkMockCore({ username: 'anna', password: PASSWORD, idleLifetimeMs: LIFETIME_MS, accessControl: 'on' }),
  )

/** The result of a run through a relay. */
interface Ran {
  code: number | null
  notMet: string[]
  /** The share of specs that passed, of those that apply: 0 to 1. */
  passed: number
  figures: Relay['figures']
  output: string
}

const folder = makeFolder()
test.after(() => rmSync(folder, { recursive: true, force: true }))
let runs = 0

async function runBehind(trouble: RelayTrouble, args: string[], backs = 1): Promise<Ran> {
  const cores: ForkedMockCore[] = []
  for (let index = 0; index < backs; index += 1) cores.push(await startCore())
  const relay = await startRelay(cores.map(portOf), trouble)
  const out = `reports-${++runs}`
  try {
    const env = { CORE_URL: `https://127.0.0.1:${relay.port}`, CORE_USERNAME: 'anna', CORE_PASSWORD: PASSWORD }
    const { code, stdout, stderr } = await cli(['run', '--out', out, ...RUN, ...args], {
      cwd: folder,
      env,
      deadlineMs: DEADLINE_MS,
    })
    const result = reportsIn(folder, out) as unknown as RunResult
    const { figures } = relay
    const output = `${JSON.stringify(figures)}\n${stdout}${stderr}`
    const applying = result.specs.filter(({ outcome }) => outcome !== 'skipped')
    const passed = applying.filter(({ outcome }) => outcome === 'passed').length / applying.length
    return { code, notMet: Object.keys(notMetOf(result)), passed, figures, output }
  } finally {
    await relay.close()
    await Promise.all(cores.map(core => core.close()))
  }
}

/** A run waits most of its time. With more at a time, they would miss their windows. */
const AT_A_TIME = 3
const waiting: (() => void)[] = []
let running = 0

/** Starts a run as soon as there is room beside the runs of other tests. */
async function inTurn(...run: Parameters<typeof runBehind>): Promise<Ran> {
  if (running >= AT_A_TIME) await new Promise<void>(resolve => waiting.push(resolve))
  else running += 1
  try {
    return await runBehind(...run)
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }
}

/** Keeps the error of an early run for its own test. */
function begun(run: Promise<Ran>): Promise<Ran> {
  run.catch(() => {})
  return run
}

/** Specs of each area, and of each kind of connection and of wait. */
const KINDS =
  'access-with*,access-*-token,access-other-connection,idle-expires*,idle-still-valid,idle-use-resets,logon-issues-token,logon-tokens-distinct,logon-repeated,logon-wrong-password,logon-empty-body,logon-refused-spares-tokens,logon-at-once,revocation-rejects*,revocation-same-connection,revocation-spares-*'

const SOME = [
  '--only',
  `${KINDS},host-missing-access-http1*,host-missing-issues-nothing-http11,host-missing-spares-connection-http11`,
]

/** Each kind of connection and of wait once. */
const FEW = [
  '--only',
  'access-with*,access-other-connection,host-missing-access-http1*,idle-expires,idle-use-resets,logon-issues-token,logon-at-once,revocation-rejects,revocation-same-connection',
]

const NEVER_ACCUSED: [what: string, trouble: RelayTrouble, args: string[]][] = [
  // The longest first.
  ['one connection in ten that is reset', { reset: { percent: 10, seed: 7 } }, [...SOME, ...EXPLORING]],
  ['two workers', { workers: 2 }, FEW],
  [
    'connections that are taken up late, within the deadline',
    { late: { ms: 1500, free: 10 } },
    ['--deadline', '2s', '--profile', 'quick', '--only', 'logon,access-with*,access-without*'],
  ],
  [
    'a second in which connections are refused',
    { dead: { fromMs: 2500, forMs: 1000, how: 'refuse' } },
    [...SOME, ...EXPLORING],
  ],
  [
    'a second in which bytes are held back',
    { dead: { fromMs: 2500, forMs: 1000, how: 'freeze' } },
    [...SOME, ...EXPLORING],
  ],
]

/** The least share of specs that pass behind trouble: a tool that gives up accuses nobody either. */
const MOST = 2 / 3

for (const [what, trouble, args] of NEVER_ACCUSED) {
  if (isShort && (trouble.reset || trouble.dead || trouble.late)) continue
  const run = begun(inTurn(trouble, args))
  test(`an honest Core is not accused behind ${what}`, async () => {
    const { code, notMet, passed, figures, output } = await run
    assert.equal(notMet, [], output)
    // 3: too much trouble for a verdict.
    assert.ok(code === 0 || code === 3, output)
    assert.ok(passed >= MOST, `${passed} of the specs passed\n${output}`)
    if (trouble.reset) assert.ok(figures.resets > 0, output)
    // Where no connection is open at that moment, none is reset.
    if (trouble.dead?.how === 'refuse') assert.ok(figures.resets > 0 || /no request was answered/.test(output), output)
    if (trouble.workers) assert.is(figures.mostAtATime, trouble.workers, output)
  })
}

const divided = begun(inTurn({}, ['--profile', 'quick', ...FEW], 2))
test('two back ends that do not share their tokens break ACCESS-2, and nothing else', async () => {
  const { code, notMet, output } = await divided
  assert.is(code, 1, output)
  assert.equal(notMet, ['ACCESS-2'], output)
})

test.run()
