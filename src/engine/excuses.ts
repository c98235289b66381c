/**
 * Excuses failures that another one explains: a token ended elsewhere too, after fewer requests, of fewer kinds; or the API is open at
 * moments, since its table of tokens is full, say.
 */
import { isSafe } from '../ground/methods.js'
import { accused, isMiss } from '../result/accused.js'
import type { ExchangeRecord, SpecRecord } from '../result.js'
import { allSteps, type Spec } from '../suite/spec.js'

/** The requirement that a logon issues a token. */
const ISSUES = 'LOGON-1'

/** In so short a time no token gets old, so it is no matter who took longer. */
const YOUNG_MS = 500

/** The end of a token in a spec: how many requests of each kind the spec had sent by then, and in how much time. */
interface End {
  id: string
  counts: ReadonlyMap<string, number>
  ms: number
  /**
   * Whether it was alive, as far as is known: it was accepted, or a revocation beside its logon may have ended it. What is dead at birth
   * explains the end of no other.
   */
  wasAlive: boolean
  accuses: string
}

/**
 * Returns the specs that failed since a token was rejected, where another spec that accuses something else saw the same after less: no more
 * requests of any kind, in no more time, as far as that matters. What they tried beside shows nothing, since what that one did is enough.
 * @param records of all specs of a run
 * @returns the id of that other spec for each of them
 */
export function explainedByLess(records: readonly SpecRecord[]): Map<string, string> {
  const ends = records.flatMap(record => endOf(record) ?? [])
  const explained = new Map<string, string>()
  // The least first, so that none is explained by one that is explained itself.
  for (const end of [...ends].sort((a, b) => total(a) - total(b))) {
    const less = ends.find(
      other =>
        other.accuses !== end.accuses &&
        !explained.has(other.id) &&
        (bothDeadAtBirth(other, end) || (isLess(other, end) && total(other) < total(end))),
    )
    if (less) explained.set(end.id, less.id)
  }
  return explained
}

/** Returns how the token ended whose plain use a failed spec missed; undefined where it failed by something else. */
function endOf(record: SpecRecord): End | undefined {
  const misses = record.steps.filter(({ outcome }) => outcome === 'miss')
  const [miss] = misses
  const [at, ...others] = miss?.missed ?? []
  if (record.outcome !== 'failed' || !miss || misses.length > 1 || at === undefined || others.length) return undefined
  const look = record.exchanges[at]
  const token = look && carried(look)
  if (!miss.expected?.startsWith('accepted') || !look || !token || look.variation !== undefined) return undefined
  const accuses = accused(record)
    .map(({ id }) => id)
    .join()
  const before = record.exchanges.slice(0, at)
  const good = new Set(before.filter(isGood).map(carried))
  const counts = new Map<string, number>()
  for (const exchange of before) {
    const kind = kindOf(exchange, token, good)
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  const ms = look.atMs - (before[0]?.atMs ?? look.atMs)
  return { id: record.id, counts, ms, wasAlive: good.has(token) || isBesideLogon(before), accuses }
}

/**
 * What a request is: its method, whether it goes to logon, has a Host, and succeeded, and whose token it carries. Of a use with a good token
 * that does not count: what it may do to the token in question, a use of that may do as well.
 */
function kindOf(exchange: ExchangeRecord, token: string, good: ReadonlySet<string | undefined>): string {
  const { method, path, headers } = exchange.request
  const text = carried(exchange)
  const whose = text === undefined ? 'none' : text === token ? 'its own' : good.has(text) ? 'another' : 'unknown'
  const hasHost = headers.some(([name]) => name.toLowerCase() === 'host')
  const isLogon = /\/logon([?/]|$)/.test(path)
  const isUse = isSafe(method) && hasHost && isGood(exchange) && good.has(text)
  return [method, isLogon, hasHost, isGood(exchange), isUse ? 'any' : whose].join()
}

/** Whether a token was revoked beside a logon. */
function isBesideLogon(exchanges: readonly ExchangeRecord[]): boolean {
  const [logons, revocations] = ['POST', 'DELETE'].map(method =>
    exchanges.filter(exchange => exchange.request.method === method && isGood(exchange)),
  )
  return (logons ?? []).some(logon =>
    revocations?.some(({ atMs, durationMs }) => atMs < logon.atMs + logon.durationMs && logon.atMs < atMs + durationMs),
  )
}

function carried({ request }: ExchangeRecord): string | undefined {
  return request.headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1]
}

function isGood({ response }: ExchangeRecord): boolean {
  return response !== undefined && response.status < 300
}

function isLess({ counts, ms, wasAlive }: End, than: End): boolean {
  if (wasAlive !== than.wasAlive || ms > Math.max(than.ms, YOUNG_MS)) return false
  return [...counts].every(([kind, count]) => count <= (than.counts.get(kind) ?? 0))
}

/** Whether a token that was never accepted is explained by logons that were seen to give such ones, and by nothing that came since. */
function bothDeadAtBirth(end: End, than: End): boolean {
  return end.accuses === ISSUES && !end.wasAlive && !than.wasAlive
}

function total({ counts }: End): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0)
}

/**
 * The requirement that nothing gets in without an issued token. While it is broken, requests that get in show nothing
 * about revoked or misplaced tokens.
 */
const NEEDS_TOKEN = 'ACCESS-1'

/** Expectations of a step whose request should be refused. */
const REFUSED = ['rejected', 'expired', 'not accepted']

/** Whether a spec failed because the Core let a request in that it should refuse. */
export function isLetIn(spec: Spec, { outcome, steps }: SpecRecord): boolean {
  const at = steps.findIndex(isMiss)
  const step = allSteps(spec)[at]
  return outcome === 'failed' && step?.action === 'send' && step.expect.some(each => REFUSED.includes(String(each)))
}

/**
 * Makes specs inconclusive that saw a request let in only once, where another spec shows that the Core lets in requests
 * without an issued token. That one cause is enough; a second one would be a guess. Returns all other specs unchanged.
 */
export function withOpenMoments(specs: readonly SpecRecord[]): SpecRecord[] {
  const [cause] = specs.filter(spec => breaksAccess(spec) && !breaksOther(spec))
  if (!cause) return [...specs]
  const because = `the API is open at moments (${NEEDS_TOKEN}, ${cause.id}), so this shows nothing about the token`
  return specs.map(spec =>
    spec.seenOnce && breaksOther(spec)
      ? { ...spec, outcome: 'inconclusive', message: `${spec.message ?? 'failed'}; ${because}` }
      : spec,
  )
}

const breaksAccess = (spec: SpecRecord) => accused(spec).some(({ id }) => id === NEEDS_TOKEN)

const breaksOther = (spec: SpecRecord) => accused(spec).some(({ id }) => id !== NEEDS_TOKEN)
