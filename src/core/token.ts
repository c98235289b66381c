import { randomInt } from 'node:crypto'
import { alphabetOf, decodesAlike, isSameToken } from '../ground/token-text.js'
import type { Exchange, Reading } from './exchange.js'

export { alphabetOf, TOKEN68 } from '../ground/token-text.js'

/**
 * State of a token, as far as the run saw it. `issued`: not yet seen accepted. `used`: seen accepted. `revoked`: the
 * Core confirmed its revocation, and nothing was seen of the token since. `dead`: the Core rejected it though the run
 * did not revoke it. `gone`: it was revoked, and the Core rejected it.
 */
export type TokenLife = 'issued' | 'used' | 'revoked' | 'dead' | 'gone'

/** An event that changes the state of a token. */
type TokenEvent = 'accepted' | 'revoked' | 'rejected'

/** The state of a token after each event. A Core may confirm a revocation and accept the token all the same. */
const NEXT: Record<TokenEvent, Record<TokenLife, TokenLife>> = {
  accepted: { issued: 'used', used: 'used', revoked: 'used', dead: 'used', gone: 'used' },
  revoked: { issued: 'revoked', used: 'revoked', revoked: 'revoked', dead: 'gone', gone: 'gone' },
  rejected: { issued: 'dead', used: 'dead', revoked: 'gone', dead: 'dead', gone: 'gone' },
}

/** A {@link Token} as plain data. */
export type TokenState = Pick<
  Token,
  'label' | 'value' | 'issued' | 'isNew' | 'certainUse' | 'possibleUse' | 'lapsed'
> & {
  -readonly [flag in 'givenBack' | 'seenDead']: boolean
}

/** A token that the Core issued to this run. */
export class Token {
  /** The latest request that the Core certainly counted as use: an accepted one. Starts with the logon. */
  certainUse: Reading
  /** The latest request that the Core may have counted as use: any that carried the token. */
  possibleUse: Reading
  /** How often it was accepted. */
  uses = 0
  /** The longest time without use after which it was accepted, in milliseconds. */
  unusedMs = 0
  /**
   * When it ended though the run did not revoke it, on the clock of the run: between its last certain use and the answer that
   * rejected it. `unusedMs`: the longest time that it may have been unused by then.
   */
  ended: { fromMs: number; untilMs: number; unusedMs: number } | undefined
  private life: TokenLife = 'issued'
  /** The latest success that confirmed its revocation. */
  revocation: Exchange | undefined
  /**
   * Whether the token was once certainly unused for longer than its lifetime. The clock decides this, not the Core:
   * such a token has expired, and a Core that accepts it revives an expired token.
   */
  lapsed = false

  constructor(
    /** Its name in reports, for example `token a`. */
    readonly label: string,
    readonly value: string,
    /** The logon that issued it. */
    readonly issued: Reading,
    /** Whether no earlier token of this run had the same value. */
    readonly isNew = true,
    /** Its number among the tokens of the run, from 0. */
    readonly number = 0,
    /** Called when `givenBack` has changed. */
    private readonly onGivenBack: (token: Token) => void = () => {},
  ) {
    this.certainUse = issued
    this.possibleUse = issued
  }

  /** Whether it was revoked, so that it need not be given back. */
  get givenBack(): boolean {
    return this.life === 'revoked' || this.life === 'gone'
  }

  /** Whether the Core confirmed that it revoked this token, while it was alive, and has not accepted it since. */
  get wasRevoked(): boolean {
    return this.givenBack && this.revocation !== undefined && !this.lapsed && this.ended === undefined
  }

  /** Whether the Core was seen to reject it. */
  get seenDead(): boolean {
    return this.life === 'dead' || this.life === 'gone'
  }

  /** Whether it was accepted at least once. */
  get wasAccepted(): boolean {
    return this.certainUse.sentAt !== this.issued.sentAt
  }

  /** Whether it may open the API, as far as the run saw. */
  get isLive(): boolean {
    return this.life === 'issued' || this.life === 'used'
  }

  /** Rebuilds a token from the state that another process wrote. */
  static from(state: TokenState, number: number, onGivenBack: (token: Token) => void): Token {
    const { label, value, issued, isNew, givenBack, seenDead, lapsed, certainUse, possibleUse } = state
    const token = new Token(label, value, issued, isNew, number, onGivenBack)
    const isUsed = certainUse.sentAt !== issued.sentAt
    token.life = givenBack ? (seenDead ? 'gone' : 'revoked') : seenDead ? 'dead' : isUsed ? 'used' : 'issued'
    return Object.assign(token, { lapsed, certainUse, possibleUse })
  }

  /** Returns the token as plain data, for {@link Token.from}. */
  state(): TokenState {
    const { label, value, issued, isNew, certainUse, possibleUse, givenBack, seenDead, lapsed } = this
    return { label, value, issued, isNew, certainUse, possibleUse, givenBack, seenDead, lapsed }
  }

  /** Notes a request that carried this token. That changes only its times of use. */
  used(reading: Reading, isAccepted: boolean): void {
    if (isAccepted) this.unusedMs = Math.max(this.unusedMs, reading.sentAt - this.possibleUse.receivedAt)
    this.possibleUse = reading
    if (!isAccepted) return
    this.certainUse = reading
    this.uses++
  }

  /** Notes that the Core accepted it. @param by the request, which may have been under way while another one revoked it */
  accepted(by?: Reading): void {
    if (by && this.revocation && by.sentAt < this.revocation.receivedAt) return
    // Whatever confirmed its revocation had no such effect.
    this.revocation = undefined
    this.saw('accepted')
  }

  /**
   * Notes that the Core confirmed its revocation, or that it needs none.
   * @param by the success that confirmed it; absent where something else suggests it, such as a refusal after a try that dropped
   */
  revoked(by?: Exchange): void {
    this.revocation = by ?? this.revocation
    this.saw('revoked')
  }

  /** Notes that the Core rejected it. @param by the answer; absent where an earlier one may have shown it too */
  rejected(by?: Reading): void {
    if (by && this.isLive) {
      const [fromMs, untilMs] = [this.certainUse.sentAt, by.receivedAt]
      this.ended = { fromMs, untilMs, unusedMs: untilMs - fromMs }
    }
    this.saw('rejected')
  }

  /** Notes that it was certainly unused for longer than its lifetime. */
  lapse(): void {
    this.lapsed = true
  }

  private saw(event: TokenEvent): void {
    const { givenBack } = this
    this.life = NEXT[event][this.life]
    if (givenBack !== this.givenBack) this.onGivenBack(this)
  }
}

/**
 * A text that a header can carry as one word. The reference does not show the format of tokens. A text over 64 KB is no
 * token: servers and proxies accept headers of 8 to 64 KB.
 */
export const SENDABLE = /^[!-~]{1,65536}$/

/**
 * Describes the characters that several tokens consist of together. A single token may by chance have no digit or no
 * hyphen. Padding counts only at the end of a token.
 */
export function alphabetOfAll(tokens: string[]): string {
  const padding = tokens.some(token => token.endsWith('=')) ? '=' : ''
  return alphabetOf(tokens.map(token => token.replace(/=+$/, '')).join('') + padding)
}

const CLASSES = ['0123456789', 'abcdef', 'abcdefghijklmnopqrstuvwxyz', 'ABCDEF', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ']

/**
 * Makes up a token of the same shape as the given one: letters for letters, digits for digits, hex digits for hex
 * digits, and all other characters unchanged. So a Core refuses it because it is unknown, and not because of its form.
 */
export function neverIssued(like: string): string {
  const hex = alphabetOf(like).startsWith('hex')
  const classes = hex ? ['0123456789', 'abcdef', 'ABCDEF'] : CLASSES.filter(letters => letters.length !== 6)
  // A single character has few alternatives, so the first tries may give the same one. Further tries find another.
  for (;;) {
    const made = like.replace(/[A-Za-z0-9]/g, character => {
      const letters = classes.find(candidate => candidate.includes(character)) ?? character
      return letters[randomInt(letters.length)] ?? character
    })
    if (made !== like || !/[A-Za-z0-9]/.test(like)) return made
  }
}

/** Changes that turn a token into one that was never issued. */
const CHANGES = {
  'first character': token => replaceAt(token, 0),
  'one character': token => replaceAt(token, Math.floor(token.length / 2)),
  'last character': replaceLast,
  // Removes a character before the padding: a base64 decoder ignores what stands in the padding or behind it.
  shortened: token => token.replace(/[^=](=*)$/, '$1'),
  prolonged,
  'upper case': token => token.toUpperCase(),
  'lower case': token => token.toLowerCase(),
} satisfies Record<string, (token: string) => string>

/**
 * Changes a token.
 * @returns undefined where the change has no effect, as upper case has on a token without lower-case letters
 */
export function changed(token: string, change: keyof typeof CHANGES): string | undefined {
  const value = CHANGES[change](token)
  return value === '' || isSameToken(value, token) ? undefined : value
}

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/**
 * Replaces the last character. In base64 some bits of the last character may not count, as in the signature of a JWT,
 * and a Core that decodes the token rightly takes both forms for the same. So the new character has to decode to
 * something else.
 */
function replaceLast(token: string): string {
  const at = token.search(/[A-Za-z0-9][^A-Za-z0-9]*$/)
  const made = replaceAt(token, at)
  if (at < 0 || /^(digits|hex)/.test(alphabetOf(token)) || !decodesAlike(made, token)) return made
  const others = [...ALPHANUMERIC].map(character => token.slice(0, at) + character + token.slice(at + 1))
  return others.find(other => !decodesAlike(other, token)) ?? made
}

/** Adds a character, or two where a base64 decoder would ignore one: six bits are no byte. */
function prolonged(token: string): string {
  const more = token.at(0) ?? 'a'
  const [one, two] = [more, more + more].map(text => token.replace(/=*$/, padding => text + padding))
  return (decodesAlike(one ?? '', token) ? two : one) ?? token
}

/** Replaces the character at this place with another of its class, or the next one that has another. */
function replaceAt(token: string, index: number): string {
  for (let at = Math.max(index, 0); at < token.length; at++) {
    const made = neverIssued(token.charAt(at))
    if (made !== token.charAt(at)) return token.slice(0, at) + made + token.slice(at + 1)
  }
  return token
}
