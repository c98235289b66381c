/** Finds places in a YAML document. */
import { type Document, isAlias, isMap, isNode, isScalar, isSeq, type Pair, type YAMLMap } from 'yaml'
import type { Path } from './problem.js'

/**
 * Makes a function that finds the node at a path, undefined where there is none, and the offset where it starts.
 * Without a node, the nearest existing ancestor gives the offset; for an entry of a mapping, its key does. Keys are
 * looked up in an index: a configuration may have very many.
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

/** Returns how a plain value is written: for `1.0` that is more than its value. */
export function sourceOf(node: unknown): string | undefined {
  return isScalar(node) && !isAlias(node) ? node.source : undefined
}
