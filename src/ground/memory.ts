/** Memory stays small, however much garbage a Core's answers make: Node alone lets it grow with the memory of the machine. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** An ordinary run takes less, but for a moment at its beginning; any run promises to stay below 300 MB. */
const MANY_BYTES = 160_000_000
/** Shorter than a hostile Core takes to make 50 MB of garbage. */
const EVERY_MS = 200
/** To collect takes some 50 ms, and what is not needed is given back to the system a little later. */
const LEAST_BETWEEN_MS = 1000
/**
 * Where it takes longer, no more than this part of the time is spent on it: of many Cores there is much that cannot be collected,
 * and on a busy machine a collection each second was seen to leave no time for anything else.
 */
const MOST_SPENT = 0.05

/** From now on, has garbage collected while this process takes much memory. */
export function keepMemorySmall(): void {
  let collectedMs = Number.NEGATIVE_INFINITY
  let pauseMs = LEAST_BETWEEN_MS
  setInterval(() => {
    const nowMs = performance.now()
    if (process.memoryUsage.rss() <= MANY_BYTES || nowMs - collectedMs < pauseMs) return
    collect()
    collectedMs = performance.now()
    pauseMs = Math.max(LEAST_BETWEEN_MS, (collectedMs - nowMs) / MOST_SPENT)
  }, EVERY_MS).unref()
}

let collector: (() => void) | undefined

function collect(): void {
  if (!collector) {
    setFlagsFromString('--expose-gc')
    collector = runInNewContext('gc') as () => void
  }
  collector()
}
