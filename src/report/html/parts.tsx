/** Parts that the pages share. */
import type { ComponentChildren } from 'preact'
import type { Outcome } from '../../result.js'
import type { Tone } from '../blocks.js'

interface SectionProps {
  id: string
  title: ComponentChildren
  class?: string | undefined
  children: ComponentChildren
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

/** Returns the CSS class of a tone, which sets a colour. */
export function classOf(of: Tone): string {
  return of.replace(' ', '-')
}

/**
 * Shows a mark in its colour.
 * @param props `said`: its word for screen readers; without one they skip it, since the words beside it say the same
 */
export function Mark({ tone, mark, said }: { tone: Tone | undefined; mark: string; said?: string }) {
  return (
    <span class={`mark ${tone ? classOf(tone) : 'none'}`} aria-hidden={said === undefined ? 'true' : undefined}>
      {said === undefined ? mark : <Said mark={mark} text={said} />}
    </span>
  )
}

/** Shows a mark, and says a text in its place where nobody sees it. */
export function Said({ mark, text }: { mark: string; text: string }) {
  return (
    <>
      <span aria-hidden="true">{mark}</span>
      <span class="unseen">{text}</span>
    </>
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
        const share = ((shares[index] ?? 0) / total) * 100
        const [x, width] = [from, share].map(percent => `${percent.toFixed(2)}%`)
        from += share
        return <rect key={index} class={classOf(outcome)} x={x} width={width} height="10" />
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
          .map(({ value, tone, mark, number }) => (
            <label key={value}>
              <input type="checkbox" name="outcome" value={value} checked />
              <Mark tone={tone} mark={mark} /> {value} <span class="muted">{number}</span>
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
