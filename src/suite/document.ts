import { realpathSync } from 'node:fs'
import { dirname, sep } from 'node:path'
import {
  type Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type YAMLError,
  type YAMLMap,
} from 'yaml'
import { MOST_FILE_BYTES, readRegular, Unreadable } from '../ground/file.js'
import { type Miss, type Path, type Problem, SuiteError, systemReason } from './problem.js'
import { type SchemaName, schemaErrors } from './schema.js'
import { explain } from './schema-words.js'

/** A YAML file that was parsed and checked against its schema. It knows the places of its nodes. */
export interface SuiteDocument<T> {
  file: string
  /** The text as read, for the digest of the suite. */
  text: string
  value: T
  /** Makes a problem at a path. The nearest existing node gives the place. */
  problemAt(path: Path, message: string): Problem
}

/**
 * Reads a YAML file of the suite, and checks it.
 * @param file its name in messages and reports
 * @param refuse finds values that no schema rules out; the schema is checked only where it finds
 *   nothing
 * @throws SuiteError with every problem, each with line and column
 */
export function readDocument<T>(
  path: string,
  file: string,
  schema: SchemaName,
  refuse: (value: unknown) => Miss[] = () => [],
): SuiteDocument<T> {
  const text = readText(path, file)
  const lines = new LineCounter()
  // Double keys are found below: the parser's own check takes a minute for some ten thousand keys.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false })
  const at = (offset: number, message: string): Problem => {
    const { line, col } = lines.linePos(offset)
    return { file, line, column: col, message }
  }
  const find = finder(document)
  const problemAt = (where: Path, message: string) => at(find(where).offset, message)

  const broken = [
    ...[...document.errors, ...document.warnings].map(error => parserMiss(error, document)),
    ...doubleKeys(document),
  ].sort((a, b) => a.offset - b.offset)
  if (broken.length) {
    // One slip often gives several errors of the parser at the same place, or at the end of every nesting.
    const seen = new Set<number | string>()
    const first = broken.filter(({ offset, message }) => {
      const isKnown = seen.has(offset) || (message === TOO_DEEP && seen.has(TOO_DEEP))
      seen.add(offset).add(message)
      return !isKnown
    })
    throw unusable(first.map(({ offset, message }) => at(offset, message)))
  }
  const meaningless = unusableNodes(document).map(({ offset, message }) => at(offset, message))
  if (meaningless.length) throw unusable(meaningless)
  const value: unknown = toValue(document, at)
  const refused = refuse(value)
  const errors = refused.length ? [] : schemaErrors(schema, value)
  // To explain an error takes a look at its neighbours; several errors make one problem.
  const some = errors.slice(0, 5 * MOST_PROBLEMS)
  const problems = refused.length ? refused : explain(some, where => find(where).source)
  if (problems.length)
    throw unusable(
      problems.map(problem => problemAt(problem.path, problem.message)),
      errors.length - some.length,
    )
  return { file, text, value: value as T, problemAt }
}

const MOST_PROBLEMS = 1000

/** Makes an error of the first problems, and says how many more there are. */
function unusable(problems: Problem[], more = 0): SuiteError {
  const next = problems[MOST_PROBLEMS]
  if (!next) return new SuiteError(problems)
  const rest = `and ${problems.length - MOST_PROBLEMS + more} more like that`
  return new SuiteError([...problems.slice(0, MOST_PROBLEMS), { ...next, message: rest }])
}

/** Reads the text of a file. Refuses bytes that are no text: YAML would silently change them. */
function readText(path: string, file: string): string {
  let bytes: Buffer
  try {
    refuseLinkOut(path)
    bytes = readRegular(path, MOST_FILE_BYTES)
  } catch (error) {
    if (error instanceof Unreadable) throw new SuiteError([{ file, line: 1, column: 1, message: error.message }])
    throw new SuiteError([{ file, line: 1, column: 1, message: `cannot be read: ${systemReason(error, 'file')}` }])
  }
  const text = new TextDecoder().decode(bytes)
  const refuse = (offset: number, what: string) => {
    const before = text.slice(0, offset).split('\n')
    const place = { line: before.length, column: (before.at(-1) ?? '').length + 1 }
    return new SuiteError([{ file, ...place, message: `${what}: save the file as UTF-8 text` }])
  }
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw refuse(text.indexOf('\ufffd'), 'not UTF-8')
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  const control = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/.exec(text)
  if (control) {
    const code = control[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
    throw refuse(control.index, `a control character (U+${code})`)
  }
  return text
}

/**
 * Refuses a link out of the folder. A link may lead to another name in its folder, as where a configuration is mounted.
 * A target elsewhere was not meant for those who may put files into the folder.
 * @throws Unreadable; Error of the file system
 */
function refuseLinkOut(path: string): void {
  const folder = realpathSync(dirname(path))
  if (!realpathSync(path).startsWith(folder.endsWith(sep) ? folder : folder + sep))
    throw new Unreadable('is a link out of its folder: put the file itself there')
}

interface Found {
  offset: number
  message: string
}

const TOO_DEEP = 'nested too deeply'

/** Explains an error of the parser in words that help the author of the file. */
function parserMiss({ code, message, pos: [offset] }: YAMLError, document: Document): Found {
  const words: Partial<Record<YAMLError['code'], string>> = {
    TAB_AS_INDENT: 'a tab in the indentation: YAML wants spaces',
    MULTIPLE_DOCS: "a second document starts here ('---'): put it into a file of its own",
    BLOCK_AS_IMPLICIT_KEY: "a key within a value: put a text that holds ': ' in quotes, or correct the indentation",
    TAG_RESOLVE_FAILED: 'tags (!…) are not used here: write the plain value',
    RESOURCE_EXHAUSTION: TOO_DEEP,
  }
  // The parser notices at the end of the file. The slip is where the quote was opened.
  const quote = /^Missing closing (['"])quote/.exec(message)?.[1]
  if (quote) return { offset: openedAt(document, offset), message: `the quote (${quote}) is not closed` }
  const bracket = /end with a ([\]}])$/.exec(message)?.[1]
  if (bracket) return { offset, message: `a '${bracket}' is missing before this` }
  return { offset, message: words[code] ?? `not valid YAML: ${message}` }
}

/** Returns where the quoted text that ends at an offset starts. */
function openedAt(document: Document, end: number): number {
  let start = end
  visit(document, {
    Scalar(_key, { range, type }) {
      if (range && range[0] < end && type?.startsWith('QUOTE')) start = range[0]
    },
  })
  return start
}

/** Finds valid YAML that no spec could mean. */
function unusableNodes(document: Document): Found[] {
  const found: Found[] = []
  visit(document, {
    Pair(_key, { key }) {
      if (isNode(key) && !isScalar(key))
        found.push({ offset: key.range?.[0] ?? 0, message: 'a key must be plain text' })
    },
    Alias(_key, alias, ancestors) {
      const offset = alias.range?.[0] ?? 0
      const target = alias.resolve(document)
      if (!target) found.push({ offset, message: `nothing before this is marked &${alias.source}` })
      else if (ancestors.includes(target)) found.push({ offset, message: `*${alias.source} stands within itself` })
    },
  })
  return found
}

function toValue(document: Document, at: (offset: number, message: string) => Problem): unknown {
  try {
    return document.toJS()
  } catch {
    // Only one fault is left: a file that would grow without bounds, the "billion laughs" of YAML.
    let last = 0
    visit(document, {
      Alias(_key, { range }) {
        last = range?.[0] ?? last
      },
    })
    throw new SuiteError([at(last, 'aliases (*…) repeat too much: write out what they stand for')])
  }
}

/** Finds every key that stands twice in its mapping, at its second place. */
function doubleKeys(document: Document): Found[] {
  const found: Found[] = []
  visit(document, {
    Map(_key, { items }) {
      const seen = new Set<unknown>()
      for (const { key } of items) {
        if (!isScalar(key)) continue
        if (seen.has(key.value))
          found.push({ offset: key.range?.[0] ?? 0, message: `the key '${key.source ?? key.value}' stands here twice` })
        seen.add(key.value)
      }
    },
  })
  return found
}

/**
 * Makes a function that finds what is at a path: the offset where it starts, and how a plain value is written (`1.0` is more than its
 * value). Where nothing is, the nearest existing ancestor gives the offset; for an entry of a mapping, its key does. Keys are looked up
 * in an index: a configuration may have very many.
 */
function finder(document: Document): (path: Path) => { offset: number; source?: string | undefined } {
  const indexes = new WeakMap<object, Map<string, YAMLMap['items'][number]>>()
  const entryOf = (parent: YAMLMap, key: string | number) => {
    const index = indexes.get(parent) ?? new Map(parent.items.map(item => [textOf(item.key), item]))
    indexes.set(parent, index)
    return index.get(String(key))
  }
  return path => {
    let node: unknown = document.contents
    let offset = isNode(node) ? (node.range?.[0] ?? 0) : 0
    for (const part of path) {
      const pair = isMap(node) ? entryOf(node, part) : undefined
      const next = pair?.value ?? (isSeq(node) ? node.items[Number(part)] : undefined)
      const place = pair?.key ?? next
      if (isNode(place) && place.range) offset = place.range[0]
      if (!isNode(next)) return { offset }
      node = next
    }
    return { offset, source: isScalar(node) ? node.source : undefined }
  }
}

function textOf(key: unknown): string {
  return String(isScalar(key) ? key.value : key)
}
