/** Whether a variation of a request got through. */
import { alike, answerOf } from '../core/answers.js'
import type { Exchange, WireRequest } from '../core/exchange.js'
import type { RunContext } from './context.js'

/**
 * Whether the answer to a variation is what an accepted request gets. Where it asks for the same as its step, in the same
 * method or with HEAD, any success is; where it asks for another path, or in another way, only the very content is, for a page
 * or an empty answer may be had there by everybody. No answer, a redirect and an error are none: what a Core says of what it
 * does not know is not shown.
 * @param own the request as the step has it
 */
export function gotThrough(
  { request, response, error }: Exchange,
  own: Pick<WireRequest, 'method' | 'path'>,
  { answers }: Pick<RunContext, 'answers'>,
): boolean {
  if (!response || error) return false
  if (isSame(request, own)) {
    const known = answers.of(request)
    // What a fresh token got there is a refusal too: it tells nothing.
    return (known.tells || known.succeeds) && known.accepts(response)
  }
  return answers.probe.succeeds && alike(answerOf(response), answers.probe.accepted)
}

function isSame(request: Pick<WireRequest, 'method' | 'path'>, own: Pick<WireRequest, 'method' | 'path'>): boolean {
  const path = (text: string) => text.split('?', 1)[0]
  return path(request.path) === path(own.path) && (request.method === own.method || request.method === 'HEAD')
}
