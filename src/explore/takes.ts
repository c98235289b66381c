import type { Action } from './action.js'
import { type Bounds, Play } from './lower.js'

/** Returns the most time that a sequence takes, in milliseconds. */
export function takesMs(actions: readonly Action[], bounds: Bounds): number {
  const play = new Play(bounds)
  for (const action of actions) play.do(action)
  return play.model.longestMs
}
