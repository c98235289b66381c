/** Finds out why the Core let a request in whose token should not open the API, where the token is not the reason. */
import type { Exchange, WireRequest } from '../core/exchange.js'
import { neverIssued, type Token } from '../core/token.js'
import { isSafe } from '../ground/methods.js'
import { probeWith } from './requests.js'
import type { SpecTalk } from './steps/spec-talk.js'

/** `made-up token`: the Core lets a made-up token in as well. `issued anew`: a logon issued the same token again. */
export type OtherReason = 'made-up token' | 'issued anew'

/** Words for each {@link OtherReason}, to follow what was seen. */
export const IN_WORDS: Record<OtherReason, string> = {
  'made-up token': 'a made-up token is accepted there too, so this shows nothing about the token',
  'issued anew': 'a later logon issued the same token again, so this shows nothing about the earlier one',
}

/**
 * Finds another reason than the token. A Core that issues a revoked token anew breaks a requirement on logons. A Core
 * that also accepts a made-up token breaks the requirement on access. Neither shows whether it forgets revoked or
 * expired tokens.
 * @param exchange the request that the Core let in
 * @param isThrough whether the answer to the same request is that of an accepted one
 * @returns undefined where the token is the only reason
 */
export async function otherReason(
  talk: SpecTalk,
  exchange: Exchange,
  token: Token,
  isThrough: (exchange: Exchange) => boolean,
): Promise<OtherReason | undefined> {
  const { context } = talk
  if (isIssuedAnew(talk, exchange, token)) return 'issued anew'
  const { request } = exchange
  const other = neverIssued(token.value)
  // An unsafe request is not sent with a made-up token. Whether the probe with that token opens the API shows as much.
  const varied = isSafe(request.method) ? withOther(request, token.value, other) : undefined
  const look = await talk.exchange(varied ?? probeWith(context.parts, other))
  if (exchange.variation !== undefined) look.variation = `${exchange.variation}, with a made-up token`
  const isLetIn = varied ? isThrough(look) : context.answers.probe.tells && context.answers.probe.accepts(look)
  if (isLetIn) return 'made-up token'
  // Another spec's logon may have been answered meanwhile.
  return isIssuedAnew(talk, exchange, token) ? 'issued anew' : undefined
}

/** Whether the Core issued the same token again, after its revocation or after its first issue. */
function isIssuedAnew({ context, exchanges }: SpecTalk, { sentAt, receivedAt }: Exchange, token: Token): boolean {
  const isRevocation = ({ request, sentAt: at }: Exchange) =>
    request.method === 'DELETE' && at < sentAt && request.headers.some(([, value]) => value.endsWith(` ${token.value}`))
  const sinceMs = exchanges.findLast(isRevocation)?.sentAt ?? token.issued.receivedAt
  return context.session.tokens.some(
    each =>
      each !== token &&
      each.value === token.value &&
      each.issued.receivedAt > sinceMs &&
      each.issued.sentAt < receivedAt,
  )
}

/**
 * Returns the same request with another token in place of this one; undefined where it does not contain this one in
 * plain text.
 */
export function withOther(request: WireRequest, value: string, other: string): WireRequest | undefined {
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
