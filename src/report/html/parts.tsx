/** Parts that the pages share. */
import type { ComponentChildren } from 'preact'
import { MARKS, outcomeWord } from '../../result/outcomes.js'
import type { Outcome, SpecRecord, StepRecord } from '../../result.js'
import { WORST_FIRST } from '../run/findings.js'

interface SectionProps {
  id: string
  title: ComponentChildren
  class?: string
  children?: ComponentChildren
}

/** Shows a section of a page below its heading. */
export function Section({ id, title, class: name, children }: SectionProps) {
  return (
    <section class={name} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  )
}

/** Shows what may be wider than the page, which scrolls then. */
export function Scroll({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be in reach of the keyboard
    <section class="scroll" aria-label={label} tabIndex={0}>
      {children}
    </section>
  )
}

/** Shows the head of a table. */
export function Columns({ names }: { names: readonly string[] }) {
  return (
    <thead>
      <tr>
        {names.map(name => (
          <th scope="col" key={name}>
            {name}
          </th>
        ))}
      </tr>
    </thead>
  )
}

/** Shows a mark in its colour. Screen readers skip it: the word beside it says the same. */
export function Sign({ tone, mark }: { tone: string; mark: string }) {
  return (
    <span class={`mark ${tone}`} aria-hidden="true">
      {mark}
    </span>
  )
}

/** Returns the CSS class of an outcome, which sets its colour. */
export function tone(outcome: Outcome): string {
  return outcome.replace(' ', '-')
}

/**
 * Shows the mark of an outcome in its colour, with its word for screen readers.
 * @param worded whether the word stands beside the mark anyway
 */
export function Mark({ outcome, worded = false }: { outcome: Outcome; worded?: boolean }) {
  return (
    <span class={`mark ${tone(outcome)}`}>
      <span aria-hidden="true">{MARKS[outcome]}</span>
      {!worded && <span class="unseen">{outcomeWord(outcome)}</span>}
    </span>
  )
}

/** Smallest share in the bar, in percent: one spec among hundreds stays visible. */
const LEAST_SHARE = 1.5

/** Shows the shares as a bar, which screen readers skip: the counts say the same. */
export function Bar({ shares: counts }: { shares: (readonly [outcome: Outcome, count: number])[] }) {
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
          <rect key={index} class={tone(outcome)} x={`${x.toFixed(2)}%`} width={`${width.toFixed(2)}%`} height="10" />
        )
      })}
    </svg>
  )
}

/** Counts the specs of each outcome, worst first. Leaves out outcomes without specs. */
export function tally(specs: readonly SpecRecord[]): [outcome: Outcome, count: number][] {
  return WORST_FIRST.map((outcome): [Outcome, number] => [
    outcome,
    specs.filter(spec => spec.outcome === outcome).length,
  ]).filter(([, count]) => count > 0)
}

/** The mark, the word and the colour class of each outcome of a step. */
export const STEPS: Record<StepRecord['outcome'], { mark: string; word: string; tone: Outcome }> = {
  ok: { mark: MARKS.passed, word: 'as expected', tone: 'passed' },
  miss: { mark: MARKS.failed, word: 'not as expected', tone: 'failed' },
  'missed window': { mark: MARKS.inconclusive, word: 'missed its window', tone: 'inconclusive' },
  'not run': { mark: MARKS.skipped, word: 'not run', tone: 'skipped' },
}
