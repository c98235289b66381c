import type { Outcome } from '../../result.js'
import { MARKS } from '../marks.js'
import { outcomeWord } from '../words.js'

/** The class of an outcome, which gives it its colour. */
export function tone(outcome: Outcome): string {
  return outcome.replace(' ', '-')
}

/** The mark of an outcome in its colour. Its word is there for whoever does not see it, unless it stands beside it. */
export function Mark({ outcome, worded = false }: { outcome: Outcome; worded?: boolean }) {
  return (
    <span class={`mark ${tone(outcome)}`}>
      <span aria-hidden="true">{MARKS[outcome]}</span>
      {!worded && <span class="unseen">{outcome}</span>}
    </span>
  )
}

/** Counts by outcome: `✗ 2 failed  ✓ 112 passed`, below a bar of their shares. */
export function Tally({ counts }: { counts: [outcome: Outcome, count: number][] }) {
  return (
    <>
      <Bar counts={counts} />
      <ul class="tally">
        {counts.map(([outcome, count]) => (
          <li key={outcome}>
            <Mark outcome={outcome} worded /> <b>{count}</b> {outcomeWord(count, outcome)}
          </li>
        ))}
      </ul>
    </>
  )
}

/** Wide enough to be seen beside hundreds of others, in percent. */
const LEAST_SHARE = 1.5

/** Says nothing that the counts do not say. */
function Bar({ counts }: { counts: [outcome: Outcome, count: number][] }) {
  const all = counts.reduce((sum, [, count]) => sum + count, 0)
  if (all === 0) return null
  const shares = counts.map(([, count]) => Math.max(LEAST_SHARE, (count / all) * 100))
  const total = shares.reduce((sum, share) => sum + share, 0)
  let from = 0
  return (
    <svg class="bar" width="100%" height="10" aria-hidden="true">
      {counts.map(([outcome], index) => {
        const [x, width] = [from, ((shares[index] ?? 0) / total) * 100]
        from += width
        return (
          <rect key={outcome} class={tone(outcome)} x={`${x.toFixed(2)}%`} width={`${width.toFixed(2)}%`} height="10" />
        )
      })}
    </svg>
  )
}
