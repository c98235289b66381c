/** What came of the variations of a step, and the result that it makes, in words. */
import type { Exchange } from '../../core/exchange.js'
import { count } from '../../ground/count.js'
import type { SendStep } from '../../suite/spec.js'
import type { OtherReason } from '../let-in.js'
import type { StepResult } from '../step-result.js'

/** What is said of variations that got through for another reason than their token. */
const OPEN_FOR: Record<'no token' | OtherReason, string> = {
  'no token': 'without a token, these get through, too, and tell nothing',
  'made-up token': 'with a made-up token, these get through, too, and tell nothing',
  'issued anew': 'since a logon issued the same token anew, these tell nothing',
}

/** What came of a variation that did not do as expected. */
export interface Missed {
  name: string
  got: string
  isCertain: boolean
  /** Whether the same was refused when it was sent once more. */
  isOnce?: boolean
  exchange: Exchange
}

/** Counts what came of each variation. */
export class EachTally {
  readonly missed: Missed[] = []
  /** The result of the first that missed. */
  firstMiss: StepResult | undefined
  /** The names of those that were not sent, and why. */
  readonly unsent: string[] = []
  why = ''
  sent = 0
  /** How many variations were bracketed, and how many of them were accepted with the token. */
  bracketed = 0
  known = 0
  /** Variations that got through for another reason than the token, and why. */
  readonly open: { name: string; why: 'no token' | OtherReason }[] = []

  constructor(private readonly step: SendStep) {}

  /** What the step ranges over. */
  get family(): string {
    return this.step.each?.family ?? ''
  }

  /** Notes those that are not sent. */
  leaveOut(names: readonly string[], why: string): void {
    this.unsent.push(...names)
    this.why = why
  }

  /** The result where an answer was not as expected. */
  answered(): StepResult | undefined {
    const { missed, firstMiss } = this
    if (!missed.length) return undefined
    const told = missed.map(({ name, got }) => `${name} (${got})`).join('; ')
    const isThrough = missed.some(({ isCertain }) => isCertain)
    const how = isThrough ? 'got through' : 'did not do so'
    return {
      ...firstMiss,
      outcome: firstMiss?.outcome ?? 'miss',
      expected: this.expected(),
      got: `${missed.length} of ${this.sent} ${how}: ${told}${this.remarks()}`,
      isCertain: isThrough,
      isOnce: missed.every(({ isOnce }) => isOnce),
      telling: missed.map(({ exchange }) => exchange),
    }
  }

  /** The result where every answer was as expected, or told nothing. */
  fine(): StepResult {
    if (this.open.length > 0 && this.open.length === this.sent) {
      const got = `nothing was tested${this.opened()}`
      return { outcome: 'unreachable', expected: this.expected(), got }
    }
    const accepted = this.step.expect.some(expectation => ['accepted', 'issued'].includes(String(expectation)))
    const got = this.step.expect.length
      ? `${accepted ? 'all' : 'none'} of ${this.sent - this.open.length}`
      : count(this.sent, 'answer')
    const words = !this.step.expect.length ? '' : accepted ? ' did so' : ' did otherwise'
    return { outcome: 'ok', expected: this.expected(), got: got + words + this.remarks() }
  }

  private expected(): string {
    const { expect, spares } = this.step
    const spared = spares ? [`${spares.map(name => `token ${name}`).join(' and ')} accepted afterwards`] : []
    return `${this.many()}: ${[...expect.map(String), ...spared].join('; ') || 'anything'}`
  }

  /** How many of what were sent. */
  many(): string {
    return `each of ${count(this.sent, 'variation')} of ${this.family}`
  }

  /** What got through for another reason than the token. */
  private opened(): string {
    return Object.entries(OPEN_FOR)
      .map(([why, words]) => [words, this.open.filter(each => each.why === why)] as const)
      .filter(([, found]) => found.length > 0)
      .map(([words, found]) => `; ${words}: ${found.map(({ name }) => name).join(', ')}`)
      .join('')
  }

  private remarks(): string {
    const { known, bracketed, unsent, why, step } = this
    return [
      this.opened(),
      bracketed
        ? `; with token ${step.bracket}, ${known} of ${bracketed} lead to the same, the others tell nothing`
        : '',
      unsent.length ? `; not sent: ${unsent.join(', ')} (${why})` : '',
    ].join('')
  }
}
