/** Makes a command trust the mock Core, in every way that clients know. */
import { createHash, X509Certificate } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { MOST_FILE_BYTES, textIn } from '../ground/file.js'

/** The password of the key store for Java. The store holds no secret, but Java demands a password. */
const STORE_PASSWORD = 'changeit'

/** Variables that name a bundle of trusted certificates. Programs other than Node trust it instead of their own. */
const BUNDLES = ['SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'] as const

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g
const ROOTS: ReadonlySet<string> = new Set(rootCertificates.map(root => root.trim()))

/**
 * Writes trust files into a folder: the certificate alone; a bundle of it with all certificates that were trusted before, since
 * most variables replace those; and the same bundle as a key store for Java.
 * @param pem the certificate to trust
 * @param env the environment of the command. Certificates that its variables name stay trusted
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
  const before = [...BUNDLES, 'NODE_EXTRA_CA_CERTS'].map(
    name => textIn(env[name] ?? '', MOST_FILE_BYTES).match(CERTIFICATE) ?? [],
  )
  const own = pem.trim()
  const write = (path: string, content: string | Buffer) => writeFile(path, content, { mode: 0o600 })
  const all = [...new Set([own, ...before.flat(), ...ROOTS])]
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
    // Node adds these certificates to its own. The bundles replace those of other programs.
    NODE_EXTRA_CA_CERTS: extra,
    ...Object.fromEntries(BUNDLES.map(name => [name, bundle])),
    CORE_TRUST_STORE: store,
    JAVA_TOOL_OPTIONS: java.filter(Boolean).join(' '),
  }
}

/** Makes a Java key store (JKS, version 2) of trusted certificates. Every version of Java reads it. */
export function keyStore(pems: readonly string[]): Buffer {
  const entries = pems.flatMap((pem, index): Buffer[] => {
    const der = derOf(pem)
    if (der === undefined) return []
    // 2 means a trusted certificate. Its alias, date, type and bytes follow.
    return [int(2), text(`certificate-${index}`), Buffer.alloc(8), text('X.509'), int(der.length), der]
  })
  const count = entries.length / 6
  const content = Buffer.concat([int(0xfeedfeed), int(2), int(count), ...entries])
  const password = Buffer.from(STORE_PASSWORD, 'utf16le').swap16()
  // The format prescribes these words. The digest guards against damage, not against forgery.
  const digest = createHash('sha1').update(password).update('Mighty Aphrodite').update(content).digest()
  return Buffer.concat([content, digest])
}

function derOf(pem: string): Buffer | undefined {
  // They are right, and to parse all of them takes 50 ms of processor time.
  if (ROOTS.has(pem)) return Buffer.from(pem.replace(/-----[A-Z ]+-----/g, ''), 'base64')
  try {
    return new X509Certificate(pem).raw
  } catch {
    return undefined // the user's file may hold text that is no certificate
  }
}

function int(value: number, size = 4): Buffer {
  const bytes = Buffer.alloc(size)
  bytes.writeUIntBE(value, 0, size)
  return bytes
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([int(bytes.length, 2), bytes])
}
