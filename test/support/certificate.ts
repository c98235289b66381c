/** Certificates for test servers. */
import { X509Certificate } from 'node:crypto'
import { makeCertificate } from '../../dist/mock/certificate.js'

/** A certificate with its key, as Node takes them. */
export interface TestCertificate {
  cert: string
  key: string
  /** SHA-256, upper-case pairs with colons. */
  fingerprint: string
}

/**
 * Makes a self-signed certificate. Its key is EC, since RSA keys take long. Make it once per test file.
 * @param names the only names that it is for; default: this machine, which is faster
 * @param more start and end of its validity, default: one year from now; and another kind of key
 */
export async function testCertificate(names?: string[], more?: More): Promise<TestCertificate> {
  if (names || more) return otherCertificate(names ?? ['127.0.0.1', 'localhost'], more)
  const { certificate: cert, privateKey: key, fingerprint } = await makeCertificate()
  return { cert, key, fingerprint }
}

interface More {
  notBeforeDate?: Date
  notAfterDate?: Date
  keyType?: 'ec' | 'rsa'
  keySize?: number
}

async function otherCertificate(names: string[], more: More = {}) {
  const { generate } = await import('selfsigned') // takes 100 ms to load
  const altNames = names.map(name =>
    /^[0-9.]+$/.test(name) ? { type: 7 as const, ip: name } : { type: 2 as const, value: name },
  )
  const pems = await generate([{ name: 'commonName', value: names[0] ?? 'localhost' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames }],
    ...more,
  })
  return { cert: pems.cert, key: pems.private, fingerprint: new X509Certificate(pems.cert).fingerprint256 }
}
