import type { Fleet } from '../../fleet/types.js'
import { count } from '../../ground/count.js'
import { badgeOf } from '../badge.js'
import { conditionsText } from './words.js'

/**
 * Renders the verdict of a fleet as an SVG of one line: `50 Cores conformant`, `2 of 50 Cores nonconformant, quick profile`.
 */
export function renderFleetBadge(fleet: Fleet): string {
  const { verdict, counts } = fleet
  const conditions = conditionsText(fleet)
  const number = counts[verdict]
  const whose = number === counts.cores ? count(number, 'Core') : `${number} of ${count(counts.cores, 'Core')}`
  return badgeOf(`${whose} ${verdict}${conditions && `, ${conditions}`}`, verdict)
}
