import type { Spec } from '../../suite/spec.js'
import { aMoment } from '../moment.js'
import { isLetIn } from '../seen-once.js'
import type { SpecEnd } from '../spec-end.js'
import type { Alone } from './alone.js'
import type { Attempt, PhaseContext } from './phase.js'

/**
 * Tries what went wrong once more, alone, before it accuses.
 *
 * A good answer to a later try acquits, except where the first showed something that no other spec, network or restart can
 * bring about: a request that was let in was let in.
 */
export class Confirm {
  constructor(
    private readonly phase: PhaseContext,
    private readonly alone: Alone,
  ) {}

  /**
   * @param attempt of a spec that does not wait for its token to get old
   * @param wasAlone whether nothing else was under way then
   * @returns how the spec ends
   */
  async confirm({ spec, end }: Attempt, wasAlone: boolean): Promise<SpecEnd> {
    const { message = end.record.outcome } = end.record
    if (this.phase.signal.aborted) return unconfirmed(end, 'the run was interrupted before it could be tried again')
    const { context } = this.phase
    // What the first try did last, its tokens given back, is not to reach those of the second.
    // A run that is interrupted meanwhile is told so by the second try.
    if (spec.confirming) await aMoment(context, context.schedule.now()).catch(() => {})
    // What only may have reached the tokens of others went well by itself.
    const second = await this.alone.one(spec, isGood(end) ? undefined : message, isBad(end))
    if (isBad(second)) {
      if (isBad(end)) return told(second, 'the same was seen when it was tried once more, alone')
      return this.confirm({ spec, end: second }, true)
    }
    if (!isGood(second))
      return isGood(end) ? end : unconfirmed(end, `the second try told nothing: ${second.record.message}`)
    if (end.isCertain) return seenOnce(spec, told(end, 'when it was tried once more, alone, this was not seen again'))
    if (!wasAlone || isGood(end)) return second
    // One of two tries, with nothing else under way: a third decides.
    const third = await this.alone.one(spec, message, true)
    return isBad(third) ? told(third, 'seen in two of three tries') : second
  }
}

/** Whether an end is to be seen again before it counts: it accuses, or a token died that was to be alive. */
export function isToConfirm(end: SpecEnd): boolean {
  return isBad(end) || end.dead !== undefined
}

function isBad({ record }: SpecEnd): boolean {
  return record.outcome === 'failed'
}

function isGood({ record }: SpecEnd): boolean {
  return record.outcome === 'passed' || record.outcome === 'observed'
}

function told(end: SpecEnd, what: string): SpecEnd {
  const { record } = end
  return { ...end, record: { ...record, message: `${record.message}; ${what}` } }
}

/** Marks what was let in and then was not, for the end of the run to say why that may be. */
function seenOnce(spec: Spec, end: SpecEnd): SpecEnd {
  return isLetIn(spec, end.record) ? { ...end, record: { ...end.record, seenOnce: true } } : end
}

/** What could not be seen again accuses only where one look is enough. */
function unconfirmed(end: SpecEnd, why: string): SpecEnd {
  if (end.isCertain || !isBad(end)) return end
  const record = { ...end.record, outcome: 'inconclusive' as const, message: `${end.record.message}; ${why}` }
  return { ...end, record }
}
