/**
 * Keeps the memory of the process small, however much garbage a Core's answers make. By itself, Node lets memory grow
 * with that of the machine.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Memory above which garbage is collected. An ordinary run takes less, except for a moment at its start; any run
 * promises to stay below 300 MB.
 */
const MANY_BYTES = 160_000_000
/** Time between two looks at the memory: shorter than a hostile Core needs to make 50 MB of garbage. */
const EVERY_MS = 200
/** Least time between two collections. One takes some 50 ms, and the system gets the memory back a little later. */
const LEAST_BETWEEN_MS = 1000
/**
 * Largest part of the time that is spent on collecting. A run of many Cores holds much memory that cannot be freed. On
 * a busy machine, a collection each second was seen to leave no time for anything else.
 */
const MOST_SPENT = 0.05

/** Starts to collect garbage whenever this process takes much memory. */
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
