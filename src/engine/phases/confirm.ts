import type { Spec } from '../../suite/spec.js'
import { isLetIn } from '../excuses.js'
import type { SpecEnd } from '../spec-end.js'
import { waitAMoment } from '../steps/wait-step.js'
import type { Alone } from './alone.js'
import type { Attempt } from './phase.js'

/**
 * Tries a failed spec once more, alone, before it accuses the Core.
 *
 * A good second try acquits, unless the first showed something that no other spec, network or restart can cause: a
 * request was let in.
 * @param attempt an attempt of a spec that does not wait for a token to get old
 * @param wasAlone whether nothing else was under way during the attempt
 * @returns how the spec ends
 */
export async function confirm(alone: Alone, { spec, end }: Attempt, wasAlone: boolean): Promise<SpecEnd> {
  const { message = end.record.outcome } = end.record
  const { context } = alone.phase
  if (context.signal.aborted) return unconfirmed(end, 'the run was interrupted before it could be tried again')
  // The end of the first try, in which its tokens were given back, must not affect the second. An interruption
  // meanwhile shows in the second try.
  if (spec.confirming) await waitAMoment(context, context.schedule.now()).catch(() => {})
  // A spec that passed, and may only have affected the tokens of others, passed by itself.
  const again = () => alone.one(spec, { firstTry: isGood(end) ? undefined : message, isConfirming: isBad(end) })
  let second = await again()
  // What blocked it may be left of the request before it, such as a refusal that was cached.
  if (second.record.outcome === 'blocked') second = await again()
  if (isBad(second)) {
    if (isBad(end)) return told(second, 'the same was seen when it was tried once more, alone')
    return confirm(alone, { spec, end: second }, true)
  }
  if (!isGood(second)) {
    if (isGood(end)) return end
    // Why it cannot be tried here tells more than that a token was lost before it came so far.
    if (end.record.outcome === 'blocked') return second
    return unconfirmed(end, `the second try showed nothing: ${second.record.message}`)
  }
  if (end.isCertain) return seenOnce(spec, told(end, 'when it was tried once more, alone, this was not seen again'))
  if (!wasAlone || end.isJoined || isGood(end)) return second
  // One of two tries failed, with nothing else under way. A third try decides.
  const third = await alone.one(spec, { firstTry: message, isConfirming: true })
  return isBad(third) ? told(third, 'seen in two of three tries') : second
}

/**
 * Whether an end has to be seen again before it counts: it accuses the Core, a token died that should be alive, or it was blocked
 * by what it shared with other specs.
 */
export function isToConfirm(end: SpecEnd): boolean {
  return isBad(end) || end.dead !== undefined || (end.isJoined === true && end.record.outcome === 'blocked')
}

function isBad({ record }: SpecEnd): boolean {
  return record.outcome === 'failed'
}

/** Whether a spec ended as it should. */
export function isGood({ record }: SpecEnd): boolean {
  return record.outcome === 'passed' || record.outcome === 'observed'
}

function told(end: SpecEnd, what: string): SpecEnd {
  const { record } = end
  return { ...end, record: { ...record, message: `${record.message}; ${what}` } }
}

/** Marks an end whose request was let in once and then refused. The end of the run says why that may be. */
function seenOnce(spec: Spec, end: SpecEnd): SpecEnd {
  return isLetIn(spec, end.record) ? { ...end, record: { ...end.record, seenOnce: true } } : end
}

/** Returns the end of a spec that could not be confirmed. It still accuses where one look is enough. */
function unconfirmed(end: SpecEnd, why: string): SpecEnd {
  if (end.isCertain || !isBad(end)) return end
  const record = { ...end.record, outcome: 'inconclusive' as const, message: `${end.record.message}; ${why}` }
  return { ...end, record }
}
