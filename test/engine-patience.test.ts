/** Runs against Cores that waste the client's time: each run ends within the stated bound, and says why. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { realClock } from '../dist/engine/clock.js'
import { runOn as runAndCheck } from './support/checked-run.js'
import { long } from './support/long.js'
import { type CoreRequest, type Reaction, ScriptedCore } from './support/scripted-core.js'
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
class Turning extends ScriptedCore {
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

test('a Core whose answers become late ends the run', async () => {
  const late = new Turning(async (_, honest) => {
    const reaction = await honest()
    return typeof reaction === 'string' ? reaction : { ...reaction, afterMs: 3500 }
  })
  const configuration = { ...QUICK, patienceMs: 2000 }
  const result = await runAndCheck(late, { specs, configuration, left: true })
  assert.match(result.reason, /late,? or not whole.*the patience of this run/, result.reason)
})

test.run()
