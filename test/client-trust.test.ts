/** Trust files for clients in every language. */
import { createHash } from 'node:crypto'
import { rootCertificates } from 'node:tls'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { keyStore } from '../dist/client/trust.js'
import { testCertificate } from './support/certificate.js'

const test = suite('trust files')

/** Reads a Java key store as Java does: JKS of version 2, trusted certificates only. */
function certificatesIn(store: Buffer, password: string): string[] {
  let at = 0
  const take = (length: number) => {
    at += length
    return store.subarray(at - length, at)
  }
  const int = () => take(4).readUInt32BE()
  const text = () => take(take(2).readUInt16BE()).toString()
  assert.equal([int(), int()], [0xfeedfeed, 2])
  const found = Array.from({ length: int() }, (_, index) => {
    assert.equal([int(), text()], [2, `certificate-${index}`])
    take(8) // the date
    assert.is(text(), 'X.509')
    return take(int()).toString('base64')
  })
  const key = createHash('sha1').update(Buffer.from(password, 'utf16le').swap16()).update('Mighty Aphrodite')
  assert.equal(store.subarray(at), key.update(store.subarray(0, at)).digest())
  return found
}

test('a key store for Java holds the certificate and the roots, and leaves out what is no certificate', async () => {
  const { cert } = await testCertificate()
  const bytes = (pem: string) => pem.replace(/-----[A-Z ]+-----|\s/g, '')
  const [root = ''] = rootCertificates
  const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'
  const store = keyStore([cert.trim(), root.trim(), broken])
  // A broken one would make Java refuse the whole store.
  assert.equal(certificatesIn(store, 'changeit'), [bytes(cert), bytes(root)])
})

test.run()
