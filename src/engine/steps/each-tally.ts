/** Collects the results of the variations of a step, and puts them into words. */
import type { Exchange } from '../../core/exchange.js'
import { count, listed } from '../../ground/count.js'
import type { StepRecord } from '../../result.js'
import type { SendStep } from '../../suite/spec.js'
import type { OtherReason } from '../let-in.js'
import type { StepResult } from '../step-result.js'

/**
 * Why a variation shows nothing: it gets through for another reason than its token, is refused with Host too, is not taken
 * by an open Core for its form, or gets no answer.
 */
export type OpenFor = 'no token' | OtherReason | 'its size' | 'not taken' | 'its form' | 'no answer'

/** Words for variations that show nothing. */
const OPEN_FOR: Record<OpenFor, string> = {
  'no token': 'these get through without a token too, so they show nothing',
  'made-up token': 'these get through with a made-up token too, so they show nothing',
  'issued anew': 'a logon issued the same token again, so these show nothing',
  'its size':
    'these are refused in the same way with Host, since the Core does not take them at all, so they show nothing',
  'not taken': 'this Core does not take requests of this form at all, so these show nothing',
  'its form': 'these are answered in another way, which asks for no token, so they show nothing',
  'no answer': 'these got no answer, so they show nothing',
}

/** A variation that was not answered as expected. */
export interface MissedVariation {
  name: string
  got: string
  isCertain: boolean
  /** Whether the Core refused the same request when it was sent again. */
  isOnce?: boolean
  exchange: Exchange
}

/** Most variations of a failure that are named. The requests beside them show the rest. */
const MOST_MISSED = 16

/** Collects the result of each variation. */
export class EachTally {
  readonly missed: MissedVariation[] = []
  /** The result of the first variation that missed. */
  firstMiss: StepResult | undefined
  /** The names of variations that were not sent. `why` says why. */
  readonly unsent: string[] = []
  why = ''
  sent = 0
  /** How many variations were also sent with a good token, and how many of those were accepted. */
  bracketed = 0
  known = 0
  /** How many rows got no answer. */
  unanswered = 0
  /** Variations that show nothing, with the reason. */
  readonly open: { name: string; why: OpenFor }[] = []

  /** The rows of the step, and what they covered; nothing where it has none. */
  coverage: Pick<StepRecord, 'covered' | 'rows'> = {}
  /** The same in words; empty where it has none. */
  covered = ''

  constructor(private readonly step: SendStep) {}

  /** Name of the family that the step ranges over. */
  get family(): string {
    return this.step.each?.family ?? ''
  }

  /** Notes variations that are not sent. */
  leaveOut(names: readonly string[], why: string): void {
    this.unsent.push(...names)
    this.why = why
  }

  /** Returns the result where an answer was not as expected. */
  answered(): StepResult | undefined {
    const { missed, firstMiss } = this
    if (!missed.length) return undefined
    const told = listed(
      missed.map(({ name, got }) => `${name} (${got})`),
      MOST_MISSED,
      '; ',
    )
    const isThrough = missed.some(({ isCertain }) => isCertain)
    const how = isThrough ? 'got through' : 'did not do so'
    return {
      ...firstMiss,
      ...this.coverage,
      outcome: firstMiss?.outcome ?? 'miss',
      expected: this.expected(),
      got: `${missed.length} of ${this.sent} ${how}: ${told}${this.remarks()}`,
      isCertain: isThrough,
      isOnce: missed.every(({ isOnce }) => isOnce),
      telling: missed.map(({ exchange }) => exchange),
    }
  }

  /** Returns the result where every answer was as expected, or showed nothing. */
  fine(): StepResult {
    const silent = this.open.length + this.unanswered
    if (silent > 0 && silent === this.sent) {
      const got = `nothing was tested${this.opened()}`
      return { outcome: 'unreachable', expected: this.expected(), got }
    }
    const accepted = this.step.expect.some(expectation => ['accepted', 'issued', 'open'].includes(String(expectation)))
    const got = this.step.expect.length
      ? `${accepted ? 'all' : 'none'} of ${this.sent - silent}`
      : count(this.sent, 'answer')
    const words = !this.step.expect.length ? '' : accepted ? ' did so' : ' did otherwise'
    return { outcome: 'ok', expected: this.expected(), got: got + words + this.remarks(), ...this.coverage }
  }

  private expected(): string {
    const { expect, spares } = this.step
    const spared = spares ? [`${spares.map(name => `token ${name}`).join(' and ')} accepted afterwards`] : []
    return `${this.many()}: ${[...expect.map(each => (each === 'open' ? 'asks for no token' : String(each))), ...spared].join('; ') || 'anything'}`
  }

  /** Describes the number of variations sent. */
  many(): string {
    return `each of ${count(this.sent, this.step.each?.dimensions ? 'row' : 'variation')} of ${this.family}`
  }

  /** Lists the variations that show nothing. */
  private opened(): string {
    const unanswered = this.unanswered ? `; ${count(this.unanswered, 'row')} got no answer, which shows nothing` : ''
    const open = Object.entries(OPEN_FOR)
      .map(([why, words]) => [words, this.open.filter(each => each.why === why)] as const)
      .filter(([, found]) => found.length > 0)
      .map(([words, found]) => `; ${words}: ${listed(found.map(({ name }) => name))}`)
    return [...open, unanswered].join('')
  }

  private remarks(): string {
    const { known, bracketed, unsent, why, step } = this
    return [
      this.covered,
      this.opened(),
      bracketed
        ? `; with token ${step.bracket}, ${known} of ${bracketed} get the same answer, and the others show nothing`
        : '',
      unsent.length ? `; ${unsent.length} of ${this.sent + unsent.length} not sent: ${listed(unsent)} (${why})` : '',
    ].join('')
  }
}
