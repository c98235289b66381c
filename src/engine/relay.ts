/** A connection that stands between an HTTP client and the Core, and changes what is sent. */
import { Socket } from 'node:net'

/** The changes that a relay makes. */
export interface Changes {
  /**
   * Returns the bytes to send in place of those written for one request; undefined as long as the request is not
   * complete.
   */
  sends(written: Buffer): Buffer | undefined
  /**
   * Returns the part of the received bytes to pass on; undefined as long as there is none. Absent: everything is passed
   * on.
   */
  passes?(came: Buffer): Buffer | undefined
}

/**
 * Stands for an open connection. It changes the first request written to it, and passes on everything after that. When
 * one of the two connections ends, the other ends too.
 */
export class Relay extends Socket {
  /** Whether the request was sent. */
  hasSent = false
  /** The written part of the request, until it is sent. */
  private written = Buffer.alloc(0)
  /** The received bytes, until some are passed on. */
  private came: Buffer | undefined = Buffer.alloc(0)

  constructor(
    readonly inner: Socket,
    private readonly changes: Changes,
  ) {
    super()
    inner.on('data', chunk => this.receive(chunk))
    inner.on('end', () => this.push(null))
    inner.on('error', error => this.destroy(error))
    inner.on('close', () => this.destroy())
    // The next user listens for errors. Until then an error must not crash the process.
    this.on('error', () => {})
  }

  override _read(): void {
    this.inner.resume()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.hasSent) {
      this.inner.write(chunk, done)
      return
    }
    this.written = Buffer.concat([this.written, chunk])
    const whole = this.changes.sends(this.written)
    if (!whole) {
      done()
      return
    }
    this.hasSent = true
    this.inner.write(whole, done)
  }

  override _final(done: (error?: Error | null) => void): void {
    this.inner.end(() => done())
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.inner.destroy()
    done(error)
  }

  private receive(chunk: Buffer): void {
    if (this.came === undefined || !this.changes.passes) {
      this.push(chunk)
      return
    }
    this.came = Buffer.concat([this.came, chunk])
    const passed = this.changes.passes(this.came)
    if (passed === undefined) return
    this.came = undefined
    if (passed.length) this.push(passed)
  }
}
