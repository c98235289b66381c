import { isIP, type Socket, connect as tcpConnect } from 'node:net'
import { type ConnectionOptions, createSecureContext, TLSSocket, connect as tlsConnect } from 'node:tls'
import type { TransportError } from '../result.js'
import { KnownCertificate } from './known-certificate.js'
import type { Place, Target } from './target.js'

/** A connection that was not made. `advice` says what the user can do. */
export class ConnectError extends Error {
  readonly kind: TransportError['kind']
  readonly advice: string
  /** SHA-256 of the presented certificate, where there was one. */
  readonly fingerprint: string | undefined
  /** Whether another try would fail alike: the certificate is not trusted, or the name does not exist. */
  readonly isLasting: boolean

  constructor(
    kind: TransportError['kind'],
    message: string,
    advice: string,
    { fingerprint, isLasting = false }: { fingerprint?: string | undefined; isLasting?: boolean } = {},
  ) {
    super(message)
    this.kind = kind
    this.advice = advice
    this.fingerprint = fingerprint
    this.isLasting = isLasting
  }
}

/**
 * Opens a connection: plain to an `http:` target, else over TLS.
 * @param timeoutMs most time for connecting and the TLS handshake together
 * @throws ConnectError
 */
export type Connect = (timeoutMs: number) => Promise<Socket>

/** Returns the SHA-256 of the certificate that the other side presented, as upper-case pairs with colons. */
export function fingerprintOf(socket: Socket): string | undefined {
  return socket instanceof TLSSocket ? socket.getPeerCertificate()?.fingerprint256 : undefined
}

/**
 * Makes connections to a target. Each connection checks the certificate before the first byte of HTTP is sent.
 *
 * This module verifies certificates in place of Node (`rejectUnauthorized: false`). So an error can name the
 * fingerprint of a certificate that is not trusted, and one place decides for every kind of trust. An `http:` target
 * gets plain connections. No Core is one, but stand-ins on this machine, such as Pact's mock server, have no TLS.
 */
export function connector({ url, trust }: Place): Connect {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (url.protocol === 'http:') return timeoutMs => openPlain(host, url, timeoutMs)
  const options: ConnectionOptions = {
    host,
    port: Number(url.port || 443),
    rejectUnauthorized: false,
    // No `session`: every connection does a full handshake. A Core that ties tokens to TLS sessions would take a resumed
    // connection for the one that logged on, and its fault would not show; nor would a certificate that has changed.
    // Made once: to load the trusted certificates for each connection would take longer than the connection.
    secureContext: createSecureContext(trust.kind === 'ca' ? { ca: trust.pem } : {}),
    ...(isIP(host) ? {} : { servername: host }),
  }
  const known = new KnownCertificate()
  return timeoutMs => open(options, { url, trust }, timeoutMs, known)
}

function open(
  options: ConnectionOptions,
  { url, trust }: Place,
  timeoutMs: number,
  known: KnownCertificate,
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = tlsConnect(options)
    known.readBy(socket)
    let connected = false
    const fail = (error: ConnectError) => {
      clearTimeout(timer)
      socket.destroy()
      reject(error)
    }
    const timer = setTimeout(() => {
      const stage = connected ? 'the TLS handshake was not finished' : 'no connection'
      const advice = `check the address and the network, or give a Core that is slower more time with a longer --deadline`
      fail(new ConnectError(connected ? 'tls' : 'connect', `${stage} within ${timeoutMs / 1000} s`, advice))
    }, timeoutMs)
    socket.once('connect', () => {
      connected = true
    })
    socket.once('error', error => fail(explain(error, connected, url)))
    socket.once('close', () =>
      fail(new ConnectError('tls', 'the connection was closed during the TLS handshake', TLS_ADVICE)),
    )
    socket.once('secureConnect', () => {
      const distrust = judge(socket, trust)
      if (distrust) return fail(distrust)
      clearTimeout(timer)
      socket.removeAllListeners('error').removeAllListeners('close')
      // A head that is sent in pieces must not wait for the other side's acknowledgement.
      socket.setNoDelay(true)
      // The next user of the socket listens for errors. Until then an error must not crash the process.
      socket.on('error', () => {})
      resolve(socket)
    })
  })
}

function openPlain(host: string, url: URL, timeoutMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = tcpConnect({ host, port: Number(url.port || 80) })
    const fail = (error: ConnectError) => {
      clearTimeout(timer)
      socket.destroy()
      reject(error)
    }
    const timer = setTimeout(
      () => fail(new ConnectError('connect', `no connection within ${timeoutMs / 1000} s`, 'check the address')),
      timeoutMs,
    )
    socket.once('error', error => fail(explain(error, false, url)))
    socket.once('connect', () => {
      clearTimeout(timer)
      socket
        .setNoDelay(true)
        .removeAllListeners('error')
        .on('error', () => {})
      resolve(socket)
    })
  })
}

const TLS_ADVICE = 'check that the URL names the HTTPS port of the Core'

function judge(socket: TLSSocket, trust: Target['trust']): ConnectError | undefined {
  if (trust.kind === 'insecure') return undefined
  // Before the fingerprint: where its CA is trusted, the certificate need not be read for each connection.
  if (trust.kind !== 'fingerprint' && socket.authorized) return undefined
  const fingerprint = fingerprintOf(socket)
  if (trust.kind === 'fingerprint') {
    if (fingerprint === trust.sha256) return undefined
    const message = `the certificate is not the pinned one: its SHA-256 is ${fingerprint}, and the pinned one's ${trust.sha256}`
    return new ConnectError(
      'tls',
      message,
      'make sure that it is your Core, then pass the new value to --fingerprint',
      { fingerprint, isLasting: true },
    )
  }
  // Node types this as Error. Except for a name mismatch it is the bare code of OpenSSL.
  const error: unknown = socket.authorizationError
  const code = typeof error === 'string' ? error : ((error as NodeJS.ErrnoException | undefined)?.code ?? '')
  const isChain = code === 'CERT_HAS_EXPIRED' && Date.parse(socket.getPeerCertificate().valid_to) > Date.now()
  const why = isChain ? 'that of its CA has expired' : (REASONS[code] ?? (code || 'unknown reason'))
  const advice = `its SHA-256 is ${fingerprint}; ${adviceFor(isChain ? '' : code, trust.kind === 'ca')}`
  return new ConnectError('tls', `the certificate is not trusted: ${why}`, advice, { fingerprint, isLasting: true })
}

/**
 * Says what to do where a certificate is not trusted. A CA file does not help where the certificate itself is wrong.
 */
function adviceFor(code: string, hasCaFile: boolean): string {
  const pin = `pass --fingerprint with it${hasCaFile ? ' instead of --ca-file' : ''}`
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return `have it renewed at the Core, or ${pin}, which takes it as it is`
    case 'CERT_NOT_YET_VALID':
      return `set the clocks of the Core and of this machine, or ${pin}, which takes it as it is`
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `give the URL with a name that it is issued for, or ${pin}`
    case 'UNSPECIFIED':
      return `give the Core a certificate with a longer key (RSA from 2048 bits, signed with SHA-256), or ${pin}, which takes it as it is`
    default:
      return hasCaFile ? `give the file of the CA that issued it, or ${pin}` : `${pin}, --ca-file, or --insecure`
  }
}

/** Faults of a certificate, by the code of OpenSSL or Node. */
const REASONS: Record<string, string> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'a certificate of its chain is self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its issuer is not known',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its issuer is not known',
  UNABLE_TO_GET_ISSUER_CERT: 'its issuer is not known',
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  CERT_SIGNATURE_FAILURE: 'it is not signed by the CA that it names',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is issued for another name than the one in the URL',
  // Node's word for the newer faults of OpenSSL. From Node 24 on, RSA keys of less than 2048 bits are one.
  UNSPECIFIED: 'its key or its signature is most likely too weak for this version of Node',
}

function explain(error: Error, connected: boolean, url: URL): ConnectError {
  const code = (error as NodeJS.ErrnoException).code ?? error.message
  if (connected) {
    const isReset = code === 'ECONNRESET' || code === 'EPIPE'
    const { words = code, advice = TLS_ADVICE } = tlsWords(code) ?? {}
    const what = isReset ? 'the connection was closed during the TLS handshake' : `no TLS with ${url.host}: ${words}`
    return new ConnectError('tls', what, advice, { isLasting: !isReset })
  }
  if (code === 'ECONNREFUSED') {
    return new ConnectError(
      'connect',
      `nothing is listening at ${url.host}`,
      'check that the Core is up, and the host and port of its URL',
    )
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return new ConnectError(
      'connect',
      `the host name ${url.hostname} cannot be resolved`,
      'check the spelling of the URL and the DNS',
      { isLasting: code === 'ENOTFOUND' },
    )
  }
  // From Node 25 on, its permission model covers the network.
  if (code === 'ERR_ACCESS_DENIED') {
    const advice = 'start Node with --allow-net, or without --permission'
    return new ConnectError('connect', `Node may not connect to ${url.host} (--permission)`, advice, {
      isLasting: true,
    })
  }
  return new ConnectError(
    'connect',
    `no connection to ${url.host}: ${code}`,
    'check the network between here and the Core',
  )
}

/** Explains a code of OpenSSL that the user can do something about. */
function tlsWords(code: string): { words: string; advice?: string } | undefined {
  if (/^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/.test(code))
    return { words: 'what answers there speaks no TLS, most likely plain HTTP' }
  if (/^ERR_SSL_(UNSUPPORTED_PROTOCOL|TLSV1_ALERT_PROTOCOL_VERSION|VERSION_TOO_LOW)$/.test(code))
    return {
      words: 'it offers TLS 1.1 or older only, which is broken',
      advice: 'turn on TLS 1.2 or later at the Core',
    }
  if (/^ERR_SSL_(SSLV3_ALERT_HANDSHAKE_FAILURE|NO_SHARED_CIPHER|NO_CIPHERS_AVAILABLE)$/.test(code))
    return {
      words: 'it refused the handshake',
      advice: `${TLS_ADVICE}, and that it takes TLS 1.2 or later with ciphers of today`,
    }
  if (/^ERR_SSL_(DH|EE|CA)_KEY_TOO_SMALL$/.test(code))
    return { words: 'its key is too short to be safe', advice: 'give the Core a longer key' }
  return undefined
}
