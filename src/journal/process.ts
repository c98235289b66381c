import { readFileSync } from 'node:fs'
import type { ProcessLine } from './line.js'

/** This process, and how its clocks stand to the clock of the run. */
export function thisProcess(runMs: number): ProcessLine {
  const machineMs = Number(process.hrtime.bigint() / 1000n) / 1000
  const { pid } = process
  return { pid, born: birthOf(pid) ?? '', runMs, machineMs, wallMs: Date.now(), boot: bootId() }
}

/** Whether the process that wrote a line is at work still, as far as this machine can tell. */
export function isAtWork({ pid, born, boot }: ProcessLine): boolean {
  if (pid === process.pid || boot !== bootId()) return false
  if (born) return birthOf(pid) === born
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Linux tells the starts of a machine apart; elsewhere only the wall clock is left. */
export function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}

/**
 * When a process was started, in ticks since the machine was (Linux): numbers of processes are used again. Undefined when it
 * is gone, also where nobody has taken note of its end yet, or when this cannot be known.
 */
function birthOf(pid: number): string | undefined {
  try {
    // The name, in parentheses, may hold anything.
    const [state, ...fields] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return state === 'Z' || state === 'X' ? undefined : fields[18]
  } catch {
    return undefined
  }
}
