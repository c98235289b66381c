/** What a run sees of a Core that takes few connections at a time. */
import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import type { Connections } from '../../dist/core/connections.js'

/** Makes the parts of a connection that are counted. */
export function socket(): Socket {
  return new EventEmitter() as Socket
}

/** Opens connections to a Core that refuses any connection beyond its limit at once. */
export function meetLimit(connections: Connections, limit: number, rounds: number): void {
  for (let round = 0; round < rounds; round++) {
    const open = Array.from({ length: limit }, () => socket())
    for (const one of open) connections.crowding.opening().opened(one)
    for (let fail = 0; fail < 4; fail++) connections.crowding.opening().failed()
    open.pop()?.emit('close')
    const last = socket()
    connections.crowding.opening().opened(last)
    for (const one of [...open, last]) one.emit('close')
  }
}
