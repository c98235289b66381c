/** Draws the badge: the verdict in one small image, for a README or a release page. */

import type { Fleet } from '../fleet/types.js'
import { count } from '../ground/count.js'
import { isSpec, VERDICTS } from '../result/outcomes.js'
import { scopeOf, withLimits } from '../result/scope.js'
import type { Outcome, RunResult, Verdict } from '../result.js'
import { limitsOf } from './fleet/words.js'
import { attributeText, escaped } from './xml.js'

/** The colours by the tones of verdicts. */
const COLORS: Partial<Record<Outcome, string>> = {
  passed: '#4c1',
  failed: '#e05d44',
  inconclusive: '#dfb317',
  blocked: '#9f9f9f',
  pending: '#007ec6',
}

const LABEL = 'Core API'
/** Width of an average character of Verdana at 11 pixels. `textLength` makes other fonts fit. */
const CHARACTER = 6.6
const PADDING = 10
const HEIGHT = 20

/** Renders the verdict as an SVG of one line, with all its limits: the reader of a badge sees nothing else. */
export function renderBadge(result: RunResult): string {
  const { verdict, specs } = result
  const failed = specs.filter(spec => isSpec(spec) && spec.outcome === 'failed').length
  const told =
    verdict === 'nonconformant' && failed > 0 ? `${count(failed, 'spec')} failed` : VERDICTS[verdict].word.toLowerCase()
  // The user chose the path of the probe, so it needs escaping.
  return badgeOf(escaped(attributeText(withLimits(told, scopeOf(result)))), verdict)
}

/** Draws a badge. @param told the words, already escaped for XML */
function badgeOf(told: string, verdict: Verdict): string {
  const [left, right] = [LABEL, told].map(text => Math.round(text.length * CHARACTER) + PADDING) as [number, number]
  const text = (words: string, from: number, width: number) =>
    `<text x="${from + width / 2}" y="14" textLength="${width - PADDING}" lengthAdjust="spacingAndGlyphs">${words}</text>`
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="${HEIGHT}" role="img" aria-label="${LABEL}: ${told}">
<title>${LABEL}: ${told}</title>
<rect width="${left}" height="${HEIGHT}" fill="#555"/>
<rect x="${left}" width="${right}" height="${HEIGHT}" fill="${COLORS[VERDICTS[verdict].tone]}"/>
<g fill="#fff" text-anchor="middle" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11">
${text(LABEL, 0, left)}
${text(told, left, right)}
</g>
</svg>
`
}

/** Renders the verdict of a fleet as an SVG of one line: `50 Cores conformant`, `2 of 50 Cores nonconformant, quick profile`. */
export function renderFleetBadge(fleet: Fleet): string {
  const { verdict, counts } = fleet
  const number = counts[verdict] ?? 0
  const whose = number === counts.cores ? count(number, 'Core') : `${number} of ${count(counts.cores, 'Core')}`
  return badgeOf(withLimits(`${whose} ${VERDICTS[verdict].word.toLowerCase()}`, limitsOf(fleet)), verdict)
}
