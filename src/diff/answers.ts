/** What changed of the headers and the body of one answer. */
import { type Fields, fieldsOf, isUnknown } from './shape.js'
import type { Change } from './types.js'

/**
 * Headers that came or went.
 * @param was names, with commas between them
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

/** Fields that changed; the whole body where one of the two is no JSON with fields, or another kind of it. */
export function bodyChanges(subject: string, was: string, is: string): Change[] {
  const [before, now] = [fieldsOf(was), fieldsOf(is)]
  if (!before || !now || before.get('') !== now.get('')) return [{ kind: 'fact', subject, was, is }]
  const paths = [...new Set([...before.keys(), ...now.keys()])]
  return paths.flatMap((part): Change[] => {
    const [old, young] = [before.get(part) ?? null, now.get(part) ?? null]
    // An empty list tells nothing of its items.
    if (isSame(old, young) || (old === null && isUnknown(before, part)) || (young === null && isUnknown(now, part)))
      return []
    // What went or came with all that is below it is told once.
    return isBelow(part, before, now) ? [] : [{ kind: 'field', subject, part, was: old, is: young }]
  })
}

/** Whether what holds a field has come or gone itself, or is of another type. */
function isBelow(part: string, before: Fields, now: Fields): boolean {
  const above = part.slice(0, Math.max(0, part.lastIndexOf('.'), part.lastIndexOf('[]')))
  const holds = (fields: Fields) => /object|list/.test(fields.get(above) ?? '')
  return above !== '' && holds(before) !== holds(now)
}

/** Whether a type is as it was. What was null may have had any type: which it is, is a matter of what happened before. */
function isSame(was: string | null, is: string | null): boolean {
  if (was === is) return true
  if (was === null || is === null) return false
  const [before, now] = [was, is].map(type => type.split(' or ')) as [string[], string[]]
  if (!before.includes('null')) return false
  const types = before.filter(type => type !== 'null')
  return types.length === 0 || types.join() === now.filter(type => type !== 'null').join()
}
