/** Sends requests at the same time, and not one after another as their connections come up. */

/** Longest wait for the others, in milliseconds: their connections may be those that a limit keeps them from. */
const MEET_MS = 500

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
