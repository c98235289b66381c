import type { RunContext } from '../engine/context.js'
import { whyNotJudged, whySkipped } from '../engine/skip-reasons.js'
import { findRole } from '../suite/roles.js'
import type { Action } from './action.js'
import { toSpec } from './sequence.js'
import type { Features } from './variations.js'

/** Returns the features of this Core that the explorer can vary, as the survey saw them. */
export function featuresOf(context: RunContext): Features {
  const tells = (action: Action) => {
    const steps = [{ raw: { logon: 'a' } }, { raw: { ...action, token: 'a', expect: 'accepted' as const } }]
    const parts = { id: 'explored-look', title: 'a look', requirements: [], tests: 'all' as const }
    const spec = toSpec(steps, parts, { requests: context.parts.requests, families: new Map() })
    return whySkipped(spec, context.dialect) === undefined && whyNotJudged(spec, context) === undefined
  }
  return {
    head: tells({ send: 'probe', method: 'HEAD' }),
    elsewhere: findRole(context.parts.requests, 'elsewhere') !== undefined && tells({ send: 'elsewhere' }),
    resumed: tells({ send: 'probe', connection: 'resumed' }),
    behind: true,
    http10: context.dialect.http10 === true && tells({ send: 'probe', http: '1.0' }),
  }
}
