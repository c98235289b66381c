/** A connection between the one to the Core and whoever sends on it, which changes what is sent. */
import { Socket } from 'node:net'

/** What a relay changes. */
export interface Changes {
  /** Gives what is sent in place of all that was written for one request; undefined as long as that is not all of it. */
  sends(written: Buffer): Buffer | undefined
  /** Gives what of all that came is passed on; undefined as long as nothing is. Absent: everything is passed on. */
  passes?(came: Buffer): Buffer | undefined
}

/**
 * Stands for a connection that is open. The first request that is written to it is sent otherwise, as its changes say; after that it
 * passes everything on. It ends with the connection, and the connection with it.
 */
export class Relay extends Socket {
  /** Whether the request was sent. */
  hasSent = false
  /** What was written of the request, as long as it is not sent. */
  private written = Buffer.alloc(0)
  /** What came, as long as nothing of it is passed on. */
  private came: Buffer | undefined = Buffer.alloc(0)

  constructor(
    private readonly inner: Socket,
    private readonly changes: Changes,
  ) {
    super()
    inner.on('data', chunk => this.receive(chunk))
    inner.on('end', () => this.push(null))
    inner.on('error', error => this.destroy(error))
    inner.on('close', () => this.destroy())
    // Whoever uses it next listens for errors; until then, one must not crash the process.
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
