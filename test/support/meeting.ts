/** Relays in front of several Cores that serve nobody until somebody has come to each: who asks one Core after another never gets on. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Relays that listen. */
export interface MeetingRelays {
  /** Where they listen on 127.0.0.1, in the order of the Cores. */
  ports: number[]
  /** From now on connections wait until there is one to each relay. */
  meet(): void
  close(): Promise<void>
}

/** Starts a relay for each of these ports of 127.0.0.1. TLS passes through untouched, at first at once. */
export async function startMeetingRelays(backs: readonly number[]): Promise<MeetingRelays> {
  const sockets = new Set<Socket>()
  const come = new Set<number>()
  let waiting: (() => void)[] | undefined
  const serve = (client: Socket, back: number) => {
    const core = connect(back, '127.0.0.1')
    for (const socket of [client, core]) {
      sockets.add(socket)
      socket.on('error', () => {}) // either side may go away
    }
    client.once('close', () => core.destroy())
    core.once('close', () => client.destroy())
    client.pipe(core).pipe(client)
  }
  const servers = backs.map((back, index) =>
    createServer({ pauseOnConnect: true }, client => {
      sockets.add(client)
      client.on('error', () => {})
      if (!waiting) return serve(client, back)
      waiting.push(() => serve(client, back))
      come.add(index)
      if (come.size < backs.length) return
      const all = waiting
      waiting = undefined
      for (const go of all) go()
    }),
  )
  for (const server of servers) await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    ports: servers.map(server => (server.address() as AddressInfo).port),
    meet: () => {
      waiting = []
    },
    async close() {
      const closed = servers.map(server => once(server.close(), 'close'))
      for (const socket of sockets) socket.destroy()
      await Promise.all(closed)
    },
  }
}
