/** An exchange as a few lines of text, for reports that have no room for all of it. */

import { duration } from '../duration.js'
import { count } from '../ground/count.js'
import type { EarlierTryRecord, ExchangeRecord, RequestRecord, ResponseRecord } from '../result.js'
import { clip, inert, inertLines } from './inert.js'

/** Of a body, this many characters on this many lines are shown. */
const BODY_LENGTH = 400
const BODY_LINES = 8

/** Of a path or a header. */
const LINE_LENGTH = 300

/** The headers that this API turns on. */
const TELLING = ['host', 'authorization']

function line(text: string): string {
  return inert(clip(text, LINE_LENGTH))
}

function bodyLines(sign: string, body: string | undefined): string[] {
  if (body === undefined || body === '') return []
  const lines = inertLines(clip(body, BODY_LENGTH)).split('\n')
  const shown = lines.slice(0, BODY_LINES).map(text => `   ${sign} ${text}`)
  return lines.length > BODY_LINES ? [...shown, `   ${sign} …`] : shown
}

/** Host and Authorization as sent. Their absence is said, since it is what several specs are about. */
function tellingHeaders({ headers }: RequestRecord): string {
  return TELLING.flatMap(name => {
    const sent = headers.filter(([key]) => key.toLowerCase() === name)
    return sent.length === 0 ? [`no ${name}`] : sent.map(([key, value]) => line(`${key}: ${value}`))
  }).join(', ')
}

function answer(response: ResponseRecord): string {
  const cut = response.complete ? '' : ', incomplete'
  return `${line(`${response.status} ${response.statusText}`.trim())}, ${count(response.bodyBytes, 'byte')}${cut}`
}

/** What came of a try before the one that counts. */
function earlierTry({ status, error, durationMs }: EarlierTryRecord): string {
  const came = [status, error && line(error.message)].filter(part => part !== undefined).join(', ')
  return `${came} (${duration(durationMs)})`
}

/**
 * An exchange as lines of inert text: request line with status or error, telling headers, the beginning of each body.
 * @param label what stands before it, for example `1.`
 */
export function exchangeLines(
  label: string,
  { request, response, error, durationMs, earlier = [], variation }: ExchangeRecord,
): string[] {
  const came = response === undefined ? 'no response' : answer(response)
  const wrong = error === undefined ? '' : `, ${error.kind}: ${line(error.message)}`
  return [
    `${label} ${line(`${request.method} ${request.path}`)} HTTP/${request.httpVersion} → ${came}${wrong} (${duration(durationMs)})`,
    ...(variation === undefined ? [] : [`   variation: ${line(variation)}`]),
    ...(earlier.length > 0 ? [`   sent before: ${earlier.map(earlierTry).join('; then ')}`] : []),
    `   > ${tellingHeaders(request)}`,
    ...bodyLines('>', request.body),
    ...bodyLines('<', response?.body),
  ]
}
