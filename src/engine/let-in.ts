/** Why a request was let in with a token that opens nothing any more, where the token is not the reason. */
import type { Exchange, WireRequest } from '../core/exchange.js'
import { withToken } from '../core/session.js'
import { neverIssued, type Token } from '../core/token.js'
import { isSafe } from '../ground/methods.js'
import type { RunContext } from './context.js'
import { roleRequest } from './requests.js'

/** `made-up token`: one of nobody is let in as well; `issued anew`: a logon gave the same token out again. */
export type OtherReason = 'made-up token' | 'issued anew'

/** Each {@link OtherReason} in words that follow what was seen. */
export const IN_WORDS: Record<OtherReason, string> = {
  'made-up token': 'a made-up token is accepted there, too, so nothing is shown of this one',
  'issued anew': 'a logon after that issued the same token anew, so nothing is shown of the one of before',
}

/** A request that was let in with a token that was revoked, or has expired. */
export interface LetIn {
  exchange: Exchange
  token: Token
  /** What the spec has sent so far, this request included. */
  exchanges: readonly Exchange[]
  /** Sends a request, and notes it. */
  send: (request: WireRequest) => Promise<Exchange>
  /** Whether an answer to the same request in the same words is what an accepted one gets. */
  isThrough: (exchange: Exchange) => boolean
}

/**
 * What else may have let it in, so that nothing is shown of the token. A Core that issues a revoked token anew breaks what is said
 * of logons, and one that takes a made-up token as well, now and here, breaks what is said of the API; neither shows whether it
 * forgets what was revoked or expired.
 * @returns undefined where the token is all there is
 */
export async function otherReason(
  context: Pick<RunContext, 'session' | 'parts' | 'answers'>,
  { exchange, token, exchanges, send, isThrough }: LetIn,
): Promise<OtherReason | undefined> {
  if (isIssuedAnew(context, exchange, token, exchanges)) return 'issued anew'
  const { request } = exchange
  const other = neverIssued(token.value)
  // What changes something is not sent with a token of nobody: whether that opens the API tells as much.
  const varied = isSafe(request.method) ? withOther(request, token.value, other) : undefined
  const look = await send(varied ?? withToken(roleRequest(context.parts, 'probe'), other))
  if (exchange.variation !== undefined) look.variation = `${exchange.variation}, with a made-up token`
  const isLetIn = varied
    ? isThrough(look)
    : look.response !== undefined && context.answers.probe.tells && context.answers.probe.accepts(look.response)
  if (isLetIn) return 'made-up token'
  // The answer to a logon of somebody else may have come meanwhile.
  return isIssuedAnew(context, exchange, token, exchanges) ? 'issued anew' : undefined
}

/** Whether the Core issued the same token again after it had revoked it, or after it had got it first. */
function isIssuedAnew(
  { session }: Pick<RunContext, 'session'>,
  { sentAt, receivedAt }: Exchange,
  token: Token,
  exchanges: readonly Exchange[],
): boolean {
  const isRevocation = ({ request, sentAt: at }: Exchange) =>
    request.method === 'DELETE' && at < sentAt && request.headers.some(([, value]) => value.endsWith(` ${token.value}`))
  const sinceMs = exchanges.findLast(isRevocation)?.sentAt ?? token.issued.receivedAt
  return session.tokens.some(
    each =>
      each !== token &&
      each.value === token.value &&
      each.issued.receivedAt > sinceMs &&
      each.issued.sentAt < receivedAt,
  )
}

/** The same request with another token wherever it holds this one; undefined where it holds none in plain text. */
function withOther(request: WireRequest, value: string, other: string): WireRequest | undefined {
  const changed = (text: string) => text.replaceAll(value, other)
  const { headers, path, body } = request
  const made: WireRequest = {
    ...request,
    headers: headers.map(([name, text]) => [name, changed(text)]),
    path: changed(path),
    ...(body !== undefined && { body: changed(body) }),
  }
  return JSON.stringify(made) === JSON.stringify(request) ? undefined : made
}
