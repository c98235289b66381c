/** Looks at the connection to a Core below HTTP: address, versions of TLS, certificate. */
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { isIP } from 'node:net'
import { connect, type DetailedPeerCertificate, type SecureVersion, type TLSSocket } from 'node:tls'
import { ConnectError, connector } from '../core/connect.js'
import type { Place } from '../core/target.js'
import { numbered } from '../ground/count.js'
import { type Diagnosis, type Finding, found } from './finding.js'

const VERSIONS: readonly SecureVersion[] = ['TLSv1.3', 'TLSv1.2', 'TLSv1.1', 'TLSv1']
/** The versions that are considered safe today. */
const GOOD: readonly SecureVersion[] = ['TLSv1.3', 'TLSv1.2']

/** A certificate that expires within so many days gets a note. */
const SOON_DAYS = 30
const DAY_MS = 86_400_000

/** What the connection to a Core shows; `isTrusted`: whether the user's settings trust its certificate. */
type Reached = Omit<Diagnosis, 'isTestable'> & { isTrusted: boolean }

/** Looks at the connection to a Core. @param deadlineMs longest time for each connection */
export async function examineConnection({ url, trust }: Place, deadlineMs: number): Promise<Reached> {
  const findings: Finding[] = []
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (!isIP(host)) findings.push(await addressOf(host))
  const made = await tried(() => connector({ url, trust: { kind: 'insecure' } })(deadlineMs))
  if (made instanceof ConnectError) {
    const { message: seen, advice } = made
    findings.push(found('wrong', made.kind === 'tls' ? 'TLS' : 'address', seen, advice))
    return { findings, fitting: {}, isThere: false, isTrusted: false }
  }
  const certificate = (made.socket as TLSSocket).getPeerCertificate(true)
  made.socket.destroy()
  findings.push(found('fine', 'address', `a connection over TLS to ${url.host} took ${made.ms} ms`))
  findings.push(await versionsOf(host, url, deadlineMs))
  findings.push(certificateOf(certificate))
  const { finding, ...trusted } = await trustOf({ url, trust }, certificate.fingerprint256, deadlineMs)
  return { findings: [...findings, finding], isThere: true, ...trusted }
}

async function addressOf(host: string): Promise<Finding> {
  try {
    const all = await lookup(host, { all: true })
    return found('fine', 'name', `${host} is ${all.map(({ address }) => address).join(', ')}`)
  } catch {
    const advice = 'check the spelling of the URL and the DNS'
    return found('wrong', 'name', `the host name ${host} cannot be resolved`, advice)
  }
}

async function tried(connecting: () => ReturnType<ReturnType<typeof connector>>) {
  const startMs = performance.now()
  try {
    return { socket: await connecting(), ms: Math.round(performance.now() - startMs) }
  } catch (error) {
    if (error instanceof ConnectError) return error
    throw error
  }
}

async function versionsOf(host: string, url: URL, deadlineMs: number): Promise<Finding> {
  const taken: SecureVersion[] = []
  // One version after another: a small device can do few handshakes at a time.
  for (const version of VERSIONS) if (await takes(host, url, version, deadlineMs)) taken.push(version)
  const old = taken.filter(version => !GOOD.includes(version))
  const seen = `it takes ${taken.join(', ') || 'none of the versions that were tried'}`
  if (!old.length) return found('fine', 'TLS', seen)
  const [are, them] = [numbered(old.length, 'is', 'are'), numbered(old.length, 'it', 'them')]
  return found('note', 'TLS', seen, `${old.join(' and ')} ${are} broken: turn ${them} off at the Core`)
}

async function takes(host: string, url: URL, version: SecureVersion, timeoutMs: number): Promise<boolean> {
  const socket = connect({
    host,
    port: Number(url.port || 443),
    rejectUnauthorized: false,
    minVersion: version,
    maxVersion: version,
    // At today's security level Node offers no cipher for old versions. Ask what the Core accepts, safe or not.
    ...(GOOD.includes(version) ? {} : { ciphers: 'DEFAULT@SECLEVEL=0' }),
    ...(isIP(host) ? {} : { servername: host }),
  })
  const taken = once(socket, 'secureConnect', { signal: AbortSignal.timeout(timeoutMs) })
  return taken
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy())
}

function certificateOf(certificate: DetailedPeerCertificate): Finding {
  const { subject, issuer, subjectaltname, valid_to, fingerprint256 } = certificate
  const days = Math.floor((Date.parse(valid_to) - Date.now()) / DAY_MS)
  const name = (of: DetailedPeerCertificate['subject'] | undefined) => [of?.CN].flat()[0] ?? 'no name'
  const from = name(subject) === name(issuer) ? 'by itself' : `by ${name(issuer)}`
  const names = subjectaltname ? `, for ${subjectaltname.replace(/(DNS|IP Address):/g, '')}` : ''
  const until = new Date(valid_to)
  const date = Number.isNaN(until.getTime()) ? 'a date that cannot be read' : until.toISOString().slice(0, 10)
  const seen = `${name(subject)}, issued ${from}${names}, until ${date}; its SHA-256 is ${fingerprint256}`
  if (days >= SOON_DAYS) return found('fine', 'certificate', seen)
  return found('note', 'certificate', seen, days < 0 ? 'it has expired: renew it' : `it expires in ${days} d: renew it`)
}

/** Checks whether the user's settings trust the certificate, and names the setting that would. */
async function trustOf(target: Place, fingerprint: string, deadlineMs: number) {
  const { kind } = target.trust
  const made = await tried(() => connector(target)(deadlineMs))
  if (made instanceof ConnectError) {
    const check = 'once you have compared the SHA-256 above with what the Core itself shows'
    const advice = `${made.advice.replace(/^its SHA-256 is \S+; /, '')}, ${check}`
    const finding = found('change', 'trust', made.message, advice)
    // No pin: a fingerprint that nobody has compared is that of whoever answered first.
    return { finding, fitting: {}, isTrusted: false, uncompared: fingerprint }
  }
  made.socket.destroy()
  if (kind === 'insecure') {
    const advice = `pass --fingerprint ${fingerprint} instead of --insecure, once you have compared it with the Core's own`
    const finding = found('note', 'trust', 'any certificate is taken (--insecure)', advice)
    return { finding, fitting: { insecure: true }, isTrusted: true }
  }
  const by = {
    system: 'this machine trusts its issuer',
    ca: 'the CA file is that of its issuer',
    fingerprint: 'it is the pinned one',
  }[kind]
  const fitting = kind === 'fingerprint' ? { fingerprint } : {}
  return { finding: found('fine', 'trust', by), fitting, isTrusted: true }
}
