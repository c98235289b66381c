import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'

/** A self-signed certificate with its key. */
export interface Certificate {
  /** PEM. */
  certificate: string
  /** PEM, PKCS #8. */
  privateKey: string
  /** SHA-256, upper-case pairs with colons. */
  fingerprint: string
}

/** Valid from a little earlier than now, for clients whose clock is a little behind. */
const BACKDATED_MS = 5 * 60_000
const VALID_MS = 365 * 24 * 3_600_000

/**
 * Makes a certificate for every name of the loopback host. EC P-256, because an RSA key takes a hundred times as long to
 * make, and the mock starts with every run. Not a CA: who trusts it trusts one server.
 *
 * @param names other names and addresses that it is for
 */
export async function makeCertificate(names: readonly string[] = [], now = Date.now()): Promise<Certificate> {
  const { generate } = await import('selfsigned') // takes 100 ms to load
  const pems = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(now - BACKDATED_MS),
    notAfterDate: new Date(now - BACKDATED_MS + VALID_MS),
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
          { type: 2, value: 'localhost' },
          ...names.map(name => (isIP(name) ? { type: 7 as const, ip: name } : { type: 2 as const, value: name })),
        ],
      },
    ],
  })
  const { fingerprint256 } = new X509Certificate(pems.cert) // what selfsigned calls the fingerprint is SHA-1
  return { certificate: pems.cert, privateKey: pems.private, fingerprint: fingerprint256 }
}
