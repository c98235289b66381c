import type { BackEnds } from '../result.js'
import type { Exchange, WireRequest, WireResponse } from './exchange.js'

/** How many new connections a token is looked at on. */
const MOST = 20
/** So many answers of one kind in a row end the look: of two back ends by chance, one in 500 would all the same be both. */
const ALIKE = 10
/** So many requests on one connection tell whether the connection decides on the answer. */
const ON_ONE = 6

/** How requests are sent to look again. */
export interface Looking {
  /** Sends a request on a connection of its own. */
  onNew: (request: WireRequest) => Promise<Exchange>
  /** Sends a request on a connection that stays open, the same each time. */
  onOne: (request: WireRequest) => Promise<Exchange>
}

/** How the answers to one request are read. */
export interface Reading {
  accepts(response: WireResponse): boolean
  rejects(response: WireResponse): boolean
}

/** What was seen when the same request was sent on several new connections. */
export interface Looks {
  /** On how many of them it was accepted. */
  accepted: number
  /** How many gave an answer that was either acceptance or rejection. */
  of: number
  /** Whether acceptance and rejection took turns, so that no one event explains them. */
  isMixed: boolean
  exchanges: Exchange[]
}

/**
 * Sends the same request, with a token in it, on several new connections, one after another. It ends early where all
 * answers are alike; once they are mixed it goes on, for the number.
 * @param request one that may be repeated: a GET, HEAD or OPTIONS
 * @param connections how many at the most
 */
export async function acceptedOn(
  looking: Looking,
  request: WireRequest,
  reading: Reading,
  connections = MOST,
): Promise<Looks> {
  const exchanges: Exchange[] = []
  const kinds: boolean[] = []
  for (let looked = 0; looked < connections; looked++) {
    const exchange = await looking.onNew(request)
    exchanges.push(exchange)
    const kind = kindOf(exchange, reading)
    if (kind !== undefined) kinds.push(kind)
    if (looked + 1 >= Math.min(ALIKE, connections) && new Set(kinds).size < 2) break
  }
  // One change is what any event makes: a token that is revoked, or begins to work.
  const changes = kinds.filter((kind, index) => index > 0 && kind !== kinds[index - 1]).length
  return { accepted: kinds.filter(Boolean).length, of: kinds.length, isMixed: changes > 1, exchanges }
}

/** As {@link acceptedOn}; where the answers are mixed, finds out whether it is the connection that decides. */
export async function lookForBackEnds(
  looking: Looking,
  request: WireRequest,
  reading: Reading,
  connections = MOST,
): Promise<Looks & { backEnds: BackEnds | undefined }> {
  const looks = await acceptedOn(looking, request, reading, connections)
  if (!looks.isMixed) return { ...looks, backEnds: undefined }
  const exchanges: Exchange[] = []
  while (exchanges.length < ON_ONE) exchanges.push(await looking.onOne(request))
  const kinds = new Set(exchanges.map(exchange => kindOf(exchange, reading)).filter(kind => kind !== undefined))
  // A Core that closes each connection sends every request to a back end of its own.
  const isKept = exchanges.every(({ response }) => response && !closes(response))
  const by = kinds.size > 1 && isKept ? 'request' : 'connection'
  const { accepted, of } = looks
  return { ...looks, exchanges: [...looks.exchanges, ...exchanges], backEnds: { accepted, of, by } }
}

/** What mixed answers are, in words: `accepted on 11 of 20 connections: back ends that do not share tokens`. */
export function inWords({ accepted, of, by }: BackEnds): string {
  const cause = by === 'connection' ? 'back ends that do not share tokens' : 'it is refused now and then'
  return `accepted on ${accepted} of ${of} connections: ${cause}`
}

/** True: accepted; false: rejected; undefined: neither. */
function kindOf({ response }: Exchange, reading: Reading): boolean | undefined {
  if (!response) return undefined
  if (reading.accepts(response)) return true
  return reading.rejects(response) ? false : undefined
}

function closes({ headers, httpVersion }: WireResponse): boolean {
  const said = headers.find(([name]) => name.toLowerCase() === 'connection')?.[1].toLowerCase() ?? ''
  return said.includes('close') || (httpVersion === '1.0' && !said.includes('keep-alive'))
}
