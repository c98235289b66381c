/** What a request is that a fault concerns: the rows of `contracts/defects/standings.txt`. */
import { grouped } from '../../../ground/grouped.js'
import { isRevocation } from '../tools.js'
import type { Moment, TokenLife } from './moment.js'
import { isLike, knownTest } from './predicates.js'
import { inWords, tableOf } from './rows.js'
import type { Watch } from './watch.js'

/** One kind of request. */
export interface Standing {
  /** Lower-case words with hyphens. */
  id: string
  /** A clause about the request: `carries no token`. */
  that: string
  /** How likely a fault hangs on it, from 1. */
  weight: number
  /** Whether it counts as a trigger: more than that a client does what the reference shows, or is refused. */
  isTrigger: boolean
  is(moment: Moment, watch: Watch): boolean
}

const NO_TRIGGER = 'no trigger'

/** By the heading above them, behind which stands what they have in common. */
const STANDINGS = new Map(
  [...grouped(tableOf('standings'), ({ heading: [name = ''] }) => name)].map(([name, rows]): [string, Standing[]] => [
    name,
    rows.map(({ heading: [, ...common], row: [words = '', test = ''] }) => ({
      ...inWords(words),
      isTrigger: !common.includes(NO_TRIGGER),
      is: knownTest([...common.filter(each => each !== NO_TRIGGER), test].join(' & ')),
    })),
  ]),
)

/** Returns the kinds of requests of a heading. */
export function standingsOf(heading: string): readonly Standing[] {
  const found = STANDINGS.get(heading)
  if (found === undefined) throw new Error(`there are no standings "${heading}"`)
  return found
}

/** A revocation with a token almost as it should be, or in the wrong place, which must be refused; its path holds none. */
export const REVOCATIONS_MEANT: readonly Standing[] = [...standingsOf('lookalike'), ...standingsOf('carrier')]
  .filter(({ id }) => id !== 'token-in-path')
  .map(standing => ({
    ...standing,
    id: `revocation-${standing.id}`,
    that: `asks for a revocation and ${standing.that}`,
    is: (moment, watch) => isRevocation(moment.head) && !moment.isBare && standing.is(moment, watch),
  }))

/** Every kind of request. */
export const ALL_STANDINGS: readonly Standing[] = [...[...STANDINGS.values()].flat(), ...REVOCATIONS_MEANT]

/** Returns the valid tokens that a request almost carries, or carries in the wrong place. */
export function meant(watch: Watch, { head, presented = '', token, body = '' }: Moment): TokenLife[] {
  if (token !== undefined) return []
  const sent = [head.target, ...head.headers.map(([, value]) => value), body]
  return watch.valid().filter(({ text }) => isLike(presented, text) || sent.some(value => value.includes(text)))
}
