/** Shows an exchange in a few lines of text, for reports without room for the whole exchange. */

import { duration } from '../duration.js'
import { count } from '../ground/count.js'
import type { EarlierTryRecord, ExchangeRecord, RequestRecord, ResponseRecord } from '../result.js'
import { clip, inert, inertLines } from './inert.js'

/** Most characters and most lines of a body that are shown. */
const BODY_LENGTH = 400
const BODY_LINES = 8

/** Longest path or header, in characters. */
const LINE_LENGTH = 300

/** The headers that decide about access. */
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

/** Shows Host and Authorization as sent. Also says when one is absent, since several specs are about that. */
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

/** Says how an earlier try ended. */
function earlierTry({ status, error, durationMs }: EarlierTryRecord): string {
  const came = [status, error && line(error.message)].filter(part => part !== undefined).join(', ')
  return `${came} (${duration(durationMs)})`
}

/**
 * Shows an exchange as lines of inert text: the request with status or error, the headers about access, the start of each body.
 * @param label text before the first line, for example `1.`
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
