/** Runs that were killed, interrupted or detached, and the way `run` and `resume` treat them, in separate processes. */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type ForkedMockCore, forkMockCore, startMockCore } from '../dist/mock/index.js'
import { controlVariablesOf } from '../tools/mock-variables.js'
import { assertUsage, formsOf, inFolder, makeFolder, reportsIn, resultIn, withCore } from './cli-support.js'
import {
  differences,
  envOf,
  essence,
  journalPath,
  logonsInFlight,
  PASSWORD,
  tokensOf,
  undisturbed,
} from './support/kills.js'
import { long } from './support/long.js'
import {
  assertGivenBack,
  HOUR,
  kill,
  killed,
  killedWithKey,
  linesOf,
  on,
  ran,
  SOME,
  type Stage,
  start,
  untilWaiting,
} from './support/stage.js'

const test = suite('resume')

/** A run that was killed while it waited, once for all tests. Each test gets a copy of its files. */
let left: { mock: ForkedMockCore; folder: string; env: Record<string, string> }
test.before(async () => {
  const mock = await forkMockCore({ username: 'admin', password: PASSWORD, idleLifetimeMs: HOUR })
  left = { mock, folder: makeFolder(), env: { ...envOf(mock, HOUR), CORE_ONLY: SOME, CORE_EXPLORE: '0' } }
  await killedWithKey(left)
})
test.after(async () => {
  await left.mock.close()
  rmSync(left.folder, { recursive: true, force: true })
})

/** Calls back with a copy of that run's files. */
const afterKill = (use: (stage: Stage) => Promise<void>) =>
  inFolder(folder => {
    cpSync(left.folder, folder, { recursive: true, preserveTimestamps: true })
    return use({ ...left, folder })
  })

// ---- What is refused ----------------------------------------------------------------------------------------------

test('resume without a run to go on with: exit 2, and nothing is sent', () =>
  on(HOUR, async stage => {
    const message = /there is no journal in reports: no run was left unfinished there \(--out\)/
    assertUsage(await ran(['resume'], stage), message)
    assertUsage(await ran(['resume', '--abandon'], stage), message)
    assertUsage(await ran(['resume', '--out', 'none'], stage), /there is no journal in none/)
    mkdirSync(join(stage.folder, 'reports'))
    writeFileSync(journalPath(stage.folder), 'x\n')
    assertUsage(await ran(['resume'], stage), /journal\.ndjson:1 is no line of a journal: .*; remove it/)
    assertUsage(await ran(['run'], stage), /journal\.ndjson:1 is no line of a journal/)
    assert.is((await tokensOf(stage.mock)).issued, 0)
  }))

long(test)('resume with another password, with changed specs, and of a run at work: exit 2, as if nothing was', () =>
  on(HOUR, async stage => {
    const { folder, env, mock } = stage
    const mine = join(folder, 'mine')
    mkdirSync(mine)
    const changed = (id: string) =>
      writeFileSync(
        join(mine, 'mine.yaml'),
        `area: mine
specs:
- id: ${id}
  title: a spec of our own
  requirements: [ACCESS-2]
  steps:
    - logon: a
    - send: access
      token: a
      expect: accepted
`,
      )
    changed('mine-one')
    const running = start(['run', '--specs', 'mine'], stage)
    await untilWaiting(stage, running)
    assertUsage(await ran(['resume'], stage), /a run is under way in reports \(process \d+\): wait for its end/)
    assertUsage(await ran(['resume', '--abandon'], stage), /a run is under way/)
    assertUsage(await ran(['run'], stage), /a run is under way in reports \(process \d+\)/)
    await kill(running)
    const { issued, live } = await tokensOf(mock)
    const before = readFileSync(journalPath(folder))
    const wrong = { folder, env: { ...env, CORE_PASSWORD: `${PASSWORD}x` } }
    assertUsage(
      await ran(['resume'], wrong),
      /was sealed with another password than this: set CORE_PASSWORD to that of the run/,
    )
    const none = { folder, env: { ...env, CORE_PASSWORD: '' } }
    assertUsage(await ran(['resume'], none), /no password: set CORE_PASSWORD/)
    changed('mine-two')
    assertUsage(await ran(['resume'], stage), /the suite is another than the one that began this run/)
    changed('mine-one')
    assertUsage(
      await ran(['run'], stage),
      /a run of .* was left unfinished in reports, with up to \d+ tokens live on https:.*: finish it with 'core-conformance resume --out reports', or revoke them with 'core-conformance resume --abandon --out reports'/,
    )
    assert.equal(readFileSync(journalPath(folder)), before, 'the journal is as it was')
    assert.equal(await tokensOf(mock), { ...(await tokensOf(mock)), issued, live }, 'nothing was sent')
    const inFlight = logonsInFlight(folder)
    await ran(['resume', '--abandon'], stage, inFlight ? 3 : 0)
    await assertGivenBack(stage, inFlight)
  }),
)

test('a journal that points elsewhere: exit 2, and neither the Core nor anybody else hears of it', () =>
  afterKill(async stage => {
    const before = await tokensOf(stage.mock)
    const path = journalPath(stage.folder)
    const text = readFileSync(path, 'utf8')
    await withCore({}, async other => {
      // A person who can write to the folder could send the run to another host, with any certificate.
      const [first = '', ...lines] = text.split('\n')
      const run = JSON.parse(first) as { target: { url: string; trust: unknown } }
      run.target.url = other.url.origin
      run.target.trust = { kind: 'insecure' }
      const elsewhere = { ...stage, env: { ...stage.env } }
      delete elsewhere.env.CORE_URL
      delete elsewhere.env.CORE_FINGERPRINT
      const trials = {
        'the target': [JSON.stringify(run), ...lines].join('\n'),
        'the end': text.split('\n').slice(0, -2).join('\n').concat('\n'),
        'a line': text.replace('"type":"waits"', '"type":"leaves"'),
        'the embedded mock Core': text.replace('"kind":"core"', '"kind":"mock"'),
      }
      for (const [what, changed] of Object.entries(trials)) {
        assert.is.not(changed, text, what)
        writeFileSync(path, changed)
        for (const args of [['resume'], ['resume', '--abandon']]) {
          assertUsage(
            await ran(args, elsewhere),
            // The last line may be that of the key.
            /journal\.ndjson(:\d+ (is not as it was|says \d+ lines)| was sealed with| has no key)/,
          )
          assert.is(readFileSync(path, 'utf8'), changed)
        }
      }
      assert.is(other.requests.length, 0)
    })
    assert.equal(await tokensOf(stage.mock), before, 'nothing was sent')
    writeFileSync(path, text)
    assert.is((await ran(['resume', '--abandon'], stage)).code, logonsInFlight(stage.folder) ? 3 : 0)
  }))

test('resume for another Core, trust or configuration than the run’s: each is refused by its name', () =>
  afterKill(async stage => {
    const { folder, env } = stage
    const before = await tokensOf(stage.mock)
    const trials: [Record<string, string>, string[], RegExp][] = [
      [{ CORE_URL: 'https://10.0.0.5' }, [], /CORE_URL says https:\S+, and the run was begun with https:\/\/127/],
      [{ CORE_FINGERPRINT: 'ab'.repeat(32) }, [], /CORE_FINGERPRINT says the fingerprint AB:.*begun with the finger/],
      [{}, ['--insecure'], /--insecure says any certificate/],
      [{ CORE_USERNAME: 'eve' }, [], /CORE_USERNAME says eve, and the run was begun with 'admin'/],
      [{ CORE_IDLE_TOLERANCE: '9%', CORE_PROFILE: 'quick' }, [], /CORE_IDLE_TOLERANCE says 9%.*; CORE_PROFILE says/],
      [{}, ['--probe-path', '/api/x', '--token-field', 'x', '--specs', 'x'], /--probe-path .*--token-field .*--specs /],
      [{}, ['--control-url', 'http://127.0.0.1:9', '--label', 'x'], /--label .*--control-url says/],
    ]
    for (const [more, args, message] of trials)
      for (const command of [['resume'], ['resume', '--abandon']])
        assertUsage(await ran([...command, ...args], { folder, env: { ...env, ...more } }), message)
    assert.equal(await tokensOf(stage.mock), before, 'nothing was sent')
    // The same settings in other words are the same.
    const same = { ...env, CORE_DEADLINE: '10000ms', CORE_INSECURE: '0', CORE_CONCURRENCY: '04' }
    await ran(['resume', '--abandon'], { folder, env: same }, logonsInFlight(folder) ? 3 : 0)
  }))

test('a run into the folder of one whose tokens have lapsed is accepted', () =>
  afterKill(async stage => {
    assertUsage(await ran(['run', '--profile', 'quick'], stage), /was left unfinished/)
    const past = (Date.now() - HOUR * 1.06) / 1000
    utimesSync(journalPath(stage.folder), past, past)
    await ran(['run', '--profile', 'quick'], stage, 0)
    assert.is(existsSync(journalPath(stage.folder)), false)
  }))

// ---- Secrets ------------------------------------------------------------------------------------------------------

long(test)('the journal of a real run is for its owner only, and holds no password and no token in clear', () =>
  withCore({}, async (core, folder) => {
    const stage = { folder, env: { ...core.env, CORE_ONLY: SOME } }
    const running = start(['run'], stage)
    await untilWaiting(stage, running)
    await kill(running)
    const path = journalPath(folder)
    assert.is(statSync(path).mode & 0o777, 0o600)
    const text = readFileSync(path, 'latin1')
    assert.ok(core.tokens.length > 5 && linesOf(folder).filter(type => type === 'token').length > 5)
    // Looks below the base64 of sealed lines too.
    const below = [...text.matchAll(/"([A-Za-z0-9+/=]{40,})"/g)].map(([, found]) => Buffer.from(found ?? '', 'base64'))
    assert.ok(below.length > 5)
    const whole = [text, ...below.map(bytes => bytes.toString('latin1'))].join('\n')
    for (const secret of core.secrets) {
      const forms = [...formsOf(secret), Buffer.from(secret).toString('latin1'), secret.slice(0, 12)]
      for (const form of forms) assert.not.ok(whole.includes(form), `${form} (of ${secret}) is in the journal`)
      assert.not.ok(whole.toLowerCase().includes(Buffer.from(secret).toString('hex')))
    }
    const inFlight = logonsInFlight(folder)
    await ran(['resume', '--abandon'], stage, inFlight ? 3 : 0)
    assert.ok(core.live.size <= inFlight)
  }),
)

// ---- Abandoned ----------------------------------------------------------------------------------------------------

long(test)('resume --abandon revokes every token that is known, whenever the run was killed, and forgets the run', () =>
  on(HOUR, async stage => {
    const { mock, folder } = stage
    let lost = 0
    for (const waits of [0, 3]) {
      const running = start(['run'], stage)
      if (waits) await untilWaiting(stage, running, waits)
      else while (!linesOf(folder).includes('logon')) await sleep(5)
      await kill(running)
      const inFlight = logonsInFlight(folder)
      lost += inFlight
      // A process of its own: otherwise its journal would be in the way of the next command.
      const abandon = ['resume', '--abandon']
      const { code, stdout, stderr } = await (inFlight ? start(abandon, stage).ended : ran(abandon, stage))
      if (inFlight === 0)
        assert.match(stdout, /^None of the \d+ tokens of the run is live any more, and its journal is removed\.\n$/)
      // Unknown tokens cannot be revoked, and the output says so.
      else assert.match(stdout, /^(None of the )?\d+ (of \d+ )?tokens[^:]*\n$/)
      assert.is(code, inFlight ? 3 : 0, stdout + stderr)
      assert.is(existsSync(journalPath(folder)), inFlight > 0)
      const { live } = await tokensOf(mock)
      assert.ok(live <= lost, `${live} live, ${lost} logons were in flight`)
      if (!inFlight) continue
      const past = (Date.now() - HOUR * 1.06) / 1000
      utimesSync(journalPath(folder), past, past)
    }
  }),
)

// ---- Resumed, interrupted -----------------------------------------------------------------------------------------

long(test)('Ctrl-C in a resumed run gives every token back, also those of the process before', () =>
  on(HOUR, async stage => {
    const { folder } = stage
    await killed(stage)
    const inFlight = logonsInFlight(folder)
    const resumed = start(['resume'], stage)
    while (linesOf(folder).filter(type => type === 'process').length < 2) await sleep(20)
    await sleep(300)
    resumed.child.kill('SIGINT')
    await resumed.ends(3)
    const result = resultIn(folder)
    assert.is(result.verdict, 'incomplete')
    assert.ok(result.tokens.left <= inFlight)
    await assertGivenBack(stage, inFlight)
    assert.is(existsSync(journalPath(folder)), true)
  }),
)

// ---- Mock Cores in virtual time -----------------------------------------------------------------------------------

long(test)('the embedded mock Core, killed and resumed: it died with its run, so what has no outcome begins anew', () =>
  inFolder(async folder => {
    // Specs of each area, enough to be killed in their middle.
    const only =
      'access-with*,access-*-token,host-missing-access-*,host-missing-revokes-nothing-http11,idle-expires*,idle-use-resets,logon-*s-token*,logon-wrong-*,revocation-rejects,revocation-s*'
    const stage = { folder, env: { CORE_CONCURRENCY: '1', CORE_ONLY: only } }
    await ran(['run', '--out', 'whole'], stage, 0)
    const running = start(['run'], stage)
    while (linesOf(folder).filter(type => type === 'ended').length < 5) await sleep(2)
    await kill(running)
    await ran(['resume'], stage, 0)
    const [result, undisturbed] = [reportsIn(folder), resultIn(folder, 'whole')]
    assert.equal(differences(essence(result), essence(undisturbed)), [])
    assert.is(result.tokens.left, 0)
    assert.is(existsSync(journalPath(folder)), false)
    // The password of the first mock Core stays secret, though that Core is gone.
    const bodies = result.specs.flatMap(({ exchanges }) => exchanges).map(({ request }) => request.body ?? '')
    assert.ok(bodies.some(body => body.includes('[password]')))
    const logons = (of: typeof undisturbed) =>
      of.specs.flatMap(({ id, exchanges }) =>
        exchanges.map(({ request }) => `${id} ${request.body?.replace(/(nobody-)?[0-9a-f]{8,}/g, '#')}`),
      )
    assert.equal(logons(result).sort(), logons(undisturbed).sort())
  }),
)

test('of two that resume at the same moment, one does', () =>
  afterKill(async stage => {
    const [one, other] = [start(['resume', '--abandon'], stage), start(['resume', '--abandon'], stage)]
    const ends = await Promise.all([one.ended, other.ended])
    // The other run may be left with a token of a logon that was in flight at the kill.
    const refused = ends.filter(({ code }) => code === 2)
    const told = ends.map(({ stdout, stderr }) => stdout + stderr).join('\n')
    assert.is(refused.length, 1, told)
    // The slower one may look only after the faster one has finished.
    assertUsage(refused[0] as (typeof refused)[0], /a run is under way|there is no journal/)
    await assertGivenBack(stage, logonsInFlight(stage.folder))
  }))

long(test)(
  'a mock Core whose clock is advanced, in the middle of its hour: the clock goes on where it stood',
  async () => {
    const baseline = await undisturbed(SOME)
    await on(HOUR, async ({ mock, folder, env }) => {
      const stage = { mock, folder, env: { ...env, ...controlVariablesOf(mock) } }
      const running = start(['run'], stage)
      // Waits until the first leaps are over.
      while (!linesOf(folder).includes('leaves')) await sleep(2)
      await kill(running)
      assertUsage(
        await ran(['resume'], { folder, env }),
        /the run advanced the clock of a mock Core: set CORE_CONTROL_KEY/,
      )
      const inFlight = logonsInFlight(folder)
      await ran(['resume'], stage, 0)
      const result = resultIn(folder)
      assert.equal(differences(essence(result), baseline.undisturbed), [])
      assert.is(result.time, 'virtual')
      const again = result.specs.flatMap(({ id, firstTry }) => (firstTry === undefined ? [] : [`${id}: ${firstTry}`]))
      assert.equal(again, [], 'no window was missed')
      await assertGivenBack(stage, inFlight)
      assert.is(existsSync(journalPath(folder)), false)
    })
  },
)

// ---- A different Core, or none: the last tests that need the killed run ------------------------------------------

test('resume --abandon where the Core is gone keeps the journal: exit 3', () =>
  afterKill(async stage => {
    await stage.mock.close()
    const { stdout } = await ran(['resume', '--abandon'], stage, 3)
    assert.match(
      stdout,
      /^\d+ of \d+ tokens may still be live, and the journal is kept: the run cannot go on: nothing is listening at [^;]*; try again, or let them expire\.\n$/,
    )
    assert.is(existsSync(journalPath(stage.folder)), true)
  }))

test('a certificate that changed: nothing is sent, what to do is said, and no flag that resume would refuse', () =>
  afterKill(async stage => {
    await stage.mock.close()
    const { port } = new URL(stage.mock.url)
    const other = await startMockCore({ username: 'admin', password: PASSWORD, port: Number(port) })
    const { stdout } = await ran(['resume'], stage, 3)
    const said = stdout.replace(/\s+/g, ' ')
    assert.match(said, /the run cannot go on: the certificate is not the pinned one: its SHA-256 is/)
    assert.match(
      said,
      /→ if it is your Core, and was given another certificate, run anew with another folder for reports/,
    )
    assert.match(said, /note the Core's certificate has changed since the run began: its SHA-256 was/)
    assert.not.match(said, /--fingerprint|--insecure|--ca-file/)
    assert.is(existsSync(journalPath(stage.folder)), true)
    assert.equal(other.requests, [])
    await other.close()
  }))

test.run()
