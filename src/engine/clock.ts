import { request } from 'node:http'

/** The clock of a run: milliseconds since it was made, monotonic. */
export interface Clock {
  now(): number
  /**
   * Jumps ahead, together with the Core. Absent where time only passes by itself. Called only when nothing is in flight.
   * @throws Error when the Core's clock cannot be advanced
   */
  leap?(ms: number): Promise<void>
}

/** Time as it passes. */
export function realClock(): Clock {
  const start = performance.now()
  return { now: () => performance.now() - start }
}

/** Where a mock Core's clock is advanced, and the key that allows it. */
export interface ControlEndpoint {
  url: string
  key: string
}

/** Time as it passes, plus the leaps that a mock Core's clock was told to make. */
export function controlledClock(control: ControlEndpoint): Clock {
  const real = realClock()
  let leapt = 0
  return {
    now: () => real.now() + leapt,
    async leap(ms) {
      await advance(control, ms)
      leapt += ms
    },
  }
}

const CONTROL_DEADLINE_MS = 10_000

function advance({ url, key }: ControlEndpoint, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (what: string) => reject(new Error(`the mock Core's clock at ${url} cannot be advanced: ${what}`))
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
    const sent = request(
      new URL('/advance', url),
      { method: 'POST', headers, timeout: CONTROL_DEADLINE_MS, agent: false },
      response => {
        response.resume()
        if (response.statusCode === 200) resolve()
        else
          fail(
            response.statusCode === 401 ? 'the key is wrong (CORE_CONTROL_KEY)' : `it answered ${response.statusCode}`,
          )
      },
    )
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${CONTROL_DEADLINE_MS / 1000} s`)))
    sent.on('error', error => fail((error as NodeJS.ErrnoException).code ?? error.message))
    sent.end(JSON.stringify({ ms }))
  })
}
