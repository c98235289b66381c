/** Which test file runs when: the longest first, and those that wait beside those that compute. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** What a test file takes. */
export interface Cost {
  /** From start to end, with nothing beside it. */
  seconds: number
  /** Of processor time, with that of the processes that it starts. */
  cpu: number
}

/** What each file takes, by its name. */
export type Costs = Record<string, Cost>

/** Of a file that was never measured: begun early, in case it takes long. */
const UNKNOWN: Cost = { seconds: 30, cpu: 15 }
/** Below this a file still takes its process, with memory and a start. */
const LEAST_LOAD = 0.15
/** A little more than there are processors: no file computes all the time. */
const LOAD_PER_PROCESSOR = 1.25

/**
 * Reads the costs that an earlier run recorded.
 * @param file JSON of `Costs`
 * @returns nothing where there is no such file
 */
export function readCosts(file: string): Costs {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Costs) : {}
}

/** Writes costs for `readCosts`, a line for each file, in their order. */
export function writeCosts(file: string, costs: Costs): void {
  const lines = Object.keys(costs)
    .sort()
    .map(
      name =>
        `  ${JSON.stringify(name)}: ${JSON.stringify(costs[name])
          .replaceAll(/([,:{])/g, '$1 ')
          .replace('}', ' }')}`,
    )
  writeFileSync(file, `{\n${lines.join(',\n')}\n}\n`)
}

/** Gives out the files to run. */
export class Schedule {
  private readonly waiting: string[]
  private load = 0
  private running = 0

  constructor(
    files: readonly string[],
    private readonly costs: Costs,
    private readonly processors: number,
  ) {
    const seconds = (name: string) => this.costOf(name).seconds
    this.waiting = [...files].sort((a, b) => seconds(b) - seconds(a) || (a < b ? -1 : 1))
  }

  /** The next file for which there is room now; undefined where there is none, or none is left. */
  take(): string | undefined {
    const room = this.processors * LOAD_PER_PROCESSOR - this.load
    const index = this.running ? this.waiting.findIndex(name => this.loadOf(name) <= room) : 0
    const [file] = index < 0 ? [] : this.waiting.splice(index, 1)
    if (file === undefined) return undefined
    this.running++
    this.load += this.loadOf(file)
    return file
  }

  /** A file that was taken has ended. */
  ended(file: string): void {
    this.running--
    this.load -= this.loadOf(file)
  }

  private costOf(name: string): Cost {
    return this.costs[name] ?? UNKNOWN
  }

  private loadOf(name: string): number {
    const { seconds, cpu } = this.costOf(name)
    return Math.max(LEAST_LOAD, Math.min(1, cpu / seconds))
  }
}

/** In hundredths of a second, as Linux counts it whatever the processor. */
const TICKS_PER_SECOND = 100

/**
 * The processor time of a process and of its children that have ended, in seconds; undefined where the system does not tell.
 * See proc(5), fields 14 to 17 of `stat`.
 */
export function cpuOf(pid: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND
  } catch {
    return undefined
  }
}
