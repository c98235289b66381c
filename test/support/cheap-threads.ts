/**
 * Makes the threads of a fleet cheap where the product runs within the process of a test: each of them loads the whole program
 * anew, which takes 0.8 s of a processor, and the tests run dozens of fleets.
 *
 * The Cores of a fleet then run within this process, with a copy of their task, as between threads. What a thread shows
 * (several of them, a crash, a lack of memory) is proved by fleet-threads.test, by `inThreads`, and wherever `cli` is told
 * `isProcess`.
 */
import Module, { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { MessagePort } from 'node:worker_threads'

/** As much of the options of a pool as the stand-in uses. */
interface PoolOptions {
  filename: string
}
/** A task holds a port, which is handed over. */
type Task = Record<string, unknown>
type RunCore = (task: Task) => Promise<unknown>

const require = createRequire(import.meta.url)
const PATH = require.resolve('piscina')
const IN_PLACE = { Piscina: poolFor }

/** How many ask for threads. */
let earnest = 0
/** How many fleets have been run. */
let fleets = 0

/** While this goes on, fleets run in threads. */
export async function inThreads<T>(use: () => Promise<T>): Promise<T> {
  earnest += 1
  try {
    return await use()
  } finally {
    earnest -= 1
  }
}

/** Takes the place of a pool of threads. */
class WithinPool {
  /** A thread that has time for one more Core. */
  readonly threads = [
    // This thread has the number 0, so nothing says that the one with this number is late.
    {
      threadId: 1,
      performance: { eventLoopUtilization: () => ({ idle: performance.now(), active: 0, utilization: 0 }) },
    },
  ]
  private readonly module: Promise<{ default: RunCore }>

  constructor({ filename }: PoolOptions) {
    fleets += 1
    // What the Cores of a thread share is made anew for each fleet.
    this.module = import(`${pathToFileURL(filename).href}?fleet=${fleets}`)
  }

  on(): void {}

  async run(task: Task, { transferList }: { transferList: MessagePort[] }): Promise<unknown> {
    const copied = structuredClone(task, { transfer: transferList })
    const { default: runCore } = await this.module
    return structuredClone(await runCore(copied))
  }

  async destroy(): Promise<void> {}
}

/** Returns a pool of threads, or what takes its place. */
function poolFor(options: PoolOptions): object {
  if (earnest === 0) return new WithinPool(options)
  const kept = require.cache[PATH]
  delete require.cache[PATH]
  try {
    const { Piscina } = require(PATH) as { Piscina: new (options: PoolOptions) => object }
    return new Piscina(options)
  } finally {
    require.cache[PATH] = kept
  }
}

// The package is not loaded, since few tests need it.
const stand = new Module(PATH)
Object.assign(stand, { exports: IN_PLACE, loaded: true, filename: PATH })
require.cache[PATH] = stand
