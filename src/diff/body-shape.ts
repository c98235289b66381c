/** Reads the shapes of bodies, as facts hold them: `{code: number, tags: [string]}`. */

/** The type of each field of a shape, by the field's path (`tags[]`; the empty path is the body itself). */
export type Fields = Map<string, string>

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
    const name = isId(key) ? '*' : key
    return value(path === '' ? name : `${path}.${name}`)
  }
  return value('') && at === shape.length ? fields : undefined
}

/** Whether a key is an id rather than the name of a field: a number, a UUID, long hex, a date. Ids differ from run to run. */
function isId(key: string): boolean {
  return /^(\d+|[0-9a-f]{8}-[0-9a-f-]{27}|(?=.*\d)[0-9a-f]{12,}|\d{4}-\d\d-\d\d.*)$/i.test(key)
}

/** Whether a path leads through a list that was empty, so that the type of its items is unknown. */
export function isUnknown(fields: Fields, path: string): boolean {
  for (let end = path.lastIndexOf('[]'); end >= 0; end = path.lastIndexOf('[]', end - 1)) {
    const list = path.slice(0, end)
    if (fields.get(list)?.split(' or ').includes('list') && !fields.has(`${list}[]`)) return true
    if (end === 0) break
  }
  return false
}
