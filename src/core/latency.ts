import type { Latency } from '../result.js'
import type { Exchange } from './exchange.js'
import { KeptConnection } from './kept-connection.js'
import type { SurveyTalk } from './survey-talk.js'

/** How many new connections are timed. Each is also a second look at the token. */
const FRESH = 3

/** The measured latency, with the exchanges that measured it. */
export interface Measured {
  latency: Latency
  looks: Exchange[]
}

/**
 * Measures how long a request with a valid token takes, on new connections and on an open one.
 * @param logon the logon of the survey
 */
export async function measureLatency(talk: SurveyTalk, token: string, logon: Exchange): Promise<Measured> {
  const looks: Exchange[] = []
  const fresh: number[] = []
  const timed = async (kept: KeptConnection | undefined) => {
    const startMs = performance.now()
    looks.push(await talk.use(token, kept))
    return performance.now() - startMs
  }
  const own = new KeptConnection()
  try {
    // Where one connection carries everything, the Core would refuse a new one.
    const [one, many] = talk.kept ? [talk.kept, 0] : [own, FRESH - 1]
    for (let index = 0; index < many; index++) fresh.push(await timed(undefined))
    const first = await timed(one)
    if (!talk.kept) fresh.push(first)
    const keptMs = await timed(one)
    const freshMs = fresh.sort((a, b) => a - b)[Math.floor(fresh.length / 2)] ?? keptMs
    const latency = { freshMs, keptMs, logonMs: spentMs(logon), slowestMs: 0 }
    return { latency: rounded({ ...latency, slowestMs: slowestMs(talk.exchanges) }), looks }
  } finally {
    own.close()
  }
}

/** Returns the time of the slowest of the answered exchanges, in milliseconds. */
export function slowestMs(exchanges: readonly Exchange[]): number {
  return Math.max(0, ...exchanges.filter(({ response }) => response).map(spentMs))
}

function spentMs({ sentAt, receivedAt }: Exchange): number {
  return receivedAt - sentAt
}

/** Rounds each value to tenths of milliseconds. */
export function rounded(latency: Latency): Latency {
  const all = Object.entries(latency).map(([name, ms]) => [name, Math.round(ms * 10) / 10])
  return { ...latency, ...Object.fromEntries(all) }
}
