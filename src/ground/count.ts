/**
 * Returns a count with its noun: `1 spec`, `2 specs`, `0 specs`. The plural is the noun with an s unless it is given.
 */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number} ${numbered(number, noun, plural)}`
}

/** Returns the word that agrees with a number: `numbered(n, 'is', 'are')`. */
export function numbered(number: number, one: string, many: string): string {
  return number === 1 ? one : many
}
