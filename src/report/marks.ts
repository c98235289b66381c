/** Gives outcomes and verdicts their colours on a console. */
import { VERDICTS } from '../result/outcomes.js'
import type { Outcome, Verdict } from '../result.js'
import type { Page, Style } from './layout.js'

/** Returns the colour of an outcome's mark. */
export function outcomeStyle({ paint }: Page, outcome: Outcome): Style {
  const styles: Record<Outcome, Style> = {
    passed: paint.green,
    failed: paint.red,
    'unexpected pass': paint.red,
    'known failure': paint.yellow,
    observed: paint.cyan,
    skipped: paint.dim,
    blocked: paint.yellow,
    inconclusive: paint.yellow,
    pending: paint.cyan,
  }
  return styles[outcome]
}

/** Returns the start of a headline, the verdict with its mark, and its colour. */
export function verdictHeadline(page: Page, verdict: Verdict): { text: string; style: Style } {
  const { word, mark, tone } = VERDICTS[verdict]
  const style = outcomeStyle(page, tone)
  return { text: `${mark} ${word}`, style: headline => page.paint.bold(style(headline)) }
}
