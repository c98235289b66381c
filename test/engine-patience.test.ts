/** Runs against Cores that waste the client's time: each run ends within the stated bound, and says why. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { realClock } from '../dist/engine/clock.js'
import { waits } from '../dist/suite/spec.js'
import { runOn as runAndCheck } from './support/checked-run.js'
import { long } from './support/long.js'
import { type CoreRequest, type Reaction, WireCore } from './support/scripted-core.js'
import { QUICK, SUITE } from './support/suite-run.js'

const test = suite('patience of a run')

/** Number of correct answers at the start: for the survey, and some specs. */
const HONEST = 60

/** Every spec that does not wait for time to pass. */
const specs = SUITE.specs.filter(({ measuresLifetime }) => !measuresLifetime)

/** Makes a clock that runs `times` as fast as the real one: a minute of silence is soon over. */
function fastClock(times: number) {
  const clock = realClock()
  return { ...clock, now: () => clock.now() * times, wall: () => clock.wall() }
}

/** A Core that is honest at first, then changes. */
class Turning extends WireCore {
  constructor(
    private readonly afterwards: (
      request: CoreRequest,
      honest: () => Reaction | Promise<Reaction>,
    ) => Reaction | Promise<Reaction>,
  ) {
    super()
  }

  override react(request: CoreRequest): Reaction | Promise<Reaction> {
    const honest = () => super.react(request)
    return this.requests.length <= HONEST ? honest() : this.afterwards(request, honest)
  }
}

long(test)('a Core that does not answer any more ends the run, and is told in one sentence', async () => {
  for (const [reaction, how] of [
    ['hang', /no response within 1 s/],
    ['drop', /the connection ended without a response/],
  ] as const) {
    const core = new Turning(() => reaction)
    const configuration = { ...QUICK, deadlineMs: 1000 }
    const result = await runAndCheck(core, { specs, configuration, clock: fastClock(30), left: true })
    assert.is.not(result.verdict, 'conformant')
    assert.match(result.reason, /none of the last \d+ requests got a whole answer, in .*the rest was left out/)
    assert.match(result.reason, how)
    // A quick run sends 1,400 requests.
    assert.ok(core.requests.length < 400, `${core.requests.length} requests`)
    assert.ok(result.counts.skipped > 50, JSON.stringify(result.counts))
  }
})

test('a pace that the Core asks for is part of the patience', async () => {
  let asked = 0
  const core = new Turning((_, honest) =>
    asked++ % 4 === 0 ? { status: 429, headers: { 'Retry-After': '1' } } : honest(),
  )
  const result = await runAndCheck(core, { specs, configuration: { ...QUICK, patienceMs: 5000 } })
  assert.is(result.verdict, 'incomplete', result.reason)
  assert.match(result.reason, /the Core (asks to slow down|refuses logons), .*the patience of this run \(5 s\)/)
})

long(test)('a limit in front, told by a status alone, accuses nobody, and nothing is left out for it', async () => {
  for (const status of [429, 503]) {
    // As nginx limits: 30 a second, with a burst of 6. What it turns away never reaches the Core.
    let level = 0
    let lastMs = performance.now()
    class Limited extends WireCore {
      override react(request: CoreRequest): Reaction | Promise<Reaction> {
        const nowMs = performance.now()
        level = Math.max(0, level - ((nowMs - lastMs) * 30) / 1000)
        lastMs = nowMs
        if (level > 6) return { status }
        level++
        return super.react(request)
      }
    }
    const core = new Limited()
    const few = specs
      .filter(({ area, level }) => area === 'revocation' && level === 'must')
      .filter(spec => !waits(spec) && !spec.isForFull)
    const result = await runAndCheck(core, { specs: few.slice(0, 16), configuration: QUICK })
    const lost = result.specs
      .filter(({ outcome }) => outcome !== 'passed')
      .map(({ id, message }) => `${id}: ${message}`)
    assert.equal(lost, [])
    assert.is(result.verdict, 'conformant', result.reason)
    const notices = result.notices.join('\n')
    const [, least] =
      /takes (?:about|at least|between) ([\d.]+)(?: and [\d.]+)? (?:requests|logons) a second/.exec(notices) ?? []
    // How near it comes depends on the machine, and a slow one is turned away too rarely to know; core-pacer.test.ts has the figure.
    assert.ok(
      least === undefined
        ? notices === '' || /turned requests away now and then \(\d\)/.test(notices)
        : Number(least) > 0 && Number(least) <= 36,
      notices,
    )
    assert.not.match(notices, /room|connection/)
  }
})

test('a Core whose answers become late ends the run', async () => {
  const late = new Turning(async (_, honest) => {
    const reaction = await honest()
    return typeof reaction === 'string' ? reaction : { ...reaction, afterMs: 3500 }
  })
  const configuration = { ...QUICK, patienceMs: 2000 }
  const result = await runAndCheck(late, { specs, configuration, left: true })
  assert.match(result.reason, /answers of the Core come late, or not whole, .*the patience of this run/, result.reason)
})

test.run()
