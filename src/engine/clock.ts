import { request } from 'node:http'

/** The clock of a run. */
export interface Clock {
  /** Milliseconds since the start of the run. Monotonic; it may stand still while the machine sleeps. */
  now(): number
  /** The wall clock, epoch milliseconds, with the leaps. It goes on while the machine sleeps, and may be set. */
  wall(): number
  /**
   * Jumps ahead, together with the Core. Absent where time only passes by itself. Called only when nothing is in flight.
   * @throws Error when the Core's clock cannot be advanced
   */
  leap?(ms: number): Promise<void>
}

/**
 * Time as it passes.
 * @param startMs what it shows at first; more than 0 for a run that goes on
 */
export function realClock(startMs = 0): Clock {
  const start = performance.now() - startMs
  return { now: () => performance.now() - start, wall: Date.now }
}

/**
 * The clock of a run: time as it passes, or that of a mock Core that can be told to leap.
 * @param startMs what it shows at first; more than 0 for a run that goes on
 * @param leaptMs the leaps in that
 */
export function clockOf(control: ControlEndpoint | undefined, startMs = 0, leaptMs = 0): Clock {
  return control ? controlledClock(control, startMs, leaptMs) : realClock(startMs)
}

/** Where a mock Core's clock is advanced, and the key that allows it. */
export interface ControlEndpoint {
  url: string
  key: string
}

/**
 * Time as it passes, plus the leaps that a mock Core's clock was told to make.
 * @param startMs what it shows at first; more than 0 for a run that goes on
 * @param leaptMs the leaps in that
 */
export function controlledClock(control: ControlEndpoint, startMs = 0, leaptMs = 0): Clock {
  const real = realClock(startMs - leaptMs)
  let leapt = leaptMs
  return {
    now: () => real.now() + leapt,
    wall: () => real.wall() + leapt,
    async leap(ms) {
      await advance(control, ms)
      leapt += ms
    },
  }
}

/**
 * What the clock of a mock Core shows, milliseconds.
 * @throws Error when it does not tell
 */
export async function controlClockMs(control: ControlEndpoint): Promise<number> {
  const { nowMs } = JSON.parse(await ask(control, 'GET', '/state')) as { nowMs?: unknown }
  if (typeof nowMs === 'number') return nowMs
  throw new Error(`the control endpoint ${control.url} does not tell the time of a mock Core: is --control-url right?`)
}

const CONTROL_DEADLINE_MS = 10_000
/** Far more than its state takes. */
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
