/** Where things stand in a YAML document. */
import { type Document, isAlias, isMap, isNode, isScalar, isSeq, type Pair, type YAMLMap } from 'yaml'

/** A path into a document: keys and indexes from its root. */
export type Path = (string | number)[]

/**
 * Finds the node at a path, undefined where there is none, and where it starts: it or its nearest ancestor that exists; of an
 * entry of a mapping, where its key does. The keys of a mapping are looked up and not searched: a configuration may have very
 * many.
 */
export function finder(document: Document): (path: Path) => { node: unknown; offset: number } {
  const indexes = new WeakMap<object, Map<string, Pair>>()
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
      if (!isNode(next)) return { node: undefined, offset }
      node = next
    }
    return { node, offset }
  }
}

function textOf(key: unknown): string {
  return String(isScalar(key) ? key.value : key)
}

/** How a plain value is written, which for `1.0` is more than its value. */
export function sourceOf(node: unknown): string | undefined {
  return isScalar(node) && !isAlias(node) ? node.source : undefined
}
