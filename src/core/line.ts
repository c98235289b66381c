import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

/**
 * The part of a connection that one exchange has: the HTTP client gets this in place of the socket, so that it leaves
 * nothing of itself behind on a connection that is kept, and so that what no client can send can be sent in its stead.
 */
export class Line extends Duplex {
  private sent = false

  /**
   * @param socket connected; read and written by nobody else until {@link leave}
   * @param instead what is sent in place of whatever the client writes
   */
  constructor(
    private readonly socket: Socket,
    private readonly instead?: Buffer,
  ) {
    super({ allowHalfOpen: true })
    socket.on('data', this.onData).on('end', this.onEnd).on('error', this.onError).on('close', this.onClose)
  }

  /**
   * Lets go of the socket.
   * @returns whether all that came was part of the exchange, so that the socket is fit for another
   */
  leave(): boolean {
    const { socket } = this
    socket.off('data', this.onData).off('end', this.onEnd).off('error', this.onError).off('close', this.onClose)
    socket.pause()
    // The client destroys it when more comes than the response that it waits for.
    const unasked = this.destroyed || this.readableLength > 0 || socket.readableLength > 0
    const clean = !unasked && !socket.destroyed && socket.writable
    this.destroy()
    return clean
  }

  /** Called by the HTTP client, for pactum's own timeout of 3 s without a byte. The exchange has its own deadline. */
  setTimeout(): this {
    return this
  }

  override _read(): void {
    this.socket.resume()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (!this.instead) this.socket.write(chunk, done)
    else if (!this.sent) this.socket.write(this.instead, done)
    else done()
    this.sent = true
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
