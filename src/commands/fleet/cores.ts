/** Runs the Cores of a fleet. Their waits overlap. Each Core has its own session, pace and journal, and none stops another. */
import { once, setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { MessageChannel } from 'node:worker_threads'
import { type CoreHead, coreWithout } from '../../fleet/core.js'
import type { FleetCore, FleetRequirement } from '../../fleet/types.js'
import { count } from '../../ground/count.js'
import type { Seal } from '../../journal/seal.js'
import type { Board } from '../../report/fleet/board.js'
import type { Terminal } from '../../terminal.js'
import type { CoreEnd, CoreTask, FromThread, ToThread } from './task.js'
import { Threads } from './threads.js'

/** A Core that is ready to run: its journal exists. See {@link CoreTask}. */
export interface ReadyCore extends Pick<CoreTask, 'outDir' | 'isNew' | 'password' | 'controlKey' | 'reporters'> {
  head: CoreHead
  seal: Seal
}

/** Settings for running the Cores of a fleet. */
interface FleetRun {
  /** How many Cores at a time. */
  atATime: number
  detach: boolean
  /** The command that finishes the fleet. */
  resumeCommand: string
  board: Board | undefined
  signal: AbortSignal
  terminal: Pick<Terminal, 'stderr'>
}

/** The outcome of all Cores of a fleet. */
interface FleetEnd {
  cores: FleetCore[]
  requirements: FleetRequirement[]
  /** Files that could not be written, in sentences. */
  problems: string[]
  /** Other facts for the reader, in sentences. */
  notices: string[]
}

/**
 * Runs the Cores in threads. A thread writes the reports of a Core into the Core's folder as soon as the Core has ended. An
 * error with one Core ends only that Core.
 * @param threadFile the module that the threads run; undefined: that of this package
 */
export async function runCores(ready: readonly ReadyCore[], fleet: FleetRun, threadFile?: URL): Promise<FleetEnd> {
  const { signal, board, atATime } = fleet
  const end: FleetEnd = { cores: [], requirements: [], problems: [], notices: [] }
  if (ready.length === 0) return end
  // Every Core adds a listener to this signal.
  setMaxListeners(0, signal)
  signal.addEventListener('abort', () => board?.stop())
  const sinceMs = performance.now()
  const threads = await Threads.start(Math.min(ready.length, atATime), threadFile)
  try {
    const gate = new Gate(atATime, () => threads.hasRoom())
    const running: Promise<void>[] = []
    for (const core of ready) {
      if (!(await gate.enter(signal))) {
        end.cores.push(notBegun(core, fleet))
        continue
      }
      board?.began(core.head.name)
      running.push(
        runCore(core, fleet, threads).then(({ core: ended, requirements, problems }) => {
          gate.leave()
          end.cores.push(ended)
          end.problems.push(...problems)
          if (!end.requirements.length) end.requirements = requirements
          board?.ended(ended)
        }),
      )
    }
    await Promise.all(running)
    const isShort = gate.peak < ready.length && gate.heldMs > TOLD_PART * (performance.now() - sinceMs)
    if (isShort) end.notices.push(shortNotice(gate.peak, ready.length, threads.shortage))
    return end
  } finally {
    await threads.close()
  }
}

/** Runs one Core in a thread. Never rejects: a thread that ends is the outcome of its Cores. */
async function runCore(core: ReadyCore, fleet: FleetRun, threads: Threads): Promise<CoreEnd> {
  const { head, outDir, isNew, password, controlKey, reporters, seal } = core
  const { board, detach, resumeCommand, signal, terminal } = fleet
  const startedAt = new Date().toISOString()
  const { port1: ours, port2: port } = new MessageChannel()
  const stop = () => ours.postMessage({ type: 'stop' } satisfies ToThread)
  const isSilent = once(ours, 'close')
  ours.on('message', (message: FromThread) => {
    if (message.type === 'activity') board?.show(head.name, message.activity)
    else terminal.stderr.write(message.text)
  })
  signal.addEventListener('abort', stop)
  try {
    const told = { head, outDir, isNew, password, controlKey, reporters, detach, resumeCommand }
    const end = await threads.run({
      ...told,
      keys: seal.keys,
      isShown: board !== undefined,
      beats: threads.beats,
      port,
    })
    // The last messages of the thread may still be on their way.
    await isSilent
    return end
  } catch (error) {
    // The journal stays, so that `resume` can finish the Core.
    const why = { reason: lostText(error), advice: `finish it with: ${resumeCommand}` }
    return { core: coreWithout(head, why, startedAt), requirements: [], problems: [] }
  } finally {
    signal.removeEventListener('abort', stop)
    ours.close()
  }
}

/**
 * Part of the fleet's time. Cores that were held up for longer get a notice. A shorter delay is usual: 50 Cores that begin one
 * after another take seconds of an hour.
 */
const TOLD_PART = 0.1

/**
 * Returns the notice that a larger machine would have been faster.
 * @param peak how many Cores were under way at a time, at most
 * @param cores how many Cores the fleet has
 * @param shortage what held the others up, as a clause
 */
export function shortNotice(peak: number, cores: number, shortage: string): string {
  return `no more than ${peak} of ${count(cores, 'Core')} were under way at a time, since ${shortage}; a larger machine takes less time, and so do shards on several machines`
}

function notBegun({ head }: ReadyCore, { resumeCommand }: FleetRun): FleetCore {
  const why = { reason: 'it was interrupted before its run began', advice: `finish it with: ${resumeCommand}` }
  return coreWithout(head, why, new Date().toISOString())
}

/** Describes the end of a thread. Names the error and leaves its message out: the message may quote a secret. */
function lostText(error: unknown): string {
  const { code = '', name = 'no error of the language' } =
    error instanceof Error ? (error as NodeJS.ErrnoException) : {}
  const why =
    code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'because it ran out of memory' : `because of an internal error (${name})`
  return `the thread that ran it ended ${why}; the Core was not judged`
}

/** Pause between two looks for room, in milliseconds. If nothing holds it up, a lab of 200 Cores begins within half a minute. */
const EVERY_MS = 100

/**
 * Lets Cores begin one after another. A Core begins only while fewer than the allowed number are under way and there is room
 * for one more. The waits, which take most of a run, overlap all the same.
 */
export class Gate {
  private underWay = 0
  /** The greatest number of Cores that were under way at the same time. */
  peak = 0
  /** How long Cores were held up only for want of room, in milliseconds. */
  heldMs = 0

  /**
   * @param most how many Cores may be under way at a time
   * @param hasRoom returns whether there is room for one more Core
   */
  constructor(
    private readonly most: number,
    private readonly hasRoom: () => boolean,
  ) {}

  /**
   * Waits until the next Core may begin. The caller calls {@link leave} when that Core has ended.
   * @returns whether the Core may begin; false once the signal is aborted
   */
  async enter(signal: AbortSignal): Promise<boolean> {
    for (;;) {
      if (signal.aborted) return false
      const hasRoom = this.hasRoom()
      if (this.underWay === 0 || (this.underWay < this.most && hasRoom)) {
        this.underWay++
        this.peak = Math.max(this.peak, this.underWay)
        return true
      }
      const isHeld = this.underWay < this.most
      const sinceMs = performance.now()
      await sleep(EVERY_MS, undefined, { signal }).catch(() => {})
      if (isHeld) this.heldMs += performance.now() - sinceMs
    }
  }

  /** Says that a Core has ended. */
  leave(): void {
    this.underWay--
  }
}
