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
  /** Whether it was left unused on purpose. */
  private rested = false

  /** Keeps the socket for the next exchange; undefined where it cannot be used again. */
  leave(socket: Socket | undefined): void {
    this.busy = false
    this.rested = false
    this.socket = socket
    this.leftAt = performance.now()
  }

  /** Returns the open socket. A socket with unread bytes is closed: they would pass for the next response. */
  usable(): Socket | undefined {
    const unusedMs = performance.now() - this.leftAt
    const isTooOld = unusedMs > MAX_UNUSED_MS && !this.rested
    if (this.socket && (this.socket.destroyed || this.socket.readableLength > 0 || isTooOld)) this.close()
    this.busy = this.socket !== undefined
    return this.socket
  }

  /** Leaves it unused for as long as it may take. TCP finds out meanwhile where it was dropped on the way. */
  rest(): void {
    this.socket?.setKeepAlive(true, MAX_UNUSED_MS)
    this.rested = true
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
