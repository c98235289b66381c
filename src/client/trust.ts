/** How a command is told to trust the mock Core, in every way that clients know. */
import { createHash, X509Certificate } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { MOST_FILE_BYTES, readRegular } from '../ground/file.js'

/** The password of the key store for Java: it holds certificates only, and Java wants one. */
const STORE_PASSWORD = 'changeit'

/** What other programs than Node take instead of what they trust by themselves. */
const BUNDLES = ['SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'] as const

/**
 * Writes files of trust into a folder: the certificate alone, a bundle of it with all that was trusted before, since most
 * variables replace that, and the same as a key store for Java.
 *
 * @param pem the certificate to trust
 * @param env what the command's environment is made of: what is trusted there, is trusted still
 * @returns the variables that name the files
 */
export async function trustFiles(
  folder: string,
  pem: string,
  env: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const caFile = join(folder, 'core.pem')
  const bundle = join(folder, 'bundle.pem')
  const extra = join(folder, 'extra.pem')
  const store = join(folder, 'truststore.jks')
  const before = [...BUNDLES, 'NODE_EXTRA_CA_CERTS'].map(name => certificatesIn(env[name]))
  const own = pem.trim()
  const write = (path: string, content: string | Buffer) => writeFile(path, content, { mode: 0o600 })
  const all = [...new Set([own, ...before.flat(), ...rootCertificates.map(each => each.trim())])]
  await write(caFile, `${own}\n`)
  await write(bundle, `${all.join('\n')}\n`)
  await write(extra, `${[...new Set([own, ...(before.at(-1) ?? [])])].join('\n')}\n`)
  await write(store, keyStore(all))
  const java = [
    env.JAVA_TOOL_OPTIONS,
    `-Djavax.net.ssl.trustStore=${/\s/.test(store) ? `"${store}"` : store}`,
    `-Djavax.net.ssl.trustStorePassword=${STORE_PASSWORD}`,
  ]
  return {
    CORE_CA_FILE: caFile,
    // Added to what Node trusts; the others replace what they trust.
    NODE_EXTRA_CA_CERTS: extra,
    ...Object.fromEntries(BUNDLES.map(name => [name, bundle])),
    CORE_TRUST_STORE: store,
    JAVA_TOOL_OPTIONS: java.filter(Boolean).join(' '),
  }
}

/** The certificates of a file, as PEM; none where there is no such file. */
function certificatesIn(path: string | undefined): string[] {
  if (path === undefined || path === '') return []
  const text = textIn(path)
  return text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? []
}

/** The text of a file that somebody else's variable names; empty where there is none to read. */
function textIn(path: string): string {
  try {
    return readRegular(path, MOST_FILE_BYTES).toString('utf8')
  } catch {
    return ''
  }
}

/** A Java key store (JKS, version 2) of trusted certificates; every Java since the first reads it. */
export function keyStore(pems: readonly string[]): Buffer {
  const entries = pems.flatMap((pem, index): Buffer[] => {
    const der = derOf(pem)
    if (der === undefined) return []
    // 2: a trusted certificate; then its alias, its date, its type, itself.
    return [int(2), text(`certificate-${index}`), Buffer.alloc(8), text('X.509'), int(der.length), der]
  })
  const count = entries.length / 6
  const content = Buffer.concat([int(0xfeedfeed), int(2), int(count), ...entries])
  const password = Buffer.from(STORE_PASSWORD, 'utf16le').swap16()
  // The words stand in the format; they guard against damage, not against forgery.
  const digest = createHash('sha1').update(password).update('Mighty Aphrodite').update(content).digest()
  return Buffer.concat([content, digest])
}

function derOf(pem: string): Buffer | undefined {
  try {
    return new X509Certificate(pem).raw
  } catch {
    return undefined // somebody's file may hold what is none
  }
}

function int(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(bytes.length)
  return Buffer.concat([length, bytes])
}
