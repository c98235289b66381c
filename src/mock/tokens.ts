import { createHash, randomInt } from 'node:crypto'
import type { Clock } from './clock.js'
import type { DialectSettings, TokenFormat } from './dialect.js'

/** The states of a bearer token (States and transitions). */
export type TokenState = 'issued' | 'expired' | 'revoked'

/** A token in a request. */
export interface RecordedToken {
  /** `valid`, or why it was not when the request came. `forgotten`: issued before a restart. `unknown`: never issued. */
  state: 'valid' | Exclude<TokenState, 'issued'> | 'forgotten' | 'unknown'
  /** The number of the token, 1 for the first one issued; null for one that was never issued. */
  number: number | null
}

/** Number of tokens that were ever issued, by state: `issued` is the sum of the other three. */
export interface TokenCounts {
  issued: number
  live: number
  revoked: number
  expired: number
}

/** The stored data of a token, without its text. */
export interface TokenRecord {
  /** When it was issued or last used, on the clock of the store. */
  lastUsedMs: number
  revoked: boolean
  /** When it was revoked; absent where a defect did so. */
  revokedMs?: number
  /** The number of the token, 1 for the first one issued; absent when a defect made it up. */
  number?: number
}

/** The parts of a token store. */
export interface TokenStoreParts {
  clock: Clock
  /** Milliseconds without use after which a token expires. */
  idleLifetimeMs: number
  format: TokenFormat
  /** How precisely tokens expire; absent: at the exact moment. */
  expiry?: DialectSettings['expiry']
  /** Called with each token that is issued. */
  onIssue?: ((token: string) => void) | undefined
}

/** Keeps every token of a mock Core and applies the rules of its life. */
export class TokenStore {
  /**
   * Keyed by the token's SHA-256. The duration of a look-up then does not show how much of a guess was right, and a dump of the
   * store opens nothing.
   */
  readonly records = new Map<string, TokenRecord>()
  /** Number of tokens ever issued, including those forgotten since. */
  issued = 0
  /** The numbers of the tokens that were issued before a restart, by their SHA-256. */
  readonly #forgotten = new Map<string, number | undefined>()

  constructor(readonly parts: TokenStoreParts) {}

  /** Issues a new token; its idle timer starts now. */
  issue(): string {
    const token = this.generate()
    this.issued += 1
    this.add(token, { lastUsedMs: this.parts.clock.nowMs(), revoked: false, number: this.issued })
    this.parts.onIssue?.(token)
    return token
  }

  /** Stores a token. */
  add(token: string, record: TokenRecord): void {
    this.records.set(digest(token), record)
  }

  /** Makes a token in the format of the dialect that was never issued before. */
  generate(): string {
    const { alphabet, length, prefix = '', suffix = '' } = this.parts.format
    let token: string
    do {
      const random = Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('')
      token = `${prefix}${random}${suffix}`
    } while (this.records.has(digest(token)))
    return token
  }

  /** Returns the record of a token; undefined when it was never issued. */
  find(token: string): TokenRecord | undefined {
    return this.records.get(digest(token))
  }

  /** Returns the present state of a record. */
  state(record: TokenRecord): TokenState {
    if (record.revoked) return 'revoked'
    return this.isExpired(record) ? 'expired' : 'issued'
  }

  /** Tells whether the idle lifetime has passed since the last use; at exactly the lifetime it has (Limits). */
  isExpired(record: TokenRecord): boolean {
    return this.parts.clock.nowMs() >= this.endsAtMs(record)
  }

  /** Returns the time at which a token expires without further use. */
  endsAtMs(record: TokenRecord): number {
    const { idleLifetimeMs, expiry: { factor, sweep } = { factor: 1, sweep: 0 } } = this.parts
    const endsAtMs = record.lastUsedMs + idleLifetimeMs * factor
    const everyMs = idleLifetimeMs * sweep
    return everyMs > 0 ? Math.ceil(endsAtMs / everyMs) * everyMs : endsAtMs
  }

  /**
   * Notes a request with a token. Restarts the idle timer of a valid token (Authentication 5). An expired or revoked token
   * does not change.
   *
   * @returns whether the token is valid
   */
  use(token: string): boolean {
    const record = this.find(token)
    if (record === undefined || this.state(record) !== 'issued') return false
    record.lastUsedMs = this.parts.clock.nowMs()
    return true
  }

  /** Revokes a token for good (Authentication 6). Has no effect on a token that is not valid. */
  revoke(token: string): void {
    const record = this.find(token)
    if (record !== undefined && this.state(record) === 'issued') this.#end(record)
  }

  #end(record: TokenRecord): void {
    record.revoked = true
    record.revokedMs = this.parts.clock.nowMs()
  }

  /** Expires every live token, while time stands still for everything else. */
  expireAll(): void {
    for (const record of this.#live()) record.lastUsedMs = Number.NEGATIVE_INFINITY
  }

  /** Forgets every token, like a Core that restarts and keeps tokens only in memory. */
  forgetAll(): void {
    for (const [key, { number }] of this.records) this.#forgotten.set(key, number)
    this.records.clear()
  }

  /** Makes the store as new: no token was ever issued. */
  reset(): void {
    this.records.clear()
    this.#forgotten.clear()
    this.issued = 0
  }

  /** Describes a token that a request presents. */
  describe(token: string): RecordedToken {
    const record = this.find(token)
    if (record !== undefined) {
      const state = this.state(record)
      return { state: state === 'issued' ? 'valid' : state, number: record.number ?? null }
    }
    const key = digest(token)
    return this.#forgotten.has(key)
      ? { state: 'forgotten', number: this.#forgotten.get(key) ?? null }
      : { state: 'unknown', number: null }
  }

  #live(): TokenRecord[] {
    return [...this.records.values()].filter(record => this.state(record) === 'issued')
  }

  /** Revokes every live token but the `most` newest. */
  keepNewest(most: number): void {
    const live = this.#live()
    for (const record of live.slice(0, Math.max(live.length - most, 0))) this.#end(record)
  }

  /** Counts the tokens that take up room: those that are live, and those that ended no longer ago than this. */
  takingRoom(lateMs: number): number {
    const sinceMs = this.parts.clock.nowMs() - lateMs
    const endedMs = (record: TokenRecord) =>
      record.revoked ? (record.revokedMs ?? Number.NEGATIVE_INFINITY) : this.endsAtMs(record)
    return [...this.records.values()].filter(record => endedMs(record) > sinceMs).length
  }

  /** Counts the tokens by state. */
  counts(): TokenCounts {
    const counts = { issued: this.records.size, live: 0, revoked: 0, expired: 0 }
    for (const record of this.records.values()) {
      const state = this.state(record)
      counts[state === 'issued' ? 'live' : state] += 1
    }
    return counts
  }
}

function digest(token: string): string {
  return createHash('sha256').update(token).digest('base64')
}
