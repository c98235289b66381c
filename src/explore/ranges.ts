/** Names the families that sequences draw variations from, and what the reference says about each. */
import type { Token } from '../core/token.js'
import type { RequestParts } from '../engine/requests.js'
import type { Value } from '../engine/steps/row-values.js'
import { makeAll } from '../suite/families/generators.js'
import type { Family } from '../suite/family.js'
import type { Suite } from '../suite/spec.js'
import type { Action, Features } from './action.js'

/**
 * The kinds of variations, each with the families that have them, and how they are sent. `look-alike`: another token, made from a token.
 * `constant`: a word in place of a token. `place`: a valid token in another place. `bare`: a request without Host. `right`, `wrong`,
 * `malformed`: credentials. All other families only give a request another form.
 */
export const RANGES = {
  'look-alike': { how: { send: 'probe' }, families: ['token-lookalikes', 'token-boundaries', 'authorization-schemes'] },
  constant: { how: { send: 'probe' }, families: ['token-constants', 'no-tokens'] },
  place: { how: { send: 'probe' }, families: ['token-places', 'bearer-fields', 'token-fields', 'token-cookies'] },
  bare: { how: { send: 'probe', without: ['Host'] }, families: ['hostless-requests'] },
  right: { how: { send: 'logon' }, families: ['right-credentials'] },
  wrong: { how: { send: 'logon' }, families: ['wrong-credentials'] },
  malformed: { how: { send: 'logon' }, families: ['malformed-credentials', 'mistyped-credentials'] },
} satisfies Record<string, { how: Action; families: readonly string[] }>
/** See {@link RANGES}. */
export type Range = keyof typeof RANGES

const RANGE_OF = new Map(
  (Object.keys(RANGES) as Range[]).flatMap(range => RANGES[range].families.map(family => [family, range])),
)

/** Returns the kind of variation that a step names; undefined where it names none. */
export function rangeOf({ each }: Action): Range | undefined {
  return RANGE_OF.get([each].flat()[0] ?? '')
}

/** The parts of a run that variations are made from. */
export interface Known {
  session: { tokens: readonly Pick<Token, 'value'>[] }
  parts: Pick<RequestParts, 'variables'>
}

/** A step that sends one variation, and what its request departs by. */
export interface Varied {
  action: Action
  value: Value
}

/** Returns what the variations of a family depart by, with the names that they have for a token of this Core's form. */
export function valuesOf({ made, variations }: Family, { session, parts }: Known): Value[] {
  const { username = '', password = '', authority = '', 'probe-path': path = '/' } = parts.variables
  const token = session.tokens[0]?.value ?? ''
  const material = { token, place: 0, username, password, authority, path, cookies: [] }
  return [
    ...makeAll(made, material).map(each => ({ name: each.name, made: each })),
    ...variations.map(each => ({ name: each.name, listed: each })),
  ]
}

/** Steps that send one variation each, by kind, those of each family apart. */
export type Variety = Readonly<Partial<Record<Range, readonly (readonly Varied[])[]>>>

/**
 * Lists the variations to draw from on this Core. A generator's variations are named for a token of this Core's form.
 * @param known the parts of HTTP that the Core understands
 */
export function varietyOf({ families }: Pick<Suite, 'families'>, material: Known, known: Features): Variety {
  const variety: Partial<Record<Range, Varied[][]>> = {}
  for (const [name, range] of RANGE_OF) {
    const family = families.get(name)
    if (!family) continue
    const { how } = RANGES[range]
    const values = valuesOf(family, material).filter(({ listed }) => listed?.http !== '1.0' || known.http10)
    const varied = values.map((value): Varied => ({ action: { ...how, each: name, only: value.name }, value }))
    variety[range] = [...(variety[range] ?? []), varied]
  }
  return variety
}

/** How many of the variations left out a sequence draws from: there are over a hundred, and logons for ten on a short lifetime. */
const NEXT = 4

/**
 * Narrows the variety to the most telling variations that the specs left out for the budget of refused logons. Kinds without
 * such variations keep all of theirs.
 * @param unsent the names of the variations left out, by family
 */
export function unsentFirst(variety: Variety, unsent: ReadonlyMap<string, readonly string[]>): Variety {
  const kinds = Object.entries(variety).map(([range, all]) => {
    const isLeft = ({ action: { each, only } }: Varied) => unsent.get(String(each))?.includes(String(only)) === true
    const left = all.map(varied => varied.filter(isLeft).slice(0, NEXT)).filter(({ length }) => length)
    return [range, left.length ? left : all]
  })
  return Object.fromEntries(kinds)
}

/** Notes that these actions were sent. */
export function noteSent(unsent: Map<string, readonly string[]>, actions: readonly Action[]): void {
  for (const { each, only } of actions) {
    const [family = ''] = [each].flat()
    const left = unsent.get(family)?.filter(name => ![only].flat().includes(name))
    if (left) unsent.set(family, left)
  }
}
