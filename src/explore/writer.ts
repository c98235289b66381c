/**
 * Writes the actions of a sequence one after another, each in the state that the sequence has reached. Over 250 lines, since whether and how
 * an action is written depends on all before it.
 */

import { REFUSED_EVERY_MS } from '../core/refused-logons.js'
import type { Value } from '../engine/steps/row-values.js'
import { type Action, at, type Features } from './action.js'
import { type Form, type Forms, inForm, mostFresh } from './forms.js'
import { type Bounds, MANGLED, Play, waitMs } from './lower.js'
import type { Met } from './met.js'
import type { ModelState } from './model.js'
import { type Range, rangeOf, type Varied, type Variety } from './ranges.js'
import { tokenOf } from './shrink.js'

/** Limits of a sequence, with the variations that it may use. */
export interface Limits extends Bounds {
  features: Features
  /** The variations of families that it may send. */
  variety: Variety
  /** The forms that its requests may have. */
  forms: Forms
  /** Most requests that it sends, without the last looks. */
  requests: number
  /** How long it may take, in milliseconds. */
  leftMs: number
  /** What has met in the requests of all sequences. */
  met: Met
}

/** A short rest: so many percent of the lifetime. */
const SHORT_REST = 1
/** Most tokens that are looked at when a sequence ends. */
const LAST_LOOKS = 8
/** From so many requests on, a Core may be in another state. */
const MANY = [4, 9, 16]

/** Writes the actions of one sequence. An action that is not possible in its state is left out. */
export class Writer {
  readonly actions: Action[] = []
  private readonly play: Play
  private names = 0
  /** The kinds of requests so far, and that of the latest. */
  private readonly kinds = new Set<string>()
  private last: string | undefined
  /** Picks the form of the next request; undefined: the plain one. */
  form: number | undefined
  /** Whether each request gets a form, and not only the next. */
  isFormed = false
  /** The forms of a use that this Core was seen to take. */
  private readonly taken: readonly Form[]

  /** @param isLate whether tokens age */
  constructor(
    readonly limits: Limits,
    private readonly isLate = false,
  ) {
    this.play = new Play(limits)
    const { safe, taken } = limits.forms
    this.taken = safe
      .map(form => ({ ...form, values: form.values.filter(({ name }) => taken.has(name)) }))
      .filter(({ values }) => values.length)
  }

  /**
   * Writes one more action, where it is possible. @param value what its request departs by
   * @returns whether it was possible
   */
  do(action: Action, value?: Value): boolean {
    if (action.wait && !this.hasTime(action.wait)) return false
    const formed = this.formed(action, value)
    const [kind, past] = [this.kindOf(action), this.past]
    const done = [formed, action].find(each => this.play.do(each))
    if (!done) return false
    this.actions.push(done)
    this.limits.met.note(kind, [...past, ...[done.only ?? []].flat()])
    this.kinds.add(kind)
    this.last = kind
    return true
  }

  /** Says what a request asks for, with a token in which state. */
  private kindOf(action: Action): string {
    const { send, token, without, wait } = action
    if (wait) return 'wait'
    const name = typeof token === 'string' ? token : token?.like
    const state = name === undefined ? 'none' : typeof token === 'object' ? 'like' : this.play.model.state(name)
    return `${send ?? 'logon'} ${rangeOf(action) ?? state}${without ? ' without Host' : ''}`
  }

  /** What came before the next request, as far as a Core may be in another state for it. */
  private get past(): string[] {
    const { kinds, last } = this
    const many = MANY.findLast(count => this.actions.length >= count)
    return [
      ...[...kinds].map(kind => `since ${kind}`),
      ...(last === undefined ? [] : [`after ${last}`]),
      ...(many === undefined ? [] : [`request ${many}`]),
    ]
  }

  /** Whether there is time for a wait, and for the looks after it. */
  private hasTime({ unused }: NonNullable<Action['wait']>): boolean {
    const { timing, leftMs } = this.limits
    const looksMs = 2 * LAST_LOOKS * timing.requestMs
    return this.play.model.longestMs + waitMs(String(unused), timing) + looksMs <= leftMs
  }

  /** Gives the next request its form, where it may have one. */
  private formed(action: Action, value: Value | undefined): Action {
    const { send, logon, token, beside, http, connection, behind, without, expect } = action
    const { form, play, past } = this
    if ((send ?? logon) === undefined || form === undefined || beside || http || connection || behind) return action
    this.form = this.isFormed ? form + 1 : undefined
    const { plain, safe, same, ending, fields, carriers, absent, all } = this.limits.forms
    const kind = this.kindOf(action)
    const before = [...past, ...[action.only ?? []].flat()]
    const fresh = (name: string, others: readonly string[]) => this.limits.met.fresh(kind, name, [...before, ...others])
    const inOne = (forms: readonly Form[], isRefused = false) =>
      inForm(action, forms, form, { own: value, isRefused, fresh })
    const isUse = value === undefined && typeof token === 'string' && play.model.state(token) === 'issued'
    const isEffective = send === 'revoke' && isUse && expect === undefined
    if (isEffective) return inOne(plain)
    if (without && !(isUse && send === 'probe'))
      return inOne(send === 'probe' && !value ? [...this.taken, ...fields] : fields)
    if (logon !== undefined || send === 'logon') return inOne(form % 3 ? same : plain)
    if (send === 'revoke') return inOne([...same, ...ending])
    if (send !== 'probe') return inOne(plain)
    if (rangeOf(action) === 'place') return inOne([...all, ...carriers], true)
    if (value === undefined && token === undefined) return inOne([...all, ...absent], true)
    // Where time passes, only what is known to be a use says how long the token had none.
    const odd = this.isLate ? this.taken : safe
    return isUse ? inOne(form % 4 ? odd : plain) : inOne(all, true)
  }

  /** Does the same as {@link do}, this many times. */
  repeat(times: number, action: Action): void {
    for (let done = 0; done < times && this.actions.length < this.limits.requests; done++) this.do(action)
  }

  /** Rests for this part of the lifetime, in percent, on its connection. */
  rest(percent: number): void {
    const { model } = this.play
    const token = this.newest ?? this.logon()
    if (token === undefined) return
    const unused = Math.ceil(model.age(token) * 100) + percent
    if (unused < 95) this.do({ wait: { token, unused: `${unused}%`, connection: 'kept' } })
  }

  /** Leaves time before a logon that should be refused, where a small part of the lifetime is enough of that. */
  restForRefusal(): void {
    if ((this.limits.timing.lifetimeMs * SHORT_REST) / 100 >= REFUSED_EVERY_MS) this.rest(SHORT_REST)
  }

  /**
   * Adds, now and then, a request that the Core must refuse: a fault that counts may let it in after many equal
   * requests.
   */
  tempt(pick: number): void {
    if (pick % 3 === 0) this.do({ send: 'probe' })
    if (pick % 3 === 1) this.do({ send: 'probe', token: 'unknown' })
  }

  /** Logs on under a new name, where there is room. */
  logon(more: Partial<Action> = {}): string | undefined {
    const name = tokenName(this.names)
    if (!this.do({ logon: name, ...more })) return undefined
    this.names++
    return name
  }

  /**
   * Returns a valid token; every other time that of the last action, since faults often show in actions that follow
   * each other.
   */
  live(pick: number): string | undefined {
    const live = this.play.model.in('issued')
    const last = this.lastToken
    return pick % 2 === 0 && last !== undefined && live.includes(last) ? last : at(live, pick >> 1)
  }

  /** The token of the last action. */
  private get lastToken(): string | undefined {
    const action = this.actions.at(-1)
    return action && (action.logon ?? tokenOf(action))
  }

  /** Repeats the last action this many times. */
  again(times: number): void {
    const { beside: _, ...action } = this.actions.at(-1) ?? {}
    if (action.send !== undefined && action.send !== 'logon') this.repeat(times, action)
  }

  /** The valid token that was issued last. */
  get newest(): string | undefined {
    return this.play.model.in('issued').at(-1)
  }

  /** The valid token that has been unused for longest. */
  get idlest(): string | undefined {
    const { model } = this.play
    return model
      .in('issued')
      .reduce<string | undefined>(
        (before, name) => (before !== undefined && model.age(before) >= model.age(name) ? before : name),
        undefined,
      )
  }

  /** Returns a valid token other than this one. */
  other(than: string | undefined, pick: number): string | undefined {
    return at(
      this.play.model.in('issued').filter(name => name !== than),
      pick,
    )
  }

  dead(pick: number): string | undefined {
    // The oldest more often: there it shows what the Core forgets.
    const dead = this.play.model.in('revoked', 'expired')
    const last = this.lastToken
    if (pick % 3 === 1 && last !== undefined && dead.includes(last)) return last
    return pick % 3 === 0 ? dead[0] : at(dead, pick)
  }

  /** Returns a request of any kind, in its plain form. */
  plain(pick: number): Action | undefined {
    const [live, dead] = [this.live(pick >> 4), this.dead(pick >> 4)]
    const change = at(MANGLED, pick >> 5)
    const name = tokenName(this.names)
    const kinds: (Action | undefined)[] = [
      { send: 'probe' },
      { send: 'probe', token: 'unknown' },
      dead === undefined ? undefined : { send: 'probe', token: dead },
      live === undefined ? undefined : { send: 'probe', token: live },
      live === undefined || change === undefined ? undefined : { send: 'probe', token: { like: live, change } },
      live === undefined ? undefined : { send: 'probe', token: live, without: ['Host'] },
      live === undefined ? undefined : { send: 'revoke', token: live },
      dead === undefined ? undefined : { send: 'revoke', token: dead },
      { send: 'revoke' },
      { send: 'logon', without: ['Host'] },
      { send: 'logon', body: { username: '{username}', password: '{wrong-password}' } },
      { logon: name },
      { logon: name },
    ]
    const action = at(kinds, pick)
    if (action?.logon !== undefined) this.names++
    return action
  }

  /** Returns a token for a request that needs none, every other time. */
  carried(pick: number): Pick<Action, 'token'> {
    const token = [this.live(pick >> 3), this.dead(pick >> 3), 'unknown'][pick % 6]
    return token === undefined ? {} : { token }
  }

  /** Returns the variation of these kinds that meets most for the first time after all that came before. */
  variation(ranges: readonly Range[], pick: number): Varied | undefined {
    const all = ranges.flatMap(range => this.limits.variety[range]?.flat() ?? [])
    const { past } = this
    return mostFresh(all, pick % all.length, ({ action, value }) =>
      this.limits.met.fresh(this.kindOf(action), value.name, past),
    )
  }

  /** Returns credentials of this kind, none of them twice in a sequence: refused logons are scarce. */
  credentials(range: 'wrong' | 'malformed', pick: number): Varied | undefined {
    const sent = new Set(this.actions.flatMap(({ only }) => only ?? []))
    const left = this.limits.variety[range]?.flat().filter(({ action }) => !sent.has(String(action.only)))
    return left && at(left, pick)
  }

  /**
   * Adds a look right away: the effect of an action may be gone after the next one.
   * @param pick adds no look every second time
   */
  look(pick: number): void {
    const dead = this.dead(pick >> 3)
    const [live, newest] = [this.live(pick >> 3), this.newest]
    const looks: (Action | undefined)[] = [
      { send: 'probe' },
      { send: 'probe', token: 'unknown' },
      dead === undefined ? undefined : { send: 'probe', token: dead },
      live === undefined ? undefined : { send: 'probe', token: (pick >> 3) % 3 === 0 ? (newest ?? live) : live },
    ]
    const action = pick % 2 === 0 ? at(looks, (pick >> 1) % 4) : undefined
    if (action) this.do(action)
  }

  /** Looks at the tokens, in their plain form: the effects of all actions show in them. */
  lookAtAll(): void {
    this.form = undefined
    for (const token of this.some('issued', 'revoked', 'expired')) this.do({ send: 'probe', token })
  }

  /** Returns the tokens in one of these states; of many the first and the last. */
  some(...states: ModelState[]): string[] {
    const names = this.play.model.in(...states)
    return names.length <= LAST_LOOKS ? names : [...names.slice(0, 4), ...names.slice(-4)]
  }
}

/** Returns the name of the token of this number, from 0: `a` to `z`, then `a1`. */
function tokenName(number: number): string {
  const letter = String.fromCharCode(97 + (number % 26))
  return number < 26 ? letter : `${letter}${Math.floor(number / 26)}`
}
