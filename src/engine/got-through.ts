/** Judges whether a variation of a request got through. */
import { alike, answerOf } from '../core/answers.js'
import type { Aim, Exchange } from '../core/exchange.js'
import type { RunContext } from './context.js'
import { pathOnly } from './requests.js'

/**
 * Whether a variation was answered as an accepted request is. No answer, a redirect and an error do not count: the
 * reference does not show what a Core answers to requests that it does not know. Where the variation asks for the same
 * path as its step, with the same method or with HEAD, any acceptance counts. Where it asks for another path, or with
 * another method, only the very content of the probe counts, and that something was created: anybody may get a page or an empty answer
 * there.
 * @param own the request as the step has it
 */
export function gotThrough(exchange: Exchange, own: Aim, { answers }: RunContext): boolean {
  const { request, response, error } = exchange
  if (!response || error) return false
  if (isSame(request, own)) {
    const known = answers.of(request)
    // An answer to a fresh token that is itself a refusal shows nothing.
    return (known.tells || known.succeeds) && known.accepts(exchange)
  }
  if (response.status === CREATED && answers.probe.kindOf(exchange) !== 'refused') return true
  return answers.probe.succeeds && alike(answerOf(response), answers.probe.accepted)
}

/** RFC 9110 15.3.2 */
const CREATED = 201

function isSame(request: Aim, own: Aim): boolean {
  return pathOnly(request.path) === pathOnly(own.path) && (request.method === own.method || request.method === 'HEAD')
}
