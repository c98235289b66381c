/** Keeps the history of a run: reads each exchange as the judge needs it, when it was sent and answered. */

import {
  type Exchange,
  header,
  isBroken,
  type Reading,
  refusesForm,
  summary,
  type WireRequest,
  type WireResponse,
} from '../core/exchange.js'
import { isPutOff } from '../core/pause.js'
import { decoded } from '../ground/decoded.js'
import { isSafe } from '../ground/methods.js'
import type { AnswerKind, Doubt, History, HistoryEntry, KnownHabits, RequestKind } from '../result.js'
import type { RunContext } from './context.js'
import { pathOnly, roleRequest } from './requests.js'

/** Headers that every request gets. */
const ADDED = new Set(['host', 'user-agent', 'connection', 'content-length', 'authorization'])

/** A request of the history, as it was sent. */
export interface Sent {
  entry: HistoryEntry
  request: WireRequest
  /** The number of its connection; 0 for one of its own. */
  connection: number
}

/** Takes every exchange of a run, and keeps what the judge reads. */
export class HistoryKeeper {
  readonly entries: HistoryEntry[] = []
  private readonly requests: Pick<Exchange, 'request' | 'connection'>[] = []
  /** Exchanges of the survey: what they mean is known when it is over. */
  private readonly unread: Exchange[] = []
  private reading: RunContext | undefined
  private readonly issued: string[]

  /** @param earlier the tokens that an earlier process of the run was given */
  constructor(earlier: readonly string[]) {
    this.issued = [...earlier]
  }

  /** Takes a request that was sent once, with its answer. */
  take(exchange: Exchange): void {
    if (!this.reading) this.unread.push(exchange)
    else {
      const entry = entryOf(exchange, this.reading)
      if (entry.issued !== undefined) this.issued.push(entry.issued)
      const carried = entry.kind === 'odd change' ? tokensWithin(exchange.request, this.issued) : []
      const { token } = entry
      const isMade = token !== undefined && isMadeOf(token, this.issued)
      const { request, connection } = exchange
      this.requests.push({ request, ...(connection !== undefined && { connection }) })
      this.entries.push({ ...entry, ...(isMade && { isMade }), ...(carried.length > 0 && { mayCarry: carried }) })
    }
  }

  /** Corrects the latest answer that came then: it is that of a ban. */
  turnedAway({ sentAt, receivedAt }: Reading): void {
    const at = this.entries.findLastIndex(entry => entry.sentAt === sentAt && entry.receivedAt === receivedAt)
    const entry = this.entries[at]
    if (entry) this.entries[at] = { ...entry, answer: 'turned away' }
  }

  /** Returns the history with its requests. */
  get sent(): Sent[] {
    return this.entries.flatMap((entry, at) => {
      const { request, connection = 0 } = this.requests[at] ?? {}
      return request ? [{ entry, request, connection }] : []
    })
  }

  /** Returns the history with names in place of the tokens. @param present hides secrets in what was told */
  named(known: KnownHabits, doubts: Doubt[], present: (told: string) => string): History {
    const names = new Map<string, string>()
    const named = (token: string) => {
      const name = names.get(token) ?? `token ${names.size + 1}`
      names.set(token, name)
      return name
    }
    const { earlier } = known
    return {
      known: { ...known, ...(earlier && { earlier: earlier.map(named) }) },
      doubts,
      entries: this.entries.map(({ token, issued, mayCarry, told, ...entry }) => ({
        ...entry,
        ...(token !== undefined && { token: named(token) }),
        ...(issued !== undefined && { issued: named(issued) }),
        ...(mayCarry && { mayCarry: mayCarry.map(named) }),
        told: present(told),
      })),
    }
  }

  /** Begins to read: the survey is over. */
  read(reading: RunContext): void {
    this.reading = reading
    for (const exchange of this.unread.splice(0)) this.take(exchange)
  }
}

function entryOf(exchange: Exchange, reading: RunContext): HistoryEntry {
  const { request, response, sentAt, receivedAt, wall } = exchange
  const hosted = kindOf(request, reading)
  // A server in front may add one, and hand the request on.
  const isHostless = request.omitHost && reading.answers.effectOf(exchange) !== 'accepted'
  const kind = isHostless ? 'no host' : hosted
  const issued = request.method === 'POST' && response ? reading.session.tokenIn(response) : undefined
  const token = tokenOf(request)
  return {
    sentAt,
    receivedAt,
    ...(wall && { wallMs: wall.sentAt }),
    kind,
    ...(token !== undefined && { token }),
    ...(issued !== undefined && { issued }),
    answer: answerOf(kind, exchange, issued, reading),
    ...(response && { status: response.status, ...dateOf(response) }),
    ...(response && isPutOff(response) && { asksToWait: true as const }),
    told: `${request.method} ${pathOnly(request.path)}: ${summary(exchange)}`,
  }
}

/** Reads when a response was made, by the clock of the Core. */
function dateOf(response: WireResponse): { dateMs?: number } {
  const dateMs = Date.parse(header(response, 'date') ?? '')
  return Number.isNaN(dateMs) ? {} : { dateMs }
}

function kindOf(request: WireRequest, { parts }: RunContext): RequestKind {
  const { method, path, body } = request
  const [logon, probe, revoke] = [
    roleRequest(parts, 'logon'),
    roleRequest(parts, 'probe'),
    roleRequest(parts, 'revoke'),
  ]
  if (method === logon.method && path === logon.path) {
    if (body !== logon.body) return 'wrong logon'
    return isPlain(request, logon, parts) && tokenOf(request) === undefined ? 'logon' : 'other'
  }
  if (isSafe(method)) return isPlain(request, probe, parts) && tokenOf(request) !== undefined ? 'use' : 'other'
  return isPlain(request, revoke, parts) && tokenOf(request) !== undefined ? 'revocation' : 'odd change'
}

/** Whether a request is sent as the suite's own request of that role, apart from its token. */
function isPlain(request: WireRequest, like: WireRequest, { variables }: RunContext['parts']): boolean {
  // A Core need not take chunks, and may find no credentials in them.
  if (
    request.chunks ||
    request.omitHost ||
    request.method !== like.method ||
    request.path !== like.path ||
    request.body !== like.body
  )
    return false
  const named = (name: string) => request.headers.filter(([each]) => each.toLowerCase() === name)
  const [host, ...otherHosts] = named('host')
  if (otherHosts.length > 0 || (host && host[1] !== variables.authority) || named('authorization').length > 1)
    return false
  const own = ({ headers }: WireRequest) =>
    headers
      .filter(([name]) => !ADDED.has(name.toLowerCase()))
      .map(([name, value]) => `${name.toLowerCase()}: ${value}`)
      .sort()
  const [sent, wanted] = [own(request), own(like)]
  // Right credentials get a token, whatever a proxy or a browser adds to them.
  return like.method === 'POST' ? wanted.every(each => sent.includes(each)) : sent.join('\n') === wanted.join('\n')
}

/** Returns the token in the Authorization header, where it stands there as the reference shows it. */
function tokenOf({ headers }: WireRequest): string | undefined {
  const value = headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1]
  return value?.startsWith('Bearer ') ? value.slice('Bearer '.length) : undefined
}

/** This much of a token tells it from others; look-alikes of it hold as much. */
const TELLING = 12

/** Letters in a row that tell that a token was made of another; of a short one, half of it. */
const ALIKE = 8

/** Whether a token is none of these, and was made of one of them: cut, prolonged, or changed. */
export function isMadeOf(token: string, issued: readonly string[]): boolean {
  const isAlike = (one: string) => {
    const letters = Math.min(ALIKE, one.length >> 1)
    return token.includes(one) || one.includes(token.slice(0, letters)) || one.includes(token.slice(-letters))
  }
  return !issued.includes(token) && issued.some(isAlike)
}

/** Returns the tokens that a request may carry: as they are, encoded, or a little changed. */
function tokensWithin({ headers, path, body = '' }: WireRequest, tokens: readonly string[]): string[] {
  const text = [...headers.map(([, value]) => value), path, body].join('\n')
  const plain = text.split(/[\s"&;=,:]+/).map(word => `${decoded(word)}\n${Buffer.from(word, 'base64')}`)
  const all = [text, ...plain].join('\n').toLowerCase()
  return tokens.filter(token => {
    const from = Math.max(0, (token.length - TELLING) >> 1)
    const parts = [token.slice(from, from + TELLING), token.slice(1, 1 + TELLING), token.slice(-1 - TELLING, -1)]
    return parts.some(part => all.includes(part.toLowerCase()))
  })
}

function answerOf(
  kind: RequestKind,
  exchange: Exchange,
  issued: string | undefined,
  { answers, session }: RunContext,
): AnswerKind {
  if (isBroken(exchange)) return 'turned away'
  if (kind === 'logon' || kind === 'wrong logon') {
    if (issued !== undefined) return 'accepted'
    if (session.isLogonLimit(exchange)) return 'turned away'
    if (kind === 'logon' && answers.isEmptySuccess(exchange)) return 'accepted'
    return answers.effectOf(exchange) === 'refused' && !refusesForm(exchange) ? 'refused' : 'turned away'
  }
  if (kind === 'revocation' && session.isLogonLimit(exchange)) return 'turned away'
  if (kind !== 'use') return answers.effectOf(exchange)
  const { probe } = answers
  if (!probe.tells) return 'turned away'
  const seen = probe.kindOf(exchange)
  // A limit or a proxy in front may refuse in its own way. Only what no token gets too is about the token.
  const isKnown = !exchange.response || probe.refusals.some(({ status }) => status === exchange.response?.status)
  return seen === 'refused' && !isKnown ? 'turned away' : seen
}
