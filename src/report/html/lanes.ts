/** Collects the tokens of the specs that wait: the planned events, the actual events, and when each token is due to expire. */
import { grouped } from '../../ground/grouped.js'
import type { ExchangeRecord, Lane, RunResult, SpecRecord, StepRecord } from '../../result.js'

/** The kind of an event. `other` says nothing about the token, such as a request without a Host header. */
export type ActualKind = 'issued' | 'touched' | 'expired' | 'rejected' | 'revoked' | 'other'

/** An event at a time since the start of the run. */
export interface Event {
  atMs: number
  /** When its answer had arrived. The Core received the request between the two times. */
  untilMs: number
  kind: ActualKind
  /** Whether a step saw what it did not expect. */
  isMiss: boolean
  /** Whether the event came outside its window, so that it proves nothing. */
  isLate: boolean
}

/**
 * The span in which a token is due to expire after a use. Before the span the token must be valid, after it the token must be
 * expired. Inside the span both are allowed, because of the tolerance and because the Core received the use between its request
 * and its answer. `averted`: the token was used again before.
 */
export interface Due {
  fromMs: number
  untilMs: number
  averted: boolean
}

/** Specs that share tokens, with these tokens. */
export type Group = ReturnType<typeof lanesOf>[number]

/** One token, planned and actual, and when it is due to expire by its planned and by its actual uses. */
export type Track = Group['tracks'][number]

/** Returns the planned lanes with their actual events, grouped by their specs. */
export function lanesOf({ plan, specs, configuration }: RunResult) {
  const { idleLifetimeMs, idleTolerance } = configuration
  const due = (uses: Event[]) => dueOf(uses, idleLifetimeMs * (1 - idleTolerance), idleLifetimeMs * (1 + idleTolerance))
  const byId = new Map(specs.map(spec => [spec.id, spec]))
  return [...grouped(plan.lanes, lane => lane.specs.join(' ')).values()].map(lanes => {
    const own = lanes[0].specs.flatMap(id => byId.get(id) ?? [])
    const tracks = lanes.map(lane => {
      const [planned, actual] = [plannedEvents(lane), actualOf(own, lane.token)]
      return { token: lane.token, lane, planned, actual, due: { planned: due(planned), actual: due(actual) } }
    })
    return { specs: own, tracks }
  })
}

const PLANNED: Record<Lane['events'][number]['kind'], ActualKind> = {
  issued: 'issued',
  used: 'touched',
  checked: 'expired',
  revoked: 'revoked',
}

/** Turns the events of a plan into those of a chart. The check of a revoked token becomes `rejected`, not `expired`. */
function plannedEvents({ events }: Lane): Event[] {
  const isRevoked = events.some(({ kind }) => kind === 'revoked')
  return events.map(({ atMs, kind }) => ({
    atMs,
    untilMs: atMs,
    kind: isRevoked && kind === 'checked' ? 'rejected' : PLANNED[kind],
    isMiss: false,
    isLate: false,
  }))
}

function dueOf(uses: readonly Event[], shortestMs: number, longestMs: number): Due[] {
  const sorted = [...uses].sort((a, b) => a.atMs - b.atMs)
  const revokedMs = sorted.find(({ kind }) => kind === 'revoked')?.atMs ?? Number.POSITIVE_INFINITY
  const touches = new Map(
    sorted.filter(({ kind }) => kind === 'issued' || kind === 'touched').map(use => [use.atMs, use.untilMs]),
  )
  const lastMs = Math.max(...sorted.map(({ atMs }) => atMs))
  const all = [...touches].flatMap(([atMs, receivedMs], index): Due[] => {
    const [fromMs, untilMs] = [atMs + shortestMs, receivedMs + longestMs]
    const next = [...touches.keys()][index + 1]
    // A span after the last event shows nothing. A revoked token does not expire.
    if (fromMs > lastMs || revokedMs <= fromMs) return []
    return [{ fromMs, untilMs, averted: next !== undefined && next < fromMs }]
  })
  // Uses in quick succession count as one.
  return all.filter(({ untilMs, averted }, index) => !averted || untilMs <= (all[index + 1]?.fromMs ?? untilMs))
}

/** Returns the events of a token that the exchanges of the specs show, in the order of time. */
function actualOf(specs: readonly SpecRecord[], token: string): Event[] {
  const seen = new Map<string, Event>()
  const sent = specs.flatMap(({ steps, exchanges }) =>
    steps.flatMap(step => step.exchanges.map(index => ({ step, exchange: exchanges[index] }))),
  )
  for (const { step, exchange } of sent) {
    const kind = exchange && kindOf(step, exchange, token)
    if (!kind) continue
    const { atMs, durationMs } = exchange
    const key = `${kind} ${atMs}`
    // Specs that share a token share its logon, too.
    const isMiss = step.outcome === 'miss' || seen.get(key)?.isMiss === true
    const isLate = step.outcome === 'missed window' || seen.get(key)?.isLate === true
    seen.set(key, { atMs, untilMs: atMs + durationMs, kind, isMiss, isLate })
  }
  return [...seen.values()].sort((a, b) => a.atMs - b.atMs)
}

function kindOf(step: StepRecord, { request, response }: ExchangeRecord, token: string): ActualKind | undefined {
  const header = (name: string) => request.headers.find(([key]) => key.toLowerCase() === name)?.[1]
  const sent = header('authorization')
  if (sent === undefined) {
    const issues = request.method === 'POST' && step.text.endsWith(`get token ${token}`)
    return issues && response && response.status < 400 ? 'issued' : undefined
  }
  // A redacted token shows its name. A changed token has another label.
  if (sent !== `Bearer [token ${token}]`) return undefined
  if (!response || response.status >= 500 || header('host') === undefined) return 'other'
  const isAlive = step.isAlive ?? response.status < 400
  if (isAlive) return request.method === 'DELETE' ? 'revoked' : 'touched'
  return step.gap ? 'expired' : 'rejected'
}
