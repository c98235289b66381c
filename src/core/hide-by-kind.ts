/** Hides secrets that are known by their kind, not by their value. Each is hidden as soon as it is sent or received. */
import type { WireRequest, WireResponse } from './exchange.js'
import { MADE_UP, type Redactor, WITHHELD } from './redact.js'
import { secretByName, tokenLike } from './token-like.js'

/**
 * Hides the secrets of one exchange:
 * - tokens that were made up for it;
 * - values of headers and fields whose names say that they are secret;
 * - in the answer to a logon, every string that could be a token, also where the logon should have been refused or its
 *   answer was cut.
 */
export function hideByKind(redactor: Redactor, { method, headers }: WireRequest, response?: WireResponse): void {
  for (const [name, value] of headers) {
    const token = name.toLowerCase() === 'authorization' ? /^Bearer +(\S{8,})$/i.exec(value)?.[1] : undefined
    if (token === undefined) continue
    const shown = redactor.text(token)
    // A token that contains a token of the run is recognized already. Of one that contains another made-up token the
    // rest would show.
    if (shown === token || (shown.includes(`[${MADE_UP}]`) && shown !== `[${MADE_UP}]`)) redactor.hide(token, MADE_UP)
  }
  if (!response) return
  const found = method === 'POST' && isTelling(response) ? tokenLike(response) : secretByName(response)
  for (const value of found) redactor.hide(value, WITHHELD)
}

/** Whether an answer to a logon may hold a token. A refusal that arrived whole holds none. */
function isTelling({ status, complete }: WireResponse): boolean {
  return !complete || (status >= 200 && status < 400)
}
