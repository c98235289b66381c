import type { Socket } from 'node:net'

/** A connection unused for longer may have been dropped on the way, with neither end knowing. */
const MAX_UNUSED_MS = 15_000

/** A connection that stays open from one exchange to the next, as long as the Core allows. */
export class KeptConnection {
  /** Undefined before the first exchange, and after the Core closed it. */
  private socket: Socket | undefined
  private leftAt = 0
  /** Whether a request is under way on it. */
  private busy = false

  /** Keeps the socket for the next exchange; undefined where it cannot be used again. */
  leave(socket: Socket | undefined): void {
    this.busy = false
    this.socket = socket
    this.leftAt = performance.now()
  }

  /** Returns the open socket. A socket with unread bytes is closed: they would pass for the next response. */
  usable(): Socket | undefined {
    const unusedMs = performance.now() - this.leftAt
    if (this.socket && (this.socket.destroyed || this.socket.readableLength > 0 || unusedMs > MAX_UNUSED_MS))
      this.close()
    this.busy = this.socket !== undefined
    return this.socket
  }

  /** Whether it is open and no request is under way on it. */
  get isIdle(): boolean {
    return this.socket !== undefined && !this.busy
  }

  /** Closes the socket. */
  close(): void {
    this.socket?.destroy()
    this.socket = undefined
  }
}
