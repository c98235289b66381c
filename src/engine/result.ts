import type { Exchange } from '../core/exchange.js'
import type { Session } from '../core/session.js'
import { namesOf } from '../core/target.js'
import { count, numbered } from '../ground/count.js'
import {
  type Dialect,
  type Doubt,
  type Exploration,
  type Facts,
  type History,
  type LedgerEntry,
  type Plan,
  RESULT_SCHEMA_VERSION,
  type RunEvent,
  type RunResult,
  type SpecRecord,
} from '../result.js'
import { coverage } from '../suite/coverage.js'
import type { Spec, Suite } from '../suite/spec.js'
import { packageVersion } from '../version.js'
import { lifetimeOf, MANY, QUICK } from './applicable.js'
import type { Clock } from './clock.js'
import { withOpenMoments } from './excuses.js'
import { dialectFacts, sorted, withAllTokens } from './facts.js'
import type { RunOptions } from './options.js'
import { measuredLifetime, otherLifetime } from './other-lifetime.js'
import type { Stop } from './plan/timeline.js'
import { presentable, toExchangeRecord } from './record.js'
import { withStates } from './requirements.js'
import { INTERRUPTED, type SpecEnd, unrunRecord } from './spec-end.js'
import { countBeside, countOutcomes, type Hindrance, verdictOf } from './verdict.js'

/** The state of a run at its end. */
export interface RunEnd extends RunOptions {
  startedAt: Date
  certificateFingerprint: string | undefined
  dialect: Dialect
  plan: Plan
  ends: ReadonlyMap<Spec, SpecEnd>
  surveyed: Exchange[]
  session: Session
  hindrance: Hindrance | undefined
  /** When to come back, on the clock of the run. */
  visits: Stop[]
  /** Events that concerned the Core as a whole. */
  events: RunEvent[]
  /** Observations that speak against requirements but allow no verdict. */
  doubts: Doubt[]
  /** The history, redacted but for its doubts; absent where it is not kept. */
  history?: History
  /** Result of exploring; absent where it was not asked for. */
  exploration?: Exploration
  /** The specs among `specs` that exploring found. */
  found: readonly Spec[]
  /** Hides secrets in a text. */
  redact: (text: string, isCut?: boolean) => string
}

/** Longest time without a pause while redacting: signals have to be heard within a second. */
const BREATH_MS = 100

/** Makes the run result, redacted. It pauses now and then, so that other events are handled. */
export async function toResult(ending: RunEnd): Promise<RunResult> {
  const { suite, target, targetKind, configuration, clock, startedAt, session, plan, hindrance } = ending
  const { certificateFingerprint = ending.resumed?.certificateFingerprint } = ending
  const cutShort = hindrance && !hindrance.isCutShort ? hindrance.reason : INTERRUPTED
  const judged = withOpenMoments(
    ending.specs.map(spec => ending.ends.get(spec)?.record ?? unrunRecord(spec, 'skipped', cutShort)),
  )
  const values = session.tokens.map(({ value }) => value)
  const facts: Facts = Object.assign({}, ...ending.specs.map(spec => ending.ends.get(spec)?.facts))
  const lifetime = measuredLifetime(ending.specs, judged)
  const dialect = { ...withAllTokens(ending.dialect, values), lifetime }
  const lost = (ending.resumed?.lostUntil ?? []).filter(untilMs => untilMs > clock.wall()).length
  const left = session.left + lost
  const present = <T>(value: T): T => presentable(value, ending.redact)
  let breathedMs = performance.now()
  const presentAll = async <T>(values: T[]): Promise<T[]> => {
    const done: T[] = []
    for (const value of values) {
      if (performance.now() - breathedMs > BREATH_MS) {
        await new Promise(setImmediate)
        breathedMs = performance.now()
      }
      done.push(present(value))
    }
    return done
  }
  const seen = present(sorted({ ...dialectFacts(dialect, values), ...facts }))
  const specs = ending.revise?.(judged, seen) ?? judged
  const counts = countOutcomes(specs)
  const verdict = verdictOf(counts, hindrance, countBeside(specs), ending.advice)
  const doubts = present(ending.doubts)
  const survey = await presentAll(ending.surveyed.map(toExchangeRecord))
  const isOpen = configuration.accessControl === 'off'
  const ledger = ledgerOf(suite, ending.found, isOpen)
  const told: SpecRecord[] = []
  for (const spec of specs) {
    const { steps, message, firstTry, pin } = spec
    const own = {
      steps,
      ...(message !== undefined && { message }),
      ...(firstTry !== undefined && { firstTry }),
      ...(pin && { pin }),
    }
    told.push({ ...spec, ...present(own), exchanges: await presentAll(spec.exchanges) })
  }
  return {
    schemaVersion: RESULT_SCHEMA_VERSION,
    suite: { name: 'core-conformance', version: packageVersion(), specsDigest: suite.digest },
    target: {
      url: target.url.origin,
      kind: targetKind,
      ...present(namesOf(target)),
      ...(certificateFingerprint !== undefined && { certificateFingerprint }),
    },
    startedAt: startedAt.toISOString(),
    durationMs: Date.now() - startedAt.getTime(),
    time: clock.leap ? 'virtual' : 'real',
    configuration,
    plan,
    dialect: present(dialect),
    facts: seen,
    ...present(verdict),
    counts,
    ...(counts.pending > 0 && { visits: ending.visits.map(visit => toVisit(visit, clock)) }),
    tokens: { issued: new Set(session.tokens.map(({ value }) => value)).size, left },
    refusedLogons: session.refused.count,
    notices: present([...(isOpen ? leftOut(ledger, suite) : []), ...notices(ending, specs, left, lost)]),
    ...(ending.events.length > 0 && { events: present(ending.events) }),
    ...(ending.exploration && { exploration: inOwnWords(ending.exploration, present) }),
    survey,
    requirements: withStates(ledger, {
      specs,
      doubts,
      only: configuration.only,
      cutShort,
    }),
    ...(doubts.length > 0 && { doubts }),
    specs: told,
    ...(ending.history && { history: { ...ending.history, doubts: present(ending.history.doubts) } }),
  }
}

/** Redacts the reason of an exploration. Its other fields hold the run's own words only. */
function inOwnWords({ reason, ...exploration }: Exploration, present: (text: string) => string): Exploration {
  const { seed, ...others } = exploration
  return { seed, ...(reason !== undefined && { reason: present(reason) }), ...others }
}

/** Returns the whole ledger, so that a report can say what was not tested. Findings test requirements too. */
function ledgerOf(suite: Suite, found: readonly Spec[], isOpen: boolean): LedgerEntry[] {
  const naming = (id: string) => found.filter(spec => spec.requirements.some(each => each.id === id))
  return coverage(suite).map(
    ({ requirement: { level = 'must', quote: _quote, open, ...requirement }, specs: all }) => ({
      ...requirement,
      level,
      ...(isOpen && open),
      specs: [...all, ...naming(requirement.id).map(({ id }) => id)],
    }),
  )
}

/** Says which statements of the reference a run with access control off does not test. */
function leftOut(ledger: readonly LedgerEntry[], { requirements }: Suite): string[] {
  const now = (level: LedgerEntry['level']) =>
    ledger
      .filter(each => each.level === level && requirements.get(each.id)?.open !== undefined)
      .map(({ id }) => id)
      .join(', ')
  const [excluded, observed] = [now('excluded'), now('observe')]
  const told = [
    excluded &&
      `with access control off, no request can show whether these are met, so they were not tested: ${excluded}`,
    observed &&
      `what these mean with access control off, the reference leaves open, so they can only be observed: ${observed}`,
  ]
  return told.filter(text => text !== '')
}

/** Converts a visit to the wall clock. */
function toVisit({ fromMs, untilMs }: Stop, clock: Clock): NonNullable<RunResult['visits']>[number] {
  const wall = (ms: number) => new Date(clock.wall() + ms - clock.now()).toISOString()
  return { fromAt: wall(fromMs), untilAt: Number.isFinite(untilMs) ? wall(untilMs) : null }
}

function notices(
  { configuration, dialect, resumed, session, certificateFingerprint }: RunEnd,
  specs: SpecRecord[],
  left: number,
  lost: number,
): string[] {
  const notices: string[] = []
  const untried = specs.filter(({ message }) => message === QUICK).length
  if (untried)
    notices.push(
      `the quick profile left out ${count(untried, 'spec')} that ${numbered(untried, 'waits', 'wait')} for time to pass: expiry was not tested`,
    )
  const many = specs.filter(({ message }) => message === MANY).length
  if (many)
    notices.push(
      `the quick profile left out ${count(many, 'spec')} that ${numbered(many, 'sends', 'send')} many requests, a family of variations each`,
    )
  if (configuration.only.length) notices.push(`only ${configuration.only.join(', ')} was selected`)
  const { acceptedStatus } = dialect
  if (configuration.accessControl === 'on' && acceptedStatus !== null && acceptedStatus >= 400)
    notices.push(
      `a valid token is answered ${acceptedStatus} at ${configuration.probePath}, so that answer counts as accepted: if the token should open that path, correct --probe-path`,
    )
  const lifetime = otherLifetime(session.tokens, specs, lifetimeOf(configuration))
  if (lifetime !== undefined) notices.push(lifetime)
  const { certificateFingerprint: before } = resumed ?? {}
  if (before !== undefined && certificateFingerprint !== undefined && before !== certificateFingerprint)
    notices.push(
      `the Core's certificate has changed since the run began: its SHA-256 was ${before}, and is now ${certificateFingerprint}`,
    )
  if (resumed)
    notices.push('more than one process worked on this run: it was detached, interrupted or killed, and resumed')
  for (const notice of [session.connections.notice, session.pacer.notice, session.refused.notice])
    if (notice !== undefined) notices.push(notice)
  const isPending = specs.some(({ outcome }) => outcome === 'pending')
  const own = left - lost
  const isUnheard = own > new Set(session.tokens.map(({ value }) => value)).size
  if (own > 0 && isPending)
    notices.push(`${count(own, 'token')} ${numbered(own, 'is', 'are')} held for the specs that wait`)
  else if (own > 0) {
    notices.push(
      `${isUnheard ? `up to ${count(own, 'token')} may still be live, since answers to logons did not arrive whole` : `${count(own, 'token')} could not be revoked`}: ${numbered(own, 'it stays live until it has been unused for its lifetime', 'they stay live until they have been unused for their lifetime')}`,
    )
  }
  if (lost) {
    notices.push(
      `${count(lost, 'logon')} ${numbered(lost, 'was', 'were')} under way when the first process ended: ${numbered(lost, 'if it issued a token, nobody knows it, and it stays live until it has been unused for its lifetime', 'if they issued tokens, nobody knows them, and they stay live until they have been unused for their lifetime')}`,
    )
  }
  return notices
}
