import type { Outcome } from '../../result.js'
import { MARKS } from '../marks.js'

/** The mark of an outcome in its colour. Its word is there for whoever does not see it, unless it stands beside it. */
export function Mark({ outcome, worded = false }: { outcome: Outcome; worded?: boolean }) {
  return (
    <span class={`mark ${outcome}`}>
      <span aria-hidden="true">{MARKS[outcome]}</span>
      {!worded && <span class="unseen">{outcome}</span>}
    </span>
  )
}

/** Counts by outcome: `✗ 2 failed  ✓ 112 passed`. */
export function Tally({ counts }: { counts: [outcome: Outcome, count: number][] }) {
  return (
    <ul class="tally">
      {counts.map(([outcome, count]) => (
        <li key={outcome} class={outcome}>
          <Mark outcome={outcome} worded /> <b>{count}</b> {outcome}
        </li>
      ))}
    </ul>
  )
}
