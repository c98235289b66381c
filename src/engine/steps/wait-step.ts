/** Runs the steps that let time pass. */
import { duration } from '../../duration.js'
import type { WaitStep } from '../../suite/spec.js'
import type { RunContext } from '../context.js'
import { NO_HASTE } from '../phases/quiet.js'
import { OK, type StepResult } from '../step-result.js'
import { spanMs } from '../window.js'
import type { SpecTalk } from './spec-talk.js'

/** Waits while a token gets old. @throws Interrupted */
export async function waitStep(talk: SpecTalk, step: WaitStep): Promise<StepResult> {
  const { token: name, since, span, before } = step
  const { schedule, lifetime } = talk.context
  const token = talk.token(name)
  const from = (since === 'used' ? token.possibleUse : token.issued).receivedAt
  const waitMs = spanMs(span, lifetime)
  if (span === 'past lifetime' && token.lapsed) return OK
  leaveConnections(talk, step)
  talk.hooks.begins?.()
  const what = `token ${name}, ${since === 'used' ? 'unused' : 'issued'} ${duration(waitMs)}${since === 'used' ? '' : ' ago'}`
  await schedule.until(from + waitMs, { spec: talk.spec.id, what, isExpiry: span === 'past lifetime' })
  talk.hooks.ends?.()
  const lateMs = schedule.now() - from
  if (before === undefined || lateMs < before * lifetime.lifetimeMs) return OK
  const expected = `the next step comes before ${duration(before * lifetime.lifetimeMs)} have passed`
  return { outcome: 'missed window', expected, got: `it came after ${duration(lateMs)}` }
}

/** Gives the connections back before a wait: no spec holds one while time passes, but for one that needs it to rest. */
export function leaveConnections({ lease, context }: SpecTalk, { isKept, span }: WaitStep): void {
  if (isKept) lease.rest(spanMs(span, context.lifetime))
  else lease.give()
}

/** Devices were seen to revoke a token half a second after their answer. */
const A_MOMENT_MS = 1000

/**
 * Waits a moment, so that late effects of a request can show. Call it within a task.
 * @param sinceMs when the request was answered, on the clock of the run
 * @throws Interrupted
 */
export function waitAMoment({ schedule, lifetime }: RunContext, sinceMs: number): Promise<void> {
  // A part of a short lifetime at most: the tokens have to be alive afterwards.
  const momentMs = Math.min(A_MOMENT_MS, lifetime.lifetimeMs / 4)
  // Counts as a wait of the run, not of a spec: nobody detaches from the run for so short a time.
  return schedule.until(sinceMs + momentMs, { spec: '', what: 'a moment, for late effects' })
}

/** Waits a moment, so that late effects of a request can show. @throws Interrupted */
export async function laterStep({ exchanges, context, lease }: SpecTalk): Promise<StepResult> {
  const sinceMs = exchanges.at(-1)?.receivedAt ?? context.schedule.now()
  // No spec holds a connection while time passes.
  lease.give()
  await waitAMoment(context, sinceMs)
  return OK
}

/** Least pause before a logon that was turned away is sent again: the slot of a token may become free some time after its revocation. */
export const AWAY_MS = 2500

/** Lets time pass within a step, in which other specs have the connections and the Core. @throws Interrupted; Detached */
export async function rest({ context: { schedule }, lease, hooks, spec }: SpecTalk, ms: number): Promise<void> {
  hooks.gate?.leave()
  // Where others can do without, so that what came on its connection counts for further requests.
  lease.rest(ms)
  await schedule.until(schedule.now() + ms, { spec: spec.id, what: 'between two requests', isBeside: true })
  await hooks.gate?.enter('stirs', NO_HASTE)
}
