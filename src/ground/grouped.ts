/** Items, at least one. */
export type Some<T> = [T, ...T[]]

/** Groups items by a key, in the order in which the keys first appear. (Node 20 has no `Map.groupBy`.) */
export function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, Some<T>> {
  const groups = new Map<string, Some<T>>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}
