/** Measures a command: wall time and processor time. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** The cost of a measured command. */
export interface Spent {
  wallMs: number
  /** User and system time of its processes and of their children, in ms; undefined where the system does not provide it. */
  cpuMs: number | undefined
}

/** A command of one or more processes, one after another. Each gets its arguments from the output of the one before. */
export interface Measurable {
  name: string
  steps: readonly ((printed: string) => readonly string[])[]
}

/** Linux reports processor time in hundredths of a second (USER_HZ). */
const TICK_MS = 10

/**
 * Runs a command to its end.
 * @param cwd the folder that it runs in
 * @throws Error where one of its processes does not end with 0
 */
export function spend({ name, steps }: Measurable, env: NodeJS.ProcessEnv, cwd?: string): Spent {
  const before = childrenMs()
  const start = performance.now()
  let printed = ''
  for (const step of steps) {
    const [program = '', ...args] = step(printed)
    const { status, stdout, stderr, error } = spawnSync(program, args, {
      env,
      ...(cwd !== undefined && { cwd }),
      encoding: 'utf8',
      maxBuffer: 1e9,
    })
    if (status !== 0) throw new Error(`${name} ended with ${status ?? error?.message}: ${stdout}${stderr}`)
    printed = stdout
  }
  const wallMs = performance.now() - start
  const after = childrenMs()
  return { wallMs, cpuMs: after !== undefined && before !== undefined ? after - before : undefined }
}

/**
 * Returns the processor time of all ended children of this process, with their children; undefined where the system does not
 * provide it.
 */
function childrenMs(): number | undefined {
  try {
    // The program name, in parentheses, may hold any character. After it, cutime and cstime are fields 14 and 15 (proc(5)).
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return (Number(fields[13]) + Number(fields[14])) * TICK_MS
  } catch {
    return undefined
  }
}

/** The summary of several rounds of a command. */
export interface Summary {
  /** The median of the wall times, with the lower and upper quartiles. */
  wallMs: number
  lowMs: number
  highMs: number
  /** The mean of the processor times. Each comes in hundredths of a second, so the median would be a round number. */
  cpuMs: number | undefined
}

/**
 * Summarises rounds.
 * @param spent one or more rounds
 */
export function summary(spent: readonly Spent[]): Summary {
  const walls = spent.map(({ wallMs }) => wallMs).sort((a, b) => a - b)
  const at = (part: number) => walls[Math.round((walls.length - 1) * part)] ?? 0
  const cpus = spent.flatMap(({ cpuMs }) => cpuMs ?? [])
  const cpuMs = cpus.length === spent.length ? cpus.reduce((sum, ms) => sum + ms, 0) / cpus.length : undefined
  return { wallMs: at(0.5), lowMs: at(0.25), highMs: at(0.75), cpuMs }
}

/**
 * Runs commands in turn, every other round in the opposite order, so that a slow moment of the machine slows each of them.
 * @param warmUps rounds before the first that counts; 0 for commands that take far longer than a first start
 * @returns the summary of each, in the order of the commands
 */
export function inTurn(commands: readonly (() => Spent)[], rounds: number, warmUps = 1): Summary[] {
  const spent = commands.map((): Spent[] => [])
  for (let round = -warmUps; round < rounds; round++) {
    const order = commands.map((_, index) => index)
    for (const index of round % 2 === 0 ? order : order.reverse()) {
      const took = commands[index]?.()
      if (took && round >= 0) spent[index]?.push(took)
    }
  }
  return spent.map(summary)
}
