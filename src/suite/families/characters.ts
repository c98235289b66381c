/** Changes each character of a token in turn: a Core has to compare all of them. */
import { alphabetOf, decodesAlike, isSameToken } from '../../ground/token-text.js'
import type { Generator, Made } from './made.js'

/** Most characters that are changed one by one: a token of 256 bits has 64 hex digits. */
const MOST = 64
/** Number of places in a longer token, each with its two neighbours. */
const MOST_STEPS = 16
const CLASSES = ['0123456789', 'abcdef', 'ABCDEF', 'abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ']

/**
 * Changes each character in turn, but for the boundaries; of a longer token those at its ends, at its middle and at every 16th
 * place, with their neighbours.
 */
export const characters: Generator = ({ token }) => changed(token, at => !isBoundary(token, at))

/** Changes the characters at which comparisons may cut: the first and last two, and those around every eighth place. */
export const boundaries: Generator = ({ token }) => changed(token, at => isBoundary(token, at))

function isBoundary({ length }: string, at: number): boolean {
  return at < 2 || at >= length - 2 || [0, 7].includes(at % 8)
}

function changed(token: string, isWanted: (at: number) => boolean): Made[] {
  return places(token.length)
    .filter(isWanted)
    .flatMap(at => {
      const value = token.slice(0, at) + nextOf(token, at) + token.slice(at + 1)
      return isOther(value, token) ? [{ name: `character ${at + 1} of ${token.length} changed`, token: value }] : []
    })
}

/**
 * Whether a text is another token than the given one, also to a Core that decodes base64, or reads a UUID. In base64, not all bits of a
 * last character count, and the Core rightly takes both for the same.
 */
export function isOther(value: string, token: string): boolean {
  if (value === '' || isSameToken(value, token)) return false
  if (/^(digits|hex)/.test(alphabetOf(token))) return true
  // Only a token of several parts is decoded part by part.
  if (!token.includes('.')) return !Buffer.from(value, 'base64').equals(Buffer.from(token, 'base64'))
  const [made, known] = [value.split('.'), token.split('.')]
  return made.length !== known.length || made.some((part, index) => !decodesAlike(part, known[index] ?? ''))
}

/**
 * Returns the next character of the same class; hex digits stay hex. The Core should refuse the token because it is
 * unknown, not because of its form.
 */
export function nextOf(token: string, at: number): string {
  const character = token.charAt(at)
  const isHex = alphabetOf(token).startsWith('hex')
  const letters = CLASSES.find(each => each.includes(character) && (isHex || each.length !== 6))
  return letters?.[(letters.indexOf(character) + 1) % letters.length] ?? character
}

function places(length: number): number[] {
  const all = Array.from({ length }, (_, at) => at)
  if (length <= MOST) return all
  const middle = Math.floor(length / 2)
  const isEdge = (at: number) => at < 4 || at >= length - 4 || Math.abs(at - middle) < 2
  // In a very long token the places are further apart than 16, so that they are as few as in a usual one.
  const step = 16 * Math.ceil(length / (16 * MOST_STEPS))
  return all.filter(at => isEdge(at) || [step - 1, 0, 1].includes(at % step))
}
