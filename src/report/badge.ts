/** The badge: the verdict in one small image, for a README or a release page. */
import type { RunResult, Verdict } from '../result.js'

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

function message({ verdict, counts, configuration }: RunResult): string {
  const quick = configuration.profile === 'quick' ? ' (quick)' : ''
  switch (verdict) {
    case 'conformant':
      return `conformant${quick}`
    case 'nonconformant':
      return `${counts.failed} failed${quick}`
    default:
      return `${verdict}${quick}`
  }
}

/** The run result as an SVG of one line. A quick run says that it was one. All of its words are ours: none has to be escaped. */
export function renderBadge(result: RunResult): string {
  return badgeOf(message(result), result.verdict)
}

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
