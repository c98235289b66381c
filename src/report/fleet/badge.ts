import type { Fleet } from '../../fleet/types.js'
import { count } from '../../ground/count.js'
import { badgeOf } from '../badge.js'

/** The verdict of a fleet as an SVG of one line: `50 Cores conformant`, `2 of 50 Cores nonconformant (quick)`. */
export function renderFleetBadge({ verdict, counts, cores, shard }: Fleet): string {
  const quick = cores.some(({ configuration }) => configuration.profile === 'quick') ? ' (quick)' : ''
  const part = shard ? `, shard ${shard.number}/${shard.total}` : ''
  const number = counts[verdict]
  const whose = number === counts.cores ? count(number, 'Core') : `${number} of ${count(counts.cores, 'Core')}`
  return badgeOf(`${whose} ${verdict}${quick}${part}`, verdict)
}
