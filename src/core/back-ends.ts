import type { BackEnds } from '../result.js'
import type { Answers } from './answers.js'
import type { Exchange, WireRequest, WireResponse } from './exchange.js'

/** Most new connections on which a token is tried. */
const MOST = 20
/**
 * This many equal answers in a row end the tries. Two back ends that take turns by chance give ten equal answers once
 * in 500 times.
 */
export const ALIKE = 10
/**
 * Part of the connections on which back ends that share no tokens accept one at most: it is known to one of them, so to half, and chance
 * brings more than this of {@link MOST} once in 170 times. What is accepted more often is refused too seldom to show on one connection.
 */
const MOST_ACCEPTED = 0.75
/** How many requests on one connection show whether the connection decides the answer. */
const ON_ONE = 6

/** Sends the requests of another look at a token. */
export interface Looking {
  /** Sends a request on a connection of its own. */
  onNew: (request: WireRequest) => Promise<Exchange>
  /** Sends a request on a connection that stays open, the same each time. */
  onOne: (request: WireRequest) => Promise<Exchange>
}

/** The results of sending the same request on several new connections. */
export interface Looks {
  /** On how many of them the Core accepted the request. */
  accepted: number
  /** On how many of them the Core accepted or rejected the request. */
  of: number
  /** Whether acceptance and rejection alternated, so that no single event explains them. */
  isMixed: boolean
  /** What mixed answers show; undefined where nothing. */
  backEnds: BackEnds | undefined
  exchanges: Exchange[]
}

/**
 * Sends the same request, with a token in it, on several new connections, one after another. Equal answers end the
 * tries early. Mixed answers do not: their number is wanted, and whether the connection decides.
 * @param request a request that may be repeated: a GET, HEAD or OPTIONS
 * @param connections most connections to use
 */
export async function lookForBackEnds(
  looking: Looking,
  request: WireRequest,
  reading: Answers,
  connections = MOST,
): Promise<Looks> {
  const onNew: Exchange[] = []
  const kinds: boolean[] = []
  for (let looked = 0; looked < connections; looked++) {
    const exchange = await looking.onNew(request)
    onNew.push(exchange)
    const kind = kindOf(exchange, reading)
    if (kind !== undefined) kinds.push(kind)
    if (looked + 1 >= Math.min(ALIKE, connections) && new Set(kinds).size < 2) break
  }
  // One change is what any event causes: a token is revoked, or begins to work.
  const isMixed = kinds.filter((kind, index) => index > 0 && kind !== kinds[index - 1]).length > 1
  const [accepted, of] = [kinds.filter(Boolean).length, kinds.length]
  if (!isMixed) return { accepted, of, isMixed, backEnds: undefined, exchanges: onNew }
  const onOne: Exchange[] = []
  while (onOne.length < ON_ONE) onOne.push(await looking.onOne(request))
  const kindsOnOne = new Set(onOne.map(exchange => kindOf(exchange, reading)).filter(kind => kind !== undefined))
  // A Core that closes each connection sends every request to another back end.
  const isKept = onOne.every(({ response }) => response && !closes(response))
  const by = kindsOnOne.size > 1 && isKept ? 'request' : 'connection'
  const isSeldom = by === 'connection' && accepted > of * MOST_ACCEPTED
  const backEnds: BackEnds | undefined = isSeldom ? undefined : { accepted, of, by }
  return { accepted, of, isMixed, backEnds, exchanges: [...onNew, ...onOne] }
}

/** Explains mixed answers in words: `accepted on 11 of 20 connections: back ends that do not share tokens`. */
export function backEndsInWords({ accepted, of, by }: BackEnds): string {
  const cause = by === 'connection' ? 'back ends that do not share tokens' : 'it is refused now and then'
  return `accepted on ${accepted} of ${of} connections: ${cause}`
}

/** Returns true for accepted, false for rejected, undefined for neither. */
function kindOf(exchange: Exchange, reading: Answers): boolean | undefined {
  const kind = reading.kindOf(exchange)
  return kind === 'turned away' ? undefined : kind === 'accepted'
}

function closes({ headers, httpVersion }: WireResponse): boolean {
  const said = headers.find(([name]) => name.toLowerCase() === 'connection')?.[1].toLowerCase() ?? ''
  return said.includes('close') || (httpVersion === '1.0' && !said.includes('keep-alive'))
}
