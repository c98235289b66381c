import { request } from 'node:http'

/** The clock of a run. */
export interface Clock {
  /** Milliseconds since the start of the run. Monotonic; it may stand still while the machine sleeps. */
  now(): number
  /** The wall clock in epoch milliseconds, leaps included. It runs on while the machine sleeps, and may be set. */
  wall(): number
  /**
   * Jumps ahead, together with the Core. Absent where the clock cannot leap. Called when no request is in flight, or
   * within one to a Core in this process.
   * @throws Error where the Core's clock cannot be advanced
   */
  leap?(ms: number): Promise<void>
}

/**
 * Makes a clock of real time.
 * @param startMs its first reading; more than 0 for a resumed run
 */
export function realClock(startMs = 0): Clock {
  const start = performance.now() - startMs
  return { now: () => performance.now() - start, wall: Date.now }
}

/** The address that advances a mock Core's clock, with the key for it. */
export interface ControlEndpoint {
  url: string
  key: string
}

/**
 * Makes the clock of a run: real time, or that plus the leaps of a mock Core's clock.
 * @param startMs its first reading; more than 0 for a resumed run
 * @param leaptMs the leaps in `startMs`
 */
export function clockOf(control: ControlEndpoint | undefined, startMs = 0, leaptMs = 0): Clock {
  return control ? leapingClock(ms => advance(control, ms), startMs, leaptMs) : realClock(startMs)
}

/**
 * Makes a clock of real time plus leaps.
 * @param advance takes the Core's clock along
 * @param startMs its first reading; more than 0 for a resumed run
 * @param leaptMs the leaps in `startMs`
 */
export function leapingClock(advance: (ms: number) => unknown, startMs = 0, leaptMs = 0): Clock {
  const real = realClock(startMs - leaptMs)
  let leapt = leaptMs
  return {
    now: () => real.now() + leapt,
    wall: () => real.wall() + leapt,
    async leap(ms) {
      await advance(ms)
      leapt += ms
    },
  }
}

/**
 * Reads the clock of a mock Core, in milliseconds.
 * @throws Error where the mock Core does not tell it
 */
export async function controlClockMs(control: ControlEndpoint): Promise<number> {
  const { nowMs } = JSON.parse(await ask(control, 'GET', '/state')) as { nowMs?: unknown }
  if (typeof nowMs === 'number') return nowMs
  throw new Error(`the control endpoint ${control.url} does not tell the time of a mock Core: is --control-url right?`)
}

const CONTROL_DEADLINE_MS = 10_000
/** Most bytes of an answer: far more than the state takes. */
const MAX_ANSWER_BYTES = 1_000_000

async function advance(control: ControlEndpoint, ms: number): Promise<void> {
  await ask(control, 'POST', '/advance', JSON.stringify({ ms }))
}

function ask({ url, key }: ControlEndpoint, method: string, path: string, body?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (what: string) => reject(new Error(`the mock Core's clock at ${url} cannot be advanced: ${what}`))
    const headers = {
      Authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    }
    const sent = request(
      new URL(path, url),
      { method, headers, timeout: CONTROL_DEADLINE_MS, agent: false },
      response => {
        let text = ''
        response.setEncoding('utf8').on('data', chunk => {
          text += chunk
          if (text.length > MAX_ANSWER_BYTES) sent.destroy(new Error('it answers without end'))
        })
        response.on('end', () => resolve(text))
        if (response.statusCode !== 200)
          fail(
            response.statusCode === 401 ? 'the key is wrong (CORE_CONTROL_KEY)' : `it answered ${response.statusCode}`,
          )
      },
    )
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${CONTROL_DEADLINE_MS / 1000} s`)))
    sent.on('error', error => fail((error as NodeJS.ErrnoException).code ?? error.message))
    sent.end(body)
  })
}
