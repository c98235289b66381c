/** Reads the shapes of bodies, as facts hold them: `{code: number, tags: [string]}`. */

/** The type of each field of a shape, by the field's path (`tags[]`; the empty path is the body itself). */
export type Fields = Map<string, string>

/**
 * Returns the fields of a JSON body.
 * @returns undefined where the shape has no fields: `empty`, `text`, `markup`, a bare value
 */
export function fieldsOf(shape: string): Fields | undefined {
  if (!/^[{[]/.test(shape)) return undefined
  const reader = new Reader(shape)
  return reader.value('') && reader.isAtEnd ? reader.fields : undefined
}

class Reader {
  readonly fields: Fields = new Map()
  private at = 0

  constructor(private readonly text: string) {}

  get isAtEnd(): boolean {
    return this.at === this.text.length
  }

  /** Reads one type and the fields below it. Returns false where the text is no shape. */
  value(path: string): boolean {
    if (this.take('{')) return this.object(path)
    if (this.take('[')) return this.list(path)
    const word = /^[a-z]+/.exec(this.text.slice(this.at))?.[0]
    if (word === undefined) return false
    this.at += word.length
    this.note(path, word)
    return true
  }

  private object(path: string): boolean {
    this.note(path, 'object')
    if (this.take('}')) return true
    do {
      const colon = this.text.indexOf(': ', this.at)
      if (colon < 0) return false
      const key = this.text.slice(this.at, colon)
      this.at = colon + 2
      const name = isId(key) ? '*' : key
      if (!this.value(path === '' ? name : `${path}.${name}`)) return false
    } while (this.take(', '))
    return this.take('}')
  }

  private list(path: string): boolean {
    this.note(path, 'list')
    if (this.take(']')) return true
    do {
      if (!this.value(`${path}[]`)) return false
    } while (this.take(' | '))
    return this.take(']')
  }

  /** Notes the type of a field. The items of a list may have several types. */
  private note(path: string, type: string): void {
    const other = this.fields.get(path)
    this.fields.set(path, other === undefined ? type : [...new Set([...other.split(' or '), type])].sort().join(' or '))
  }

  private take(token: string): boolean {
    if (!this.text.startsWith(token, this.at)) return false
    this.at += token.length
    return true
  }
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
