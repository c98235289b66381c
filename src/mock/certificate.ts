import { generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto'
import { isIP, isIPv6 } from 'node:net'

/** Encodes a value of DER (ITU-T X.690): its tag, its length, its content. The forms below are those that a certificate needs. */
function tagged(tag: number, ...parts: readonly Uint8Array[]): Buffer {
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

const sequence = (...parts: readonly Uint8Array[]): Buffer => tagged(0x30, ...parts)
const setOf = (...parts: readonly Uint8Array[]): Buffer => tagged(0x31, ...parts)
const YES = tagged(0x01, Buffer.from([0xff]))
const octets = (value: Uint8Array): Buffer => tagged(0x04, value)
const utf8 = (value: string): Buffer => tagged(0x0c, Buffer.from(value))
/** Encodes a positive number. Its first byte must be from 1 to 127; another first byte changes the number. */
const integer = (value: Uint8Array): Buffer => tagged(0x02, value)
/** @param unused number of bits in the last byte that do not count */
const bits = (value: Uint8Array, unused = 0): Buffer => tagged(0x03, Buffer.from([unused]), value)

/**
 * Encodes an object identifier.
 * @param text numbers with dots; the first two share one byte, each other one is written to the base 128
 */
function oid(text: string): Buffer {
  const [first = 0, second = 0, ...others] = text.split('.').map(Number)
  return tagged(0x06, Buffer.from([first * 40 + second, ...others.flatMap(base128)]))
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
function time(ms: number): Buffer {
  const digits = new Date(ms)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(/[-:T]/g, '')
  return ms < FOUR_DIGITS_FROM ? tagged(0x17, Buffer.from(digits.slice(2))) : tagged(0x18, Buffer.from(digits))
}

/** A self-signed certificate with its key. */
export interface Certificate {
  /** PEM. */
  certificate: string
  /** PEM, PKCS #8. */
  privateKey: string
  /** SHA-256, upper-case pairs with colons. */
  fingerprint: string
}

/** The start of validity lies this far in the past, for clients whose clock is a little slow. */
const BACKDATED_MS = 5 * 60_000
const VALID_MS = 365 * 24 * 3_600_000
/** Length in bytes. RFC 5280 allows 20; CAs must use 8 at least. */
const SERIAL_BYTES = 16

/** Object identifiers from RFC 5280 and RFC 5758. */
const COMMON_NAME = oid('2.5.4.3')
const ECDSA_SHA256 = sequence(oid('1.2.840.10045.4.3.2'))
const BASIC_CONSTRAINTS = oid('2.5.29.19')
const KEY_USAGE = oid('2.5.29.15')
const EXTENDED_KEY_USAGE = oid('2.5.29.37')
const SERVER_AUTHENTICATION = oid('1.3.6.1.5.5.7.3.1')
const ALTERNATIVE_NAMES = oid('2.5.29.17')
/** The first bit of the key usage; the other seven are unused. */
const DIGITAL_SIGNATURE = bits(Buffer.from([0x80]), 7)
/** The tag of a DNS name in a `GeneralName`: context-specific, number 2. */
const DNS_NAME = 0x82
const IP_ADDRESS = 0x87
const VERSION = 0xa0
const EXTENSIONS = 0xa3

/**
 * Makes a self-signed certificate for every name of the loopback host. Its key is EC P-256: an RSA key takes a hundred times as
 * long, and the mock starts with every run. The certificate is not a CA, so trusting it means trusting one server. The code
 * writes the certificate itself (RFC 5280): a certificate library takes 100 ms to load, half the start-up time of the mock.
 *
 * @param names further names and addresses that the certificate is for
 * @param now start of the one year of validity, in ms since 1970
 */
export async function makeCertificate(names: readonly string[] = [], now = Date.now()): Promise<Certificate> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const notBeforeMs = now - BACKDATED_MS
  const name = sequence(setOf(sequence(COMMON_NAME, utf8('localhost'))))
  const body = sequence(
    tagged(VERSION, integer(Buffer.from([2]))), // means version 3
    integer(serialNumber()),
    ECDSA_SHA256,
    name,
    sequence(time(notBeforeMs), time(notBeforeMs + VALID_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(
      EXTENSIONS,
      sequence(
        extension(BASIC_CONSTRAINTS, sequence(), { isCritical: true }),
        extension(KEY_USAGE, DIGITAL_SIGNATURE, { isCritical: true }),
        extension(EXTENDED_KEY_USAGE, sequence(SERVER_AUTHENTICATION)),
        extension(ALTERNATIVE_NAMES, sequence(...['127.0.0.1', '::1', 'localhost', ...names].map(generalName))),
      ),
    ),
  )
  const der = sequence(body, ECDSA_SHA256, bits(sign('sha256', body, privateKey)))
  const certificate = new X509Certificate(der)
  return {
    certificate: certificate.toString(),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    fingerprint: certificate.fingerprint256,
  }
}

/** Returns a random positive serial number without a superfluous leading byte. */
function serialNumber(): Buffer {
  const serial = randomBytes(SERIAL_BYTES)
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x01
  return serial
}

function extension(id: Buffer, value: Buffer, { isCritical = false } = {}): Buffer {
  return sequence(id, ...(isCritical ? [YES] : []), octets(value))
}

/** Encodes a name or an address for the list of alternative names. */
function generalName(name: string): Buffer {
  return isIP(name) ? tagged(IP_ADDRESS, addressBytes(name)) : tagged(DNS_NAME, Buffer.from(name, 'latin1'))
}

/** Returns the 4 or 16 bytes of an address. */
function addressBytes(address: string): Buffer {
  if (!isIPv6(address)) return Buffer.from(address.split('.').map(Number))
  // URL writes an embedded IPv4 address as hexadecimal. URL accepts no zone, so the zone is cut off.
  const plain = new URL(`http://[${address.replace(/%.*$/, '')}]`).hostname.slice(1, -1)
  const [head = '', tail] = plain.split('::')
  const groups = (text: string | undefined) => (text ? text.split(':') : [])
  const [before, after] = [groups(head), groups(tail)]
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  const hex = [...before, ...zeros, ...after].map(group => group.padStart(4, '0'))
  return Buffer.from(hex.join(''), 'hex')
}
