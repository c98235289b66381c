import type { Fleet } from '../../fleet/types.js'
import { count } from '../../ground/count.js'
import { VERDICTS } from '../../result/outcomes.js'
import { withLimits } from '../../result/scope.js'
import { badgeOf } from '../badge.js'
import { limitsOf } from './words.js'

/**
 * Renders the verdict of a fleet as an SVG of one line: `50 Cores conformant`, `2 of 50 Cores nonconformant, quick profile`.
 */
export function renderFleetBadge(fleet: Fleet): string {
  const { verdict, counts } = fleet
  const number = counts[verdict] ?? 0
  const whose = number === counts.cores ? count(number, 'Core') : `${number} of ${count(counts.cores, 'Core')}`
  return badgeOf(withLimits(`${whose} ${VERDICTS[verdict].word.toLowerCase()}`, limitsOf(fleet)), verdict)
}
