/** Describes the token for the document; no result holds one. */
import type { RunResult } from '../result.js'
import { issuedBody } from './body.js'
import type { Schema } from './document.js'
import { answersWith } from './situations.js'

/** The name of its schema among the components. */
export const TOKEN_SCHEMA = 'BearerToken'
/** The reference to its schema. */
export const TOKEN_REF = `#/components/schemas/${TOKEN_SCHEMA}`

/** The character class of each alphabet of a dialect, with an example that fits no smaller alphabet. */
const ALPHABETS: Record<string, { pattern?: string; example: string }> = {
  digits: { pattern: '^[0-9]+$', example: '0123456789' },
  'hex (lower case)': { pattern: '^[0-9a-f]+$', example: '0123456789abcdef' },
  'hex (upper case)': { pattern: '^[0-9A-F]+$', example: '0123456789ABCDEF' },
  'letters and digits': { pattern: '^[A-Za-z0-9]+$', example: 'Example0Token1' },
  base64url: { pattern: '^[A-Za-z0-9_-]+=*$', example: 'example-Token_0' },
  base64: { pattern: '^[A-Za-z0-9+/]+=*$', example: 'example+Token/0' },
  token68: { pattern: '^[A-Za-z0-9._~+/-]+=*$', example: 'example.Token-0' },
  other: { example: 'example:token' },
}

/** Makes the token's schema and an example that was never issued; undefined where the run found no token. */
export function describeToken(result: RunResult): { schema: Schema; example: string } | undefined {
  const { dialect } = result
  const { token, sessions, logonStatus } = dialect
  if (!token) return undefined
  const answers = answersWith(result, 'logon', logonStatus ?? 0).filter(answer => issuedBody(answer, dialect))
  // All tokens seem to have one length where the answers that brought them were equally long: they differ in nothing else.
  const hasOneLength = new Set(answers.map(({ bodyBytes }) => bodyBytes)).size === 1
  const { pattern, example = 'x' } = ALPHABETS[token.alphabet] ?? { example: 'x' }
  const made = example.repeat(Math.ceil(token.length / example.length)).slice(0, token.length)
  const schema = {
    title: TOKEN_SCHEMA,
    description: 'A bearer token as the Core issued it. Take it as it comes: another firmware may make it otherwise.',
    type: 'string',
    ...(hasOneLength ? { minLength: token.length, maxLength: token.length } : { minLength: 1 }),
    ...(pattern !== undefined && { pattern }),
    examples: [made],
    'x-observed': {
      field: token.pointer,
      length: token.length,
      alphabet: token.alphabet,
      ...(sessions && { sessions }),
    },
    'x-requirements': ['LOGON-20'],
  }
  return { schema, example: made }
}
