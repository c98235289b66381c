import { createHash, randomBytes } from 'node:crypto'
import type { Credentials, Place } from '../core/target.js'
import type { VariableName, Variables } from '../suite/variables.js'

/** The variables that hold the password or most of it. */
export const SECRET_VARIABLES = [
  'basic-credentials',
  'swapped-case-password',
  'shortened-password',
  'prolonged-password',
] as const satisfies VariableName[]

/** Longer than a buffer of 256 bytes, and longer than one of 2 KB. */
const LONG = { 'long-text': 'x'.repeat(300), 'longer-text': 'x'.repeat(4000) }

/**
 * Returns the variables that say where the target of a run is, and those that are the same for every target.
 * `probe-path-tail` is the path of the probe after `/api`.
 */
export function targetVariables({ url }: Place, probePath: string): Variables {
  return { ...LONG, authority: url.host, 'probe-path': probePath, 'probe-path-tail': probePath.replace(/^\/api/, '') }
}

/**
 * Makes the variables of a run from its credentials: the right ones, and wrong ones that a careless comparison would
 * accept. A variation that does not exist is left out, such as the other case of a password without letters.
 */
export function credentialVariables({ username, password }: Credentials): Variables {
  const swapped = [...password].map(swapCase).join('')
  return {
    username,
    password,
    'wrong-username': `nobody-${randomBytes(6).toString('hex')}`,
    'wrong-password': randomBytes(12).toString('hex'),
    ...(swapped !== password && { 'swapped-case-password': swapped }),
    ...(password.length > 1 && { 'shortened-password': [...password].slice(0, -1).join('') }),
    'prolonged-password': `${password}x`,
    'basic-credentials': Buffer.from(`${username}:${password}`).toString('base64'),
  }
}

function swapCase(character: string): string {
  const upper = character.toUpperCase()
  return character === upper ? character.toLowerCase() : upper
}

/** Shorter credentials appear in random tokens by chance. */
const TELLING_LENGTH = 6

/** Names the credential that a token contains, plain or as base64, hex or a common hash; undefined for none. */
export function credentialIn(token: string, { username = '', password = '' }: Variables): string | undefined {
  const texts = { 'the password': password, 'user name and password': `${username}:${password}` }
  for (const [what, text] of Object.entries(texts)) {
    if (text.length < TELLING_LENGTH) continue
    const bytes = Buffer.from(text)
    const encoded = [text, bytes.toString('hex'), ...insideBase64(bytes)]
    const hashed = ['md5', 'sha1', 'sha256'].map(name => createHash(name).update(text).digest('hex'))
    const within = token.replaceAll('-', '+').replaceAll('_', '/').toLowerCase()
    const isIn = (form: string) =>
      token.toLowerCase().includes(form.toLowerCase()) || within.includes(form.toLowerCase())
    if ([...encoded, ...hashed].some(isIn)) return what
  }
  return username !== '' && token === username ? 'the user name' : undefined
}

/**
 * Returns the forms of bytes within longer base64 text: the characters that hold bits of these bytes and of
 * nothing else.
 */
function insideBase64(bytes: Buffer): string[] {
  return [0, 1, 2].map(before => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
  })
}
