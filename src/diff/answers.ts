/** Compares the headers and the body of one answer in two runs. */
import { type Fields, fieldsOf, isUnknown } from './body-shape.js'
import type { Change } from './types.js'

/**
 * Lists the headers that only one of two answers has.
 * @param subject the name of the fact
 * @param was the names in the earlier run, separated by `, `
 * @param is the names in the later run, separated by `, `
 */
export function headerChanges(subject: string, was: string, is: string): Change[] {
  const [before, now] = [was, is].map(list => new Set(list.split(', ').filter(Boolean))) as [Set<string>, Set<string>]
  const gone = [...before].filter(name => !now.has(name))
  const come = [...now].filter(name => !before.has(name))
  return [
    ...gone.map((part): Change => ({ kind: 'header', subject, part, was: 'sent', is: null })),
    ...come.map((part): Change => ({ kind: 'header', subject, part, was: null, is: 'sent' })),
  ]
}

/**
 * Lists the fields that changed. The body counts as one change where a run has no JSON fields in it, or where the body changed
 * between object and list.
 * @param subject the name of the fact
 * @param was the shape in the earlier run, see {@link fieldsOf}
 * @param is the shape in the later run
 */
export function bodyChanges(subject: string, was: string, is: string): Change[] {
  const [before, now] = [fieldsOf(was), fieldsOf(is)]
  if (!before || !now || before.get('') !== now.get('')) return [{ kind: 'fact', subject, was, is }]
  const paths = [...new Set([...before.keys(), ...now.keys()])]
  return paths.flatMap((part): Change[] => {
    const [old, young] = [before.get(part) ?? null, now.get(part) ?? null]
    // An empty list says nothing about its items.
    if (isSame(old, young) || (old === null && isUnknown(before, part)) || (young === null && isUnknown(now, part)))
      return []
    // A field that appeared or went takes the fields below it along: report it once.
    return isBelow(part, before, now) ? [] : [{ kind: 'field', subject, part, was: old, is: young }]
  })
}

/** Whether the object or list around a field appeared, went, or changed its type. */
function isBelow(part: string, before: Fields, now: Fields): boolean {
  const above = part.slice(0, Math.max(0, part.lastIndexOf('.'), part.lastIndexOf('[]')))
  const holds = (fields: Fields) => /object|list/.test(fields.get(above) ?? '')
  return above !== '' && holds(before) !== holds(now)
}

/** Whether a type is unchanged. A field that was null may have had any type: its value depends on earlier events. */
function isSame(was: string | null, is: string | null): boolean {
  if (was === is) return true
  if (was === null || is === null) return false
  const [before, now] = [was, is].map(type => type.split(' or ')) as [string[], string[]]
  if (!before.includes('null')) return false
  const types = before.filter(type => type !== 'null')
  return types.length === 0 || types.join() === now.filter(type => type !== 'null').join()
}
