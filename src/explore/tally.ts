import type { Exploration, FindingRecord, SpecRecord } from '../result.js'
import { Coverage } from './coverage.js'
import type { Kind, Lowered } from './lower.js'

/** Most contradictions of one kind that are pursued without a repeating one among them. */
const PURSUITS_PER_KIND = 5
/** This many findings are enough to mend. */
const MOST_FINDINGS = 5

/** Returns an exploration without anything explored. */
export function emptyExploration(seed: number): Exploration {
  return { seed, sequences: 0, cut: 0, requests: 0, transitions: [], ages: new Array(10).fill(0), findings: [] }
}

/** Collects the exploration so far, an earlier process's included. */
export class Tally {
  /** Why exploring ended; undefined while it goes on. */
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
    this.before = before ?? emptyExploration(seed)
    this.coverage.add(this.before)
  }

  /** Number of sequences that were run. */
  get sequences(): number {
    return this.before.sequences + this.own
  }

  /** Notes a sequence. @param isCut whether something outside the reference ended it */
  note(steps: readonly Lowered[], record: SpecRecord, isCut: boolean): void {
    this.own++
    if (isCut) this.cut++
    this.coverage.note(steps, record)
  }

  /** Notes why exploring ends. Only the first reason counts. */
  halt(reason: string): void {
    this.reason ??= reason
  }

  /** Whether to pursue a contradiction of this kind. Counts it if so. */
  mayPursue(kind: Kind): boolean {
    const times = this.pursued.get(kind) ?? 0
    if (times >= PURSUITS_PER_KIND) return false
    this.pursued.set(kind, times + 1)
    return true
  }

  /** Takes the finding of a pursuit. */
  take(finding: FindingRecord, kind: Kind): void {
    if (!this.findings.some(({ id }) => id === finding.id)) {
      this.findings.push(finding)
      // Report one cause once.
      if (finding.state !== 'flaky') this.pursued.set(kind, PURSUITS_PER_KIND)
    }
    if (this.findings.filter(({ state }) => state !== 'flaky').length >= MOST_FINDINGS)
      this.halt('there are enough findings')
  }

  /** Returns the exploration so far. @param requests how many this process sent for it */
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
