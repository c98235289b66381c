/** Sends requests at the same time, and not one after another as their connections come up. */
import { setTimeout as sleep } from 'node:timers/promises'

/** Longest wait for the others, in milliseconds: their connections may be those that a limit keeps them from. */
const MEET_MS = 500
/** How long after a head whose body comes late others are sent, in milliseconds: the head has arrived, and the body has not been sent. */
const BEHIND_HEAD_MS = 20

/** Makes what each of so many requests calls when its connection is there: it waits until all of them have called it. */
export function meetingOf(requests: number): () => Promise<void> {
  const waiting: (() => void)[] = []
  let missing = requests
  const begin = () => {
    for (const resume of waiting.splice(0)) resume()
  }
  return () =>
    new Promise(resolve => {
      const timer = setTimeout(resolve, MEET_MS)
      waiting.push(() => {
        clearTimeout(timer)
        resolve()
      })
      missing--
      if (missing <= 0) begin()
    })
}

/** Makes what the others call, where the first of so many requests sends its body late: they wait until its head has arrived. */
export function meetingBehind(meet: () => Promise<void>): () => Promise<void> {
  return async () => {
    await meet()
    await sleep(BEHIND_HEAD_MS)
  }
}
