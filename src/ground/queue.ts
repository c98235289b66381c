/** Inserts an item into a queue: urgent items before all others, else first come, first served. */
export function insert<T extends { isUrgent: boolean }>(queue: T[], item: T): void {
  const at = item.isUrgent ? queue.findIndex(other => !other.isUrgent) : -1
  queue.splice(at < 0 ? queue.length : at, 0, item)
}
