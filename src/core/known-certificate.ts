import type { PeerCertificate, TLSSocket } from 'node:tls'

/**
 * Reads a certificate once. Left alone, Node makes an object of the whole chain for each connection, to compare the name in
 * the certificate. That takes a quarter of the processor time of a connection.
 */
export class KnownCertificate {
  private sha256 = ''
  private certificate: PeerCertificate | undefined

  /** Lets Node read the certificate of this connection here. Call it before the handshake begins. */
  readBy(socket: TLSSocket): void {
    let own: PeerCertificate | undefined
    const read = () => {
      // Once for each connection: Node 20 takes the certificate from the connection by this.
      const certificate = socket.getPeerX509Certificate()
      if (!certificate) return {} as PeerCertificate
      if (!this.certificate || certificate.fingerprint256 !== this.sha256) {
        this.sha256 = certificate.fingerprint256
        this.certificate = certificate.toLegacyObject()
      }
      own = this.certificate
      return own
    }
    Object.defineProperty(socket, 'getPeerCertificate', { value: () => own ?? read() })
  }
}
