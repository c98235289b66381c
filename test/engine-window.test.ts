/** Honest windows: two clocks that may differ, tokens that have lapsed, limits to a wait, and the measured lifetime. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Token } from '../dist/core/token.js'
import type { Clock } from '../dist/engine/clock.js'
import { measuredLifetime } from '../dist/engine/other-lifetime.js'
import { gapSince, missedAlive, missedExpired } from '../dist/engine/window.js'
import type { Gap, RunResult, SpecRecord } from '../dist/result.js'
import { type Allowed, assertNoneFailed, only, runOn as runAndCheck } from './support/checked-run.js'
import { type CoreRequest, type Reaction, ScriptedCore } from './support/scripted-core.js'
import { type RunWith, recordOf, SUITE, specsOf, withOutcome } from './support/suite-run.js'

const HOUR = 3_600_000
const LIFETIME = { lifetimeMs: HOUR, tolerance: 0.05 }

// ---- Gaps ---------------------------------------------------------------------------------------------------------

const gaps = suite('gaps by two clocks')

/** Makes a moment on the clock of the run with its wall clock time; exchanges take 10 ms. */
const at = (ms: number, wallMs = ms) => ({
  sentAt: ms,
  receivedAt: ms + 10,
  wall: { sentAt: 1e12 + wallMs, receivedAt: 1e12 + wallMs + 10 },
})
const gapOf = (check: ReturnType<typeof at>) => gapSince(new Token('a', 'x', at(0)).possibleUse, check)

gaps('clocks that agree tell one gap', () => {
  assert.equal(gapOf(at(HOUR)), { shortestMs: HOUR - 10, longestMs: HOUR + 10 })
})

gaps('small corrections of the wall clock are ignored, also over an hour', () => {
  for (const [ms, by] of [
    [1000, 49],
    [1000, -49],
    [HOUR, 3500],
    [HOUR, -3500],
  ] as const) {
    assert.equal(gapOf(at(ms, ms + by)), { shortestMs: ms - 10, longestMs: ms + 10 }, `${by} ms in ${ms}`)
  }
})

gaps('a machine that slept: the gap lies anywhere between what the clocks tell', () => {
  const slept = gapOf(at(1000, HOUR))
  assert.equal(slept, { shortestMs: 990, longestMs: HOUR + 10 })
  assert.ok(missedAlive(slept, LIFETIME), 'it may have been unused for an hour')
  assert.ok(missedExpired(slept, LIFETIME), 'it may have been unused for a second')
  // Beyond the lifetime by both clocks the token has expired, whichever clock is right.
  assert.is(missedExpired(gapOf(at(HOUR * 1.1, HOUR * 8)), LIFETIME), undefined)
})

gaps('a wall clock that was set: neither reading is believed alone', () => {
  assert.equal(gapOf(at(HOUR * 1.1, HOUR * 0.1)), { shortestMs: HOUR * 0.1 - 10, longestMs: HOUR * 1.1 + 10 })
  assert.ok(missedExpired(gapOf(at(HOUR * 1.1, HOUR * 0.1)), LIFETIME), 'set back')
  assert.ok(missedAlive(gapOf(at(HOUR / 2, HOUR * 2.5)), LIFETIME), 'set forward')
  assert.ok(gapOf(at(HOUR, -HOUR)).shortestMs < 0)
  for (const by of [51, -51])
    assert.is.not(gapOf(at(1000, 1000 + by)).longestMs - gapOf(at(1000, 1000 + by)).shortestMs, 20)
})

gaps('where nobody looked at the wall clock, the clock of the run is all there is', () => {
  const { sentAt, receivedAt } = at(HOUR)
  assert.equal(gapOf(at(HOUR, 5)).shortestMs, -5)
  const blind = new Token('a', 'x', { sentAt: 0, receivedAt: 10 })
  assert.equal(gapSince(blind.certainUse, at(HOUR, 5)), { shortestMs: HOUR - 10, longestMs: HOUR + 10 })
  const seeing = new Token('a', 'x', at(0))
  assert.equal(gapSince(seeing.certainUse, { sentAt, receivedAt }), { shortestMs: HOUR - 10, longestMs: HOUR + 10 })
})

gaps.run()

// ---- Runs ---------------------------------------------------------------------------------------------------------

const runs = suite('runs by two clocks')

/** The clocks under the test's control: of the run, of the wall, and of the Core. */
class Hands {
  runMs = 0
  wallMs = 0
  coreMs = 0
  readonly leaps: number[] = []
  private readonly startMs = performance.now()

  /** @param onLeap a further action in a leap, called with its number */
  constructor(private readonly onLeap: (leap: number, hands: Hands, ms: number) => void = () => {}) {}

  private get realMs(): number {
    return performance.now() - this.startMs
  }

  get core(): number {
    return this.realMs + this.coreMs
  }

  readonly clock: Clock = {
    now: () => this.realMs + this.runMs,
    wall: () => 1e12 + this.realMs + this.wallMs,
    leap: async ms => {
      this.leaps.push(ms)
      this.all(ms)
      this.onLeap(this.leaps.length, this, ms)
    },
  }

  all(ms: number): void {
    this.runMs += ms
    this.wallMs += ms
    this.coreMs += ms
  }
}

class Timed extends ScriptedCore {
  constructor(readonly hands: Hands) {
    super()
  }

  override now(): number {
    return this.hands.core
  }
}

const runOn = (core: Timed, options: RunWith & Allowed = {}): Promise<RunResult> =>
  runAndCheck(core, { clock: core.hands.clock, ...options })

/** Runs one spec, and disturbs the clocks in its first wait. */
/** Without spare tokens none watches the Core, and all leaps belong to the specs. */
const UNWATCHED = { maxTokens: 4 }

async function disturbed(id: string, disturb: (hands: Hands, ms: number) => void): Promise<SpecRecord> {
  const hands = new Hands((leap, self, ms) => leap === 1 && disturb(self, ms))
  const result = await runOn(new Timed(hands), { ...only(id), configuration: UNWATCHED })
  assertNoneFailed(result)
  return recordOf(result, id)
}

runs('a machine that sleeps through the end of a token accuses nobody, and tries again', async () => {
  // The clock of the run stands still; the Core's goes on.
  const { outcome, firstTry } = await disturbed('idle-still-valid', hands => {
    hands.wallMs += HOUR
    hands.coreMs += HOUR
  })
  assert.is(outcome, 'passed')
  assert.match(
    firstTry ?? '',
    /had been unused for 55 min 48 s to 1 h 5[56] min.*only be judged under 57 min/,
    firstTry,
  )
})

runs('a good token that has a status of its own is looked at in time, too', async () => {
  for (const id of ['idle-unknown-path-resets', 'idle-wrong-method-resets']) {
    const { outcome, message, firstTry } = await disturbed(id, hands => hands.all(HOUR))
    assert.is(outcome, 'passed', message)
    assert.match(firstTry ?? '', /whether it is still valid can only be judged under 57 min/, id)
  }
})

runs('a machine that is late by more than its room has more room at the second try', async () => {
  const late = new Hands((_leap, hands) => hands.all(2 * 60_000))
  const result = await runOn(new Timed(late), { ...only('idle-still-valid'), configuration: UNWATCHED })
  const { outcome, firstTry, message } = recordOf(result, 'idle-still-valid')
  assert.is(outcome, 'passed', message)
  assert.match(firstTry ?? '', /whether it is still valid can only be judged under 57 min/)
})

runs('a wall clock that is set accuses nobody, and what cannot be told is tried again', async () => {
  const back = await disturbed('idle-expires-unused', hands => {
    hands.wallMs -= HOUR
  })
  assert.is(back.outcome, 'passed')
  assert.match(back.firstTry ?? '', /whether it has expired can only be judged over 1 h 3 min/)
  const forward = await disturbed('idle-still-valid', hands => {
    hands.wallMs += HOUR
  })
  assert.is(forward.outcome, 'passed')
  assert.match(forward.firstTry ?? '', /whether it is still valid can only be judged under 57 min/)
  const alike = await disturbed('idle-expires-unused', hands => {
    hands.wallMs += 2000
  })
  assert.equal([alike.outcome, alike.firstTry], ['passed', undefined])
})

runs('a wait that ends after what limits it has missed its window, and is tried again', async () => {
  const { outcome, firstTry, steps } = await disturbed('idle-early-use-resets', hands => hands.all(0.4 * HOUR))
  assert.is(outcome, 'passed')
  assert.match(firstTry ?? '', /it came after 36 min/)
  assert.ok(steps.every(step => step.outcome === 'ok'))
  // The second time is once too often.
  const hands = new Hands((_leap, self, ms) => Math.round(ms) < HOUR / 2 && self.all(0.4 * HOUR))
  const result = await runOn(new Timed(hands), { ...only('idle-early-use-resets'), configuration: UNWATCHED })
  const late = recordOf(result, 'idle-early-use-resets')
  assert.is(late.outcome, 'inconclusive')
  assert.match(late.message ?? '', /it came after 36 min/)
  const missed = late.steps.find(step => step.outcome === 'missed window')
  assert.is(missed?.expected, 'the next step comes before 30 min have passed')
  assert.is(result.verdict, 'incomplete')
})

const SHARED = ['idle-expires', 'idle-expires-elsewhere', 'idle-expires-head', 'idle-survives-logon']

runs('a token that has lapsed stays so: the others look at it at once, however often it is asked for', async () => {
  const hands = new Hands()
  const core = new Timed(hands)
  const result = await runOn(core, { specs: specsOf(...SHARED, 'observe-expired-token'), configuration: UNWATCHED })
  assertNoneFailed(result)
  assert.equal(withOutcome(result, 'passed'), SHARED)
  assert.is(result.facts['expired-token.status'], 401)
  const waitedMs = hands.leaps.reduce((sum, ms) => sum + ms, 0)
  assert.ok(waitedMs > HOUR && waitedMs < 1.1 * HOUR, `${waitedMs} ms of waits`)
  // The two of the survey, one shared by all, and the two of a spec that logs on at the end.
  assert.is(core.sessions.size, 5)
  const gapsOf = (id: string) =>
    recordOf(result, id).steps.flatMap(({ kind, gap }) => (kind === 'check' && gap ? [gap] : []))
  assert.ok((gapsOf('idle-expires')[0]?.shortestMs ?? 0) > 1.05 * HOUR)
  // The token was already looked at before; that is no fault of the Core.
  assert.ok((gapsOf('idle-expires-elsewhere')[0]?.longestMs ?? HOUR) < HOUR / 2)
})

const MEASURING = SUITE.specs.filter(spec => spec.measuresLifetime)

runs('either answer is right where the lifetime is measured, and both ends of it are told', async () => {
  class Exact extends Timed {
    override idleMs = HOUR * 0.98
  }
  const hands = new Hands()
  const result = await runOn(new Exact(hands), { specs: [...specsOf('access-with-token'), ...MEASURING] })
  assertNoneFailed(result)
  assert.equal(withOutcome(result, 'observed').length, MEASURING.length)
  const { aliveMs, expiredMs } = result.dialect.lifetime ?? { aliveMs: null, expiredMs: null }
  assert.ok(aliveMs !== null && aliveMs >= HOUR * 0.97 - 1000 && aliveMs < HOUR * 0.98, `alive at ${aliveMs}`)
  assert.ok(
    expiredMs !== null && expiredMs > HOUR * 0.98 && expiredMs < HOUR * 0.99 + 10_000,
    `expired at ${expiredMs}`,
  )
  const waitedMs = hands.leaps.reduce((sum, ms) => sum + ms, 0)
  assert.ok(waitedMs < 1.1 * HOUR, `${waitedMs} ms of waits`)
})

runs('a Core that answers a measurement with an error says nothing of its lifetime', async () => {
  class Broken extends Timed {
    override react(request: CoreRequest): Reaction | Promise<Reaction> {
      return this.hands.leaps.length > 0 ? { status: 500 } : super.react(request)
    }
  }
  const result = await runOn(new Broken(new Hands()), { specs: MEASURING, left: true })
  assert.is(result.dialect.lifetime?.aliveMs ?? null, null)
  assert.is(withOutcome(result, 'failed').length, 0)
})

runs.run()

// ---- The lifetime -------------------------------------------------------------------------------------------------

const lifetimes = suite('the measured lifetime')

function reading(index: number, gap: Gap, isAlive: boolean, outcome: SpecRecord['outcome'] = 'observed'): SpecRecord {
  const { id, area, title, level, requirements, file, line } =
    MEASURING[index] ?? SUITE.specs[0] ?? MEASURING[0] ?? never()
  const step = { text: '', outcome: 'ok' as const, exchanges: [], gap, isAlive }
  // The control of a measurement also has a gap, but is no measurement.
  const control = { ...step, kind: 'given' as const, gap: { shortestMs: 9e9, longestMs: 9e9 }, isAlive: true }
  const steps = [control, { ...step, kind: 'check' as const }]
  return { id, area, title, level, requirements, file, line, outcome, atMs: 0, durationMs: 0, exchanges: [], steps }
}

function never(): never {
  throw new Error('the suite measures nothing')
}

const gap = (shortestMs: number, longestMs: number): Gap => ({ shortestMs, longestMs })

lifetimes('alive for the shortest reading of the longest gap, expired by the longest reading of the shortest', () => {
  const readings = [
    reading(0, gap(50, 60), true),
    reading(1, gap(70, 90), true),
    reading(2, gap(100, 115), false),
    reading(3, gap(105, 130), false),
  ]
  assert.equal(measuredLifetime(MEASURING, readings), { aliveMs: 70, expiredMs: 115 })
  assert.equal(measuredLifetime(MEASURING, readings.slice(0, 2)), { aliveMs: 70, expiredMs: null })
  assert.equal(measuredLifetime(MEASURING, readings.slice(2)), { aliveMs: null, expiredMs: 115 })
})

lifetimes('only what was judged, by specs that measure, counts', () => {
  assert.is(measuredLifetime(MEASURING, []), null)
  for (const outcome of ['skipped', 'blocked', 'inconclusive', 'pending'] as const) {
    assert.is(measuredLifetime(MEASURING, [reading(0, gap(50, 60), true, outcome)]), null)
  }
  const others = SUITE.specs.filter(spec => !spec.measuresLifetime)
  assert.is(measuredLifetime(others, [reading(0, gap(50, 60), true)]), null)
})

lifetimes.run()
