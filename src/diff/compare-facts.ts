/** Compares the facts of two runs. */
import { statusIn, TWINS } from '../result/opened.js'
import type { Fact, Facts } from '../result.js'
import type { Change, NotCompared } from './types.js'

/** Splits `access.no-token.status` into `access.no-token` and `status`. A name without a dot is both. */
export function parts(subject: string): { first: string; last: string } {
  const dot = subject.lastIndexOf('.')
  return dot < 0 ? { first: subject, last: subject } : { first: subject.slice(0, dot), last: subject.slice(dot + 1) }
}

/** Lists the facts that changed, sorted by name, and the groups of facts that only one run observed. */
export function factChanges(was: Facts, is: Facts): { changes: Change[]; notCompared: NotCompared[] } {
  const changes: Change[] = []
  const missing = new Map<string, string>()
  for (const name of [...new Set([...Object.keys(was), ...Object.keys(is)])].sort()) {
    const [before, now] = [seen(was, name), seen(is, name)]
    const { first, last } = parts(name)
    const statuses = [seen(was, `${first}.status`), seen(is, `${first}.status`)]
    if (before === undefined || now === undefined) {
      const isWithin = statuses.every(status => status !== undefined)
      // The status already says that there was no answer. Such an answer has no other facts.
      if (!isWithin) missing.set(first, `only the ${now === undefined ? 'earlier' : 'later'} run observed it`)
      continue
    }
    // An answer that turned from refused to accepted differs in everything: only its status is reported.
    const isOfAnother = last !== 'status' && sortOf(statuses[0]) !== sortOf(statuses[1])
    if (before !== now && !isOfAnother) changes.push(...changesOf(name, before, now))
  }
  const notCompared = [...missing].map(([subject, why]) => ({ kind: 'fact' as const, subject, why }))
  // A change that another change explains is left out.
  const isEcho = [isTwin, isContentType, isMovedToken]
  const isNews = (change: Change) => !isEcho.some(is => is(change, changes)) && !isChance(change, was, is)
  return { changes: changes.filter(isNews), notCompared }
}

/** Returns a fact; a status as {@link statusIn} has it, which `answer` is a part of. */
function seen(facts: Facts, name: string): Fact | undefined {
  const { first, last } = parts(name)
  if (last === 'answer' && first !== last) return undefined
  return last === 'status' && first !== last ? statusIn(facts, first) : facts[name]
}

function sortOf(status: Fact | undefined): 'accepted' | 'refused' | 'other' {
  if (typeof status === 'string') return status.startsWith('refused') ? 'refused' : 'other'
  if (typeof status !== 'number') return 'other'
  return status < 400 ? 'accepted' : 'refused'
}

function changesOf(name: string, was: Fact, is: Fact): Change[] {
  switch (parts(name).last) {
    case 'headers':
      return headerChanges(name, String(was), String(is))
    case 'body':
      return bodyChanges(name, String(was), String(is))
    default:
      return [{ kind: 'fact', subject: name, was, is }]
  }
}

/** Lists the headers that only one of two answers has, each given as names separated by `, `. */
function headerChanges(subject: string, was: string, is: string): Change[] {
  const [before, now] = [was, is].map(list => new Set(list.split(', ').filter(Boolean))) as [Set<string>, Set<string>]
  const gone = [...before].filter(name => !now.has(name))
  const come = [...now].filter(name => !before.has(name))
  return [
    ...gone.map((part): Change => ({ kind: 'header', subject, part, was: 'sent', is: null })),
    ...come.map((part): Change => ({ kind: 'header', subject, part, was: null, is: 'sent' })),
  ]
}

/**
 * Lists the fields that changed between two shapes, see {@link fieldsOf}. The body counts as one change where a run has no JSON
 * fields in it, or where the body changed between object and list.
 */
function bodyChanges(subject: string, was: string, is: string): Change[] {
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

/**
 * The type of each field of a body's shape, as facts hold it (`{code: number, tags: [string]}`), by the field's path (`tags[]`; the
 * empty path is the body itself).
 */
type Fields = Map<string, string>

/**
 * Returns the fields of a JSON body.
 * @returns undefined where the shape has no fields: `empty`, `text`, `markup`, a bare value
 */
export function fieldsOf(shape: string): Fields | undefined {
  if (!/^[{[]/.test(shape)) return undefined
  const fields: Fields = new Map()
  let at = 0
  const take = (token: string) => {
    const isThere = shape.startsWith(token, at)
    if (isThere) at += token.length
    return isThere
  }
  /** Takes items until the end, with a text between them; none where the end comes at once. */
  const takeAll = (between: string, end: string, item: () => boolean): boolean => {
    if (take(end)) return true
    do if (!item()) return false
    while (take(between))
    return take(end)
  }
  /** Notes the type of a field, of which a list may have several; true. */
  const note = (path: string, type: string) => {
    const others = fields.get(path)?.split(' or ') ?? []
    fields.set(path, [...new Set([...others, type])].sort().join(' or '))
    return true
  }
  /** Reads one type and the fields below it. Returns false where the text is no shape. */
  const value = (path: string): boolean => {
    if (take('{')) return note(path, 'object') && takeAll(', ', '}', () => field(path))
    if (take('[')) return note(path, 'list') && takeAll(' | ', ']', () => value(`${path}[]`))
    const [word] = /^[a-z]+/.exec(shape.slice(at)) ?? []
    return word !== undefined && take(word) && note(path, word)
  }
  const field = (path: string) => {
    const colon = shape.indexOf(': ', at)
    if (colon < 0) return false
    const key = shape.slice(at, colon)
    at = colon + 2
    const name = ID.test(key) ? '*' : key
    return value(path === '' ? name : `${path}.${name}`)
  }
  return value('') && at === shape.length ? fields : undefined
}

/** A key that is an id rather than the name of a field: a number, a UUID, long hex, a date. Ids differ from run to run. */
const ID = /^(\d+|[0-9a-f]{8}-[0-9a-f-]{27}|(?=.*\d)[0-9a-f]{12,}|\d{4}-\d\d-\d\d.*)$/i

/** Whether a path leads through a list that was empty, so that the type of its items is unknown. */
function isUnknown(fields: Fields, path: string): boolean {
  for (let end = path.lastIndexOf('[]'); end >= 0; end = path.lastIndexOf('[]', end - 1)) {
    const list = path.slice(0, end)
    if (fields.get(list)?.split(' or ').includes('list') && !fields.has(`${list}[]`)) return true
    if (end === 0) break
  }
  return false
}

/** Headers of one connection, or of a cache on the way. Whether one answer has them may be chance. */
const OF_CONNECTION = ['age', 'connection', 'keep-alive']

function isTwin({ subject, was, is }: Change, changes: Change[]): boolean {
  const { first, last } = parts(subject)
  const twin = TWINS[first]
  return changes.some(other => other.subject === `${twin}.${last}` && other.was === was && other.is === is)
}

/** Whether a change repeats the content type: the header repeats the fact, and both repeat a body that appeared or went. */
function isContentType({ kind, subject, part }: Change, changes: Change[]): boolean {
  const { first, last } = parts(subject)
  if (kind === 'header') return part === 'content-type'
  if (last !== 'content-type') return false
  return changes.some(({ subject: other, was, is }) => other === `${first}.body` && (was === 'empty' || is === 'empty'))
}

/** Whether a changed field is the token's: the place of the token is a fact of its own. */
function isMovedToken({ kind, subject, part, was }: Change, changes: Change[]): boolean {
  if (kind !== 'field' || subject !== 'logon.body' || part === undefined) return false
  const moved = changes.find(other => other.subject === 'token.field')
  if (!moved) return false
  const path = String(was === null ? moved.is : moved.was)
    .slice(1)
    .replaceAll('/', '.')
  return path === part || path.startsWith(`${part}.`)
}

/** Whether a connection header is chance: another answer of the run without it has the header. */
function isChance({ kind, part, was }: Change, before: Facts, now: Facts): boolean {
  if (kind !== 'header' || !OF_CONNECTION.includes(part ?? '')) return false
  const without = was === null ? before : now
  const isIn = (list: Fact) =>
    String(list)
      .split(', ')
      .includes(part ?? '')
  return Object.entries(without).some(([name, list]) => parts(name).last === 'headers' && isIn(list))
}
