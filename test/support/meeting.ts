/** Relays in front of several Cores that serve nobody until somebody has come to each: who asks one Core after another never gets on. */
import { type Relay, startRelay } from './relay.js'

/** Relays that listen. */
export interface MeetingRelays {
  /** Where they listen on 127.0.0.1, in the order of the Cores. */
  ports: number[]
  /** From now on connections wait until there is one to each relay. */
  meet(): void
  close(): Promise<void>
}

/** Starts a relay for each of these ports of 127.0.0.1, which serves everybody at first. */
export async function startMeetingRelays(backs: readonly number[]): Promise<MeetingRelays> {
  const come = new Set<number>()
  let all = Promise.resolve()
  let go = () => {}
  const relays: Relay[] = []
  for (const [index, back] of backs.entries()) {
    const gate = () => {
      if (come.add(index).size === backs.length) go()
      return all
    }
    relays.push(await startRelay([back], { gate }))
  }
  return {
    ports: relays.map(({ port }) => port),
    meet: () => {
      come.clear()
      all = new Promise(resolve => {
        go = resolve
      })
    },
    close: async () => {
      await Promise.all(relays.map(relay => relay.close()))
    },
  }
}
