import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import type { MockCore, RecordedRequest, Staging } from '../mock/index.js'
import type { Printed } from './printed.js'
import { isRightWork } from './requests.js'
import type { ClientEnd } from './result.js'
import type { Scenario } from './scenarios.js'
import type { Trouble, TroubleContext } from './trouble.js'

/** Plays one scenario: decides what happens to each request, and notes which requests met the trouble. */
export class ScenarioRun implements TroubleContext {
  /** The number of the request after which the event took place; see `ClientRecord`. */
  eventAfter: number | null = null
  readonly met: number[] = []
  isUntrusted: boolean
  readonly #trouble: Trouble | undefined
  #begun: number | undefined
  /** The number of the newest connection that brought a request: now, and at the time of the event. */
  #newest = 0
  #old = 0
  readonly #held = new Set<number>()

  /** @param elsewhere the base URL of the host that a redirect leads to */
  constructor(
    readonly scenario: Scenario,
    readonly core: () => MockCore,
    readonly elsewhere: string,
  ) {
    this.isUntrusted = scenario.untrusted === true
    this.#trouble = scenario.trouble?.(this)
  }

  /**
   * Decides what happens to a request that has arrived.
   * @param hasNewest says whether the request's connection was made with the newest certificate
   * @returns undefined where the Core treats the request as usual
   */
  meet(request: RecordedRequest, hasNewest: () => boolean): Staging | undefined {
    this.#newest = Math.max(this.#newest, request.connection)
    const isFirst = this.#begun === undefined && isRightWork(request)
    if (this.#begun === undefined && !isFirst) return undefined
    if (isFirst) {
      this.#begun = request.number
      this.#old = this.#newest
    }
    const fate = isFirst ? this.#trouble?.first?.() : this.#trouble?.next(request, hasNewest)
    if (fate?.isMet) this.met.push(request.number)
    if (fate?.isEvent) {
      this.eventAfter = request.number
      this.#old = this.#newest
    }
    if (fate?.until) {
      this.#held.add(request.number)
      const release = () => this.#held.delete(request.number)
      fate.until.then(release, release)
    }
    return fate
  }

  /** Triggers the event of the scenario, if this request is the one before it. */
  decided(request: RecordedRequest): void {
    if (request.number !== this.#begun || this.eventAfter !== null || !this.scenario.event) return
    this.eventAfter = request.number
    this.scenario.event(this.core())
  }

  /** Whether the answer to a request is held back, so that the client cannot know it yet. */
  isHeld({ number }: RecordedRequest): boolean {
    return this.#held.has(number)
  }

  isOld({ connection }: RecordedRequest): boolean {
    return connection <= this.#old
  }
}

/** Longest wait after SIGTERM. Then the command gets SIGKILL. */
const GRACE_MS = 2_000

/** Longest wait for the rest of the output. Processes that a command left behind may hold its output open for ever. */
const REST_MS = 1_000

/** A command that is running. */
export type RunningCommand = ReturnType<typeof runCommand>

/**
 * Runs a command in a process group of its own. Its input is empty.
 * @param options the whole environment of the command; the time after which it is killed; what gets all its output
 */
export function runCommand(
  [file = '', ...args]: readonly string[],
  { env, timeoutMs, printed }: { env: Record<string, string>; timeoutMs: number; printed: Printed },
) {
  // A group of its own: Ctrl-C must not end the command before this program marks its record as interrupted.
  const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: process.platform !== 'win32' })
  const printing = Promise.all([printed.take(child.stdout, 'stdout'), printed.take(child.stderr, 'stderr')])
  let why: 'timeout' | 'flood' | 'hang' | 'interrupted' | undefined
  let killing: NodeJS.Timeout | undefined
  const end = (kind: NonNullable<typeof why>) => {
    if (why !== undefined) return
    why = kind
    killGroup(child, 'SIGTERM')
    killing = setTimeout(() => killGroup(child, 'SIGKILL'), GRACE_MS)
  }
  const timer = setTimeout(() => end('timeout'), timeoutMs)
  const ended = new Promise<ClientEnd>(resolve => {
    const settle = (how: ClientEnd) => {
      clearTimeout(timer)
      clearTimeout(killing)
      // Processes of the group that are left would run on for ever.
      if (why !== undefined) killGroup(child, 'SIGKILL')
      const late = setTimeout(() => {
        child.stdout.destroy()
        child.stderr.destroy()
      }, REST_MS)
      printing.then(() => {
        clearTimeout(late)
        resolve(why === undefined ? how : { kind: why })
      })
    }
    child.once('error', ({ code = '', message }: NodeJS.ErrnoException) => {
      const known: Record<string, string> = {
        ENOENT: `there is no command '${file}'`,
        EACCES: `'${file}' is not a program that this user may run`,
      }
      if (child.pid === undefined) settle({ kind: 'not started', message: (known[code] ?? code) || message })
    })
    child.once('exit', (code, signal) =>
      settle(code === null ? { kind: 'signal', signal: signal ?? 'a signal' } : { kind: 'exit', code }),
    )
  })
  return {
    /** Settles when the command has ended. Never rejects. */
    ended,
    /** Ends the command and all its processes, for this reason. */
    end,
    /** Whether this program ends the command. What its connections do from then on says nothing of the command. */
    isBeingEnded: () => why !== undefined,
  }
}

function killGroup({ pid }: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return
  try {
    if (process.platform === 'win32') spawnSync('taskkill', ['/PID', String(pid), '/T', '/F'])
    else process.kill(-pid, signal)
  } catch {
    // the group has ended already
  }
}
