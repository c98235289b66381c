import { Writable } from 'node:stream'

/**
 * A stream that keeps what is written to it, at once. A pipe would not do: when it hands on what was written, and in how many parts,
 * differs between versions of Node.
 */
export class Screen extends Writable {
  text = ''

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk
    done()
  }
}
