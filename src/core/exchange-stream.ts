import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

/**
 * The share that one exchange has of a connection. The HTTP client gets an `ExchangeStream` in place of the socket, for two
 * reasons: the client leaves no listeners on a kept connection, and other bytes can be sent in place of those that the
 * client writes.
 */
export class ExchangeStream extends Duplex {
  private sent = false
  /** Whether a part of the request has yet to be sent. */
  private isUnsent = false

  /**
   * @param socket a connected socket; nobody else reads or writes it until {@link leave}
   * @param instead the bytes to send in place of those that the client writes, in parts
   * @param between waits between two parts; `left`: how many are left to send
   */
  constructor(
    private readonly socket: Socket,
    private readonly instead?: readonly Buffer[],
    private readonly between: (left: number) => Promise<unknown> = async () => {},
  ) {
    super({ allowHalfOpen: true })
    socket.on('data', this.onData).on('end', this.onEnd).on('error', this.onError).on('close', this.onClose)
  }

  /**
   * Lets go of the socket.
   * @returns whether the request was sent whole, and every byte received belonged to the exchange, so that the socket can
   *   serve another one
   */
  leave(): boolean {
    const { socket } = this
    socket.off('data', this.onData).off('end', this.onEnd).off('error', this.onError).off('close', this.onClose)
    socket.pause()
    // The client destroys the stream when more arrives than the response that it waits for.
    const unasked = this.destroyed || this.readableLength > 0 || socket.readableLength > 0
    const clean = !unasked && !this.isUnsent && !socket.destroyed && socket.writable
    this.destroy()
    return clean
  }

  /**
   * Does nothing. The HTTP client calls it for pactum's timeout of 3 s without a byte; the exchange has a deadline of
   * its own.
   */
  setTimeout(): this {
    return this
  }

  override _read(): void {
    this.socket.resume()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (!this.instead) this.socket.write(chunk, done)
    else if (!this.sent) this.sendInstead(this.instead, done)
    else done()
    this.sent = true
  }

  private sendInstead([first, ...others]: readonly Buffer[], done: (error?: Error | null) => void): void {
    this.isUnsent = others.length > 0
    if (!this.isUnsent || this.socket.destroyed) {
      this.socket.write(first ?? '', done)
      return
    }
    const next = () => {
      // A Core may have answered at the head. Its connection serves nobody else then.
      if (!this.destroyed) this.sendInstead(others, done)
    }
    this.socket.write(first ?? '', () => void this.between(others.length).then(next))
  }

  /** Sends several chunks in one go: a head and its body are one TLS record and one packet then, where they fit. */
  override _writev(chunks: { chunk: Buffer; encoding: BufferEncoding }[], done: (error?: Error | null) => void): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), 'utf8', done)
  }

  private readonly onData = (chunk: Buffer) => {
    if (!this.push(chunk)) this.socket.pause()
  }
  private readonly onEnd = () => {
    this.push(null)
  }
  private readonly onError = (error: Error) => {
    this.destroy(error)
  }
  private readonly onClose = () => {
    this.destroy()
  }
}
