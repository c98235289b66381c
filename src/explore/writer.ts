/** Writes the actions of a sequence, one after another, in the state that it has come to. */
import { type Action, type Bounds, Play } from './lower.js'
import type { Range, Variety } from './ranges.js'
import { tokenOf } from './shrink.js'
import { type Features, useOf } from './variations.js'

/** What a sequence may do. */
export interface Limits extends Bounds {
  features: Features
  /** The variations of families that it may send. */
  variety: Variety
  /** How many requests it may send, without the last looks. */
  requests: number
}

/** How many tokens are looked at at the end of a sequence. */
const LAST_LOOKS = 8

/** See the file. What cannot be done in this state is left out. */
export class Writer {
  readonly actions: Action[] = []
  private readonly play: Play
  private names = 0

  constructor(private readonly limits: Limits) {
    this.play = new Play(limits)
  }

  /** Does one thing more, where it can be done. @returns whether it could */
  do(action: Action): boolean {
    const isDone = this.play.do(action)
    if (isDone) this.actions.push(action)
    return isDone
  }

  /** As {@link do}, so many times. */
  repeat(times: number, action: Action): void {
    for (let done = 0; done < times && this.actions.length < this.limits.requests; done++) this.do(action)
  }

  /** Right after much of the same: now and then something that must be refused, since a fault that counts may let it in. */
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

  /** A valid token: every other time the one that was last dealt with, since faults are in what follows each other. */
  live(pick: number): string | undefined {
    const live = this.play.model.in('issued')
    const last = this.last
    return pick % 2 === 0 && last !== undefined && live.includes(last) ? last : at(live, pick >> 1)
  }

  /** The token of the last action. */
  private get last(): string | undefined {
    const action = this.actions.at(-1)
    return action && (action.logon ?? tokenOf(action))
  }

  /** The same once more, so many times. */
  again(times: number): void {
    const { beside: _, ...action } = this.actions.at(-1) ?? {}
    if (action.send !== undefined && action.send !== 'logon') this.repeat(times, action)
  }

  /** The valid token that was issued last. */
  get newest(): string | undefined {
    return this.play.model.in('issued').at(-1)
  }

  /** A valid token that is not this one. */
  other(than: string | undefined, pick: number): string | undefined {
    return at(
      this.play.model.in('issued').filter(name => name !== than),
      pick,
    )
  }

  dead(pick: number): string | undefined {
    // The oldest of them more often: what was forgotten shows there.
    const dead = this.play.model.in('revoked', 'expired')
    const last = this.last
    if (pick % 3 === 1 && last !== undefined && dead.includes(last)) return last
    return pick % 3 === 0 ? dead[0] : at(dead, pick)
  }

  use(pick: number): Action {
    return useOf(this.limits.features, pick)
  }

  /** One variation, of those of this kind. */
  variation(range: Range, pick: number): Action | undefined {
    return at(this.limits.variety[range] ?? [], pick)
  }

  get http10(): boolean {
    return this.limits.features.http10
  }

  /** Looks at something right away: what an action leaves behind may be gone after the next one. @param pick none, every second time */
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

  /** Sees what became of the tokens: what was done shows in them, if in anything. */
  lookAtAll(): void {
    const names = this.play.model.in('issued', 'revoked', 'expired')
    const some = names.length <= LAST_LOOKS ? names : [...names.slice(0, 4), ...names.slice(-4)]
    for (const token of some) this.do({ send: 'probe', token })
  }
}

/** The name of the token of this number, from 0: `a` to `z`, then `a1`. */
export function tokenName(number: number): string {
  const letter = String.fromCharCode(97 + (number % 26))
  return number < 26 ? letter : `${letter}${Math.floor(number / 26)}`
}

/** One of the items; undefined where there is none. @param pick any whole number */
export function at<T>(items: readonly T[], pick: number): T | undefined {
  return items[pick % items.length]
}
