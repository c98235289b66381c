/** Surveys what a Core with access control off does besides answering requests without a token. */
import type { Dialect } from '../result.js'
import { candidates } from './candidates.js'
import { asksForToken, type Exchange, type WireRequest } from './exchange.js'
import { withToken } from './give-back.js'
import type { Session } from './session.js'
import { alphabetOf, type Token } from './token.js'
import type { Untestable } from './untestable.js'

/** Settings of the survey of an open Core. */
export interface OpenSurveyOptions {
  /** Receives what is found. */
  dialect: Dialect
  /** The exchanges so far, the first of which is the probe without a token. Receives further ones. */
  exchanges: Exchange[]
  probe: WireRequest
  /** The logon with the right credentials; absent where it is not to be tried. */
  logon?: WireRequest
  /** A field name or JSON Pointer from the user; undefined: the likeliest string is taken for the token. */
  tokenField: string | undefined
}

/** Statuses by which a server says that it does not take a version of HTTP (RFC 9110 15.5.1, 15.5.22, 15.6.6). */
const VERSION_REFUSED: ReadonlySet<number> = new Set([400, 426, 505])

/**
 * Finds out whether an open Core speaks HTTP/1.0, and whether its logon gives something that looks like a token. No request can
 * prove that it is one, since every request is accepted. It is given back at once.
 *
 * @returns why the Core cannot be tested: the probe is answered with an error that asks for no token; else undefined
 */
export async function surveyOpen(session: Session, options: OpenSurveyOptions): Promise<Untestable | undefined> {
  const { dialect, exchanges, probe } = options
  const [none] = exchanges
  const old = await session.exchange({ ...probe, httpVersion: '1.0' })
  exchanges.push(old)
  dialect.http10 = old.response !== undefined && !VERSION_REFUSED.has(old.response.status)
  const token = await logOnce(session, options)
  if (!none?.response || isSuccess(none) || asksForToken(none.response)) {
    if (token) await session.giveBack([token], exchanges)
    return undefined
  }
  const twin = token && (await session.exchange(withToken(probe, token.value)))
  if (twin) exchanges.push(twin)
  if (token) await session.giveBack([token], exchanges)
  const { status } = none.response
  // Without a token to compare with, a 403 is as likely a refusal as not, and specs tell it as what it is.
  if (twin ? isSuccess(twin) : status === 403) return undefined
  return {
    reason: `${probe.method} ${probe.path} is answered ${status}, ${twin ? 'with a token too, ' : ''}which does not show whether a token is needed`,
    advice: 'choose a path that this Core serves: --probe-path',
  }
}

function isSuccess({ response }: Exchange): boolean {
  return response !== undefined && response.status >= 200 && response.status < 300
}

/** Logs on, and returns what looks like a token; undefined where nothing does, or no logon is to be tried. */
async function logOnce(
  session: Session,
  { dialect, exchanges, logon, tokenField }: OpenSurveyOptions,
): Promise<Token | undefined> {
  if (!logon) return undefined
  const exchange = await session.exchange(logon)
  exchanges.push(exchange)
  const { response } = exchange
  dialect.logonStatus = response?.status ?? null
  const [best] = response && response.status < 300 ? candidates(response, tokenField) : []
  if (!best) {
    session.noteLost(exchange)
    return undefined
  }
  session.tokenPointer = best.pointer
  const token = session.take(exchange, 'token of the survey')
  if (token) dialect.token = { pointer: best.pointer, length: best.value.length, alphabet: alphabetOf(best.value) }
  return token
}
