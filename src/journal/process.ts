import {
  closeSync,
  linkSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { textIn } from '../ground/file.js'
import { fieldsIn } from '../ground/json.js'
import { JOURNAL_FILE, type ProcessLine } from './line.js'

/** Describes this process, and the offsets of its clocks from the clock of the run. */
export function thisProcess(runMs: number): ProcessLine {
  const machineMs = Number(process.hrtime.bigint() / 1000n) / 1000
  const { pid } = process
  return { pid, born: birthOf(pid) ?? '', runMs, machineMs, wallMs: Date.now(), boot: bootId() }
}

/** Whether the process of a line is still running, as far as this machine can tell. */
export function isAtWork({ pid, born, boot }: ProcessLine): boolean {
  if (pid === process.pid || boot !== bootId()) return false
  return born ? birthOf(pid) === born : ownerOf(pid) !== undefined
}

/** Tells a process from every other one that may write into the same folder. */
interface ProcessMark extends Pick<ProcessLine, 'pid' | 'born' | 'boot'> {
  /** The space that the number belongs to: each container has one. Empty where that is not known. */
  space: string
}

/**
 * Tells whether the process of a mark has ended. A folder may be shared: of a process of another machine or container, nothing
 * can be known.
 * @param mark of unknown origin
 * @returns undefined where that cannot be known
 */
function hasEnded({ pid, born, boot, space }: Partial<ProcessMark>): boolean | undefined {
  if (!pid || !born || !boot || !space || boot !== bootId() || space !== pidSpace()) return undefined
  const now = birthOf(pid)
  // A machine may hide the processes of other users.
  return now === undefined && ownerOf(pid) === 'another user' ? undefined : now !== born
}

/** Returns whose process has a number; undefined where there is none. */
function ownerOf(pid: number): 'this user' | 'another user' | undefined {
  try {
    process.kill(pid, 0)
    return 'this user'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? 'another user' : undefined
  }
}

/** Returns what the system tells; empty where it does not. */
function told(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}

const pidSpace = () => told(() => readlinkSync('/proc/self/ns/pid'))

/** Returns an id of the machine's present start (Linux); empty elsewhere, where only the wall clock is left. */
const bootId = () => told(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())

/**
 * Returns when a process started, in ticks since the start of the machine (Linux). Process numbers are used again, so
 * the number alone does not identify a process. Undefined where it has ended, also where its parent has not collected
 * it yet, or where this cannot be known.
 */
function birthOf(pid: number): string | undefined {
  const text = told(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  // The name in parentheses may contain anything.
  const [state, ...fields] = text.replace(/^.*\) /s, '').split(' ')
  return state === 'Z' || state === 'X' ? undefined : fields[18]
}

/**
 * Work under a claim takes milliseconds. Where nobody can tell whether the holder still runs (another machine, another
 * container), an older claim was left by a killed process.
 */
const STALE_MS = 10_000
/** A claim has some 130 bytes. */
const MOST_BYTES = 10_000

interface Found {
  /** JSON of the holder's `ProcessMark`; empty for the moment between creation and writing. */
  text: string
  mtimeMs: number
}

/**
 * Does work that only one process at a time may do with the journal of a folder. Nobody waits for the claim. The claim of a
 * process that was killed is taken away.
 * @param work short and synchronous
 * @returns the result of the work; undefined where another process holds the claim
 * @throws Error of the file system
 */
export function claimed<T>(folder: string, work: () => T): T | undefined {
  const path = join(folder, `${JOURNAL_FILE}.lock`)
  const found = claimAt(path)
  if (found && (hasEnded(fieldsIn(found.text)) ?? Date.now() - found.mtimeMs > STALE_MS)) takeAway(path, found)
  if (!create(path)) return undefined
  try {
    return work()
  } finally {
    rmSync(path, { force: true })
  }
}

/** @returns whether it was created; false where another process was faster */
function create(path: string): boolean {
  const { pid } = process
  // Made first: who is killed between the two calls that follow leaves an empty claim, which nobody can tell the holder of.
  const mark: ProcessMark = { pid, born: birthOf(pid) ?? '', boot: bootId(), space: pidSpace() }
  let file: number
  try {
    file = openSync(path, 'wx', 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
  try {
    writeSync(file, JSON.stringify(mark))
  } catch (error) {
    // Left empty, it would look like the claim of a process that is about to write into it.
    rmSync(path, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
  return true
}

/** @returns undefined where there is no claim */
function claimAt(path: string): Found | undefined {
  const mtimeMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs
  return mtimeMs === undefined ? undefined : { text: textIn(path, MOST_BYTES), mtimeMs }
}

/**
 * Removes a stale claim, and no other: between the look and the removal, another process may have taken it away and made its
 * own. Of several processes, one can rename a file.
 */
function takeAway(path: string, stale: Found): void {
  const moved = `${path}.${process.pid}`
  try {
    renameSync(path, moved)
    const { text, mtimeMs } = claimAt(moved) ?? stale
    if (text !== stale.text || mtimeMs !== stale.mtimeMs) linkSync(moved, path)
  } catch {
    // Another process was faster. `create` tells whether the claim is free.
  }
  rmSync(moved, { force: true })
}
