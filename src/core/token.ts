import { randomInt } from 'node:crypto'
import { alphabetOf, decodesAlike } from '../ground/token-text.js'
import type { Reading } from './exchange.js'

export { alphabetOf, TOKEN68 } from '../ground/token-text.js'

/** A {@link Token} as plain data. */
export type TokenState = Pick<
  Token,
  'label' | 'value' | 'issued' | 'isNew' | 'certainUse' | 'possibleUse' | 'givenBack' | 'seenDead' | 'lapsed'
>

/** A token that the Core issued to this run. */
export class Token {
  /** The latest request that the Core certainly took as use: it was accepted. Starts with the logon. */
  certainUse: Reading
  /** The latest request that it may have taken as use: any that carried the token. */
  possibleUse: Reading
  private isGivenBack = false
  /** Whether the Core was seen to reject it after its revocation or expiry. */
  seenDead = false
  /** Whether it was certainly unused for longer than its lifetime once: whatever comes after, it has expired. */
  lapsed = false

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

  /** Whether a request with Host asked for its revocation and was answered with success. */
  get givenBack(): boolean {
    return this.isGivenBack
  }

  set givenBack(isGivenBack: boolean) {
    if (isGivenBack === this.isGivenBack) return
    this.isGivenBack = isGivenBack
    this.onGivenBack(this)
  }

  /** A token as another process left it. */
  static from(state: TokenState, number: number, onGivenBack: (token: Token) => void): Token {
    const { label, value, issued, isNew, givenBack, ...others } = state
    const token = new Token(label, value, issued, isNew, number, onGivenBack)
    token.isGivenBack = givenBack
    return Object.assign(token, others)
  }

  /** All of it as plain data, for {@link Token.from}. */
  state(): TokenState {
    const { label, value, issued, isNew, certainUse, possibleUse, givenBack, seenDead, lapsed } = this
    return { label, value, issued, isNew, certainUse, possibleUse, givenBack, seenDead, lapsed }
  }

  /** Notes a request that carried this token. */
  used(reading: Reading, accepted: boolean): void {
    this.possibleUse = reading
    if (accepted) this.certainUse = reading
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
