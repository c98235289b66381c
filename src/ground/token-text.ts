/** Describes the text of a token. The reference does not show its format. */

/** A token as RFC 6750 writes it (token68). */
export const TOKEN68 = /^[A-Za-z0-9\-._~+/]+=*$/

/** Names the alphabet of a token. */
export function alphabetOf(token: string): string {
  if (/^[0-9]+$/.test(token)) return 'digits'
  if (/^[0-9a-f]+$/.test(token)) return 'hex (lower case)'
  if (/^[0-9A-F]+$/.test(token)) return 'hex (upper case)'
  if (/^[A-Za-z0-9]+$/.test(token)) return 'letters and digits'
  if (/^[A-Za-z0-9_-]+=*$/.test(token)) return 'base64url'
  if (/^[A-Za-z0-9+/]+=*$/.test(token)) return 'base64'
  return TOKEN68.test(token) ? 'token68' : 'other'
}

const UUID = /^\{?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?$/i
const digitsOf = (uuid: string) => uuid.replace(/[{}-]/g, '').toLowerCase()

/**
 * Whether a text is this token: hex digits are the same bytes in another case (RFC 4648 8), and a UUID stays the same without its dashes
 * and braces too (RFC 9562 4).
 */
export function isSameToken(text: string, token: string): boolean {
  if (alphabetOf(token).startsWith('hex') && text.toLowerCase() === token.toLowerCase()) return true
  return text === token || (UUID.test(token) && digitsOf(text) === digitsOf(token))
}

/** Whether the last parts of two tokens decode from base64 to the same bytes. */
export function decodesAlike(a: string, b: string): boolean {
  const bytes = (token: string) => Buffer.from(token.slice(token.lastIndexOf('.') + 1), 'base64')
  return bytes(a).equals(bytes(b))
}
