/** The token in contracts: a pattern and an example, from what the survey saw. */
import type { Dialect } from '../../result.js'
import type { Template } from '../process/model.js'

/** What of a dialect is about the token. */
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

/** What nearly every bearer token is made of (token68 of RFC 6750), and what a header can carry as one word. */
const TOKEN68 = '[A-Za-z0-9._~+/-]+=*'
const SENDABLE = '[!-~]+'

/** Examples show each character of the alphabet in turn. */
const EXAMPLES: Record<string, string> = {
  digits: '0123456789',
  'hex (lower case)': '0123456789abcdef',
  'hex (upper case)': '0123456789ABCDEF',
}
const EXAMPLE = 'ExampleToken'

/**
 * The pattern of this Core's tokens, anchored. Tokens of one alphabet have the length that was seen; others, JWTs say, are
 * made of parts that may grow.
 */
export function tokenPattern({ token }: TokenDialect): string {
  const characters = CLASSES[token?.alphabet ?? '']
  if (!token || !characters) return `^${anyToken({ token })}$`
  // Pact's regular expressions know no lookahead; of base64 the last two characters may be padding.
  return token.alphabet.startsWith('base64') && token.length > 2
    ? `^[${characters}]{${token.length - 2}}[=${characters}]{2}$`
    : `^[${characters}]{${token.length}}$`
}

/** A token of whatever length: the reference does not show what it is made of, so what this Core makes is followed. */
function anyToken({ token }: TokenDialect): string {
  return token?.alphabet === 'other' ? SENDABLE : TOKEN68
}

/** A made-up token that {@link tokenPattern} takes, the same each time. */
export function exampleToken({ token }: TokenDialect): string {
  const letters = EXAMPLES[token?.alphabet ?? ''] ?? EXAMPLE
  const length = token?.length ?? EXAMPLE.length
  return letters.repeat(Math.ceil(length / letters.length)).slice(0, length)
}

/**
 * The token where a Core gives it: a text that is not empty and that a header can carry, since that is what a client does with
 * it. A Core may change what its tokens are made of.
 * @param scheme what the Core writes before it, with the space
 * @param strict whether it is held to the length and alphabet that were seen
 */
export function issuedToken(dialect: TokenDialect, { scheme = '', strict = false } = {}): Template {
  const pattern = strict ? tokenPattern(dialect) : `^${SENDABLE}$`
  const regex = pattern.replace('^', `^${scheme}`)
  return { 'pact:matcher:type': 'regex', regex, value: scheme + exampleToken(dialect) }
}

/** A header that carries a token: any, and at verification the one that the provider state brings. */
export function bearerHeader(scheme: string, dialect: TokenDialect): Template {
  return {
    'pact:matcher:type': 'regex',
    regex: `^${scheme} ${anyToken(dialect)}$`,
    value: `${scheme} ${exampleToken(dialect)}`,
    'pact:generator:type': 'ProviderState',
    expression: `${scheme} \${token}`,
  }
}

/** A value that the provider state brings at verification; in the contract stands an example. */
export function fromState(expression: string, example: string): Template {
  return { 'pact:matcher:type': 'type', value: example, 'pact:generator:type': 'ProviderState', expression }
}
