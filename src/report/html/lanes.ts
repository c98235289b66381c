/** The tokens of the specs that wait: what was planned for each, what came, and when each is due to expire. */
import type { Lane, RunResult, SpecRecord, StepRecord } from '../../result.js'

/** What happened to a token: `other` says nothing of it, such as a request that lacks its Host header. */
export type ActualKind = 'issued' | 'touched' | 'expired' | 'rejected' | 'revoked' | 'other'

/** An event at a time since the start of the run. */
export interface Event {
  atMs: number
  /** When its answer had come; the Core had it at some time between the two. */
  untilMs: number
  kind: ActualKind
  /** Whether a step saw what it did not expect. */
  isMiss: boolean
  /** Whether it came outside its window, so that nobody can tell. */
  isLate: boolean
}

/**
 * When a token is due to expire after a use, with the tolerance: before it the token must be valid, after it no more, and in
 * it nobody can tell. Since the Core had the use at some time between its request and its answer, it lasts for that longer.
 * `averted`: it was used again before.
 */
export interface Due {
  fromMs: number
  untilMs: number
  averted: boolean
}

/** One token, planned and actual. */
export interface Track {
  token: string
  planned: Lane
  actual: Event[]
  /** By the plan, and by what came. */
  due: { planned: Due[]; actual: Due[] }
}

/** The specs that share their tokens, with these. */
export interface Group {
  specs: SpecRecord[]
  tracks: Track[]
}

/** The lanes of a plan with what the specs made of them, those that share a spec together. */
export function lanesOf({ plan, specs, configuration }: RunResult): Group[] {
  const { idleLifetimeMs, idleTolerance } = configuration
  const due = (uses: Use[]) => dueOf(uses, idleLifetimeMs * (1 - idleTolerance), idleLifetimeMs * (1 + idleTolerance))
  const byId = new Map(specs.map(spec => [spec.id, spec]))
  const groups = new Map<string, Group>()
  for (const lane of plan.lanes) {
    const key = lane.specs.join(' ')
    const own = lane.specs.flatMap(id => byId.get(id) ?? [])
    const group = groups.get(key) ?? { specs: own, tracks: [] }
    groups.set(key, group)
    const actual = actualOf(own, lane.token)
    const planned = lane.events.map(({ atMs, kind }) => ({ atMs, untilMs: atMs, kind: PLANNED[kind] }))
    group.tracks.push({ token: lane.token, planned: lane, actual, due: { planned: due(planned), actual: due(actual) } })
  }
  return [...groups.values()]
}

type Use = Pick<Event, 'atMs' | 'untilMs' | 'kind'>

/** What the kinds of a plan are called when they come. */
export const PLANNED: Record<Lane['events'][number]['kind'], ActualKind> = {
  issued: 'issued',
  used: 'touched',
  checked: 'expired',
  revoked: 'revoked',
}

function dueOf(uses: readonly Use[], shortestMs: number, longestMs: number): Due[] {
  const sorted = [...uses].sort((a, b) => a.atMs - b.atMs)
  const revokedMs = sorted.find(({ kind }) => kind === 'revoked')?.atMs ?? Number.POSITIVE_INFINITY
  const touches = new Map(
    sorted.filter(({ kind }) => kind === 'issued' || kind === 'touched').map(use => [use.atMs, use.untilMs]),
  )
  const lastMs = Math.max(...sorted.map(({ atMs }) => atMs))
  const all = [...touches].flatMap(([atMs, receivedMs], index): Due[] => {
    const [fromMs, untilMs] = [atMs + shortestMs, receivedMs + longestMs]
    const next = [...touches.keys()][index + 1]
    // What comes after all that happens tells nothing; a token that was revoked is not due any more.
    if (fromMs > lastMs || revokedMs <= fromMs) return []
    return [{ fromMs, untilMs, averted: next !== undefined && next < fromMs }]
  })
  // Uses in quick succession are as one.
  return all.filter(({ untilMs, averted }, index) => !averted || untilMs <= (all[index + 1]?.fromMs ?? untilMs))
}

/** What the exchanges of the specs show of a token, in the order of time. */
function actualOf(specs: readonly SpecRecord[], token: string): Event[] {
  const seen = new Map<string, Event>()
  for (const spec of specs) {
    for (const step of spec.steps) {
      for (const index of step.exchanges) {
        const exchange = spec.exchanges[index]
        const kind = kindOf(step, exchange, token)
        if (!exchange || !kind) continue
        const { atMs, durationMs } = exchange
        const key = `${kind} ${atMs}`
        // Specs that share a token share its logon too.
        const isMiss = step.outcome === 'miss' || seen.get(key)?.isMiss === true
        const isLate = step.outcome === 'missed window' || seen.get(key)?.isLate === true
        seen.set(key, { atMs, untilMs: atMs + durationMs, kind, isMiss, isLate })
      }
    }
  }
  return [...seen.values()].sort((a, b) => a.atMs - b.atMs)
}

function kindOf(step: StepRecord, exchange: SpecRecord['exchanges'][number] | undefined, token: string) {
  if (!exchange) return undefined
  const { request, response } = exchange
  const header = (name: string) => request.headers.find(([key]) => key.toLowerCase() === name)?.[1]
  const sent = header('authorization')
  if (sent === undefined) {
    const issues = request.method === 'POST' && step.text.endsWith(`get token ${token}`)
    return issues && response && response.status < 400 ? 'issued' : undefined
  }
  // With its name, as it was hidden; a changed token is another one.
  if (sent !== `Bearer [token ${token}]`) return undefined
  if (!response || response.status >= 500 || header('host') === undefined) return 'other'
  const isAlive = step.isAlive ?? response.status < 400
  if (isAlive) return request.method === 'DELETE' ? 'revoked' : 'touched'
  return step.gap ? 'expired' : 'rejected'
}
