/** Defines the mark and the colour of each outcome and verdict on a console. The marks also differ without colour. */
import type { Outcome, Verdict } from '../result.js'
import type { Page, Style } from './layout.js'

/** The mark of each outcome. Each mark is one column wide on every terminal. */
export const MARKS: Record<Outcome, string> = {
  passed: '✓',
  failed: '✗',
  'unexpected pass': '+',
  'known failure': '~',
  observed: '•',
  skipped: '–',
  blocked: '!',
  inconclusive: '?',
  pending: '…',
}

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
export function verdictHeadline({ paint }: Page, verdict: Verdict): { text: string; style: Style } {
  const headlines: Record<Verdict, { text: string; style: Style }> = {
    conformant: { text: '✓ Conformant', style: paint.green },
    nonconformant: { text: '✗ Nonconformant', style: paint.red },
    incomplete: { text: '? Incomplete', style: paint.yellow },
    untestable: { text: '! Untestable', style: paint.yellow },
    pending: { text: '… Pending', style: paint.cyan },
  }
  const { text, style } = headlines[verdict]
  return { text, style: headline => paint.bold(style(headline)) }
}
