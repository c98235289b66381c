/**
 * The suite as its users run it, on an honest Core behind networks and small devices that make trouble: it never accuses the
 * Core. The mock Core and the command line each have a process of their own, the relay is in this one; time is real.
 *
 * All but `nothing` need the parts of the engine that bear trouble: bounded connections and repeats on a fresh connection
 * (workers, reset, dead), deadlines of their own for connecting and answering (late). Two back ends that do not share their
 * tokens are no honest Core: ACCESS-2 is to be accused, and nothing else.
 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type ForkedMockCore, forkMockCore } from '../dist/mock/index.js'
import type { RunResult } from '../dist/result.js'
import { notMetOf } from '../tools/matrix-judge.js'
import { cli, inFolder, PASSWORD, reportsIn } from './cli-support.js'
import { type RelayTrouble, startRelay } from './support/relay.js'

const test = suite('trouble on the network')
const LIFETIME_MS = 6000
/** A run is planned for about two lifetimes; slow machines and trouble get many. */
const DEADLINE_MS = 180_000
const RUN = ['--insecure', '--idle-lifetime', '6s', '--idle-tolerance', '15%']

const portOf = ({ url }: { url: string }) => Number(new URL(url).port)
const startCore = () =>
  forkMockCore({ username: 'anna', password: PASSWORD, idleLifetimeMs: LIFETIME_MS, accessControl: 'on' })

/** One run through a relay. */
async function runBehind(
  trouble: RelayTrouble,
  { backs = 1, args = [] }: { backs?: number; args?: string[] } = {},
): Promise<{ code: number | null; notMet: string[]; output: string; result: RunResult }> {
  const cores: ForkedMockCore[] = []
  for (let index = 0; index < backs; index += 1) cores.push(await startCore())
  const relay = await startRelay(cores.map(portOf), trouble)
  try {
    return await inFolder(async folder => {
      const env = { CORE_URL: `https://127.0.0.1:${relay.port}`, CORE_USERNAME: 'anna', CORE_PASSWORD: PASSWORD }
      const { code, stdout, stderr } = await cli(['run', ...RUN, ...args], {
        cwd: folder,
        env,
        deadlineMs: DEADLINE_MS,
      })
      const result = reportsIn(folder) as unknown as RunResult
      const output = `${JSON.stringify(relay.figures)}\n${stdout}${stderr}`
      return { code, notMet: Object.keys(notMetOf(result)), output, result }
    })
  } finally {
    await relay.close()
    await Promise.all(cores.map(core => core.close()))
  }
}

/** Of each area, and each kind of connection and of wait. */
const SOME = [
  '--only',
  'access-with*,access-*-token,access-other-connection,host-missing-*,idle-expires*,idle-still-valid,idle-use-resets,logon,revocation-rejects*,revocation-same-connection,revocation-spares-*',
]

/** Without what ranges over many variations, and without what is about connections themselves. */
const MOST = ['--only', 'access,host,idle,logon,revocation']

const NEVER_ACCUSED: [what: string, trouble: RelayTrouble, args?: string[]][] = [
  ['nothing', {}, SOME],
  ['two workers', { workers: 2 }, SOME],
  ['four workers', { workers: 4 }, SOME],
  ['six workers', { workers: 6 }, SOME],
  [
    'connections that are taken up late, within the deadline',
    { late: { ms: 1500, free: 10 } },
    ['--deadline', '2s', '--profile', 'quick', '--only', 'logon,access-with*,access-without*'],
  ],
  ['one connection in twenty that is reset', { reset: { percent: 5, seed: 7 } }, MOST],
  ['a second in which connections are refused', { dead: { fromMs: 2500, forMs: 1000, how: 'refuse' } }, SOME],
  ['a second in which bytes are held back', { dead: { fromMs: 2500, forMs: 1000, how: 'freeze' } }, SOME],
]

for (const [what, trouble, args = []] of NEVER_ACCUSED) {
  test(`an honest Core is not accused behind ${what}`, async () => {
    const { code, notMet, output } = await runBehind(trouble, { args })
    assert.equal(notMet, [], output)
    assert.is.not(code, 1, output)
    if (what === 'nothing') assert.is(code, 0, output)
  })
}

test('two back ends that do not share their tokens break ACCESS-2, and nothing else', async () => {
  const { code, notMet, output } = await runBehind({}, { backs: 2, args: ['--profile', 'quick', ...MOST] })
  assert.is(code, 1, output)
  assert.equal(notMet, ['ACCESS-2'], output)
})

test.run()
