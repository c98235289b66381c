/**
 * Makes texts that look like a token and were never issued: cut, prolonged, reordered, encoded, with something before
 * or behind.
 */
import { alphabetOf } from '../../ground/token-text.js'
import { boundaries, isOther, nextOf } from './characters.js'
import { distinct, type Generator, type Made } from './made.js'

/**
 * Characters at which parsers split, and at which a comparison may stop. A blank is not one of them: `Authorization`
 * itself is split there.
 */
const SEPARATORS = ['.', ';', ',', ':', '=', '|', '/', '&', '#', '?', '+', '-', '_', '~', '%00', '%20', '%0a', '\\']

/** The names of those that stand for their kind. */
const TELLING = new Set([
  'without its last character',
  'without its first character',
  'its first half',
  'its first 8',
  'its first 8, the rest changed',
  'its first half, the rest changed',
  'its second half, the rest changed',
  'one character longer at its end',
  'one character longer at its start',
  'in capital letters',
  "'.' behind it",
  "'=' behind it",
  'twice, with a comma',
  'in base64',
  'zeros, as many as the token is long',
])

/** Makes other tokens from a token, the most telling first. */
export const lookalikes: Generator = ({ token, place, username }) => {
  const all: Made[] = [
    ...cut(token),
    ...prolonged(token),
    ...reordered(token),
    ...cased(token),
    ...separated(token),
    ...encoded(token),
    ...wildcards(token),
    { name: 'the user name', token: username },
    { name: 'its place among those that were issued, from 0', token: String(place) },
    { name: 'its place among those that were issued, from 1', token: String(place + 1) },
    { name: 'zeros, as many as the token is long', token: '0'.repeat(token.length) },
    { name: 'its last character in eight bits', token: token.slice(0, -1) + inEightBits(token.slice(-1)) },
    { name: 'a byte over 127 behind it', token: `${token}\xff` },
    { name: 'a byte over 127 before it', token: `\xe9${token}` },
    { name: '4 KB behind it', token: token + 'a'.repeat(4096) },
    { name: '4 KB of one letter', token: 'a'.repeat(4096) },
    { name: '16 KB of one letter', token: 'a'.repeat(16_384) },
  ]
  return distinct(all, nameAndToken).filter(
    ({ token: value = '' }) => isOther(value, token) && /^[!-~\x80-\xff]+$/.test(value),
  )
}

/** The most telling of these, and of a token with one character changed: one for each way in which a comparison may be careless. */
export const likenesses: Generator = material => {
  const changed = boundaries(material)
  const ends = [changed.at(0), changed.at(changed.length >> 1), changed.at(-1)].flatMap(each => each ?? [])
  return distinct([...ends, ...lookalikes(material).filter(({ name }) => TELLING.has(name))], nameAndToken)
}

const nameAndToken = ({ name, token }: Made) => (token ? [name, `\0${token}`] : [name])

function cut(token: string): Made[] {
  const { length } = token
  const half = Math.floor(length / 2)
  const heads = [1, 2, 4, 8, 16, 32].filter(count => count < length)
  return [
    { name: 'without its last character', token: token.slice(0, -1) },
    { name: 'without its first character', token: token.slice(1) },
    { name: 'without its middle character', token: token.slice(0, half) + token.slice(half + 1) },
    { name: 'its first half', token: token.slice(0, half) },
    { name: 'its second half', token: token.slice(half) },
    ...heads.map(count => ({ name: `its first ${count}`, token: token.slice(0, count) })),
    { name: 'its last 8', token: token.slice(-8) },
    { name: 'its first 8, the rest changed', token: token.slice(0, 8) + changedFrom(token, 8) },
    { name: 'its first half, the rest changed', token: token.slice(0, half) + changedFrom(token, half) },
    { name: 'its second half, the rest changed', token: changedFrom(token.slice(0, half), 0) + token.slice(half) },
  ]
}

function prolonged(token: string): Made[] {
  // To a base64 decoder, six bits are no byte.
  const more = token.charAt(0).repeat(4)
  // A zero before a number does not change its value.
  const before = alphabetOf(token) === 'digits' ? '9' : '0'
  return [
    { name: 'one character longer at its end', token: token + nextOf(token, token.length - 1) },
    { name: 'four characters longer at its end', token: token + more },
    { name: 'one character longer at its start', token: before + token },
    { name: 'doubled', token: token + token },
  ]
}

function reordered(token: string): Made[] {
  const half = Math.floor(token.length / 2)
  const [first = '', second = '', ...rest] = token
  return [
    { name: 'from back to front', token: [...token].reverse().join('') },
    { name: 'its halves swapped', token: token.slice(half) + token.slice(0, half) },
    { name: 'its first two swapped', token: second + first + rest.join('') },
    { name: 'its last two swapped', token: token.slice(0, -2) + token.slice(-1) + token.slice(-2, -1) },
    { name: 'its characters sorted', token: [...token].sort().join('') },
  ]
}

function cased(token: string): Made[] {
  const swapped = [...token].map(each => (each === each.toUpperCase() ? each.toLowerCase() : each.toUpperCase()))
  const at = token.search(/[A-Za-z]/)
  const one = at < 0 ? token : token.slice(0, at) + swapped[at] + token.slice(at + 1)
  return [
    { name: 'in capital letters', token: token.toUpperCase() },
    { name: 'in small letters', token: token.toLowerCase() },
    { name: 'one letter in the other case', token: one },
    { name: 'every letter in the other case', token: swapped.join('') },
  ]
}

function separated(token: string): Made[] {
  return [
    ...SEPARATORS.map(mark => ({ name: `'${mark}' and more behind it`, token: `${token}${mark}x` })),
    ...['.', ';', ',', '='].map(mark => ({ name: `'${mark}' behind it`, token: token + mark })),
    ...['.', ':', '/', '|', ','].map(mark => ({
      name: `something and '${mark}' before it`,
      token: `x${mark}${token}`,
    })),
    { name: 'twice, with a comma', token: `${token},${token}` },
    // Not in quotes, which some servers take off.
    ...['<>', '{}', '[]'].map(pair => ({ name: `in ${pair}`, token: pair[0] + token + pair[1] })),
    { name: 'as token=', token: `token=${token}` },
    { name: 'as bearer:', token: `bearer:${token}` },
  ]
}

function encoded(token: string): Made[] {
  const bytes = Buffer.from(token)
  const percent = (text: string) => [...text].map(each => `%${each.charCodeAt(0).toString(16)}`).join('')
  const code = token.charCodeAt(0).toString(16).padStart(4, '0')
  return [
    { name: 'its first character percent-encoded', token: percent(token.charAt(0)) + token.slice(1) },
    { name: 'percent-encoded', token: percent(token) },
    { name: 'its first character as an escape of JSON', token: `\\u${code}${token.slice(1)}` },
    { name: 'its first character as an entity of HTML', token: `&#${token.charCodeAt(0)};${token.slice(1)}` },
    { name: 'in base64', token: bytes.toString('base64') },
    { name: 'in hex', token: bytes.toString('hex') },
    { name: 'decoded from hex and encoded as base64', token: fromHex(token) },
  ]
}

function wildcards(token: string): Made[] {
  const half = token.slice(0, Math.floor(token.length / 2))
  return [
    { name: 'its first half and *', token: `${half}*` },
    { name: 'its first half and %', token: `${half}%` },
    { name: 'its first half and .*', token: `${half}.*` },
    { name: '? for its last character', token: `${token.slice(0, -1)}?` },
    { name: '_ for its last character', token: `${token.slice(0, -1)}_` },
  ]
}

/** Returns the end of a token from a place on, with every character changed. */
function changedFrom(token: string, from: number): string {
  return Array.from(token.slice(from), (_, index) => nextOf(token, from + index)).join('')
}

/** Sets the highest bit of an ASCII character. A comparison of seven bits takes it for the same. */
function inEightBits(character: string): string {
  return String.fromCharCode(character.charCodeAt(0) | 0x80)
}

function fromHex(token: string): string {
  return alphabetOf(token).startsWith('hex') ? Buffer.from(token, 'hex').toString('base64') : token
}
