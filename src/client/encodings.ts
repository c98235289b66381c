/** The forms in which a secret may stand in a text. */

/** What is found in a text that holds this one: itself, in hex, backwards, or in base64 at each of its three alignments. */
export function formsOf(secret: string): string[] {
  const base64 = [0, 1, 2].map(shift => {
    const text = Buffer.concat([Buffer.alloc(shift), Buffer.from(secret)]).toString('base64')
    // The first and the last group depend on what stands before and after it.
    return text.slice(shift === 0 ? 0 : 4, -4)
  })
  const hex = Buffer.from(secret).toString('hex')
  return [secret, hex, [...secret].reverse().join(''), ...base64]
}

/** Undoes percent-encoding, as often as somebody may have applied it. */
export function decoded(text: string): string {
  let current = text
  for (let depth = 0; depth < 4; depth += 1) {
    current = current.replace(/%([0-9a-f]{2})/gi, (_whole, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
  }
  return current
}
