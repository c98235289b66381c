/** The model of the reference: tokens with their states and the bounds of their idle time. It knows nothing of any Core's dialect. */

/** What a token is, by the reference. `doubt`: it may have expired by now, or not, so that nothing can be said of it. */
export type TokenState = 'issued' | 'revoked' | 'expired' | 'doubt'

/** What the model goes by. */
export interface Timing {
  /** Unused for less than this, a token is certainly valid. */
  validMs: number
  /** How long a wait is that ends safely before that. */
  withinMs: number
  /** Unused for more than this, it has certainly expired. */
  expiredMs: number
  lifetimeMs: number
  /** The most that one request may take, with the pause before it. */
  requestMs: number
}

/** A token of the model. Its idle time lies between two bounds, since nobody knows when a Core received a request. */
interface Known {
  name: string
  /** Set by what ended it. */
  ended: 'revoked' | 'expired' | undefined
  shortestMs: number
  longestMs: number
}

/**
 * The tokens of one sequence. Whoever plays a sequence tells it what happens, in order; it says what each token is, and never
 * that one is valid or expired where a Core may honestly see it the other way.
 */
export class Model {
  private readonly tokens = new Map<string, Known>()

  constructor(private readonly timing: Timing) {}

  /** The names of all tokens that were issued, oldest first. */
  get names(): string[] {
    return [...this.tokens.keys()]
  }

  /** The names of the tokens in one of these states, oldest first. */
  in(...states: TokenState[]): string[] {
    return this.names.filter(name => states.includes(this.state(name)))
  }

  /** Whether a token of this name was issued. */
  has(name: string): boolean {
    return this.tokens.has(name)
  }

  /** What a token is now. */
  state(name: string): TokenState {
    const token = this.tokens.get(name)
    if (!token) return 'doubt'
    if (token.ended) return token.ended
    const { validMs, expiredMs } = this.timing
    if (token.longestMs < validMs) return 'issued'
    return token.shortestMs > expiredMs ? 'expired' : 'doubt'
  }

  /** How long a token has been unused, as a fraction of the lifetime: the shortest that it may be. */
  age(name: string): number {
    return (this.tokens.get(name)?.shortestMs ?? 0) / this.timing.lifetimeMs
  }

  /** A logon issued a token. */
  issued(name: string): void {
    this.tokens.set(name, { name, ended: undefined, shortestMs: 0, longestMs: 0 })
  }

  /** A request was sent with a token. @param isCertain whether the reference says that it resets the timer of a valid token */
  used(name: string, isCertain: boolean): void {
    const token = this.tokens.get(name)
    if (!token) return
    const state = this.state(name)
    if (state === 'expired') token.ended = 'expired'
    if (state !== 'issued' && state !== 'doubt') return
    // What may have been a use begins a new idle time, or does not.
    token.shortestMs = 0
    if (isCertain && state === 'issued') token.longestMs = 0
  }

  /** A token was revoked. */
  revoked(name: string): void {
    const token = this.tokens.get(name)
    if (token && token.ended === undefined) token.ended = this.state(name) === 'expired' ? 'expired' : 'revoked'
  }

  /** A request was sent, whatever it was: time went by, but nobody knows how much. */
  took(requests = 1): void {
    for (const token of this.tokens.values()) token.longestMs += requests * this.timing.requestMs
  }

  /** Time passes until a token has been unused for so long. */
  waited(name: string, untilMs: number): void {
    const token = this.tokens.get(name)
    if (!token) return
    const shortest = Math.max(0, untilMs - token.longestMs)
    const longest = Math.max(0, untilMs - token.shortestMs)
    for (const each of this.tokens.values()) {
      each.shortestMs += shortest
      each.longestMs += longest
    }
    token.shortestMs = Math.max(token.shortestMs, untilMs)
  }

  /** Time passes, at most so long. */
  passed(ms: number): void {
    for (const each of this.tokens.values()) each.longestMs += ms
  }
}
