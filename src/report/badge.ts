/** The badge: the verdict in one small image, for a README or a release page. */
import { makeBadge } from 'badge-maker'
import type { RunResult, Verdict } from '../result.js'

const COLORS: Record<Verdict, string> = {
  conformant: 'brightgreen',
  nonconformant: 'red',
  incomplete: 'yellow',
  untestable: 'lightgrey',
  pending: 'blue',
}

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

/** The run result as an SVG of one line. A quick run says that it was one. */
export function renderBadge(result: RunResult): string {
  return `${makeBadge({ label: 'Core API', message: message(result), color: COLORS[result.verdict] })}\n`
}
