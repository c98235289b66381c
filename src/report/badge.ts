/** The badge: the verdict in one small image, for a README or a release page. */
import type { RunResult, Verdict } from '../result.js'
import { scopeSuffix } from './scope.js'
import { attributeText } from './xml.js'

const COLORS: Record<Verdict, string> = {
  conformant: '#4c1',
  nonconformant: '#e05d44',
  incomplete: '#dfb317',
  untestable: '#9f9f9f',
  pending: '#007ec6',
}

const LABEL = 'Core API'
/** Wide enough for an average character of Verdana at 11 pixels; `textLength` makes any other font fit. */
const CHARACTER = 6.6
const PADDING = 10
const HEIGHT = 20

/** The verdict with all that it is to be read with: whoever sees a badge sees nothing else. */
function message(result: RunResult): string {
  const { verdict, counts } = result
  const failed = counts.failed + counts['unexpected pass']
  return `${verdict === 'nonconformant' ? `${failed} failed` : verdict}${scopeSuffix(result)}`
}

/** The run result as an SVG of one line: the verdict, and what of the reference it is not about. */
export function renderBadge(result: RunResult): string {
  // The path of a probe is the user's.
  return badgeOf(
    attributeText(message(result)).replace(/[&<>"]/g, character => ESCAPES[character] ?? ''),
    result.verdict,
  )
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** A badge with these words. @param told words of ours, which need no escaping */
export function badgeOf(told: string, verdict: Verdict): string {
  const [left, right] = [LABEL, told].map(text => Math.round(text.length * CHARACTER) + PADDING) as [number, number]
  const text = (words: string, from: number, width: number) =>
    `<text x="${from + width / 2}" y="14" textLength="${width - PADDING}" lengthAdjust="spacingAndGlyphs">${words}</text>`
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="${HEIGHT}" role="img" aria-label="${LABEL}: ${told}">
<title>${LABEL}: ${told}</title>
<rect width="${left}" height="${HEIGHT}" fill="#555"/>
<rect x="${left}" width="${right}" height="${HEIGHT}" fill="${COLORS[verdict]}"/>
<g fill="#fff" text-anchor="middle" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11">
${text(LABEL, 0, left)}
${text(told, left, right)}
</g>
</svg>
`
}
