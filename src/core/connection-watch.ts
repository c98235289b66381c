import type { Socket } from 'node:net'

/** Counts the connections that are opened and closed. */
export interface ConnectionWatch {
  /** A connection is about to be opened. */
  opening(): Opening
  /** A request goes out on this connection. */
  asked(socket: Socket): void
  /** A whole answer came on this connection. */
  answered(socket: Socket): void
}

/** Receives the fate of one connection. */
export interface Opening {
  /** The connection is ready. @param socket emits its end itself */
  opened(socket: Socket): void
  /** The connection was not made. */
  failed(): void
}
