/** The filter of a list: of specs, or of the Cores of a fleet. It needs the script of the page, so the script shows it. */
import type { Outcome } from '../../result.js'
import { tone as classOf, Sign } from './parts.js'

interface FilterProps {
  /** What it filters, such as `specs`. */
  of: string
  /** What stands in the field before somebody writes. */
  hint: string
  /** What can be chosen, each with its number. The value is that of `data-outcome`. */
  choices: readonly { value: string; tone: Outcome; mark: string; text: string; number: number }[]
  canUnfold?: boolean
}

/** Shows the filter. */
export function Filter({ of, hint, choices, canUnfold = false }: FilterProps) {
  return (
    <search id="filter" hidden aria-label={`Filter the ${of}`} data-of={of}>
      <fieldset>
        <legend class="unseen">Outcomes</legend>
        {choices.map(({ value, tone, mark, text, number }) => (
          <label key={value}>
            <input type="checkbox" name="outcome" value={value} checked />
            <Sign tone={classOf(tone)} mark={mark} /> {text} <span class="muted">{number}</span>
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
