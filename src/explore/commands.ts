/** What each command does in the state that a sequence has come to. */
import type { Command, CommandName, Drawn } from './draw.js'
import { type Action, type Bounds, MANGLED, Play } from './lower.js'
import { tokenOf } from './shrink.js'
import { type Features, useOf } from './variations.js'

/** What a sequence may do. */
export interface Limits extends Bounds {
  features: Features
  /** How many requests it may send, without the last looks. */
  requests: number
}

/** How many tokens are looked at at the end of a sequence. */
const LAST_LOOKS = 8
const WAITS = ['20%', '40%', '60%', '80%', 'within lifetime'] as const

/** Turns what was drawn into actions that can be played one after another; what is not possible is left out. */
export function actionsOf({ commands }: Pick<Drawn, 'commands'>, limits: Limits): Action[] {
  const writer = new Writer(limits)
  // With something to lose.
  for (let begun = 0; begun < 1 + ((commands[0]?.pick ?? 0) % 3); begun++) writer.logon()
  for (const command of commands) {
    if (writer.actions.length >= limits.requests) break
    writer.write(command)
  }
  writer.lookAtAll()
  return writer.actions
}

class Writer {
  readonly actions: Action[] = []
  private readonly play: Play
  private names = 0

  constructor(private readonly limits: Limits) {
    this.play = new Play(limits)
  }

  write({ name, pick, other }: Command): void {
    WRITERS[name](this, pick, other)
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

  get http10(): boolean {
    return this.limits.features.http10
  }

  /** Sees what became of the tokens: what was done shows in them, if in anything. */
  lookAtAll(): void {
    const names = this.play.model.in('issued', 'revoked', 'expired')
    const some = names.length <= LAST_LOOKS ? names : [...names.slice(0, 4), ...names.slice(-4)]
    for (const token of some) this.do({ send: 'access', token })
  }
}

type Write = (writer: Writer, pick: number, other: number) => void

const WRITERS: Record<CommandName, Write> = {
  logon: (writer, pick) => void writer.logon(writer.http10 && pick % 8 === 0 ? { http: '1.0' } : {}),
  use(writer, pick, other) {
    const token = writer.live(pick) ?? writer.logon()
    if (token !== undefined) writer.do({ ...writer.use(other), token })
  },
  'use often'(writer, pick, other) {
    const token = writer.live(pick) ?? writer.logon()
    if (token !== undefined) writer.repeat(4 + (other % 9), { send: 'access', token })
  },
  'look at a dead token'(writer, pick, other) {
    const token = writer.dead(pick)
    if (token !== undefined) writer.do({ ...writer.use(other), token })
  },
  'look often'(writer, pick, other) {
    const token = writer.dead(pick)
    if (token !== undefined) writer.repeat(3 + (other % 7), { send: 'access', token })
  },
  revoke(writer, pick) {
    const token = writer.live(pick)
    if (token !== undefined && writer.do({ send: 'revoke', token })) writer.do({ send: 'access', token })
  },
  'revoke in vain'(writer, pick, other) {
    const token = other % 2 === 0 ? writer.dead(pick) : 'unknown'
    writer.do(token === undefined ? { send: 'revoke' } : { send: 'revoke', token })
  },
  'no token': (writer, pick) => void writer.do(writer.use(pick)),
  'unknown token'(writer, pick, other) {
    const change = at(MANGLED, other)
    const like = other % 2 === 0 ? writer.live(pick) : writer.dead(pick)
    const token = like === undefined || change === undefined ? 'unknown' : { like, change }
    writer.do({ send: 'access', token })
  },
  'be refused often': (writer, pick, other) =>
    writer.repeat(3 + (other % 8), { send: 'access', ...(pick % 2 === 0 && { token: 'unknown' }) }),
  'wrong logon': (writer, pick) =>
    void writer.do({
      send: 'logon',
      body:
        pick % 3 === 0
          ? { username: '{wrong-username}', password: '{password}' }
          : { username: '{username}', password: '{wrong-password}' },
    }),
  'without Host'(writer, pick, other) {
    const token = other % 2 === 0 ? writer.live(pick) : writer.dead(pick)
    const carried = token === undefined ? {} : { token }
    const without = ['Host']
    if (other % 5 === 0) writer.do({ send: 'logon', without })
    else writer.do({ send: other % 3 === 0 ? 'access' : 'revoke', ...carried, without })
  },
  wait(writer, pick, other) {
    const token = writer.live(pick) ?? writer.logon()
    const unused = at(WAITS, other)
    if (token !== undefined && unused !== undefined && writer.do({ wait: { token, unused } }))
      writer.do({ send: 'access', token })
  },
  'let expire'(writer, pick) {
    const token = writer.live(pick) ?? writer.logon()
    if (token !== undefined && writer.do({ wait: { token, unused: 'past lifetime' } }))
      writer.do({ send: 'access', token })
  },
  'revoke several'(writer, pick, other) {
    for (let turn = 0; turn < 2 + (pick % 2); turn++) {
      const token = (other % 3 === 0 ? writer.newest : undefined) ?? writer.live(other * 2 + 1) ?? writer.logon()
      if (token === undefined || !writer.do({ send: 'revoke', token })) return
      if (other % 2 === 0) writer.do({ send: 'access', token })
    }
  },
  later: writer => void writer.do({ later: true }),
  burst(writer, pick, other) {
    const beside = { beside: true } as const
    const token = writer.live(pick)
    const another = writer.live(pick + 1)
    if (token === undefined || other % 4 === 0) {
      writer.logon()
      writer.logon(beside)
      if (other % 3 === 0) writer.logon(beside)
    } else if (other % 4 === 1) {
      writer.do({ send: 'revoke', token })
      if (another !== token && another !== undefined) writer.do({ send: 'access', token: another, ...beside })
      else writer.logon(beside)
      writer.do({ send: 'access', ...beside })
      writer.do({ send: 'access', token })
    } else if (other % 4 === 2) {
      writer.do({ send: 'access', token })
      writer.do({ send: 'access', ...beside })
      writer.do({ send: 'access', token: another ?? token, ...beside })
    } else {
      writer.logon()
      writer.do({ send: 'access', token, ...beside })
      writer.do({ send: 'access', token: 'unknown', ...beside })
    }
  },
  'log on in a row'(writer, pick) {
    for (let turn = 0; turn < 3 + (pick % 4); turn++) writer.logon()
  },
  'use in turn'(writer, pick, other) {
    const one = writer.live(pick) ?? writer.logon()
    const two = writer.other(one, pick) ?? writer.logon()
    if (one === undefined || two === undefined) return
    for (let turn = 0; turn < 4 + (other % 4); turn++) writer.do({ send: 'access', token: turn % 2 === 0 ? one : two })
  },
  again: (writer, pick) => writer.again(1 + (pick % 3)),
  churn(writer, pick, other) {
    for (let turn = 0; turn < 2 + (pick % 6); turn++) {
      const token = writer.logon()
      if (token === undefined) return
      if ((other + turn) % 3 === 0) writer.do({ send: 'access', token })
      writer.do({ send: 'revoke', token })
    }
  },
}

/** The name of the token of this number, from 0: `a` to `z`, then `a1`. */
export function tokenName(number: number): string {
  const letter = String.fromCharCode(97 + (number % 26))
  return number < 26 ? letter : `${letter}${Math.floor(number / 26)}`
}

function at<T>(items: readonly T[], pick: number): T | undefined {
  return items[pick % items.length]
}
