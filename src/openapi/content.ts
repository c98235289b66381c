/** What a response of the document says of its bodies. */
import type { RunResult } from '../result.js'
import { type Body, bodyOf, issuedBody } from './body.js'
import type { Response, Schema } from './document.js'
import { cut, exampleOf, plainWord, schemaOf } from './shape.js'
import { answersWith, type Kind, type Situation } from './situations.js'
import { TOKEN_REF } from './token.js'

/** One body that was seen. */
export interface Sample extends Body {
  kind: Kind
  /** Whether it may bring other secrets beside the token, which the run does not know of. */
  mayHoldSecrets: boolean
  /** The situation that it answers; absent where it only adds to the shape. */
  situation?: Situation
}

/** The bodies of all answers with the status of these situations, which are of one operation and one status. */
export function samplesOf(result: RunResult, situations: Situation[]): Sample[] {
  const [first] = situations
  if (!first) return []
  const { operation, status } = first
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
  // Other refusals with the same status say more of the shape, such as which fields may be missing.
  const more = situations.some(({ name }) => name !== 'missing-host') ? answersWith(result, operation, status) : []
  const kinds = new Set(situations.map(({ kind }) => kind))
  return [...named, ...more.flatMap(answer => sampleOf(answer)).filter(({ kind }) => kinds.has(kind))]
}

/**
 * The `content` of a response; undefined where no answer had a body.
 * @param tokenExample stands in examples for the token
 * @param component the schema of what was accepted, if it is one of the components
 */
export function contentOf(samples: Sample[], tokenExample: string, component?: string): Response['content'] {
  const types = [...new Set(samples.map(({ mediaType }) => mediaType))].sort()
  if (types.length === 0) return undefined
  const entries = types.map((type): [string, NonNullable<Response['content']>[string]] => {
    const ours = samples.filter(({ mediaType }) => mediaType === type)
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

/** The schema of bodies: of JSON its shape, of anything else only that it is text. */
export function shapeOf(samples: Sample[]): Schema {
  if (samples.some(({ value }) => value === undefined)) return {}
  return samples.every(({ isJson }) => isJson)
    ? schemaOf(
        samples.map(({ value }) => value),
        { $ref: TOKEN_REF },
      )
    : { type: 'string' }
}

/** An example of each situation that says something new; where none is on record, the first body of all. */
function examplesOf(samples: Sample[], token: string): Record<string, { summary: string; value: unknown }> | undefined {
  const usable = samples.filter(({ value }) => value !== undefined)
  const named = usable.filter(({ situation }) => situation)
  const examples: Record<string, { summary: string; value: unknown }> = {}
  const told = new Set<string>()
  for (const { situation, isJson, value, mayHoldSecrets } of named.length > 0 ? named : usable.slice(0, 1)) {
    const { name = 'recorded', about = 'a request of the run' } = situation ?? {}
    const example = isJson ? exampleOf(value, { token, text: mayHoldSecrets ? plainWord : cut }) : cut(String(value))
    const text = JSON.stringify(example)
    if (Object.hasOwn(examples, name) || told.has(text)) continue
    told.add(text)
    examples[name] = { summary: `The answer to ${about}`, value: example }
  }
  return told.size > 0 ? examples : undefined
}
