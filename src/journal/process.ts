import { readFileSync, readlinkSync } from 'node:fs'
import type { ProcessLine } from './line.js'

/** Describes this process, and the offsets of its clocks from the clock of the run. */
export function thisProcess(runMs: number): ProcessLine {
  const machineMs = Number(process.hrtime.bigint() / 1000n) / 1000
  const { pid } = process
  return { pid, born: birthOf(pid) ?? '', runMs, machineMs, wallMs: Date.now(), boot: bootId() }
}

/** Whether the process of a line is still running, as far as this machine can tell. */
export function isAtWork({ pid, born, boot }: ProcessLine): boolean {
  if (pid === process.pid || boot !== bootId()) return false
  if (born) return birthOf(pid) === born
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Tells a process from every other one that may write into the same folder. */
export interface ProcessMark {
  pid: number
  /** As in a `ProcessLine`. */
  born: string
  boot: string
  /** The space that the number belongs to: each container has one. Empty where that is not known. */
  space: string
}

/** Returns the mark of this process. */
export function thisMark(): ProcessMark {
  const { pid } = process
  return { pid, born: birthOf(pid) ?? '', boot: bootId(), space: pidSpace() }
}

/**
 * Tells whether the process of a mark has ended. A folder may be shared: of a process of another machine or container, nothing
 * can be known.
 * @param mark of unknown origin
 * @returns undefined where that cannot be known
 */
export function hasEnded({ pid, born, boot, space }: Partial<ProcessMark>): boolean | undefined {
  if (!pid || !born || !boot || !space || boot !== bootId() || space !== pidSpace()) return undefined
  const now = birthOf(pid)
  // A machine may hide the processes of other users.
  return now === undefined && isOfAnotherUser(pid) ? undefined : now !== born
}

function isOfAnotherUser(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function pidSpace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return ''
  }
}

/** Returns an id of the machine's present start (Linux); empty elsewhere, where only the wall clock is left. */
export function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}

/**
 * Returns when a process started, in ticks since the start of the machine (Linux). Process numbers are used again, so
 * the number alone does not identify a process. Undefined where it has ended, also where its parent has not collected
 * it yet, or where this cannot be known.
 */
function birthOf(pid: number): string | undefined {
  try {
    // The name in parentheses may contain anything.
    const [state, ...fields] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return state === 'Z' || state === 'X' ? undefined : fields[18]
  } catch {
    return undefined
  }
}
