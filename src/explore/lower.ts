/**
 * Turns actions into the steps of a spec: says what the reference expects of each action after those before it. Over 250 lines, since
 * the state of a sequence is one.
 */

import type { Exploration } from '../result.js'
import { type Change, UNKNOWN_TOKEN } from '../suite/step-words.js'
import type { Action, RoleStep } from './action.js'
import { type Forms, isCertain, isTaken, oddOf } from './forms.js'
import type { Kind } from './kinds.js'
import { Model, type Timing } from './model.js'
import { type Range, rangeOf } from './ranges.js'

/** One transition of the model, by an action such as `use` or `revocation without Host`. */
export interface Transition extends Pick<Exploration['transitions'][number], 'from' | 'by'> {
  /** How long the token had been unused, as a fraction of the lifetime; absent without a token. */
  age?: number
}

/** An action, with what the reference expects of it. */
export interface Lowered {
  /** The step with its expectations. */
  raw: RoleStep
  /** Absent where the reference leaves the answer open. */
  kind?: Kind
  transition?: Transition
  /** Present where it is a use of a valid token in a form that this Core takes each part of: nobody knows whether it takes them together. */
  isUnsure?: true
}

/** Limits of a sequence. */
export interface Bounds {
  timing: Timing
  /** Most tokens that may be live at a time. */
  tokens: number
  /** Most logons that may be refused. */
  wrongLogons: number
  /** Kinds that are not checked: this Core is known to fail them. */
  known?: ReadonlySet<Kind>
  /** The forms of requests, which say what has to be accepted in them; absent: any of them has to. */
  forms?: Forms
}

/** The spans of a wait, as fractions of the lifetime. */
const isPast = (span: string) => span === 'past lifetime'

/** Plays actions one after another, and says what to expect of each. */
export class Play {
  readonly model: Model
  readonly steps: Lowered[] = []
  private wrongLogons = 0
  /** Tokens that the actions under way at the same time issue or end, and tokens that they look at. */
  private readonly changing = new Set<string>()
  private readonly looking = new Set<string>()

  constructor(private readonly bounds: Bounds) {
    this.model = new Model(bounds.timing)
  }

  /** How many more logons may be refused. */
  get wrongLeft(): number {
    return this.bounds.wrongLogons - this.wrongLogons
  }

  /** How many more tokens there is room for. */
  get room(): number {
    return this.bounds.tokens - this.model.in('issued', 'doubt').length
  }

  /**
   * Plays one more action.
   * @returns whether the action is possible here, with known expectations; else nothing has changed
   */
  do(action: Action): boolean {
    // Variations are sent one after another, so nothing is sent beside them.
    if (action.beside && this.steps.at(-1)?.raw.each !== undefined) return false
    if (!action.beside) {
      this.changing.clear()
      this.looking.clear()
    }
    const { behind } = action
    if (behind !== undefined && (behind === action.token || this.model.state(behind) !== 'issued')) return false
    const lowered = this.lowered(action)
    if (!lowered) return false
    if (behind !== undefined) this.model.used(behind, true)
    const { kind } = lowered
    const isKnown = kind !== undefined && this.bounds.known?.has(kind)
    const named = { ...lowered, raw: inOneRow(lowered.raw) }
    this.steps.push(isKnown ? unjudged(named) : named)
    return true
  }

  private lowered(action: Action): Lowered | undefined {
    if (action.logon !== undefined) return this.logon(action, action.logon)
    if (action.wait) return this.wait(action)
    if (action.later) {
      this.model.passed(this.bounds.timing.requestMs)
      return { raw: action }
    }
    const range = rangeOf(action)
    if (range !== undefined) return this.varied(action, range)
    if (action.send === 'logon') return this.otherLogon(action)
    return this.send(action)
  }

  private logon(action: Action, name: string): Lowered | undefined {
    if (this.model.has(name) || this.room < 1) return undefined
    this.changing.add(name)
    this.model.took()
    this.model.issued(name)
    return { raw: action, kind: 'issue', transition: { from: 'none', by: 'logon' } }
  }

  /** A logon in another form: its token is looked at, and given back at once. */
  private formedLogon(action: Action): Lowered | undefined {
    if (this.room < 1) return undefined
    this.model.took(LOOKED_AT)
    // The first is another way to write the same credentials.
    const isOdd = this.bounds.forms !== undefined && oddOf(action, this.bounds.forms).length > 1
    return {
      raw: { ...action, expect: 'issued', ...(isOdd && { assumed: true }) },
      kind: 'issue',
      transition: { from: 'none', by: 'logon' },
    }
  }

  /** A revocation in another form, of a token that is issued for it. */
  private formedRevocation(action: Action, name: string): Lowered | undefined {
    const state = this.model.state(name)
    if (
      action.each === undefined ||
      !this.model.has(name) ||
      state === 'doubt' ||
      (state !== 'issued' && this.room < 1)
    )
      return undefined
    this.model.took(LOOKED_AT)
    this.model.revoked(name)
    return { raw: action, kind: 'revoked', transition: { from: 'issued', by: 'revocation' } }
  }

  private otherLogon(action: Action, kind: Kind = 'wrong'): Lowered | undefined {
    const isBare = action.without !== undefined
    if (!isBare && this.wrongLeft < 1) return undefined
    if (!isBare) this.wrongLogons++
    this.model.took()
    const by = isBare ? 'logon without Host' : 'wrong logon'
    return {
      raw: { ...action, expect: 'nothing issued' },
      kind: isBare ? 'bare' : kind,
      transition: { from: 'none', by },
    }
  }

  private wait(action: Action): Lowered | undefined {
    const { token = '', unused } = action.wait ?? {}
    if (typeof unused !== 'string' || !['issued', 'doubt'].includes(this.model.state(token))) return undefined
    const { timing } = this.bounds
    this.model.waited(token, waitMs(unused, timing))
    const transition: Transition = { from: 'issued', by: isPast(unused) ? 'expiry' : 'time' }
    return { raw: action, transition }
  }

  /** Plays one variation of a family. */
  private varied(action: Action, range: Range): Lowered | undefined {
    const name = typeof action.token === 'string' && action.token !== UNKNOWN_TOKEN ? action.token : undefined
    if (name !== undefined && (!this.model.has(name) || this.changing.has(name))) return undefined
    if (name !== undefined && action.send === 'logon') this.model.used(name, false)
    if (range === 'wrong' || range === 'malformed') return this.otherLogon(action, range)
    if (range === 'right') return this.formedLogon(action)
    const state = name === undefined ? 'none' : this.model.state(name)
    if (range === 'place' && state !== 'issued') return undefined
    if (range === 'look-alike' && name === undefined) return undefined
    // A text that only resembles a token is no use of it. A request that carries the token in another place may count
    // as use.
    if (name !== undefined && range !== 'look-alike') {
      this.looking.add(name)
      this.model.used(name, false)
    }
    this.model.took()
    const transition: Transition = { from: state, by: VARIED[range] }
    // The answer to a revocation is not shown.
    if (action.send === 'revoke') return { raw: action, transition }
    if (range === 'bare') return { raw: { ...action, expect: 406 }, kind: 'host', transition }
    const kind = range === 'place' ? 'place' : 'unknown'
    return { raw: { ...action, expect: 'rejected' }, kind, transition }
  }

  private send(action: Action): Lowered | undefined {
    const { token } = action
    const isBare = action.without !== undefined
    const isRevocation = action.send === 'revoke'
    if (action.expect === 'revoked') return this.formedRevocation(action, typeof token === 'string' ? token : '')
    if (typeof token === 'object' && !this.model.has(token.like)) return undefined
    const name = typeof token === 'string' && token !== UNKNOWN_TOKEN ? token : undefined
    if (name !== undefined && !this.model.has(name)) return undefined
    const from = name !== undefined ? this.model.state(name) : token === undefined ? 'none' : 'unknown'
    const by = `${isRevocation ? 'revocation' : 'use'}${isBare ? ' without Host' : ''}`
    const transition: Transition = { from, by, ...(name !== undefined && { age: this.model.age(name) }) }
    if (name !== undefined) {
      // Actions under way at the same time have no order, so nothing can be expected.
      if (this.changing.has(name)) return undefined
      if (isRevocation && !isBare && this.looking.has(name)) return undefined
      if (isRevocation && !isBare) this.changing.add(name)
      else this.looking.add(name)
    }
    if (isBare) {
      if (name !== undefined) this.model.used(name, false)
      this.model.took()
      return { raw: { ...action, expect: 406 }, kind: 'host', transition }
    }
    if (isRevocation) {
      this.model.took()
      if (name !== undefined) this.model.revoked(name)
      // The answer to a revocation is not shown; its effect is.
      return { raw: action, transition }
    }
    if (from === 'doubt') return undefined
    const { forms } = this.bounds
    // The answer to a request in an odd form is not shown. It is a use where this Core takes it.
    const isJudged = !forms || isCertain(action, forms)
    if (name !== undefined) this.model.used(name, from === 'issued' && (!forms || isTaken(action, forms)))
    this.model.took()
    switch (from) {
      case 'issued':
        return isJudged
          ? { raw: { ...action, expect: 'accepted' }, kind: 'open', transition }
          : { raw: action, transition, ...(isTaken(action, forms) && { isUnsure: true as const }) }
      case 'expired':
        return { raw: { ...action, expect: 'expired' }, kind: 'expired', transition }
      default:
        return { raw: { ...action, expect: 'rejected' }, kind: from, transition }
    }
  }
}

/** Names each family of a row once, also where several of its variations stand in it. */
function inOneRow(raw: RoleStep): RoleStep {
  return Array.isArray(raw.each) ? { ...raw, each: [...new Set(raw.each)] } : raw
}

/** Requests of a logon whose token is looked at and given back. */
const LOOKED_AT = 4

/** Name of each kind of variation as a transition. */
const VARIED: Record<Exclude<Range, 'right' | 'wrong' | 'malformed'>, string> = {
  'look-alike': 'look-alike',
  constant: 'word for a token',
  place: 'use in another place',
  bare: 'request without Host',
}

/** Plays actions from the beginning. @returns undefined where one of them is not possible */
export function lower(actions: readonly Action[], bounds: Bounds): Lowered[] | undefined {
  const play = new Play(bounds)
  for (const [index, action] of actions.entries()) {
    if (index === 0 && action.beside) return undefined
    if (!play.do(action)) return undefined
  }
  return play.steps
}

/** Returns how long a wait of this span takes from the last use, in milliseconds. */
export function waitMs(span: string, { lifetimeMs, withinMs, expiredMs }: Timing): number {
  if (isPast(span)) return expiredMs + 1
  return span === 'within lifetime' ? withinMs : (Number.parseInt(span, 10) / 100) * lifetimeMs
}

/** Changes that make a never-issued token of the right form. */
export const MANGLED: readonly Change[] = ['first character', 'one character', 'shortened', 'prolonged']

/** Returns the most time that a sequence takes, in milliseconds. */
export function takesMs(actions: readonly Action[], bounds: Bounds): number {
  const play = new Play(bounds)
  for (const action of actions) play.do(action)
  return play.model.longestMs
}

/** Returns a step without its expectation. */
function unjudged({ raw, transition }: Lowered): Lowered {
  const { expect: _, ...rest } = raw
  return { raw: rest, ...(transition && { transition }) }
}
