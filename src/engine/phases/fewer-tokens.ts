/** Returns how many tokens to try next, when `capacity` were allowed and the Core had room for no more than `room`. */
export function fewerTokens(room: number, capacity: number): number {
  return Math.max(Math.min(room, capacity - 1), 1)
}
