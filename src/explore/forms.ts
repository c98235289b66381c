/** The forms of requests: each request of a sequence may depart in several ways at once, drawn like everything else. */
import type { RunContext } from '../engine/context.js'
import { roleRequest } from '../engine/requests.js'
import { clash, parted } from '../engine/steps/row-values.js'
import type { Value } from '../engine/variations.js'
import { familiesOf } from '../suite/family.js'
import type { Suite } from '../suite/spec.js'
import type { Action } from './action.js'
import { rangeOf, valuesOf } from './ranges.js'
import { at } from './variations.js'

/** The families whose variations every server takes. */
const PLAIN = ['plain-shapes']
/** Those that a Core need not take. */
const ODD = ['shapes', 'request-headers', 'request-queries', 'request-paths', 'request-methods']

/** What a request may depart by: a family, or a part of a large one. */
export interface Form {
  family: string
  values: readonly Value[]
}

/** The forms that requests may have. */
export interface Forms {
  /** Those that every server takes. */
  plain: readonly Form[]
  /** Those of the others that this Core was seen to take. */
  taken: readonly Form[]
  /** All: what is let in in none of them. */
  all: readonly Form[]
}

/** Lists the forms of requests to this Core. */
export function formsOf(
  { families }: Pick<Suite, 'families'>,
  known: Pick<RunContext, 'parts' | 'session' | 'shapes'>,
): Forms {
  const own = roleRequest(known.parts, 'probe')
  const isTaken = ({ listed }: Value) => listed !== undefined && known.shapes.takes(own, listed)
  const listed = (names: readonly string[], is: (value: Value) => boolean) =>
    familiesOf(names, families)
      .flatMap(family =>
        parted(valuesOf(family, known).filter(each => isFree(each) && is(each))).map(
          (values): Form => ({ family: family.name, values }),
        ),
      )
      .filter(({ values }) => values.length)
  return { plain: listed(PLAIN, () => true), taken: listed(ODD, isTaken), all: listed(ODD, () => true) }
}

/** Whether a value needs nothing of the requests before it: what comes before it, the sequence decides. */
function isFree({ listed }: Value): boolean {
  const { after, pipelined, connection } = listed ?? {}
  return !after && !pipelined && connection !== 'resumed' && !JSON.stringify(listed ?? {}).includes('{token}')
}

/**
 * Gives a request a form: one variation of some of the families.
 * @param forms those that the first pick chooses from, those of the second, and so on; the last ones for all further picks
 * @param picks whole numbers, each of which picks a variation
 * @param own what the request departs by already
 */
export function inForm(
  action: Action,
  forms: readonly (readonly Form[])[],
  picks: readonly number[],
  own?: Value,
): Action {
  const row: { family: string; value: Value }[] = []
  for (const [index, pick] of picks.entries()) {
    const some = forms[Math.min(index, forms.length - 1)] ?? []
    const form = at(some, pick)
    const value = form && at(form.values, Math.floor(pick / some.length))
    if (!form || !value || form.values.some(other => row.some(each => each.value === other))) continue
    if ([own, ...row.map(each => each.value)].every(each => each?.name !== value.name && !clash(each, value)))
      row.push({ family: form.family, value })
  }
  return varied(
    action,
    [...[action.each ?? []].flat(), ...row.map(({ family }) => family)],
    [...[action.only ?? []].flat(), ...row.map(({ value }) => value.name)],
  )
}

/** Gives an action these variations, each of the family that stands at its place. */
function varied({ each: _each, only: _only, ...plain }: Action, families: string[], names: string[]): Action {
  const [family, name] = [families[0], names[0]]
  if (family === undefined || name === undefined) return plain
  return names.length === 1 ? { ...plain, each: family, only: name } : { ...plain, each: families, only: names }
}

/** Returns the action with one variation less, for each of its variations but the one that it is about. */
export function plainer(action: Action): Action[] {
  const { each = [], only = [] } = action
  const [families, names] = [[each].flat(), [only].flat()]
  const kept = rangeOf(action) === undefined ? 0 : 1
  return names.slice(kept).map((_name, index) => {
    const isLeft = (_each: string, at: number) => at !== kept + index
    return varied(action, families.filter(isLeft), names.filter(isLeft))
  })
}
