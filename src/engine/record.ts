import type { EarlierTry, Exchange } from '../core/exchange.js'
import type { EarlierTryRecord, ExchangeRecord } from '../result.js'

/** Most characters of a body that the result shows. The rest is only counted. */
const SHOWN_CHARACTERS = 4096

/** Turns an exchange into a record of the run result. The record is not redacted yet. */
export function toExchangeRecord({
  request,
  response,
  error,
  sentAt,
  receivedAt,
  earlier,
  variation,
}: Exchange): ExchangeRecord {
  const { method, path, httpVersion, headers, body } = request
  return {
    atMs: sentAt,
    durationMs: receivedAt - sentAt,
    request: { method, path, httpVersion, headers: sharedHeaders(headers), ...(body !== undefined && { body }) },
    ...(response && { response: bounded(response) }),
    ...(error && { error: { kind: error.kind, message: error.message } }),
    ...(earlier && { earlier: earlier.map(toEarlierRecord) }),
    ...(variation !== undefined && { variation }),
  }
}

function toEarlierRecord({ sentAt, receivedAt, status, error }: EarlierTry): EarlierTryRecord {
  const came = { ...(status !== undefined && { status }), ...(error && { error }) }
  return { atMs: sentAt, durationMs: receivedAt - sentAt, ...came }
}

/** Keys of the result whose values are its own words. They are no secret, even if the password is the same word. */
const OWN_WORDS = new Set(['verdict', 'kind', 'outcome', 'httpVersion', 'alphabet'])

/**
 * Copies a part of the run result with every string redacted, then shortened. In this order no secret is cut in two.
 * @param redact hides secrets in a text
 */
export function presentable<T>(value: T, redact: (text: string, isCut?: boolean) => string): T {
  if (typeof value === 'string') return shorten(redact(value)) as T
  if (Array.isArray(value)) return value.map(item => presentable(item, redact)) as T
  if (value && typeof value === 'object') {
    // A body that broke off, or of which only a part was kept, may end within a secret.
    const { complete, body, bodyBytes } = value as { complete?: unknown; body?: unknown; bodyBytes?: unknown }
    const isPart = typeof body === 'string' && (body.length >= SHOWN_CHARACTERS || Number(bodyBytes) > body.length)
    const hide = complete === false || isPart ? (text: string) => withoutRest(redact(text, true)) : redact
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shown(key, item, hide)])) as T
  }
  return value
}

function shown(key: string, item: unknown, hide: (text: string, isCut?: boolean) => string): unknown {
  if (OWN_WORDS.has(key)) return item
  const made = presentable(item, hide)
  return isHeaders(key, made) ? sharedHeaders(made) : made
}

function isHeaders(key: string, item: unknown): item is ExchangeRecord['request']['headers'] {
  return key === 'headers' && Array.isArray(item)
}

/**
 * Hides the characters behind a hidden secret at the end of a cut text: where secrets repeat, they are a part of the
 * next.
 */
function withoutRest(text: string): string {
  return text.replace(/(?<=\])[A-Za-z0-9\-._~+/=]{1,4096}$/, '[withheld]')
}

function shorten(text: string): string {
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
}

/**
 * Most characters of a body that are kept until the end of the run. It is far more than the result shows, so that
 * secrets in the body are found.
 */
const KEPT_CHARACTERS = 32_768

/** Copies a response without the end of a large body, which was judged already. A run has hundreds of responses. */
function bounded(response: NonNullable<ExchangeRecord['response']>): NonNullable<ExchangeRecord['response']> {
  const { body } = response
  const headers = sharedHeaders(response.headers)
  // A plain slice would keep the whole text in memory.
  return body.length > KEPT_CHARACTERS
    ? { ...response, headers, body: Buffer.from(body.slice(0, KEPT_CHARACTERS)).toString() }
    : { ...response, headers }
}

/**
 * Keeps one copy of headers that many exchanges have. A run of 2,500 exchanges has 23,000 headers, of which 800 differ.
 * Separate copies took a seventh of the memory of a run, and a fleet has hundreds of runs.
 */

type Header = [name: string, value: string]

/** More different headers than a run has. Beyond that, the copies are forgotten: a hostile Core made them up. */
const MOST = 2000
/** Longer headers seldom repeat. */
const LONGEST = 200

const known = new Map<string, Header>()

/** Returns the same headers. A header seen before is the same object as then. Do not change the objects. */
function sharedHeaders(headers: readonly Header[]): Header[] {
  return headers.map(header => {
    const [name, value] = header
    if (value.length > LONGEST) return header
    const key = `${name}\n${value}`
    const found = known.get(key)
    if (found) return found
    if (known.size >= MOST) known.clear()
    known.set(key, header)
    return header
  })
}
