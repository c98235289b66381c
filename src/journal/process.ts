import { readFileSync } from 'node:fs'
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
