/**
 * Runs a step that logs on, expects a token, and gives it a name. Over 250 lines, since a logon that was turned away, lost, or refused for
 * its form is told here from one that failed.
 */
import { type Exchange, isCut, isDelivered, summary } from '../../core/exchange.js'
import { pauseAsked } from '../../core/pause.js'
import type { Session } from '../../core/session.js'
import type { Token } from '../../core/token.js'
import { count } from '../../ground/count.js'
import type { StepRecord } from '../../result.js'
import { requestOf } from '../../suite/roles.js'
import type { LogonStep, SendStep } from '../../suite/spec.js'
import { OK, type StepResult } from '../step-result.js'
import { Variations } from '../variations.js'
import { warmToken } from '../warm.js'
import { untestedResult } from './on-the-wire.js'
import type { SpecTalk } from './spec-talk.js'

/** Logs on in the form of a step. @returns undefined where it has none, or where no token came of it: this Core need not take it */
async function inForm(talk: SpecTalk, { each, http, token: name }: LogonStep): Promise<LogonEnd | undefined> {
  if (!each) return undefined
  const request = requestOf(talk.context.parts.requests, 'logon')
  const own = { request, http, each, headers: {}, times: 1, expect: [], tests: [] }
  const step: SendStep = { ...own, action: 'send', role: 'logon', connection: 'kept', without: [] }
  const variations = new Variations(step, talk)
  const { request: formed, step: departed } = variations.row(
    variations.valuesOf(each).filter(value => each.only?.includes(value.name)),
  )
  const exchange = await talk.exchange(formed, { isNew: departed.connection === 'new' })
  const token = talk.take(exchange, `token ${name}`)
  return token && { kind: 'issued', exchange, token }
}

/** Logs on. @throws Interrupted where it waits for a full Core */
export async function logonStep(talk: SpecTalk, step: LogonStep, kind: StepRecord['kind']): Promise<StepResult> {
  const { token, http, isCold, isNew, isBodyLate } = step
  const { context, lease } = talk
  const { session, schedule } = context
  const { isUrgent } = lease
  const departure = isBodyLate || http !== '1.1' ? { http, ...(isBodyLate && { isBodyLate }) } : undefined
  const formed = await inForm(talk, step)
  const end =
    formed ??
    (await logOn({
      session,
      send: how => talk.exchange(talk.inRole('logon', departure), { ...how, ...(isNew && { isNew }) }),
      isKept: () => lease.kept.isIdle,
      // From a cut answer too: the Core issued the token, and it is a secret.
      take: exchange => talk.take(exchange, `token ${token}`),
      pause: ms => {
        lease.give()
        lease.isUrgent = true
        return schedule.until(schedule.now() + ms, { spec: '', what: 'since the Core refuses logons' })
      },
    }).finally(() => {
      lease.isUrgent = isUrgent
    }))
  const got = logonSummary(end)
  const telling = [end.exchange]
  const expected = 'a token is issued'
  if (end.kind === 'full') return { outcome: 'limited', room: end.capacity, expected, got, telling }
  const unjudged = await untestedResult(talk, end.exchange)
  if (unjudged) return { ...unjudged, telling }
  // What only prepares goes on with the token that it got when it asked again. Whoever tests logons judges the refusal.
  const issued = end.kind === 'issued' || kind === 'given' ? end.token : undefined
  if (!issued || end.exchange.error) {
    // No other spec can make a Core refuse a logon that it takes at once when asked again.
    return { outcome: 'miss', expected, got, isCertain: end.kind === 'refused' && end.token !== undefined, telling }
  }
  // Where two names, or two specs, hold the same token, the effects on one tell nothing about the other.
  const isHeld = [...talk.named.values()].some(({ value }) => value === issued.value)
  const isShared = isHeld || context.dialect.sessions === 'many'
  talk.name(token, issued)
  session.refused.loggedOn()
  if (!isCold) await warmToken(context, issued, request => talk.exchange(request, { isNew: isNew === true }))
  if ((kind !== 'given' || isShared) && !issued.isNew) {
    const seen = `${summary(end.exchange)}, with an earlier token`
    return { outcome: 'miss', expected: 'a new token is issued', got: seen, isCertain: true, telling }
  }
  return { ...OK, expected, got }
}

/** Logs on in the plain form, and gives the token this name. */
export function logOnAs(talk: SpecTalk, token: string): Promise<StepResult> {
  return logonStep(talk, { action: 'logon', token, http: '1.1', tests: [] }, 'control')
}

/** The end of a logon with the right credentials. */
type LogonEnd = { exchange: Exchange; token?: Token } & (
  | { kind: 'issued'; token: Token }
  /** The Core has no room for another token while this run holds `capacity` tokens. */
  | { kind: 'full'; capacity: number }
  /** The Core refuses the right credentials, and no limit explains that. `token`: of when it was asked again at once. */
  | { kind: 'refused' }
  /** The Core could not be reached. */
  | { kind: 'unreachable' }
)

/** Means to log on. */
interface LogonMeans {
  session: Session
  /** Sends the logon once. @param how see `Session.exchange` */
  send: (how?: { isNew?: boolean; isUnwaited?: boolean }) => Promise<Exchange>
  /** Whether the connection that logons are sent on is still open. */
  isKept: () => boolean
  /** Takes the token out of an answer. */
  take: (exchange: Exchange) => Token | undefined
  /** Lets time pass. The caller holds no connection meanwhile, and then goes before all others. */
  pause: (ms: number) => Promise<void>
}

/** A logon under way: its tries, how many of them were hung up on, and whether a token was given back since the first. */
interface Trying extends LogonMeans {
  tries: readonly Exchange[]
  hungUps: () => number
  hasGivenBack: () => boolean
}

/** Pauses before a refused logon is tried again. A limit on logons counts them over some seconds. */
const LATER_MS = [1000, 2000, 4000, 8000]
/** The same while the run holds tokens. Giving some back may help, and costs less than waiting. */
const LATER_WITH_TOKENS_MS = [1000, 2000]
/** How often a logon looks whether another one has found out. */
const POLL_MS = 500
/**
 * A limit of tokens varies by those under way, at most by this many. With fewer tokens than that below the peak, there
 * was room before.
 */
const UNDER_WAY = 3

/**
 * Logs on, and finds out what a refusal means. The reference shows neither how many tokens there may be, nor how often
 * one may log on, nor how a Core says so: any status, a success without a token where its refusals come with one, or a closed
 * connection. So the effect decides. After a limit of tokens, a revocation lets one log on again; after a limit on logons, some time does. A Core
 * refuses without reason where it does so with no token held, or with far fewer than it had room for, or where it takes
 * the logon when asked again at once.
 */
async function logOn({ send: sendOnce, ...own }: LogonMeans): Promise<LogonEnd> {
  const tries: Exchange[] = []
  const send: LogonMeans['send'] = async how => {
    const exchange = await sendOnce(how)
    tries.push(exchange)
    return exchange
  }
  const { session, take } = own
  const { revocations, live } = session
  const hasGivenBack = () => session.revocations !== revocations
  const hungUps = () => tries.reduce((sum, each) => sum + hungUp(each), 0)
  const means: Trying = { ...own, send, tries, hungUps, hasGivenBack }
  const first = await send({ isUnwaited: true })
  // Other specs may have logged on while this one waited for a connection.
  const capacity = Math.max(live, session.live)
  const token = take(first)
  if (token) return { kind: 'issued', exchange: first, token }
  if (!isDelivered(first)) return { kind: 'unreachable', exchange: first }
  // An answer that broke off was no refusal, and was tried again already.
  if (isCut(first) || first.error?.kind === 'deadline' || first.error?.kind === 'oversized')
    return { kind: 'refused', exchange: first }
  if (session.fullAt !== undefined && capacity >= session.fullAt) return { kind: 'full', exchange: first, capacity }
  // Many limits close the connection, and 429 says that it is a limit. Neither is a refusal without reason.
  if (!hungUps() && !(first.response && pauseAsked(first.response)) && !session.isLogonLimit(first)) {
    const wasKept = means.isKept()
    const again = await atOnce(means)
    if (again && wasKept && (await isForConnection(means)))
      return { kind: 'refused', exchange: first, token: again.token }
    // With more tokens alive than then, whatever others gave back meanwhile, it was no lack of room.
    const mayHaveMadeRoom = hasGivenBack() && session.live <= capacity
    if (again && mayHaveMadeRoom && capacity > 0 && (await isFull(means, capacity)))
      return full(session, first, capacity)
    if (again?.isTaken && !mayHaveMadeRoom && !(await isPaced(means, first)))
      return { kind: 'refused', exchange: first, token: again.token }
    if (again) return { kind: 'issued', exchange: again.exchange, token: again.token }
  }
  if (session.refused.looksLockedOut(first)) {
    const exchange = await send()
    const late = take(exchange)
    if (late) return { kind: 'issued', exchange, token: late }
  }
  const mayBeFull = capacity > 0 && capacity > session.peak - UNDER_WAY
  // One finds out at a time: with others under way nobody could tell a lack of room from a limit on logons.
  while (session.isFindingOut) await means.pause(POLL_MS)
  session.isFindingOut = true
  try {
    return await findOut(means, first, capacity, mayBeFull)
  } finally {
    session.isFindingOut = false
  }
}

/** Finds out by time, and by what is given back meanwhile, what a refusal means. No other logon is sent in between. */
async function findOut(means: Trying, first: Exchange, capacity: number, mayBeFull: boolean): Promise<LogonEnd> {
  const { session, send, take, hungUps, hasGivenBack } = means
  for (const ms of mayBeFull ? LATER_WITH_TOKENS_MS : LATER_MS) {
    await quiet(means, ms)
    if (mayBeFull && session.fullAt !== undefined && capacity >= session.fullAt) return full(session, first, capacity)
    const exchange = await send()
    const late = take(exchange)
    if (!late) continue
    session.foundRefused(hungUps())
    if (mayBeFull && hasGivenBack() && (await isFull(means, capacity))) return full(session, first, capacity)
    // After a revocation, the cause may as well be a token under way that took the room.
    // Near a limit of tokens, a slot may become free late.
    const isNearlyFull = session.fullAt !== undefined && capacity >= session.fullAt - 1
    // A connection may have broken by chance: the pacer counts those, and tells a limit by several.
    if (!hungUps() && !hasGivenBack() && !isNearlyFull && !session.pacer.isRoomHeld) {
      session.pacer.refusedAfterAll('logon', first.sentAt)
      // A limit says that it is one: this was answered as a logon that succeeded.
      if (session.answers.isEmptySuccess(first)) return { kind: 'refused', exchange: first, token: late }
      session.limitsLogons(first, ...means.tries.slice(1))
    }
    return { kind: 'issued', exchange, token: late }
  }
  if (!mayBeFull) return { kind: 'refused', exchange: first }
  session.foundRefused(hungUps())
  return full(session, first, capacity)
}

/** Lets time pass without any logon. */
async function quiet({ session, pause }: LogonMeans, ms: number): Promise<void> {
  session.pacer.patience.pause('refusal', ms)
  session.pacer.hold('logon', ms)
  await pause(ms)
}

/**
 * Whether a token given back made room for the logon that was taken right now, so that there is none for another one. A limit on
 * logons takes it, after the pause.
 */
async function isFull(means: LogonMeans, capacity: number): Promise<boolean> {
  // With fewer tokens than then, another logon would show nothing: the room is counted anew where something is left out for it.
  if (means.session.live < capacity) return true
  await quiet(means, CLEARED_MS)
  return !means.take(await means.send()) && means.session.live > 0
}

/**
 * Sends the same logon again, at once, on a new connection: what came before on the one that it was refused on is no reason.
 * A limit may let one logon through by chance, but not two right after a refusal.
 * @returns its token, and whether further logons were taken too (`isTaken`); undefined where it is refused again
 */
async function atOnce({
  send,
  take,
}: LogonMeans): Promise<{ exchange: Exchange; token: Token; isTaken: boolean } | undefined> {
  const onNew = { isNew: true, isUnwaited: true }
  const exchange = await send(onNew)
  const token = take(exchange)
  if (!token) return undefined
  return { exchange, token, isTaken: Boolean(take(await send(onNew)) || take(await send(onNew))) }
}

/** How often a logon has to be refused again on the one connection, and taken on others, before that is no chance. */
const ROUNDS = 2

/**
 * Whether a refusal depends on its connection: there it comes again and again, and on each new one in between two logons are taken. No limit
 * does so, at whatever pace. Found out once in a run.
 */
async function isForConnection({ session, send, take, isKept }: LogonMeans): Promise<boolean> {
  for (let round = 0; round < ROUNDS && !session.refusesByConnection; round++) {
    // A new connection takes a moment to open, which may be all that a limit asks for.
    await session.pause(CLEARED_MS)
    if (!isKept() || take(await send({ isUnwaited: true }))) return false
    for (const isNew of [true, true]) if (!take(await send({ isNew, isUnwaited: true }))) return false
  }
  session.refusesByConnection = true
  return true
}

/** After a second a limit takes two more logons at a pace below it. A Core that refuses now and then refuses again. */
const CLEARED_MS = 1000

/** Whether the pace caused a refusal: many logons were taken right before, and at a slower pace all are taken. */
async function isPaced({ session, send, take, pause }: LogonMeans, { sentAt }: Exchange): Promise<boolean> {
  if (!session.pacer.tookMany('logon', sentAt)) return false
  session.pacer.refusedAfterAll('logon', sentAt)
  await pause(CLEARED_MS)
  return Boolean(take(await send()) && take(await send()))
}

function full(session: Session, exchange: Exchange, capacity: number): LogonEnd {
  session.fullAt = Math.min(session.fullAt ?? capacity, capacity)
  return { kind: 'full', exchange, capacity }
}

/** Counts the tries of a logon that the Core ended by closing the connection; 0 where it answered. */
function hungUp({ error, response, earlier = [] }: Exchange): number {
  if (error?.kind !== 'closed' || response) return 0
  return 1 + earlier.filter(tried => tried.error?.kind === 'closed').length
}

/** Describes a logon in a few words, for a report. */
function logonSummary({ exchange, ...end }: LogonEnd): string {
  if (end.kind === 'full') return `${summary(exchange)}, while this run held ${count(end.capacity, 'token')}`
  if (end.kind === 'issued') return `${summary(exchange)}, with a token`
  if (exchange.error) return summary(exchange)
  const got = `${summary(exchange)}, without a token`
  return end.token ? `${got}; sent again at once on a new connection, the same logon got one` : got
}
