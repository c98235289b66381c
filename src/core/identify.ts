import type { WarmUp } from '../result.js'
import { alike, answerOf } from './answers.js'
import type { Candidate } from './candidates.js'
import type { Exchange, WireResponse } from './exchange.js'
import type { SurveyTalk } from './survey-talk.js'
import { PAUSES_MS } from './warm-up.js'

/** How many strings of a logon response are tried as the token. */
export const MAX_TRIED = 8
/** How many of those strings are tried again after pauses, in case the token needs time. */
const MAX_WARMED = 3

/** A string that opens the API, with the exchange that shows it. */
export interface FoundToken {
  candidate: Candidate
  exchange: Exchange
  response: WireResponse
  /** Refusals and time before the string was accepted; null where its first use was accepted. */
  warmUp: WarmUp | null
}

/**
 * Finds the string that opens the API: the probe with it is answered differently from the probe without a token. A
 * success of its own decides at once. Otherwise the likeliest string counts whose answer also differs from that of a made-up
 * token. Where none opens the API at once, the likeliest strings are tried again after growing pauses: a token may need
 * some time, or a first use.
 * @param strings the strings of the logon response, likeliest first, at least one
 * @param logon the exchange that gave them
 */
export async function identify(
  talk: SurveyTalk,
  strings: Candidate[],
  logon: Exchange,
): Promise<FoundToken | undefined> {
  const tried: FoundToken[] = []
  for (const candidate of strings.slice(0, MAX_TRIED)) {
    const found = await use(talk, candidate)
    if (found && (await opens(talk, found))) return found
    if (found) tried.push(found)
  }
  const none = await talk.none()
  // An open Core answers every request with success, so there any success counts.
  const open = isSuccess(none.response) && tried.find(({ response }) => isSuccess(response))
  if (open) return open
  // An error may hold a token all the same. One that does not open the API at once is none.
  if ((logon.response?.status ?? 0) >= 300) return undefined
  const unknown = await talk.unknown(strings[0]?.value ?? '')
  const different = tried.find(({ response }) => differs(response, none) && differs(response, unknown))
  // A string with an answer of its own may open the API later. The token of a user who may not see the probe never
  // does.
  const doubtful = different ? [different.candidate] : strings.slice(0, strings.length > MAX_TRIED ? 1 : MAX_WARMED)
  return (await later(talk, doubtful, logon, different ? ONE_MORE : PAUSES_MS)) ?? different
}

/** A token that gets an error of its own is used only once more. That shows whether it needed a first use. */
const ONE_MORE: readonly number[] = [0]

/** Tries strings again, with a pause before each round. */
async function later(
  talk: SurveyTalk,
  strings: Candidate[],
  logon: Exchange,
  pausesMs: readonly number[],
): Promise<FoundToken | undefined> {
  let refused = 1
  for (const pauseMs of pausesMs) {
    if (pauseMs) await talk.session.pause(pauseMs)
    for (const candidate of strings) {
      const found = await use(talk, candidate)
      if (found && (await opens(talk, found))) {
        const afterMs = Math.max(0, Math.round(found.exchange.sentAt - logon.receivedAt))
        return { ...found, warmUp: { refused, afterMs } }
      }
    }
    refused++
  }
  return undefined
}

async function use(talk: SurveyTalk, candidate: Candidate): Promise<FoundToken | undefined> {
  const exchange = await talk.use(candidate.value)
  const { response } = exchange
  return response && response.status < 500 ? { candidate, exchange, response, warmUp: null } : undefined
}

/** Whether a string opens the API: it gets a success that no request without a token gets. */
async function opens(talk: SurveyTalk, { response }: FoundToken): Promise<boolean> {
  return isSuccess(response) && differs(response, await talk.none())
}

function isSuccess(response: WireResponse | undefined): boolean {
  return response !== undefined && response.status < 300
}

function differs(response: WireResponse, from: Exchange): boolean {
  return !from.response || !alike(answerOf(from.response), answerOf(response))
}
