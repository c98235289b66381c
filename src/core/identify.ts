import type { WarmUp } from '../result.js'
import { alike, answerOf } from './answers.js'
import type { Asking } from './asking.js'
import type { Candidate } from './candidates.js'
import type { Exchange, WireResponse } from './exchange.js'
import { PAUSES_MS } from './warm-up.js'

/** How many strings of a logon response are tried as the token. */
export const MAX_TRIED = 8
/** How many of them are tried again and again, in case that the token needs time. */
const MAX_WARMED = 3

/** A string that opens the API, and the exchange in which it did. */
export interface Found {
  candidate: Candidate
  exchange: Exchange
  response: WireResponse
  /** What it took until then; null: it was accepted at its first use. */
  warmUp: WarmUp | null
}

/**
 * The string that opens the API: with it, the probe is answered otherwise than without a token. A success decides at once;
 * else the likeliest that is answered otherwise than a made-up one, too, is it. Where none opens it at once, the likeliest
 * are tried again, with growing pauses: a token may need a while, or a first use.
 * @param strings what the logon gave, likeliest first, at least one
 * @param logon the exchange that gave them
 */
export async function identify(asking: Asking, strings: Candidate[], logon: Exchange): Promise<Found | undefined> {
  const tried: Found[] = []
  for (const candidate of strings.slice(0, MAX_TRIED)) {
    const found = await use(asking, candidate)
    if (found && (await opens(asking, found))) return found
    if (found) tried.push(found)
  }
  const none = await asking.none()
  const unknown = await asking.unknown(strings[0]?.value ?? '')
  const different = tried.find(({ response }) => differs(response, none) && differs(response, unknown))
  // What is answered in a way of its own may yet open: the token of a role that may not see the probe never does.
  const doubtful = different ? [different.candidate] : strings.slice(0, strings.length > MAX_TRIED ? 1 : MAX_WARMED)
  return (await later(asking, doubtful, logon, different ? ONE_MORE : PAUSES_MS)) ?? different
}

/** A token that meets an error of its own is used once more only: what needed a first use shows by that. */
const ONE_MORE: readonly number[] = [0]

/** Tries strings again, with a pause before each round. */
async function later(
  asking: Asking,
  strings: Candidate[],
  logon: Exchange,
  pausesMs: readonly number[],
): Promise<Found | undefined> {
  let refused = 1
  for (const pauseMs of pausesMs) {
    if (pauseMs) await asking.session.pause(pauseMs)
    for (const candidate of strings) {
      const found = await use(asking, candidate)
      if (found && (await opens(asking, found))) {
        const afterMs = Math.max(0, Math.round(found.exchange.sentAt - logon.receivedAt))
        return { ...found, warmUp: { refused, afterMs } }
      }
    }
    refused++
  }
  return undefined
}

async function use(asking: Asking, candidate: Candidate): Promise<Found | undefined> {
  const exchange = await asking.use(candidate.value)
  const { response } = exchange
  return response && response.status < 500 ? { candidate, exchange, response, warmUp: null } : undefined
}

/** Whether a string is answered with a success that it makes; on a Core that is open none can make a difference. */
async function opens(asking: Asking, { response }: Found): Promise<boolean> {
  if (response.status >= 300) return false
  const none = await asking.none()
  const isOpen = none.response !== undefined && none.response.status < 300
  return isOpen || differs(response, none)
}

function differs(response: WireResponse, from: Exchange): boolean {
  return !from.response || !alike(answerOf(from.response), answerOf(response))
}
