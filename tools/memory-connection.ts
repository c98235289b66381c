/** A connection between two ends within one process: bytes, in order, without a network. */
import { Socket } from 'node:net'

/** One end. A socket for those who use it; what it is sent comes out at the other end. */
class MemorySocket extends Socket {
  other: MemorySocket | undefined
  /** Continues the write of the other end, once this end reads again. */
  private drained: (() => void) | undefined

  override _read(): void {
    const drained = this.drained
    this.drained = undefined
    drained?.()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const { other } = this
    if (!other || other.destroyed) {
      done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
      return
    }
    // As on a wire: the bytes arrive later, never within the call that sends them.
    setImmediate(() => {
      if (other.destroyed || other.push(chunk)) done()
      else other.drained = done
    })
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => Buffer.from(chunk))), 'utf8', done)
  }

  override _final(done: (error?: Error | null) => void): void {
    setImmediate(() => {
      if (this.other && !this.other.destroyed) this.other.push(null)
      done()
    })
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const { other } = this
    setImmediate(() => {
      if (other && !other.destroyed) {
        if (!other.readableEnded) other.push(null)
        other.end()
      }
    })
    super._destroy(error, ended => done(ended ?? null))
  }

  /** Ends the connection with an error at the other end. */
  override resetAndDestroy(): this {
    this.other?.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }))
    return this.destroy()
  }

  override setNoDelay(): this {
    return this
  }

  override setKeepAlive(): this {
    return this
  }

  override ref(): this {
    return this
  }

  override unref(): this {
    return this
  }
}

/** Makes a connection. @returns its two ends, both open */
export function memoryConnection(): [client: Socket, server: Socket] {
  const [client, server] = [new MemorySocket(), new MemorySocket()]
  client.other = server
  server.other = client
  // A reset may come when nobody uses the connection, and so listens.
  for (const end of [client, server]) end.on('error', () => {})
  return [client, server]
}
