import type { Exploration, FindingRecord, SpecRecord } from '../result.js'
import { Coverage } from './coverage.js'
import type { Kind, Lowered } from './lower.js'

/** How many contradictions of one kind are looked into that turn out not to repeat. */
const PURSUITS_PER_KIND = 5
/** After so many findings there is enough to mend. */
const MOST_FINDINGS = 5

/** What is told before anything was explored. */
export function nothing(seed: number): Exploration {
  return { seed, sequences: 0, cut: 0, requests: 0, transitions: [], ages: new Array(10).fill(0), findings: [] }
}

/** What came of exploring so far, what an earlier process explored among it. */
export class Tally {
  /** Why nothing more is explored; undefined as long as it goes on. */
  reason: string | undefined
  private readonly coverage = new Coverage()
  private readonly findings: FindingRecord[] = []
  private readonly pursued = new Map<Kind, number>()
  private readonly before: Exploration
  private own = 0
  private cut = 0

  constructor(
    private readonly seed: number,
    before?: Exploration,
  ) {
    this.before = before ?? nothing(seed)
    this.coverage.add(this.before)
  }

  /** How many sequences were run. */
  get sequences(): number {
    return this.before.sequences + this.own
  }

  /** Notes a sequence. @param isCut whether something else ended it than what the reference says */
  note(steps: readonly Lowered[], record: Pick<SpecRecord, 'steps'>, isCut: boolean): void {
    this.own++
    if (isCut) this.cut++
    this.coverage.note(steps, record)
  }

  /** Notes why nothing more is explored; the first reason counts. */
  halt(reason: string): void {
    this.reason ??= reason
  }

  /** Whether a contradiction of this kind is to be looked into; notes that it is. */
  mayPursue(kind: Kind): boolean {
    const times = this.pursued.get(kind) ?? 0
    if (times >= PURSUITS_PER_KIND) return false
    this.pursued.set(kind, times + 1)
    return true
  }

  /** Takes what came of a contradiction. */
  take(finding: FindingRecord, kind: Kind): void {
    if (!this.findings.some(({ id }) => id === finding.id)) {
      this.findings.push(finding)
      // One cause is told once.
      if (finding.state !== 'flaky') this.pursued.set(kind, PURSUITS_PER_KIND)
    }
    if (this.findings.filter(({ state }) => state !== 'flaky').length >= MOST_FINDINGS)
      this.halt('there are findings enough')
  }

  /** All of it. @param requests how many this process sent for it */
  told(requests: number): Exploration {
    const { before, reason, seed } = this
    return {
      seed,
      ...(reason !== undefined && { reason }),
      sequences: this.sequences,
      cut: this.cut + before.cut,
      requests: requests + before.requests,
      ...this.coverage.told(),
      findings: [...before.findings, ...this.findings],
    }
  }
}
