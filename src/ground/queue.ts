/** Puts something into a queue, first come first served: what is urgent before all that is not. */
export function insert<T extends { isUrgent: boolean }>(queue: T[], item: T): void {
  const at = item.isUrgent ? queue.findIndex(other => !other.isUrgent) : -1
  queue.splice(at < 0 ? queue.length : at, 0, item)
}
