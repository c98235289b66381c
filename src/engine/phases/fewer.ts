/** How many tokens to try next when the Core held `room` of them and had no room for more, of `capacity` that were allowed. */
export function fewer(room: number, capacity: number): number {
  return Math.max(Math.min(room, capacity - 1), 1)
}
