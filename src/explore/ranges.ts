/** Which families of the suite sequences draw variations from, and what the reference says of each. */
import type { Token } from '../core/token.js'
import type { RequestParts } from '../engine/requests.js'
import { makeAll } from '../suite/families/generators.js'
import type { Suite } from '../suite/spec.js'
import type { Action } from './lower.js'
import type { Features } from './variations.js'

/**
 * What a variation is. `look-alike`: made from a token, and another one; `constant`: a word in the place of a token; `place`: a
 * valid token in another place; `bare`: a request without Host; `open`: a request without a token; `words`: a request with a token
 * that is no longer valid, in other words; `wrong`: wrong credentials.
 */
export type Range = 'look-alike' | 'constant' | 'place' | 'bare' | 'open' | 'words' | 'wrong'

/** The families by what their variations are. All others are the specs' alone. */
const FAMILIES: Record<string, { range: Range; how: Action }> = {
  'token-lookalikes': { range: 'look-alike', how: { send: 'probe' } },
  'token-characters': { range: 'look-alike', how: { send: 'probe' } },
  'token-constants': { range: 'constant', how: { send: 'probe' } },
  'token-carriers': { range: 'place', how: { send: 'probe' } },
  'request-headers': { range: 'open', how: { send: 'probe' } },
  'request-queries': { range: 'open', how: { send: 'probe' } },
  'request-shapes': { range: 'words', how: { send: 'probe' } },
  'hostless-requests': { range: 'bare', how: { send: 'probe', without: ['Host'] } },
  'wrong-credentials': { range: 'wrong', how: { send: 'logon' } },
}

/** What a step that names one variation is; undefined where it names none. */
export function rangeOf({ each }: Action): Range | undefined {
  return each === undefined ? undefined : FAMILIES[each]?.range
}

/** What variations are made from, of a run. */
export interface Known {
  session: { tokens: readonly Pick<Token, 'value'>[] }
  parts: Pick<RequestParts, 'variables'>
}

/** The steps that send one variation each, by what it is; in the order of the families. */
export type Variety = Readonly<Partial<Record<Range, readonly Action[]>>>

/**
 * What there is to draw from, on this Core: names of what generators make are those for a token of its form.
 * @param known tells which parts of HTTP it understands
 */
export function varietyOf({ families }: Pick<Suite, 'families'>, { session, parts }: Known, known: Features): Variety {
  const { username = '', password = '', authority = '' } = parts.variables
  const material = { token: session.tokens[0]?.value ?? '', username, password, authority, path: '/', cookies: [] }
  const variety: Partial<Record<Range, Action[]>> = {}
  for (const [name, { range, how }] of Object.entries(FAMILIES)) {
    const family = families.get(name)
    if (!family) continue
    const listed = family.variations.filter(({ http }) => http !== '1.0' || known.http10)
    const names = [...makeAll(family.made, material), ...listed].map(each => each.name)
    const actions = names.map((only): Action => ({ ...how, each: name, only }))
    variety[range] = [...(variety[range] ?? []), ...actions]
  }
  return variety
}

/**
 * The variety where some variations found no place in the budget of the specs that range over their families: of these kinds
 * such ones alone are drawn.
 * @param unsent the names of the variations, by their families
 */
export function unsentFirst(variety: Variety, unsent: ReadonlyMap<string, readonly string[]>): Variety {
  const kinds = Object.entries(variety).map(([range, actions]) => {
    const left = actions.filter(({ each = '', only = '' }) => unsent.get(each)?.includes(String(only)))
    return [range, left.length ? left : actions]
  })
  return Object.fromEntries(kinds)
}

/** Notes that these have been sent. */
export function noteSent(unsent: Map<string, readonly string[]>, actions: readonly Action[]): void {
  for (const { each = '', only } of actions) {
    const left = unsent.get(each)?.filter(name => name !== only)
    if (left) unsent.set(each, left)
  }
}
