import { type Exchange, summary, type WireRequest } from './exchange.js'

/** Why a target cannot be tested, and what the user can do about it. */
export interface Untestable {
  reason: string
  advice: string
}

/**
 * Says why a logon gave no token that could be tried.
 * @param tokenField the place of the token as the user gave it
 */
export function whyNoToken(exchange: Exchange, tokenField: string | undefined): Untestable {
  const { error, response } = exchange
  if (error) return untestable(`the logon failed: ${error.message}`, 'check that the Core is in working order')
  const status = response?.status ?? 0
  const seen = summary(exchange)
  if (status === 429)
    return untestable('the Core limits logons (429)', 'wait a while, and make sure that nothing else logs on')
  if (status === 400 || status === 401 || status === 403)
    return untestable(`the credentials were refused: ${seen}`, 'check CORE_USERNAME and CORE_PASSWORD')
  if (status >= 400 && status < 500)
    return untestable(
      `the logon was refused: ${seen}`,
      'check that a Core is there, and CORE_USERNAME and CORE_PASSWORD',
    )
  if (status >= 300 && status < 400)
    return untestable(
      `the logon was redirected: ${seen}`,
      'redirects are not followed: give the URL of the Core itself',
    )
  if (status >= 500) return untestable(`the logon failed: ${seen}`, 'check that the Core is in working order')
  const where = tokenField === undefined ? '' : ` at ${tokenField}`
  const advice =
    tokenField === undefined
      ? 'check that a Core is there'
      : 'correct --token-field, or leave it out to have the token found'
  return untestable(`the logon was answered ${seen}, but it holds no token${where}`, advice)
}

/**
 * Says that no string of a logon response opens the API.
 * @param none the probe without a token
 */
export function noDifference({ path }: WireRequest, none: Exchange): Untestable {
  return untestable(
    `with the token of the logon, ${path} answers as without one (${summary(none)})`,
    'if the user may not read that path, name one that it may with --probe-path; if the token stands elsewhere, name its field with --token-field',
  )
}

/** Says that acceptance and refusal cannot be told apart, with both side by side. */
export function nothingTells({ path }: WireRequest, accepted: Exchange, none: Exchange): Untestable {
  return untestable(
    `nothing tells what ${path} answers to the token of the logon (${withBody(accepted)}) from what it answers without one (${withBody(none)})`,
    'say how this Core refuses with --refused, such as --refused body.success=false, or name another path with --probe-path',
  )
}

/** Longest beginning of a body that a message shows. */
const SHOWN = 60

function withBody(exchange: Exchange): string {
  const body = exchange.response?.body.trim().replace(/\s+/g, ' ') ?? ''
  const shown = body.length > SHOWN ? `${body.slice(0, SHOWN)}…` : body
  return exchange.response ? `${summary(exchange)}, ${shown === '' ? 'with an empty body' : shown}` : summary(exchange)
}

function untestable(reason: string, advice: string): Untestable {
  return { reason, advice }
}
