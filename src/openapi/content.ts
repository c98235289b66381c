/** Describes the bodies of a response in the document, and the token that one of them brings. */
import { grouped, type Some } from '../ground/grouped.js'
import type { RunResult } from '../result.js'
import { type Body, bodyOf, issuedBody } from './body.js'
import type { Response, Schema } from './document.js'
import { cut, exampleOf, schemaOf, wordOrPlaceholder } from './observed-schema.js'
import { answersWith, type Kind, type Situation } from './situations.js'

/** One observed body. */
export interface Sample extends Body {
  kind: Kind
  /** Whether it may hold further secrets beside the token, unknown to the run. */
  mayHoldSecrets: boolean
  /** The situation that it answers; absent where it only adds to the shape. */
  situation?: Situation
}

/** Returns the bodies of all answers with the status of these situations. The situations share one operation and one status. */
export function samplesOf(result: RunResult, situations: Some<Situation>): Sample[] {
  const [{ operation, status }] = situations
  const { dialect } = result
  const sampleOf = (answer: Situation['answers'][number], situation?: Situation): Sample[] => {
    const issued = operation === 'logon' ? issuedBody(answer, dialect) : undefined
    const body = issued ?? bodyOf(answer)
    const isAccepted = operation === 'logon' ? issued !== undefined : situations.some(({ kind }) => kind === 'accepted')
    const kind = isAccepted ? 'accepted' : 'refused'
    return body
      ? [{ ...body, kind, mayHoldSecrets: operation === 'logon' && status < 300, ...(situation && { situation }) }]
      : []
  }
  const named = situations.flatMap(situation => situation.answers.flatMap(answer => sampleOf(answer, situation)))
  // Other refusals with the same status add to the shape: they show which fields may be missing.
  const more = situations.some(({ name }) => name !== 'missing-host') ? answersWith(result, operation, status) : []
  const kinds = new Set(situations.map(({ kind }) => kind))
  return [...named, ...more.flatMap(answer => sampleOf(answer)).filter(({ kind }) => kinds.has(kind))]
}

/**
 * Makes the `content` of a response; undefined where no answer had a body.
 * @param tokenExample replaces the token in examples
 * @param component the schema of accepted answers, if it is one of the components
 */
export function contentOf(samples: Sample[], tokenExample: string, component?: string): Response['content'] {
  const types = [...grouped(samples, ({ mediaType }) => mediaType)].sort(([a], [b]) => (a < b ? -1 : 1))
  if (types.length === 0) return undefined
  const entries = types.map(([type, ours]): [string, NonNullable<Response['content']>[string]] => {
    const accepted = ours.filter(({ kind }) => kind === 'accepted')
    const refused = ours.filter(({ kind }) => kind === 'refused')
    const schemas = [
      ...(accepted.length > 0 ? [component ? { $ref: `#/components/schemas/${component}` } : shapeOf(accepted)] : []),
      ...(refused.length > 0 ? [shapeOf(refused)] : []),
    ]
    const [schema = {}] = schemas
    const examples = examplesOf(ours, tokenExample)
    return [type, { schema: schemas.length > 1 ? { anyOf: schemas } : schema, ...(examples && { examples }) }]
  })
  return Object.fromEntries(entries)
}

/** Makes the schema of bodies: the shape of JSON bodies, or just "string" for any other. */
export function shapeOf(samples: Sample[]): Schema {
  if (samples.some(({ value }) => value === undefined)) return {}
  return samples.every(({ isJson }) => isJson)
    ? schemaOf(
        samples.map(({ value }) => value),
        { $ref: TOKEN_REF },
      )
    : { type: 'string' }
}

/** Picks an example of each situation that shows something new; without situations, the first body. */
function examplesOf(samples: Sample[], token: string): Record<string, { summary: string; value: unknown }> | undefined {
  const usable = samples.filter(({ value }) => value !== undefined)
  const named = usable.filter(({ situation }) => situation)
  const examples: Record<string, { summary: string; value: unknown }> = {}
  const told = new Set<string>()
  for (const { situation, isJson, value, mayHoldSecrets } of named.length > 0 ? named : usable.slice(0, 1)) {
    const { name = 'recorded', about = 'a request of the run' } = situation ?? {}
    const example = isJson
      ? exampleOf(value, { token, text: mayHoldSecrets ? wordOrPlaceholder : cut })
      : cut(String(value))
    const text = JSON.stringify(example)
    if (Object.hasOwn(examples, name) || told.has(text)) continue
    told.add(text)
    examples[name] = { summary: `The answer to ${about}`, value: example }
  }
  return told.size > 0 ? examples : undefined
}

/** The name of the schema of the token among the components. */
export const TOKEN_SCHEMA = 'BearerToken'
const TOKEN_REF = `#/components/schemas/${TOKEN_SCHEMA}`

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
