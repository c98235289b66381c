/** What a command takes: the time on the wall, and the time of the processors. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** What a measured command took. */
export interface Spent {
  wallMs: number
  /** User and system time of its processes and of those that they waited for; undefined where the system does not tell. */
  cpuMs: number | undefined
}

/** A command of one process or several, one after another: each gets its arguments from what the one before it printed. */
export interface Measurable {
  name: string
  steps: readonly ((printed: string) => readonly string[])[]
}

/** Linux tells processor time in hundredths of a second (USER_HZ). */
const TICK_MS = 10

/**
 * Runs a command to its end.
 * @param cwd the folder that it runs in
 * @throws Error where a process of it does not end with 0
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

/** The processor time of all children of this process that have ended, with theirs; undefined where the system does not tell. */
function childrenMs(): number | undefined {
  try {
    // The name of the program, in parentheses, may hold anything. Behind it, cutime and cstime are numbers 14 and 15 (proc(5)).
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return (Number(fields[13]) + Number(fields[14])) * TICK_MS
  } catch {
    return undefined
  }
}

/** What several rounds of a command came to. */
export interface Summary {
  /** The median of the wall times, and the quarters of the rounds below and above it. */
  wallMs: number
  lowMs: number
  highMs: number
  /** The mean of the processor times: each is told in hundredths of a second, and so the median would be a round number. */
  cpuMs: number | undefined
}

/** @param spent one or more rounds */
export function summary(spent: readonly Spent[]): Summary {
  const walls = spent.map(({ wallMs }) => wallMs).sort((a, b) => a - b)
  const at = (part: number) => walls[Math.round((walls.length - 1) * part)] ?? 0
  const cpus = spent.flatMap(({ cpuMs }) => cpuMs ?? [])
  const cpuMs = cpus.length === spent.length ? cpus.reduce((sum, ms) => sum + ms, 0) / cpus.length : undefined
  return { wallMs: at(0.5), lowMs: at(0.25), highMs: at(0.75), cpuMs }
}

/**
 * Runs commands in turn, so that what slows the machine down slows each of them, every other round in the opposite order.
 * @param warmUps so many rounds before that do not count: none where what is measured takes far longer than a first start
 * @returns what each took, in the order of the commands
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
