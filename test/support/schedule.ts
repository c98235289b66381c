/** Decides when each test file runs: the longest first, and waiting ones beside computing ones. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** The cost of a test file. */
export interface Cost {
  /** Duration from start to end, on processors that are not busy. */
  seconds: number
  /** Processor time in seconds, including that of its child processes. */
  cpu: number
}

/** The costs by file name. */
export type Costs = Record<string, Cost>

/** Files that take less are not written down, in seconds. */
const LEAST_SECONDS = 8
/** The cost of a file that is not written down. */
const SHORT: Cost = { seconds: 3, cpu: 1 }
/** The least load: even an idle file takes its process, memory and a start. */
const LEAST_LOAD = 0.15
/** Most load. With more, processes wait for each other, and timers come late. */
const LOAD_PER_PROCESSOR = 1
/** The load of each file while costs are measured: one for each processor, so that no file waits for one and seems to take longer. */
const MEASURED_LOAD = LOAD_PER_PROCESSOR

/**
 * Reads the costs that an earlier run recorded.
 * @param file JSON of `Costs`
 * @returns nothing where there is no such file
 */
export function readCosts(file: string): Costs {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Costs) : {}
}

/** Writes the costs of long files for `readCosts`, one line each, in their order. */
export function writeCosts(file: string, costs: Costs): void {
  const lines = Object.keys(costs)
    .filter(name => (costs[name]?.seconds ?? 0) >= LEAST_SECONDS)
    .sort()
    .map(
      name =>
        `  ${JSON.stringify(name)}: ${JSON.stringify(costs[name])
          .replaceAll(/([,:{])/g, '$1 ')
          .replace('}', ' }')}`,
    )
  writeFileSync(file, `{\n${lines.join(',\n')}\n}\n`)
}

/** Returns the cost of files that run one after another. */
export function costOf(costs: Costs, ...files: readonly string[]): Cost {
  const each = files.map(name => costs[name] ?? SHORT)
  const sum = (key: keyof Cost) => each.reduce((total, cost) => total + cost[key], 0)
  return { seconds: sum('seconds'), cpu: sum('cpu') }
}

/** Hands out the files to run. */
export class Schedule {
  private readonly waiting: string[]
  private load = 0
  private running = 0

  constructor(
    files: readonly string[],
    private readonly costs: Costs,
    private readonly processors: number,
    /** Whether costs are measured: then one file runs at a time for each processor. */
    private readonly isMeasured = false,
  ) {
    const seconds = (name: string) => costOf(costs, name).seconds
    this.waiting = [...files].sort((a, b) => seconds(b) - seconds(a) || (a < b ? -1 : 1))
  }

  /** Returns the next file for which there is room now; undefined where there is no room or no file. */
  take(): string | undefined {
    const room = this.processors * LOAD_PER_PROCESSOR - this.load
    const index = this.running ? this.waiting.findIndex(name => this.loadOf(name) <= room) : 0
    const [file] = index < 0 ? [] : this.waiting.splice(index, 1)
    if (file === undefined) return undefined
    this.running++
    this.load += this.loadOf(file)
    return file
  }

  ended(file: string): void {
    this.running--
    this.load -= this.loadOf(file)
  }

  private loadOf(name: string): number {
    if (this.isMeasured) return MEASURED_LOAD
    const { seconds, cpu } = costOf(this.costs, name)
    return Math.max(LEAST_LOAD, Math.min(1, cpu / seconds))
  }
}

/** Linux counts in hundredths of a second on every processor. */
const TICKS_PER_SECOND = 100

/**
 * Returns the processor time of a process and of its ended children, in seconds; undefined where the system does not provide
 * it. See proc(5), fields 14 to 17 of `stat`.
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
