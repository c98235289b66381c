/** Starts the threads that run the Cores of a fleet, and finds the thread that has time for one more Core. */
import { availableParallelism } from 'node:os'
import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import type { Worker } from 'node:worker_threads'
import type { Piscina } from 'piscina'
import { duration } from '../../duration.js'
import { Beats, beatsOfThreads } from './beats.js'
import type { CoreEnd, CoreTask } from './task.js'

/** Most threads. A thread takes some 50 MB and runs some hundred Cores that wait for an hour: more threads only take memory. */
const MOST_THREADS = 8
/**
 * Part of the time that a thread may be at work before it takes no more Cores. The rest is for what comes unevenly. Too much work
 * shows as a delay, which `LATE_MS` limits; a lower part leaves processors idle while Cores wait for their beginning.
 */
const BUSY = 0.9
/**
 * Delay at which a thread takes no more Cores, in milliseconds. A step that must be in time takes some five turns of the
 * thread, and has at least 300 ms (`roomMs` of the engine).
 */
const LATE_MS = 100
/** Time over which the load of a thread is measured. A Core rests between its first requests: such a rest is no free room. */
const LOOK_MS = 500
/**
 * Part of a thread's time that a Core is expected to take, until the load is measured again. On two processors, 40 Cores were
 * seen to begin within 15 s; with 0.25 here, and 0.75 as `BUSY`, they took 21 s.
 */
const BEGINNING = 0.15
/** Memory of this process at which no more Cores begin. It must stay below 1.5 GB, and the Cores under way still grow. */
const MUCH_BYTES = 1_100_000_000
/** Heap of all threads together, in MB. A thread that needs more than its part ends, before the machine runs out of memory. */
const MOST_KEPT_MB = 1600

/** The module that runs a Core. Tests use another one. */
const THREAD = new URL('./thread.js', import.meta.url)

/** The load of a thread. */
interface Load {
  thread: Worker
  /** How many Cores the thread runs. */
  cores: number
  /** Says how late the thread is. */
  beats: Beats
  /** The last measurement, and its time. */
  last: EventLoopUtilization
  lastMs: number
  /** The part of the time that the thread was at work before the last measurement, from 0 to 1. */
  busy: number
  /** How many Cores have begun in the thread since then. */
  begun: number
}

/** A pool with as many threads as there are processors. Each thread runs many Cores, and waits for all of them at once. */
export class Threads {
  private readonly loads = new Map<number, Load>()
  /** The thread that takes the next Core. */
  private next: Load | undefined
  /** Shared memory where the threads write how late they are; part of each Core's task. */
  readonly beats = beatsOfThreads()
  /** Whether memory held up a Core at the last look. */
  private isOutOfMemory = false
  /** Rejected when no thread could be started. */
  private readonly broken: Promise<never>

  private constructor(private readonly pool: Piscina<CoreTask, CoreEnd>) {
    this.broken = new Promise((_resolve, reject) => {
      // A thread that ends rejects the runs of its Cores. A thread that cannot start has no run to reject.
      pool.on('error', error => pool.threads.length === 0 && reject(error))
    })
    this.broken.catch(() => {})
  }

  /**
   * Starts the threads.
   * @param most most threads: the number of Cores
   * @param file the module that the threads run; its default export runs one Core
   */
  static async start(most: number, file = THREAD): Promise<Threads> {
    const { Piscina } = await import('piscina')
    const number = Math.max(1, Math.min(availableParallelism(), MOST_THREADS, most))
    let threads: Threads | undefined
    const pool = new Piscina<CoreTask, CoreEnd>({
      filename: fileURLToPath(file),
      minThreads: number,
      maxThreads: number,
      concurrentTasksPerWorker: Number.MAX_SAFE_INTEGER,
      // With atomics, a thread without a new task blocks, and the Cores that it runs stop.
      atomics: 'disabled',
      // Do not pass a loader or an inspector of this process on to the threads.
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: Math.floor(MOST_KEPT_MB / number) },
      recordTiming: false,
      workerHistogram: false,
      loadBalancer: (_task, workers) => {
        const chosen = workers.find(({ id }) => id === threads?.next?.thread.threadId)
        return chosen ?? [...workers].sort((a, b) => a.currentUsage - b.currentUsage)[0] ?? null
      },
    })
    threads = new Threads(pool)
    return threads
  }

  /**
   * Returns whether a thread has time for one more Core, and remembers that thread for {@link run}. Call it every now and then,
   * not in a tight loop.
   */
  hasRoom(): boolean {
    const looks = this.pool.threads.map(thread => this.look(thread))
    const able = looks.filter(({ load, busy, lateMs }) => load.cores === 0 || (busy < BUSY && lateMs < LATE_MS))
    const [best] = able.sort((a, b) => a.load.cores - b.load.cores || a.busy - b.busy)
    this.next = best?.load
    const isSmall = process.memoryUsage.rss() < MUCH_BYTES
    this.isOutOfMemory = !isSmall
    // Without any thread, say yes: {@link run} then rejects with the reason.
    return looks.length === 0 || (isSmall && best !== undefined)
  }

  /** Why {@link hasRoom} found no room for more Cores, as a clause: `this machine had no time for more…`. */
  get shortage(): string {
    if (this.isOutOfMemory) return 'they took as much memory as they may'
    const lateMs = Math.max(0, ...[...this.loads.values()].map(({ beats }) => beats.mostMs))
    const late = lateMs > LATE_MS ? `, and was late by up to ${duration(lateMs)}` : ''
    return `this machine had no time for more${late}`
  }

  /**
   * Runs a Core in the thread that {@link hasRoom} found.
   * @throws Error if the thread ends before the Core does
   */
  async run(task: CoreTask): Promise<CoreEnd> {
    const load = this.next
    if (load) {
      load.cores++
      load.begun++
    }
    try {
      return await Promise.race([this.pool.run(task, { transferList: [task.port] }), this.broken])
    } finally {
      if (load) load.cores--
    }
  }

  /** Ends the threads at once, also while they work. */
  close(): Promise<void> {
    return this.pool.destroy()
  }

  private look(thread: Worker): { load: Load; busy: number; lateMs: number } {
    const nowMs = performance.now()
    const load = this.loads.get(thread.threadId) ?? this.met(thread)
    if (nowMs - load.lastMs >= LOOK_MS) {
      const now = thread.performance.eventLoopUtilization()
      const { idle, active, utilization } = performance.eventLoopUtilization(now, load.last)
      // A thread without a measured time is still starting: count it as fully at work.
      Object.assign(load, { last: now, lastMs: nowMs, begun: 0, busy: idle + active > 0 ? utilization : 1 })
    }
    return { load, busy: load.busy + load.begun * BEGINNING, lateMs: load.beats.lateMs(nowMs) }
  }

  private met(thread: Worker): Load {
    const beats = new Beats(this.beats, thread.threadId)
    const last = thread.performance.eventLoopUtilization()
    const load: Load = { thread, cores: 0, beats, last, lastMs: performance.now(), busy: 0, begun: 0 }
    this.loads.set(thread.threadId, load)
    return load
  }
}
