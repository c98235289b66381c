/**
 * The few forms of DER (ITU-T X.690) that a certificate needs. Each function returns the bytes of one value: tag, length,
 * content.
 */

/** The tags of X.690, table 1. `SEQUENCE` and `SET` have the bit that means "constructed". */
const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  oid: 0x06,
  utf8: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
} as const
const SEQUENCE = 0x30
const SET = 0x31

/**
 * Encodes a value with any tag.
 * @param parts the content, in order
 */
export function tagged(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content])
}

/** Encodes a length: one byte below 128; otherwise the number of the bytes that follow, and these bytes. */
function lengthOf(length: number): number[] {
  if (length < 0x80) return [length]
  const bytes: number[] = []
  for (let rest = length; rest > 0; rest >>>= 8) bytes.unshift(rest & 0xff)
  return [0x80 | bytes.length, ...bytes]
}

/** Encodes an ordered list of values. */
export const sequence = (...parts: readonly Uint8Array[]): Buffer => tagged(SEQUENCE, ...parts)
/** Encodes a set of values. */
export const setOf = (...parts: readonly Uint8Array[]): Buffer => tagged(SET, ...parts)
/** Encodes a boolean. */
export const boolean = (value: boolean): Buffer => tagged(TAG.boolean, Buffer.from([value ? 0xff : 0]))
/** Encodes bytes. */
export const octets = (value: Uint8Array): Buffer => tagged(TAG.octets, value)
/** Encodes a text. */
export const utf8 = (value: string): Buffer => tagged(TAG.utf8, Buffer.from(value))
/** Encodes a positive number. Its first byte must be from 1 to 127; another first byte changes the number. */
export const integer = (value: Uint8Array): Buffer => tagged(TAG.integer, value)
/** @param unused number of bits in the last byte that do not count */
export const bits = (value: Uint8Array, unused = 0): Buffer => tagged(TAG.bits, Buffer.from([unused]), value)

/**
 * Encodes an object identifier.
 * @param text numbers with dots; the first two share one byte, each other one is written to the base 128
 */
export function oid(text: string): Buffer {
  const [first = 0, second = 0, ...others] = text.split('.').map(Number)
  return tagged(TAG.oid, Buffer.from([first * 40 + second, ...others.flatMap(base128)]))
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f]
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80)
  return bytes
}

/** From 2050 on, a certificate writes a year with four digits; before, with two (RFC 5280, 4.1.2.5). */
const FOUR_DIGITS_FROM = Date.UTC(2050, 0)

/**
 * Encodes a moment, exact to the second.
 * @param ms milliseconds since 1970
 */
export function time(ms: number): Buffer {
  const digits = new Date(ms)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(/[-:T]/g, '')
  return ms < FOUR_DIGITS_FROM
    ? tagged(TAG.utcTime, Buffer.from(digits.slice(2)))
    : tagged(TAG.generalizedTime, Buffer.from(digits))
}
