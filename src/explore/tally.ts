import type { Exploration, FindingRecord, SpecRecord } from '../result.js'
import type { Kind } from './kinds.js'
import type { Lowered, Transition } from './lower.js'

/** Most contradictions of one kind that are pursued without a repeating one among them. */
const PURSUITS_PER_KIND = 5
/** This many findings are enough to mend. */
const MOST_FINDINGS = 5

/** Number of parts of the lifetime by which ages are counted. */
const PARTS = 10

/** Returns an exploration without anything explored. */
export function emptyExploration(seed: number): Exploration {
  return { seed, sequences: 0, cut: 0, requests: 0, transitions: [], ages: new Array(PARTS).fill(0), findings: [] }
}

/**
 * Collects the exploration so far, an earlier process's included: its findings, the transitions of the model that were walked, and how
 * long valid tokens had been unused at each use.
 */
export class Tally {
  /** Why exploring ended; undefined while it goes on. */
  reason: string | undefined
  /** By state and action. */
  private readonly walked = new Map<string, Exploration['transitions'][number]>()
  private readonly ages: number[]
  private readonly findings: FindingRecord[] = []
  private readonly pursued = new Map<Kind, number>()
  /** The kinds of which something certain was seen that does not repeat. */
  private readonly certain = new Set<Kind>()
  private readonly before: Exploration
  private own = 0
  private cut = 0

  constructor(
    private readonly seed: number,
    before?: Exploration,
  ) {
    this.before = before ?? emptyExploration(seed)
    this.ages = [...this.before.ages]
    for (const { from, by, times } of this.before.transitions) this.count(from, by, times)
  }

  /** Number of sequences that were run. */
  get sequences(): number {
    return this.before.sequences + this.own
  }

  /** Notes a sequence, with the steps that went as the reference says. @param isCut whether something outside the reference ended it */
  note(steps: readonly Lowered[], { steps: records }: SpecRecord, isCut: boolean): void {
    this.own++
    if (isCut) this.cut++
    for (const [index, { transition }] of steps.entries()) {
      if (!transition || records[index]?.outcome !== 'ok') continue
      const { from, by, age } = transition
      this.count(from, by, 1)
      if (from !== 'issued' || age === undefined) continue
      const part = Math.min(Math.floor(age * PARTS), PARTS - 1)
      this.ages[part] = (this.ages[part] ?? 0) + 1
    }
  }

  private count(from: Transition['from'], by: string, times: number): void {
    const known = this.walked.get(`${from} ${by}`) ?? { from, by, times: 0 }
    known.times += times
    this.walked.set(`${from} ${by}`, known)
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

  /** Takes the finding of a pursuit. @returns whether it tells more than those before it: one cause is reported once */
  take(finding: FindingRecord, kind: Kind): boolean {
    const { id, state } = finding
    const isKnown = this.findings.some(each => each.id === id) || (state === 'certain' && this.certain.has(kind))
    if (!isKnown) this.findings.push(finding)
    if (state === 'certain') this.certain.add(kind)
    // What does not repeat may be set off by another sequence. The next one may show what does.
    if (state === 'confirmed') this.pursued.set(kind, PURSUITS_PER_KIND)
    if (this.findings.filter(each => each.state !== 'flaky').length >= MOST_FINDINGS)
      this.halt('there are enough findings')
    return !isKnown
  }

  /** Returns the exploration so far. @param requests how many this process sent for it */
  told(requests: number): Exploration {
    const { before, reason, seed, walked } = this
    return {
      seed,
      ...(reason !== undefined && { reason }),
      sequences: this.sequences,
      cut: this.cut + before.cut,
      requests: requests + before.requests,
      transitions: [...walked.keys()].sort().flatMap(key => walked.get(key) ?? []),
      ages: [...this.ages],
      findings: [...before.findings, ...this.findings],
    }
  }
}
