/** Finds a secret in a text, also in encoded form. */

/** Returns the texts to search for: the secret, its hex, its reverse, and its base64 at each of the three alignments. */
export function formsOf(secret: string): string[] {
  const base64 = [0, 1, 2].map(shift => {
    const text = Buffer.concat([Buffer.alloc(shift), Buffer.from(secret)]).toString('base64')
    // The first and the last group depend on the characters around the secret.
    return text.slice(shift === 0 ? 0 : 4, -4)
  })
  const hex = Buffer.from(secret).toString('hex')
  return [secret, hex, [...secret].reverse().join(''), ...base64]
}

/** Undoes percent-encoding, up to four times over. */
export function decoded(text: string): string {
  let current = text
  for (let depth = 0; depth < 4; depth += 1) {
    current = current.replace(/%([0-9a-f]{2})/gi, (_whole, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
  }
  return current
}
