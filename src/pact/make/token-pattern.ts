/** Describes the token in contracts by a pattern and an example, from the findings of the survey. */
import type { Dialect } from '../../result.js'
import type { Template } from '../process/model.js'

/** The part of a dialect about the token. */
export type TokenDialect = Pick<Dialect, 'token'>

/** The characters of each alphabet, as a class of a regular expression. */
const CLASSES: Record<string, string> = {
  digits: '0-9',
  'hex (lower case)': '0-9a-f',
  'hex (upper case)': '0-9A-F',
  'letters and digits': 'A-Za-z0-9',
  base64url: 'A-Za-z0-9_-',
  base64: 'A-Za-z0-9+/',
}

/** The form of nearly every bearer token (token68 of RFC 6750): one word in a header. */
const TOKEN68 = '[A-Za-z0-9._~+/-]+=*'
const SENDABLE = '[!-~]+'

/** Examples that show each character of the alphabet in turn. */
const EXAMPLES: Record<string, string> = {
  digits: '0123456789',
  'hex (lower case)': '0123456789abcdef',
  'hex (upper case)': '0123456789ABCDEF',
}
const EXAMPLE = 'ExampleToken'

/**
 * Makes the anchored pattern of this Core's tokens. Tokens of one alphabet have the observed length. Other tokens, such as
 * JWTs, consist of parts that may grow.
 */
export function tokenPattern({ token }: TokenDialect): string {
  const characters = CLASSES[token?.alphabet ?? '']
  if (!token || !characters) return `^${anyToken({ token })}$`
  // Pact's regular expressions have no lookahead; the last two characters of base64 may be padding.
  return token.alphabet.startsWith('base64') && token.length > 2
    ? `^[${characters}]{${token.length - 2}}[=${characters}]{2}$`
    : `^[${characters}]{${token.length}}$`
}

/** Makes a pattern without a length. The reference does not show the form of a token, so the observed form counts. */
function anyToken({ token }: TokenDialect): string {
  return token?.alphabet === 'other' ? SENDABLE : TOKEN68
}

/** Makes up a token that matches {@link tokenPattern}, the same each time. */
export function exampleToken({ token }: TokenDialect): string {
  const letters = EXAMPLES[token?.alphabet ?? ''] ?? EXAMPLE
  const length = token?.length ?? EXAMPLE.length
  return letters.repeat(Math.ceil(length / letters.length)).slice(0, length)
}

/**
 * Makes the matcher for an issued token: a text that is not empty and that a header can carry, as a client needs it. A Core may
 * change the form of its tokens.
 * @param scheme the text that the Core writes before it, with the space
 * @param strict whether the observed length and alphabet are demanded
 * @param inJson whether it is a value of JSON. There a pattern alone would take a number too, which no client reads as a text
 */
export function issuedToken(dialect: TokenDialect, { scheme = '', strict = false, inJson = false } = {}): Template {
  const pattern = strict ? tokenPattern(dialect) : `^${SENDABLE}$`
  const matcher = { 'pact:matcher:type': 'regex', regex: pattern.replace('^', `^${scheme}`) }
  const value = scheme + exampleToken(dialect)
  return inJson ? { 'pact:matcher:type': [{ 'pact:matcher:type': 'type' }, matcher], value } : { ...matcher, value }
}

/** Tells whether a matcher is that of an issued token in JSON. */
export function isTokenInJson(matcher: { [key: string]: Template }): boolean {
  return Array.isArray(matcher['pact:matcher:type'])
}

/** Makes a header that carries any token; at verification the provider state supplies it. */
export function bearerHeader(scheme: string, dialect: TokenDialect): Template {
  return {
    'pact:matcher:type': 'regex',
    regex: `^${scheme} ${anyToken(dialect)}$`,
    value: `${scheme} ${exampleToken(dialect)}`,
    'pact:generator:type': 'ProviderState',
    expression: `${scheme} \${token}`,
  }
}

/** Makes a value that the provider state supplies at verification; the contract holds an example. */
export function fromState(expression: string, example: string): Template {
  return { 'pact:matcher:type': 'type', value: example, 'pact:generator:type': 'ProviderState', expression }
}
