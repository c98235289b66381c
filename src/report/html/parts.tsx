/** Parts that the pages share. */
import type { ComponentChildren } from 'preact'
import { MARKS } from '../../result/outcomes.js'
import type { Outcome } from '../../result.js'

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

/** Shows the mark of an outcome in its colour, with its word for screen readers. */
export function Mark({ outcome, word = outcome }: { outcome: Outcome; word?: string }) {
  return (
    <span class={`mark ${tone(outcome)}`}>
      <span aria-hidden="true">{MARKS[outcome]}</span>
      <span class="unseen">{word}</span>
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

interface FilterProps {
  /** What it filters, such as `specs`. */
  of: string
  /** What stands in the field before somebody writes. */
  hint: string
  /** What can be chosen, each with its number; of which there is none is left out. The value is that of `data-outcome`. */
  choices: readonly { value: string; tone: Outcome; mark: string; number: number }[]
  canUnfold?: boolean
}

/** Shows the filter of a list: of specs, or of the Cores of a fleet. It needs the script of the page, so the script shows it. */
export function Filter({ of, hint, choices, canUnfold = false }: FilterProps) {
  return (
    <search id="filter" hidden aria-label={`Filter the ${of}`} data-of={of}>
      <fieldset>
        <legend class="unseen">Outcomes</legend>
        {choices
          .filter(({ number }) => number > 0)
          .map(({ value, tone: outcome, mark, number }) => (
            <label key={value}>
              <input type="checkbox" name="outcome" value={value} checked />
              <Sign tone={tone(outcome)} mark={mark} /> {value} <span class="muted">{number}</span>
            </label>
          ))}
      </fieldset>
      <label class="search">
        <span>Words</span>
        <input id="filter-text" type="search" autocomplete="off" placeholder={hint} />
      </label>
      {canUnfold && (
        <button type="button" id="unfold">
          Unfold all
        </button>
      )}
      <p role="status" id="filter-status"></p>
    </search>
  )
}
