/**
 * Reads the plainest YAML fast: mappings of plain keys, one to a line, with plain values, quoted texts without escapes,
 * and lists and mappings of such values within one line. A configuration may name tens of thousands of targets, and the
 * full YAML parser takes five seconds for them. Nearly every such file is as plain as this.
 */

const KEY = String.raw`[A-Za-z][\w.-]*`
/** Texts that YAML leaves unchanged, whole numbers, and quoted texts without escapes. */
const VALUE = String.raw`[A-Za-z/][\w./@%+~:-]*[\w/%]|[A-Za-z/]|\d{1,9}|\d+(?:%|ms|s|m|h|d)|[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2})+|"[^"\\\x00-\x1f]*"|'[^'\x00-\x1f]*'`
const LINE = new RegExp(`^( *)(${KEY}):(?: +(?:(${VALUE})|(\\[[^\\[\\]{}#]*\\]|\\{[^\\[\\]{}#]*\\})))? *$`)
const ITEM = new RegExp(`^(?:${VALUE})$`)
const PAIR = new RegExp(`^(${KEY}): +(${VALUE})$`)
const EMPTY = /^\s*(?:#.*)?$/
/** Words with a special meaning in this version of YAML, or in others. */
const WORD = /^(?:true|false|null|yes|no|on|off|y|n|__proto__)$/i

/** Says that a text is not plain YAML. */
class NotPlain extends Error {}

type Mapping = Record<string, unknown>

/**
 * Reads a text of the plainest YAML.
 * @returns its value; undefined where a part is not as plain as that, or a key stands twice
 */
export function plainYaml(text: string): Mapping | undefined {
  try {
    return read(text)
  } catch (error) {
    if (error instanceof NotPlain) return undefined
    throw error
  }
}

function read(text: string): Mapping {
  const root: Mapping = {}
  /** The open mappings, each with its indentation. The last may have no lines yet. */
  const open: { indent: number; mapping: Mapping; isNew: boolean }[] = [{ indent: 0, mapping: root, isNew: false }]
  for (const line of text.split(/\r?\n/)) {
    if (EMPTY.test(line)) continue
    const [matched, { length: indent } = '', key = '', value, flow] = LINE.exec(line) ?? []
    if (matched === undefined) throw new NotPlain()
    const last = open.at(-1)
    if (last?.isNew) {
      // A mapping without lines is null, not a mapping.
      if (indent <= (open.at(-2)?.indent ?? 0)) throw new NotPlain()
      Object.assign(last, { indent, isNew: false })
    }
    while ((open.at(-1)?.indent ?? 0) > indent) open.pop()
    const parent = open.at(-1)
    if (parent?.indent !== indent) throw new NotPlain()
    if (value !== undefined) put(parent.mapping, key, scalar(value))
    else if (flow !== undefined) put(parent.mapping, key, flowOf(flow))
    else {
      const mapping: Mapping = {}
      put(parent.mapping, key, mapping)
      open.push({ indent: Number.POSITIVE_INFINITY, mapping, isNew: true })
    }
  }
  if (open.at(-1)?.isNew || !Object.keys(root).length) throw new NotPlain()
  return root
}

function put(mapping: Mapping, key: string, value: unknown): void {
  if (WORD.test(key) || Object.hasOwn(mapping, key)) throw new NotPlain()
  mapping[key] = value
}

function scalar(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  if (/^["']/.test(text)) return text.slice(1, -1)
  if (WORD.test(text)) throw new NotPlain()
  return /^\d+$/.test(text) ? whole(text) : text
}

function whole(text: string): number {
  if (text.length > 1 && text.startsWith('0')) throw new NotPlain()
  return Number(text)
}

/** Reads a list or a mapping within one line, without nesting. */
function flowOf(text: string): unknown {
  const content = text.slice(1, -1).trim()
  const parts = content ? content.split(',').map(part => part.trim()) : []
  if (text.startsWith('['))
    return parts.map(part => {
      if (!ITEM.test(part)) throw new NotPlain()
      return scalar(part)
    })
  const mapping: Mapping = {}
  for (const part of parts) {
    const [, key = '', value] = PAIR.exec(part) ?? []
    if (value === undefined) throw new NotPlain()
    put(mapping, key, scalar(value))
  }
  return mapping
}
