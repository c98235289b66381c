import type { SpecEnd } from '../spec-run.js'
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
    if (!isToConfirm(end)) return end
    if (this.phase.signal.aborted) return unconfirmed(end, 'the run was interrupted before it could be tried again')
    const first = end.record.message ?? end.record.outcome
    const second = await this.alone.strictly(spec, first)
    if (isBad(second)) return told(second, 'the same was seen when it was tried once more, alone')
    if (!isGood(second)) return unconfirmed(end, `the second try was not sent: ${second.record.message}`)
    if (end.isCertain) return told(end, 'when it was tried once more, alone, this was not seen again')
    if (!wasAlone) return second
    // One of two tries, with nothing else under way: a third decides.
    const third = await this.alone.strictly(spec, first)
    return isBad(third) ? told(third, 'seen in two of three tries') : second
  }
}

/** Whether an end is to be seen again before it counts. */
export function isToConfirm(end: SpecEnd): boolean {
  return isBad(end) || (end.record.outcome === 'blocked' && end.dead !== undefined)
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

/** What could not be seen again accuses only where one look is enough. */
function unconfirmed(end: SpecEnd, why: string): SpecEnd {
  if (end.isCertain || end.record.outcome !== 'failed') return end
  const record = { ...end.record, outcome: 'inconclusive' as const, message: `${end.record.message}; ${why}` }
  return { ...end, record }
}
