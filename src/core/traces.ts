/** What is secret by its kind, whatever its value: it is hidden from the moment that it is sent or comes. */
import type { WireRequest, WireResponse } from './exchange.js'
import { MADE_UP, type Redactor, WITHHELD } from './redact.js'
import { secretByName, tokenLike } from './token-like.js'

/**
 * Hides what one exchange told: tokens that were made up for it, secrets by the names of their headers and fields, and in what
 * a logon got, whatever could be a token: also one that should have been refused, or that was cut.
 */
export function hideByKind(
  redactor: Redactor,
  { method, headers }: WireRequest,
  response: WireResponse | undefined,
): void {
  for (const [name, value] of headers) {
    const token = name.toLowerCase() === 'authorization' ? /^Bearer +(\S{8,})$/i.exec(value)?.[1] : undefined
    if (token === undefined) continue
    const shown = redactor.text(token)
    // One that holds a token of the run is known; of one that holds another made-up one the rest would show.
    if (shown === token || (shown.includes(`[${MADE_UP}]`) && shown !== `[${MADE_UP}]`)) redactor.hide(token, MADE_UP)
  }
  if (!response) return
  const found = method === 'POST' && isTelling(response) ? tokenLike(response) : secretByName(response)
  for (const value of found) redactor.hide(value, WITHHELD)
}

/** Whether an answer to a logon may hold a token: a refusal that came whole holds none. */
function isTelling({ status, complete }: WireResponse): boolean {
  return !complete || (status >= 200 && status < 400)
}
