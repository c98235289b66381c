import { type DoubtSource, doubtSource, newDoubts } from '../result/opened.js'
import type { RunResult } from '../result.js'
import type { Change } from './types.js'

/** Lists the requirements that came into doubt, and those that were in doubt and are met now. */
export function doubtChanges(was: RunResult, is: RunResult): Change[] {
  const [before, now] = [doubtSource(was), doubtSource(is)]
  return [
    ...newDoubts(before, now).map(
      ({ requirement, was, text }): Change => ({
        kind: 'doubt',
        subject: requirement,
        ...(text !== undefined && { part: 'seen' }),
        was,
        is: text ?? 'in doubt',
      }),
    ),
    ...cleared(before, now).map((subject): Change => ({ kind: 'doubt', subject, was: 'in doubt', is: 'met' })),
  ]
}

function cleared(was: DoubtSource, is: DoubtSource): string[] {
  return Object.keys(is.states).filter(id => was.states[id] === 'in doubt' && is.states[id] === 'met')
}
