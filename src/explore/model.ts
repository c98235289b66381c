/** The model of the reference: tokens with their states, and bounds of their idle time. It knows no Core's dialect. */

/** State of a token by the reference. `doubt`: it may or may not have expired, so nothing can be expected of it. */
export type ModelState = 'issued' | 'revoked' | 'expired' | 'doubt'

/** The times that the model works with, in milliseconds. */
export interface Timing {
  /** A token unused for less than this is certainly valid. */
  validMs: number
  /** Length of a wait that ends safely before that. */
  withinMs: number
  /** A token unused for more than this has certainly expired. */
  expiredMs: number
  lifetimeMs: number
  /** Most time that one request takes, with the pause before it. */
  requestMs: number
}

/** A token of the model. Its idle time lies between two bounds: nobody knows exactly when a Core received a request. */
interface Known {
  name: string
  /** Set by the event that ended it. */
  ended: 'revoked' | 'expired' | undefined
  shortestMs: number
  longestMs: number
}

/**
 * The tokens of one sequence. The player of a sequence reports each event, in order. The model returns the state of
 * each token. It never says valid or expired where a Core may rightly see it the other way.
 */
export class Model {
  private readonly tokens = new Map<string, Known>()
  /** Most time that may have passed, in milliseconds. */
  longestMs = 0

  constructor(private readonly timing: Timing) {}

  /** The names of all issued tokens, oldest first. */
  get names(): string[] {
    return [...this.tokens.keys()]
  }

  /** Returns the names of the tokens in one of these states, oldest first. */
  in(...states: ModelState[]): string[] {
    return this.names.filter(name => states.includes(this.state(name)))
  }

  /** Whether a token of this name was issued. */
  has(name: string): boolean {
    return this.tokens.has(name)
  }

  /** Returns the present state of a token. */
  state(name: string): ModelState {
    const token = this.tokens.get(name)
    if (!token) return 'doubt'
    if (token.ended) return token.ended
    const { validMs, expiredMs } = this.timing
    if (token.longestMs < validMs) return 'issued'
    return token.shortestMs > expiredMs ? 'expired' : 'doubt'
  }

  /** Returns the shortest time that a token may have been unused, as a fraction of the lifetime. */
  age(name: string): number {
    return (this.tokens.get(name)?.shortestMs ?? 0) / this.timing.lifetimeMs
  }

  /** Notes that a logon issued a token. */
  issued(name: string): void {
    this.tokens.set(name, { name, ended: undefined, shortestMs: 0, longestMs: 0 })
  }

  /**
   * Notes a request with a token. @param isCertain whether the reference says that it resets the timer of a valid token
   */
  used(name: string, isCertain: boolean): void {
    const token = this.tokens.get(name)
    if (!token) return
    const state = this.state(name)
    if (state === 'expired') token.ended = 'expired'
    if (state !== 'issued' && state !== 'doubt') return
    // A request that may or may not be use makes the shortest idle time 0, and leaves the longest.
    token.shortestMs = 0
    if (isCertain && state === 'issued') token.longestMs = 0
  }

  /** Notes that a token was revoked. */
  revoked(name: string): void {
    const token = this.tokens.get(name)
    if (token && token.ended === undefined) token.ended = this.state(name) === 'expired' ? 'expired' : 'revoked'
  }

  /** Notes that requests were sent: an unknown time passed, up to the bound. */
  took(requests = 1): void {
    this.passed(requests * this.timing.requestMs)
  }

  /** Notes that time passes until a token has been unused for this long. */
  waited(name: string, untilMs: number): void {
    const token = this.tokens.get(name)
    if (!token) return
    const shortest = Math.max(0, untilMs - token.longestMs)
    this.passed(Math.max(0, untilMs - token.shortestMs))
    for (const each of this.tokens.values()) each.shortestMs += shortest
    token.shortestMs = Math.max(token.shortestMs, untilMs)
  }

  /** Notes that time passes, at most this long. */
  passed(ms: number): void {
    this.longestMs += ms
    for (const each of this.tokens.values()) each.longestMs += ms
  }
}
