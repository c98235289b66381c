/** What a run is going to do with its time, in a line and as a timeline. */
import { duration } from '../duration.js'
import type { Plan } from '../result.js'
import { count } from './words.js'

/** The plan in a line: `plan: 135 specs, about 1 h 4 min, up to 18 tokens held`. */
export function planLine({ specs, durationMs, unlimitedMs, tokens }: Plan): string {
  const time = durationMs > 0 ? `about ${duration(durationMs)}` : 'no waiting'
  const more = durationMs - unlimitedMs
  const cost = more > 0 ? `, ${duration(more)} more than without a limit to the tokens` : ''
  return `plan: ${count(specs, 'spec')}, ${time}, up to ${count(tokens, 'token')} held${cost}`
}
