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
 * @param dates start and end of its validity; default: one year from now
 */
export async function testCertificate(
  names?: string[],
  dates?: { notBeforeDate?: Date; notAfterDate?: Date },
): Promise<TestCertificate> {
  if (names || dates) return otherCertificate(names ?? ['127.0.0.1', 'localhost'], dates)
  const { certificate: cert, privateKey: key, fingerprint } = await makeCertificate()
  return { cert, key, fingerprint }
}

async function otherCertificate(names: string[], dates: { notBeforeDate?: Date; notAfterDate?: Date } = {}) {
  const { generate } = await import('selfsigned') // takes 100 ms to load
  const altNames = names.map(name =>
    /^[0-9.]+$/.test(name) ? { type: 7 as const, ip: name } : { type: 2 as const, value: name },
  )
  const pems = await generate([{ name: 'commonName', value: names[0] ?? 'localhost' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames }],
    ...dates,
  })
  return { cert: pems.cert, key: pems.private, fingerprint: new X509Certificate(pems.cert).fingerprint256 }
}
