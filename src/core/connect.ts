/** Makes connections to a Core, and says why one was not made. Over 250 lines, since most of them are the words for what went wrong. */
import { isIP, type Socket, connect as tcpConnect } from 'node:net'
import {
  type ConnectionOptions,
  createSecureContext,
  type PeerCertificate,
  TLSSocket,
  connect as tlsConnect,
} from 'node:tls'
import type { TransportError } from '../result.js'
import type { Place, Target } from './target.js'

/** A connection that was not made. `advice` says what the user can do. */
export class ConnectError extends Error {
  /** SHA-256 of the presented certificate, where there was one. */
  readonly fingerprint: string | undefined
  /** Whether another try would fail alike: the certificate is not trusted, or the name does not exist. */
  readonly isLasting: boolean

  constructor(
    readonly kind: TransportError['kind'],
    message: string,
    readonly advice: string,
    { fingerprint, isLasting = false }: { fingerprint?: string | undefined; isLasting?: boolean } = {},
  ) {
    super(message)
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
  if (url.protocol === 'http:')
    return timeoutMs => opened(tcpConnect({ host, port: Number(url.port || 80) }), { url, trust }, timeoutMs)
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
  const readCertificate = certificateReader()
  const connectFrom = (localAddress: string | undefined, timeoutMs: number) => {
    const socket = tlsConnect({ ...options, ...(localAddress !== undefined && { localAddress }) })
    readCertificate(socket)
    return opened(socket, { url, trust }, timeoutMs)
  }
  const any = ANY_ADDRESS[isIP(host)]
  let isBound = true
  return timeoutMs => {
    isBound = !isBound
    if (!isBound || any === undefined) return connectFrom(undefined, timeoutMs)
    // The port that was chosen may still be that of a connection to the same Core that was closed a moment ago.
    const again = (error: Error) =>
      /EADDR/.test(error.message) ? connectFrom(undefined, timeoutMs) : Promise.reject(error)
    return connectFrom(any, timeoutMs).catch(again)
  }
}

/**
 * The address of a client that does not choose its own, by the version of IP. On Linux one that names it gets odd ports, mostly, and one that
 * does not gets even ones: a balancer that deals out connections by the port would never use half of its back ends.
 */
const ANY_ADDRESS: Record<number, string> = { 4: '0.0.0.0', 6: '::' }

/**
 * Makes a function that reads the certificate of a connection, once for all that have the same; to be called before the handshake begins.
 * Left alone, Node makes an object of the whole chain for each connection, to compare the name in the certificate. That takes a quarter
 * of the processor time of a connection.
 */
function certificateReader(): (socket: TLSSocket) => void {
  let known: { sha256: string; certificate: PeerCertificate } | undefined
  return socket => {
    let own: PeerCertificate | undefined
    const read = () => {
      // Once for each connection: Node 20 takes the certificate from the connection by this.
      const certificate = socket.getPeerX509Certificate()
      if (!certificate) return {} as PeerCertificate
      const sha256 = certificate.fingerprint256
      if (known?.sha256 !== sha256) known = { sha256, certificate: certificate.toLegacyObject() }
      own = known.certificate
      return own
    }
    Object.defineProperty(socket, 'getPeerCertificate', { value: () => own ?? read() })
  }
}

/** Waits until a connection is made. @throws ConnectError */
function opened(socket: Socket, { url, trust }: Place, timeoutMs: number): Promise<Socket> {
  const secure = socket instanceof TLSSocket ? socket : undefined
  return new Promise((resolve, reject) => {
    let isHandshake = false
    const fail = (error: ConnectError) => {
      clearTimeout(timer)
      socket.destroy()
      reject(error)
    }
    const timer = setTimeout(() => {
      const stage = isHandshake ? 'the TLS handshake was not finished' : 'no connection'
      const slow = ' and the network, or give a Core that is slower more time with a longer --deadline'
      const advice = `check the address${secure ? slow : ''}`
      fail(new ConnectError(isHandshake ? 'tls' : 'connect', `${stage} within ${timeoutMs / 1000} s`, advice))
    }, timeoutMs)
    if (secure)
      socket.once('connect', () => {
        isHandshake = true
      })
    socket.once('error', error => fail(explain(error, isHandshake, url)))
    socket.once('close', () =>
      fail(new ConnectError('tls', 'the connection was closed during the TLS handshake', TLS_ADVICE)),
    )
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      const distrust = secure && judge(secure, trust)
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
  const { why = code || 'unknown reason', mend } = isChain
    ? { why: 'that of its CA has expired' }
    : (FAULTS[code] ?? {})
  const hasCaFile = trust.kind === 'ca'
  const pin = `pass --fingerprint with it${hasCaFile ? ' instead of --ca-file' : ''}`
  // A CA file does not help where the certificate itself is wrong.
  const usual = hasCaFile ? `give the file of the CA that issued it, or ${pin}` : `${pin}, --ca-file, or --insecure`
  const advice = `its SHA-256 is ${fingerprint}; ${mend?.(pin) ?? usual}`
  return new ConnectError('tls', `the certificate is not trusted: ${why}`, advice, { fingerprint, isLasting: true })
}

/** Faults of a certificate, by the code of OpenSSL or Node; `mend`: what to do, where pinning it is not the first choice. */
const FAULTS: Record<string, { why: string; mend?: (pin: string) => string }> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: { why: 'it is self-signed' },
  SELF_SIGNED_CERT_IN_CHAIN: { why: 'a certificate of its chain is self-signed' },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: { why: 'its issuer is not known' },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: { why: 'its issuer is not known' },
  UNABLE_TO_GET_ISSUER_CERT: { why: 'its issuer is not known' },
  CERT_SIGNATURE_FAILURE: { why: 'it is not signed by the CA that it names' },
  CERT_HAS_EXPIRED: {
    why: 'it has expired',
    mend: pin => `have it renewed at the Core, or ${pin}, which takes it as it is`,
  },
  CERT_NOT_YET_VALID: {
    why: 'it is not valid yet',
    mend: pin => `set the clocks of the Core and of this machine, or ${pin}, which takes it as it is`,
  },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    why: 'it is issued for another name than the one in the URL',
    mend: pin => `give the URL with a name that it is issued for, or ${pin}`,
  },
  // Node's word for the newer faults of OpenSSL. From Node 24 on, RSA keys of less than 2048 bits are one.
  UNSPECIFIED: {
    why: 'its key or its signature is most likely too weak for this version of Node',
    mend: pin =>
      `give the Core a certificate with a longer key (RSA from 2048 bits, signed with SHA-256), or ${pin}, which takes it as it is`,
  },
}

function explain(error: Error, connected: boolean, url: URL): ConnectError {
  const code = (error as NodeJS.ErrnoException).code ?? error.message
  if (connected) {
    const isReset = code === 'ECONNRESET' || code === 'EPIPE'
    const { words = code, advice = TLS_ADVICE } = TLS_FAULTS.find(each => each.code.test(code)) ?? {}
    const what = isReset ? 'the connection was closed during the TLS handshake' : `no TLS with ${url.host}: ${words}`
    return new ConnectError('tls', what, advice, { isLasting: !isReset })
  }
  const fail = (message: string, advice: string, isLasting = false) =>
    new ConnectError('connect', message, advice, { isLasting })
  if (code === 'ECONNREFUSED')
    return fail(`nothing is listening at ${url.host}`, 'check that the Core is up, and the host and port of its URL')
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return fail(
      `the host name ${url.hostname} cannot be resolved`,
      'check the spelling of the URL and the DNS',
      code === 'ENOTFOUND',
    )
  // From Node 25 on, its permission model covers the network.
  if (code === 'ERR_ACCESS_DENIED')
    return fail(
      `Node may not connect to ${url.host} (--permission)`,
      'start Node with --allow-net, or without --permission',
      true,
    )
  return fail(`no connection to ${url.host}: ${code}`, 'check the network between here and the Core')
}

/** Codes of OpenSSL that the user can do something about. */
const TLS_FAULTS: { code: RegExp; words: string; advice?: string }[] = [
  {
    code: /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/,
    words: 'what answers there speaks no TLS, most likely plain HTTP',
  },
  {
    code: /^ERR_SSL_(UNSUPPORTED_PROTOCOL|TLSV1_ALERT_PROTOCOL_VERSION|VERSION_TOO_LOW)$/,
    words: 'it offers TLS 1.1 or older only, which is broken',
    advice: 'turn on TLS 1.2 or later at the Core',
  },
  {
    code: /^ERR_SSL_(SSLV3_ALERT_HANDSHAKE_FAILURE|NO_SHARED_CIPHER|NO_CIPHERS_AVAILABLE)$/,
    words: 'it refused the handshake',
    advice: `${TLS_ADVICE}, and that it takes TLS 1.2 or later with ciphers of today`,
  },
  {
    code: /^ERR_SSL_(DH|EE|CA)_KEY_TOO_SMALL$/,
    words: 'its key is too short to be safe',
    advice: 'give the Core a longer key',
  },
]
