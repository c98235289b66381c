/** Names the families that sequences draw variations from, and what the reference says about each. */
import type { Token } from '../core/token.js'
import type { RequestParts } from '../engine/requests.js'
import { makeAll } from '../suite/families/generators.js'
import type { Suite } from '../suite/spec.js'
import type { Action } from './action.js'
import type { Features } from './variations.js'

/**
 * Kind of a variation. `look-alike`: another token, made from a token. `constant`: a word in place of a token. `place`:
 * a valid token in another place. `bare`: a request without Host. `open`: a request without a token. `words`: a
 * differently written request with an invalid token. `wrong`: wrong credentials.
 */
export type Range = 'look-alike' | 'constant' | 'place' | 'bare' | 'open' | 'words' | 'wrong'

/** The families by kind of variation. Only specs use all other families. */
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

/** Returns the kind of variation that a step names; undefined where it names none. */
export function rangeOf({ each }: Action): Range | undefined {
  return typeof each === 'string' ? FAMILIES[each]?.range : undefined
}

/** The parts of a run that variations are made from. */
export interface Known {
  session: { tokens: readonly Pick<Token, 'value'>[] }
  parts: Pick<RequestParts, 'variables'>
}

/** Steps that send one variation each, by kind, in the order of the families. */
export type Variety = Readonly<Partial<Record<Range, readonly Action[]>>>

/**
 * Lists the variations to draw from on this Core. A generator's variations are named for a token of this Core's form.
 * @param known the parts of HTTP that the Core understands
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
 * Narrows the variety to variations that the specs left out for the budget of refused logons. Kinds without such
 * variations keep all of theirs.
 * @param unsent the names of the variations left out, by family
 */
export function unsentFirst(variety: Variety, unsent: ReadonlyMap<string, readonly string[]>): Variety {
  const kinds = Object.entries(variety).map(([range, actions]) => {
    const left = actions.filter(({ each, only }) => unsent.get(String(each))?.includes(String(only)))
    return [range, left.length ? left : actions]
  })
  return Object.fromEntries(kinds)
}

/** Notes that these actions were sent. */
export function noteSent(unsent: Map<string, readonly string[]>, actions: readonly Action[]): void {
  for (const { each, only } of actions) {
    const left = unsent.get(String(each))?.filter(name => name !== only)
    if (left) unsent.set(String(each), left)
  }
}
