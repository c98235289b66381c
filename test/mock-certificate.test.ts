/** The certificate of a mock Core, as OpenSSL in Node reads it, independent of our code. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeCertificate } from '../dist/mock/certificate.js'

const test = suite('certificate of a mock Core')
const DAY_MS = 24 * 3_600_000

test('OpenSSL reads all of it: for this machine, to authenticate a server, of no authority', async () => {
  const { certificate, privateKey, fingerprint } = await makeCertificate([
    'core.example',
    '10.0.0.5',
    'fe80::1:2',
    '::ffff:10.0.0.6',
    '1:2:3:4:5:6:7:8',
  ])
  const read = new X509Certificate(certificate)
  for (const name of ['localhost', 'core.example']) assert.ok(read.checkHost(name), name)
  for (const address of ['127.0.0.1', '::1', '10.0.0.5', 'fe80::1:2', '::ffff:10.0.0.6', '1:2:3:4:5:6:7:8'])
    assert.ok(read.checkIP(address), address)
  assert.not.ok(read.checkHost('other.example'))
  assert.not.ok(read.checkIP('10.0.0.7'))
  assert.is(read.subject, 'CN=localhost')
  assert.is(read.issuer, 'CN=localhost')
  assert.ok(read.verify(read.publicKey), 'signed by its own key')
  assert.ok(read.checkPrivateKey(createPrivateKey(privateKey)))
  assert.is(read.ca, false)
  assert.equal(read.keyUsage, ['1.3.6.1.5.5.7.3.1'])
  assert.is(read.fingerprint256, fingerprint)
  assert.is(read.publicKey.asymmetricKeyDetails?.namedCurve, 'prime256v1')
})

test('it is valid from a little earlier than now, for a year, also beyond 2049', async () => {
  for (const now of [Date.UTC(2026, 1, 3, 4, 5, 6), Date.UTC(2049, 5, 1), Date.UTC(2050, 0, 1), Date.UTC(2060, 6, 7)]) {
    const { validFrom, validTo } = new X509Certificate((await makeCertificate([], now)).certificate)
    assert.is(Date.parse(validFrom), now - 300_000)
    assert.is(Date.parse(validTo), now - 300_000 + 365 * DAY_MS)
  }
})

test('no two have the same number, or the same key; each number is positive', async () => {
  const made = await Promise.all(Array.from({ length: 8 }, () => makeCertificate()))
  const numbers = made.map(({ certificate }) => new X509Certificate(certificate).serialNumber)
  assert.is(new Set(numbers).size, 8)
  assert.is(new Set(made.map(({ privateKey }) => privateKey)).size, 8)
  for (const number of numbers) assert.match(number, /^[1-7][0-9A-F]{31}$|^0?[1-9A-F][0-9A-F]{30}$/)
})

test.run()
