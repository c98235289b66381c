/** Finds faults of a request step that a schema cannot see. */
import { GENERATORS } from './families/generators.js'
import { type Family, familiesOf, type Variation } from './family.js'
import { hint, type Miss, miss } from './problem.js'
import type { RawStep, StepScope } from './raw-step.js'
import type { RequestTemplate } from './spec.js'
import { type Expectation, isTlsWay, OF_CLIENTS, type TokenRef, UNKNOWN_TOKEN } from './step-words.js'

/** Finds keys that do not go with a request that is sent in a special way. */
export function wireMisses(raw: RawStep): Miss[] {
  const { connection, behind, chunked } = raw
  const cut = cutMiss(raw)
  if (cut !== undefined) return [miss(cut, 'cut')]
  const late = lateBodyMiss(raw)
  if (late !== undefined) return [miss(late, 'late-body')]
  const ways = { connection: isTlsWay(connection), behind: behind !== undefined, chunked }
  const [key, other] = (['connection', 'behind', 'chunked'] as const).filter(each => ways[each])
  if (key === undefined) return []
  const give = (message: string) => [miss(message, key)]
  if (other !== undefined) return give(`'${key}' does not go with '${other}': a step sends in one such way`)
  if (raw.each !== undefined) return give(`'${key}' does not go with 'each'`)
  if (raw.beside) return give(`'${key}' does not go with 'beside'`)
  if (key !== 'connection' && connection === 'new') return give(`'${key}' needs the connection that is kept`)
  if (raw.http === '1.0') return give(`'${key}' needs a connection that is kept, which HTTP/1.0 closes`)
  return []
}

/** Says what does not go with a request that its client breaks off; undefined where nothing does not. */
function cutMiss({ cut, send, body, expect, observe, save, each, beside, connection, behind }: RawStep) {
  if (cut === undefined) return undefined
  const told = Object.entries({ expect, observe, save }).find(([, value]) => value !== undefined)
  if (told) return `'${told[0]}' does not go with 'cut': no answer comes`
  const other = Object.entries({ each, beside, connection, behind }).find(([, value]) => value !== undefined)
  if (other) return `'${other[0]}' does not go with 'cut': it is sent alone, on a connection of its own`
  return cut === 'body' && body === undefined && send !== 'logon' ? "'cut: body' needs a body" : undefined
}

/** Says what does not go with a body that comes a moment after its head; undefined where nothing does not. */
function lateBodyMiss({ 'late-body': late, logon, send = logon && 'logon', body, each, chunked, behind }: RawStep) {
  if (late === undefined) return undefined
  const other = Object.entries({ each, chunked, behind }).find(([, value]) => value !== undefined)
  if (other) return `'${other[0]}' does not go with 'late-body'`
  return body === undefined && send !== 'logon' ? "'late-body' needs a body" : undefined
}

/** Finds keys that do not go with `each`, and keys that need it. */
export function eachMisses(raw: RawStep, token: TokenRef | undefined, { families, accessControl }: StepScope): Miss[] {
  const { each, expect = [], times, interaction } = raw
  const expected = [expect].flat()
  const when = (isSo: boolean, key: string, message: string) => (isSo ? [miss(message, key)] : [])
  if (each === undefined) {
    const lonely = ['spares', 'bracket', 'only', 'pairs', 'row', 'spread'] as const
    const revoked = "'revoked' goes with 'each': elsewhere expect 'rejected' of the next request"
    return [
      ...when(expected.includes('open'), 'expect', "'open' goes with 'each': elsewhere say 'accepted'"),
      ...lonely.flatMap(key => when(raw[key] !== undefined, key, `'${key}' goes with 'each'`)),
      ...when(expected.includes('issued'), 'expect', "'issued' goes with 'each': elsewhere say 'logon'"),
      ...when(expected.includes('revoked'), 'expect', revoked),
    ]
  }
  const names = [each].flat()
  const unknown = names.find(name => families && !families.has(name))
  if (families && unknown !== undefined)
    return [miss(`unknown family '${unknown}'${hint(unknown, families.keys())}`, 'each')]
  const ranged = names.flatMap(name => families?.get(name) ?? [])
  const isRows = Array.isArray(each) || ranged.some(({ dimensions }) => dimensions)
  const isSent = ({ name }: Variation) => raw.only === undefined || [raw.only].flat().includes(name)
  const isFromToken = familiesOf(names, families).some(
    ({ made, variations }) =>
      made.some(name => GENERATORS[name].from === 'token') ||
      JSON.stringify(variations.filter(isSent)).includes('{token}'),
  )
  const isIssued = token !== undefined && !token.change && token.name !== UNKNOWN_TOKEN
  const isBracketed = isRows && raw.bracket !== undefined
  const hasSchema = expected.some(each => typeof each === 'object')
  const isOpen = expected.includes('open') && (accessControl === 'on' || token !== undefined)
  const nameless = `the variations of '${names.join(' × ')}' are made from a token: say which with 'token'`
  return [
    ...twiceNamed(familiesOf(names, families)).map(message => miss(message, 'each')),
    ...onlyMisses(raw, families).map(message => miss(message, 'only')),
    ...(['pairs', 'row'] as const).flatMap(key =>
      when(raw[key] !== undefined && !isRows, key, `'${key}' goes with several families`),
    ),
    ...when(expected.includes('revoked') && !isIssued, 'expect', "'revoked' needs a token that was issued"),
    ...when(times !== undefined, 'times', "'times' does not go with 'each', which sends each variation once"),
    ...when(!!interaction, 'interaction', "'interaction' does not go with 'each': a contract shows one request"),
    ...when(hasSchema, 'expect', "a schema of the body does not go with 'each', whose variations are let in or not"),
    ...when(expected.includes('either'), 'expect', "'either' does not go with 'each'"),
    ...when(isOpen, 'expect', "'open' is for requests without a token, with access control off"),
    ...when(isFromToken && !isIssued && !isBracketed, 'each', nameless),
  ]
}

/** Finds names that no family of a step has. With generators they are not checked: their names depend on the token. */
function onlyMisses({ only = [], each = [] }: RawStep, families: StepScope['families']): string[] {
  const named = [each].flat()
  const ranged = familiesOf(named, families)
  if (!ranged.length || ranged.some(({ made }) => made.length)) return []
  const names = ranged.flatMap(({ variations }) => variations.map(({ name }) => name))
  return [only]
    .flat()
    .filter(name => !names.includes(name))
    .map(name => `'${named.join(' × ')}' has no variation '${name}'${hint(name, names)}`)
}

/**
 * Finds headers in `without` that the request does not have. To leave them out would change nothing, and the spec would
 * not test what it says.
 */
export function withoutMisses(without: string[], request: RequestTemplate | undefined): string[] {
  if (!request) return []
  const known = ['Host', ...OF_CLIENTS, ...Object.keys(request.headers ?? {})]
  const isKnown = (header: string) => known.some(name => name.toLowerCase() === header.toLowerCase())
  return without
    .filter(header => !isKnown(header))
    .map(header =>
      header.toLowerCase() === 'authorization'
        ? "the header 'Authorization' is there only with 'token': leave that out"
        : `this request has no header '${header}'${hint(header, known)}`,
    )
}

/**
 * Finds an expectation that no response can meet, since all parts of a list have to hold. Such a list would accuse
 * every Core.
 */
export function contradictionIn(expect: Expectation[]): string | undefined {
  const statuses = expect.filter(expectation => typeof expectation === 'number')
  if (statuses.length > 1) {
    return `a response has one status, and a list must hold in every part: ${statuses.join(' and ')} cannot both be`
  }
  const refusal = expect.find(expectation => expectation === 'rejected' || expectation === 'expired')
  return refusal && expect.includes('accepted') ? `'accepted' and '${refusal}' cannot both be` : undefined
}

/** Says which variation two families of a row both have: `only`, and a report, would not tell which is meant. */
function twiceNamed(families: readonly Family[]): string[] {
  for (const [at, family] of families.entries()) {
    for (const other of families.slice(0, at)) {
      const same = family.variations.find(({ name }) => other.variations.some(each => each.name === name))
      if (same) return [`'${other.name}' and '${family.name}' both have a variation '${same.name}': rename one`]
    }
  }
  return []
}
