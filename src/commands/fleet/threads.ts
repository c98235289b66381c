/** The threads that carry the Cores of a fleet, and which of them has time for one more. */
import { availableParallelism } from 'node:os'
import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import type { Worker } from 'node:worker_threads'
import type { Piscina } from 'piscina'
import { duration } from '../../duration.js'
import { Beats, beatsOfThreads } from './beats.js'
import type { CoreEnd, CoreTask } from './task.js'

/** One takes some 50 MB, and carries some hundred Cores that wait for an hour: of more there is memory lost and nothing won. */
const MOST_THREADS = 8
/**
 * A part of the time that a thread was at work. Beyond it, what one more Core sends would wait for its turn there, and the Cores
 * would be seen to be slower than they are.
 */
const BUSY = 0.75
/**
 * Nor does one begin where the thread is as late as this: what has to be in time there takes some five of its turns, and has 300 ms at
 * the least (`roomMs` of the engine).
 */
const LATE_MS = 100
/** The time over which a thread is looked at. A Core has moments of rest between its first requests, which are no room for another. */
const LOOK_MS = 500
/** What a Core that has begun since the last look takes of a thread, as far as can be known before it is seen. */
const BEGINNING = 0.25
/** No more Cores begin while this process takes so much memory: it is to stay below 1.5 GB, and those under way still grow. */
const MUCH_BYTES = 1_100_000_000
/** What all threads together may keep. A thread that needs more than its part ends, before the machine has none left. */
const MOST_KEPT_MB = 1600

/** What runs a Core: the thread of this package, or another in a test. */
const THREAD = new URL('./thread.js', import.meta.url)

/** What is known of a thread. */
interface Load {
  thread: Worker
  /** How many Cores it carries. */
  cores: number
  /** How late it is. */
  beats: Beats
  /** How it stood when it was looked at last, and when that was. */
  last: EventLoopUtilization
  lastMs: number
  /** The part of the time that it was at work then. */
  busy: number
  /** How many Cores have begun there since. */
  begun: number
}

/** Many Cores to a thread, as many threads as there are processors. Each thread waits for all of its Cores at once. */
export class Threads {
  private readonly loads = new Map<number, Load>()
  /** The thread that takes the next Core. */
  private next: Load | undefined
  /** Where the threads tell how late they are; each Core's task has it. */
  readonly beats = beatsOfThreads()
  /** What held up a Core at last. */
  private isOutOfMemory = false
  /** Rejected when no thread could be started. */
  private readonly broken: Promise<never>

  private constructor(private readonly pool: Piscina<CoreTask, CoreEnd>) {
    this.broken = new Promise((_resolve, reject) => {
      // A thread that ends tells whoever waits for one of its Cores; one that cannot begin has none.
      pool.on('error', error => pool.threads.length === 0 && reject(error))
    })
    this.broken.catch(() => {})
  }

  /** @param most no more threads than this: there are no more Cores. @param file what they run, a module with one function */
  static async start(most: number, file = THREAD): Promise<Threads> {
    const { Piscina } = await import('piscina')
    const number = Math.max(1, Math.min(availableParallelism(), MOST_THREADS, most))
    let threads: Threads | undefined
    const pool = new Piscina<CoreTask, CoreEnd>({
      filename: fileURLToPath(file),
      minThreads: number,
      maxThreads: number,
      concurrentTasksPerWorker: Number.MAX_SAFE_INTEGER,
      // A thread with nothing to do would stop, also what it has going on, until it is given a Core.
      atomics: 'disabled',
      // A loader or an inspector of this process is not meant for them.
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

  /** Looks which thread has time for one more Core, and remembers it. To be called every now and then, not all the time. */
  hasRoom(): boolean {
    const looks = this.pool.threads.map(thread => this.look(thread))
    const able = looks.filter(({ load, busy, lateMs }) => load.cores === 0 || (busy < BUSY && lateMs < LATE_MS))
    const [best] = able.sort((a, b) => a.load.cores - b.load.cores || a.busy - b.busy)
    this.next = best?.load
    const isSmall = process.memoryUsage.rss() < MUCH_BYTES
    this.isOutOfMemory = !isSmall
    // Where there is no thread, whoever asks for one is told why.
    return looks.length === 0 || (isSmall && best !== undefined)
  }

  /** Why there was no room for more Cores, as far as {@link hasRoom} has seen: `this machine had no time for more…`. */
  get shortage(): string {
    if (this.isOutOfMemory) return 'they took as much memory as they may'
    const lateMs = Math.max(0, ...[...this.loads.values()].map(({ beats }) => beats.mostMs))
    const late = lateMs > LATE_MS ? `, and was late by up to ${duration(lateMs)}` : ''
    return `this machine had no time for more${late}`
  }

  /**
   * Has a Core run by the thread that {@link hasRoom} found.
   * @throws Error where the thread ends before the Core does
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

  /** Ends the threads, whatever they do. */
  close(): Promise<void> {
    return this.pool.destroy()
  }

  private look(thread: Worker): { load: Load; busy: number; lateMs: number } {
    const nowMs = performance.now()
    const load = this.loads.get(thread.threadId) ?? this.met(thread)
    if (nowMs - load.lastMs >= LOOK_MS) {
      const now = thread.performance.eventLoopUtilization()
      const { idle, active, utilization } = performance.eventLoopUtilization(now, load.last)
      // One that has not begun yet is at work.
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
