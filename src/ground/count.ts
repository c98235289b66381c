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

/** Most names that a sentence bears. */
const MOST_NAMES = 6

/**
 * Lists names, and counts those beyond `most`: `lab-1, lab-2 and 3 more`. Empty where there are none.
 * @param separator what stands between two names; `; ` where a name may hold a comma
 */
export function listed(names: readonly string[], most = MOST_NAMES, separator = ', '): string {
  const more = names.length - most
  return `${names.slice(0, most).join(separator)}${more > 0 ? ` and ${more} more` : ''}`
}
