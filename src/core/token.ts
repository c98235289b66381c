import { randomInt } from 'node:crypto'
import { alphabetOf, decodesAlike } from '../ground/token-text.js'
import type { Reading } from './exchange.js'

export { alphabetOf, TOKEN68 } from '../ground/token-text.js'

/**
 * Where a token stands, as far as was seen. `issued`: nobody has seen it accepted; `used`: it was; `revoked`: a request for its
 * revocation was answered with success, and nothing was seen of it since; `dead`: it was rejected, though nobody revoked it;
 * `gone`: it was revoked, and it was rejected.
 */
export type TokenLife = 'issued' | 'used' | 'revoked' | 'dead' | 'gone'

/** What can be seen of a token. */
type TokenEvent = 'accepted' | 'revoked' | 'rejected'

/** Where a token stands after what is seen of it. A Core may say that it revoked a token, and take it all the same. */
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
  /** The latest request that the Core certainly took as use: it was accepted. Starts with the logon. */
  certainUse: Reading
  /** The latest request that it may have taken as use: any that carried the token. */
  possibleUse: Reading
  private life: TokenLife = 'issued'
  private hasLapsed = false

  constructor(
    /** How reports call it, for example `token a`. */
    readonly label: string,
    readonly value: string,
    /** The logon that issued it. */
    readonly issued: Reading,
    /** Whether no token of the same value was issued to this run before. */
    readonly isNew = true,
    /** Its number among the tokens of the run, from 0. */
    readonly number = 0,
    /** Told when `givenBack` has changed. */
    private readonly onGivenBack: (token: Token) => void = () => {},
  ) {
    this.certainUse = issued
    this.possibleUse = issued
  }

  /** Whether it was revoked, so that nothing is left to give back. */
  get givenBack(): boolean {
    return this.life === 'revoked' || this.life === 'gone'
  }

  /** Whether the Core was seen to reject it. */
  get seenDead(): boolean {
    return this.life === 'dead' || this.life === 'gone'
  }

  /** Whether it may open the API, for all that was seen. */
  get isLive(): boolean {
    return this.life === 'issued' || this.life === 'used'
  }

  /**
   * Whether it was certainly unused for longer than its lifetime once. The clock says so, whatever is seen of the token: it has
   * expired, and a Core that accepts it then revives what is dead.
   */
  get lapsed(): boolean {
    return this.hasLapsed
  }

  /** A token as another process left it. */
  static from(state: TokenState, number: number, onGivenBack: (token: Token) => void): Token {
    const { label, value, issued, isNew, givenBack, seenDead, lapsed, certainUse, possibleUse } = state
    const token = new Token(label, value, issued, isNew, number, onGivenBack)
    const isUsed = certainUse.sentAt !== issued.sentAt
    token.life = givenBack ? (seenDead ? 'gone' : 'revoked') : seenDead ? 'dead' : isUsed ? 'used' : 'issued'
    token.hasLapsed = lapsed
    return Object.assign(token, { certainUse, possibleUse })
  }

  /** All of it as plain data, for {@link Token.from}. */
  state(): TokenState {
    const { label, value, issued, isNew, certainUse, possibleUse, givenBack, seenDead, lapsed } = this
    return { label, value, issued, isNew, certainUse, possibleUse, givenBack, seenDead, lapsed }
  }

  /** Notes a request that carried this token. It tells no more than when the token was used. */
  used(reading: Reading, isAccepted: boolean): void {
    this.possibleUse = reading
    if (isAccepted) this.certainUse = reading
  }

  /** Notes that the Core accepted it. */
  accepted(): void {
    this.saw('accepted')
  }

  /** Notes that a request for its revocation was answered with success, or that it needs none. */
  revoked(): void {
    this.saw('revoked')
  }

  /** Notes that the Core rejected it. */
  rejected(): void {
    this.saw('rejected')
  }

  /** Notes that it was certainly unused for longer than its lifetime. */
  lapse(): void {
    this.hasLapsed = true
  }

  private saw(event: TokenEvent): void {
    const { givenBack } = this
    this.life = NEXT[event][this.life]
    if (givenBack !== this.givenBack) this.onGivenBack(this)
  }
}

/**
 * What a header can carry as one word: the format of tokens is not shown. Over 64 KB it is no token: servers and proxies take
 * headers of 8 to 64 KB.
 */
export const SENDABLE = /^[!-~]{1,65536}$/

/**
 * What characters several tokens are made of together, in words: one alone may by chance have no digit, or no hyphen.
 * Padding counts only at an end, as it does in one token.
 */
export function alphabetOfAll(tokens: string[]): string {
  const padding = tokens.some(token => token.endsWith('=')) ? '=' : ''
  return alphabetOf(tokens.map(token => token.replace(/=+$/, '')).join('') + padding)
}

const CLASSES = ['0123456789', 'abcdef', 'abcdefghijklmnopqrstuvwxyz', 'ABCDEF', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ']

/**
 * A token of the same shape as the given one, made up: letters for letters and digits for digits, hex staying hex, and all
 * other characters as they are, so that a Core refuses it for being unknown and not for its form.
 */
export function neverIssued(like: string): string {
  const hex = alphabetOf(like).startsWith('hex')
  const classes = hex ? ['0123456789', 'abcdef', 'ABCDEF'] : CLASSES.filter(letters => letters.length !== 6)
  // A single character has few others, so a few tries may give the same; more than that never.
  for (;;) {
    const made = like.replace(/[A-Za-z0-9]/g, character => {
      const letters = classes.find(candidate => candidate.includes(character)) ?? character
      return letters[randomInt(letters.length)] ?? character
    })
    if (made !== like || !/[A-Za-z0-9]/.test(like)) return made
  }
}

/** How a token is changed into one that was never issued. */
const CHANGES = {
  'first character': token => replaceAt(token, 0),
  'one character': token => replaceAt(token, Math.floor(token.length / 2)),
  'last character': replaceLast,
  // Before the padding: what stands there or behind it is nothing to a decoder of base64.
  shortened: token => token.replace(/[^=](=*)$/, '$1'),
  prolonged,
  'upper case': token => token.toUpperCase(),
  'lower case': token => token.toLowerCase(),
} satisfies Record<string, (token: string) => string>

/**
 * A token with something changed about it.
 * @returns undefined where that changes nothing: the upper case of a token without lower-case letters, say
 */
export function changed(token: string, change: keyof typeof CHANGES): string | undefined {
  const value = CHANGES[change](token)
  return value === token || value === '' ? undefined : value
}

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/**
 * Another last character. In base64 not all of its bits may count, as in the signature of a JWT, and a Core that decodes it
 * is right to take the one for the other; so there it is one that decodes to something else.
 */
function replaceLast(token: string): string {
  const at = token.search(/[A-Za-z0-9][^A-Za-z0-9]*$/)
  const made = replaceAt(token, at)
  if (at < 0 || /^(digits|hex)/.test(alphabetOf(token)) || !decodesAlike(made, token)) return made
  const others = [...ALPHANUMERIC].map(character => token.slice(0, at) + character + token.slice(at + 1))
  return others.find(other => !decodesAlike(other, token)) ?? made
}

/** One character more; two where one is nothing to a decoder of base64, as six bits are no byte. */
function prolonged(token: string): string {
  const more = token.at(0) ?? 'a'
  const [one, two] = [more, more + more].map(text => token.replace(/=*$/, padding => text + padding))
  return (decodesAlike(one ?? '', token) ? two : one) ?? token
}

/** Another character of the same class at this place, or at the next that has one. */
function replaceAt(token: string, index: number): string {
  for (let at = Math.max(index, 0); at < token.length; at++) {
    const made = neverIssued(token.charAt(at))
    if (made !== token.charAt(at)) return token.slice(0, at) + made + token.slice(at + 1)
  }
  return token
}
