/** The forms of requests: each request of a sequence may depart in several ways at once, drawn like everything else. */
import type { RunContext } from '../engine/context.js'
import { roleRequest } from '../engine/requests.js'
import { clash, isField, mayStandBeside, type Value } from '../engine/steps/row-values.js'
import { isSafe } from '../ground/methods.js'
import { randomFrom } from '../ground/random.js'
import { familiesOf } from '../suite/family.js'
import type { Suite } from '../suite/spec.js'
import type { Action } from './action.js'
import { RANGES, rangeOf, valuesOf } from './ranges.js'

/** The families whose variations every server takes. */
const PLAIN = ['plain-shapes']
/** Those that a Core need not take. */
const ODD = [
  'shapes',
  'request-headers',
  'request-queries',
  'request-paths',
  'path-tails',
  'request-methods',
  'unserved-requests',
]
/** Those of logons and revocations, which they leave what they are. */
const SAME = ['odd-fields', 'connections', 'versions', 'framings', 'request-headers', 'json-spellings']
/** Those of requests that have to be answered in one way. */
const FIELDS = ['plain-shapes', 'sender-headers']
/** Those that carry a token. */
const CARRIERS = RANGES.place.families
/** Those that change nothing where they are sent with a valid token, as well as a safe method. */
const HARMLESS = 'unserved-requests'

/** What a request may depart by: a family, or one of the header fields of a large one. */
export interface Form {
  family: string
  values: readonly Value[]
  /** The names of all variations of the family: no other that has one of them stands in the same request. */
  names: ReadonlySet<string>
}

/** The forms that requests may have. */
export interface Forms {
  /** Those that every server takes. */
  plain: readonly Form[]
  /** All: what is let in in none of them. */
  all: readonly Form[]
  /** Those with a valid token. */
  safe: readonly Form[]
  /** Those of logons and revocations; `ending`: of revocations alone; `fields`: header fields that hardly any server looks at. */
  same: readonly Form[]
  ending: readonly Form[]
  fields: readonly Form[]
  /** What stands in Authorization where there is no token. */
  absent: readonly Form[]
  /** Header fields that carry the token, of requests that carry it nowhere else. */
  carriers: readonly Form[]
  /** The names of the variations that this Core was seen to take: more of them as it is explored. */
  taken: Set<string>
  /** The forms that it was asked to take as a whole, as {@link wholeOf} names them: whether it did. */
  whole: Map<string, boolean>
  /** The names of those that change the target: another one may be another thing. */
  targets: ReadonlySet<string>
}

/** Lists the forms of requests to this Core. @param http10 whether it speaks HTTP/1.0 */
export function formsOf(
  { families }: Pick<Suite, 'families'>,
  known: Pick<RunContext, 'parts' | 'session' | 'shapes'>,
  http10: boolean,
): Forms {
  const own = roleRequest(known.parts, 'probe')
  const isSpoken = ({ listed }: Value) => listed?.http !== '1.0' || http10
  const listed = (names: readonly string[], is: (value: Value, family: string) => boolean = () => true) =>
    familiesOf(names, families).flatMap(({ name: family, ...varying }) => {
      const every = valuesOf({ name: family, ...varying }, known)
      const all = new Set(every.map(({ name }) => name))
      const values = every.filter(each => (names === CARRIERS || isFree(each)) && isSpoken(each) && is(each, family))
      const isApart = (value: Value) => isField(value) || names === CARRIERS
      const others = values.filter(value => !isApart(value))
      const forms = [...values.filter(isApart).map(value => [value]), ...(others.length ? [others] : [])]
      return forms.map((values): Form => ({ family, values, names: all }))
    })
  // How many header fields a Core takes is its own affair.
  const isPlain = ({ listed }: Value) => listed?.more === undefined
  const [all, plain] = [listed(ODD), listed(PLAIN, isPlain)]
  const wasTaken = ({ listed }: Value) => listed !== undefined && known.shapes.takes(own, listed)
  const values = [...all, ...plain].flatMap(each => each.values)
  return {
    plain,
    all,
    safe: listed(ODD, ({ listed }, family) => family === HARMLESS || isSafe(listed?.method ?? 'GET')),
    same: listed(SAME, ({ listed }) => listed?.method === undefined),
    ending: listed(['no-bodies']),
    fields: listed(FIELDS, isPlain),
    absent: listed(['no-tokens']),
    carriers: listed(CARRIERS, value => mayStandBeside(value)),
    taken: new Set([...plain.flatMap(each => each.values), ...values.filter(wasTaken)].map(({ name }) => name)),
    whole: new Map(),
    targets: new Set(values.filter(({ listed }) => listed?.path !== undefined || !listed).map(({ name }) => name)),
  }
}

/** Whether a value needs no token, and no connection in a certain state: those the sequence has. */
function isFree({ listed }: Value): boolean {
  const { pipelined, connection } = listed ?? {}
  return !pipelined && connection !== 'resumed' && !JSON.stringify(listed ?? {}).includes('{token}')
}

/** This part of the requests departs in few ways. */
const FEW_PART = 0.4
/** How many families a request departs in where it departs in few: what shows only in a short request. */
const FEW = [1, 1, 2, 3]
/** In how many of all forms it departs else: there each pair meets soon. */
const MANY = [0.1, 0.3, 0.6]
/** Most ways in which a request departs at once: one that may be let in, and one that is refused in any form. */
const [MOST, MOST_REFUSED] = [24, 48]
/** The same as {@link MANY} of those: what hardly any server looks at hides nothing. */
const MANY_REFUSED = [0.3, 0.6, 1]

/** What is known of a request that gets a form. */
export interface Forming {
  /** What it departs by already. */
  own?: Value | undefined
  /** Whether it has to be refused in any form. */
  isRefused?: boolean
  /** Returns how many of these names a variation would meet for the first time; absent: all of them. */
  fresh?(name: string, others: readonly string[]): number
}

/**
 * Gives a request a form: variations of some of the families, of each the one that meets most for the first time.
 * @param pick a whole number that picks them
 */
export function inForm(
  action: Action,
  forms: readonly Form[],
  pick: number,
  { own, isRefused = false, fresh = (_name, others) => others.length }: Forming = {},
): Action {
  const random = randomFrom(pick)
  const oneOf = <T>(items: readonly T[]) => items[Math.floor(random() * items.length)]
  const row: { family: string; value: Value; names: Form['names'] }[] = []
  for (const { family, values, names } of random() < FEW_PART
    ? few(forms, oneOf)
    : many(forms, oneOf(isRefused ? MANY_REFUSED : MANY) ?? 0, random)) {
    const isApart = (each: (typeof row)[number]) =>
      each.family === family || ![...each.names].some(name => names.has(name))
    if (row.length >= (isRefused ? MOST_REFUSED : MOST) || !row.every(isApart)) continue
    const others = [own, ...row.map(each => each.value)]
    const beside = row.map(each => each.value.name)
    const possible = values.filter(value => others.every(each => !clash(each, value)))
    const value = mostFresh(possible, Math.floor(random() * possible.length), ({ name }) => fresh(name, beside))
    if (value) row.push({ family, value, names })
  }
  return varied(
    action,
    [...[action.each ?? []].flat(), ...row.map(({ family }) => family)],
    [...[action.only ?? []].flat(), ...row.map(({ value }) => value.name)],
  )
}

/** Returns the item that meets most for the first time; of several such the first from there on. */
export function mostFresh<T>(items: readonly T[], from: number, fresh: (item: T) => number): T | undefined {
  const turned = [...items.slice(from), ...items.slice(0, from)]
  const counts = turned.map(fresh)
  return turned[counts.indexOf(Math.max(...counts))]
}

type OneOf = <T>(items: readonly T[]) => T | undefined

/** Returns forms of a few families, each family as often as the others. */
function few(forms: readonly Form[], oneOf: OneOf): Form[] {
  const families = [...new Set(forms.map(({ family }) => family))]
  return Array.from({ length: oneOf(FEW) ?? 1 }, () => oneOf(families)).flatMap(
    family => oneOf(forms.filter(form => form.family === family)) ?? [],
  )
}

/** Returns a part of all forms, in any order. */
function many(forms: readonly Form[], part: number, random: () => number): Form[] {
  return forms
    .filter(() => random() < part)
    .map(form => ({ form, at: random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ form }) => form)
}

/**
 * Whether a use in this form has to be accepted: it departs in what every server takes, and in one thing that this Core takes. Where it
 * takes one odd thing and another, it need not take both at once.
 */
export function isCertain(action: Action, forms: Forms): boolean {
  if (forms.whole.get(wholeOf(action))) return true
  const odd = oddOf(action, forms)
  return odd.length < 2 && isTaken(action, forms) && !odd.some(name => forms.targets.has(name))
}

/** Names the whole form of a use. */
export function wholeOf({ only = [] }: Pick<Action, 'only'>): string {
  return [only].flat().join('\n')
}

/** Whether this Core was seen to take all that a request departs by. */
export function isTaken({ only = [] }: Action, { taken }: Forms): boolean {
  return [only].flat().every(name => taken.has(name))
}

/** Returns the names of what a request departs by that not every server takes. */
export function oddOf({ only = [] }: Action, { plain }: Forms): string[] {
  return [only].flat().filter(name => !plain.some(({ values }) => values.some(value => value.name === name)))
}

/** Gives an action these variations, each of the family that stands at its place. */
function varied({ each: _each, only: _only, ...plain }: Action, families: string[], names: string[]): Action {
  const [family, name] = [families[0], names[0]]
  if (family === undefined || name === undefined) return plain
  return names.length === 1 ? { ...plain, each: family, only: name } : { ...plain, each: families, only: names }
}

/** Returns the action with fewer variations, but with the one that it is about: with many less first, then with one less. */
export function plainer(action: Action): Action[] {
  const { each = [], only = [] } = action
  const [families, names] = [[each].flat(), [only].flat()]
  const kept = rangeOf(action) === undefined ? 0 : 1
  const left = (isLeft: (index: number) => boolean) => {
    const is = (_each: string, at: number) => at < kept || isLeft(at - kept)
    return varied(action, families.filter(is), names.filter(is))
  }
  const all = names.length - kept
  const several = all > 2 ? [left(() => false), left(at => at < all / 2), left(at => at >= all / 2)] : []
  return [...several, ...names.slice(kept).map((_name, index) => left(at => at !== index))]
}
