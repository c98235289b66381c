/** Runs specs that share tokens and connections; which, and what they share, is in `plan/sharing.ts`. */
import type { ConnectionLease } from '../../core/connections.js'
import { allSteps, type Spec } from '../../suite/spec.js'
import { sharedSteps } from '../plan/sharing.js'
import type { Unit } from '../plan/units.js'
import type { SpecEnd } from '../spec-end.js'
import type { SpecRun } from '../spec-run.js'
import { connectionsNeeded } from '../stretch.js'
import type { PhaseContext } from './phase.js'

/** Makes the connections that the specs of a unit share: as many as the spec that needs most. */
export function sharedLease(unit: Unit, { session, pace, connectionsEach }: PhaseContext['context']): ConnectionLease {
  const lease = session.connections.lease(pace)
  lease.wants = Math.max(...unit.map(spec => connectionsNeeded(allSteps(spec), 0, connectionsEach)))
  return lease
}

/**
 * Runs specs that share tokens: what they have in common is sent once, by the first of them that is still under way. What waits a
 * moment by itself does so while the others go on.
 * @param atMoment called where all have sent what may have effects, and only a moment for late ones is left
 */
export async function runJoined(unit: Unit, runs: readonly SpecRun[], atMoment?: () => void): Promise<void> {
  const { senders, before, last } = sharedSteps(unit)
  const keepAlive = async () => runs.find(each => !each.isOver)?.keepAlive()
  for (const run of runs) run.keeper = keepAlive
  for (const [index, run] of runs.entries()) {
    for (const [at, by] of senders[index]?.entries() ?? []) {
      const sender = runs[by]
      if (sender && sender !== run) run.share(sender, at)
      await run.runTo(at + 1)
    }
    await run.runTo(run.spec.given.length - before)
    await keepAlive()
  }
  let carrier: SpecRun | undefined
  for (const run of runs) {
    const { given } = run.spec
    for (let left = before; left > 0; left--) {
      const isLogon = given[given.length - left]?.action === 'logon'
      if (carrier && isLogon) run.share(carrier, carrier.spec.given.length - left)
      else await run.runTo(given.length - left + 1)
    }
    if (!run.isOver) carrier ??= run
    await run.toMoment(last)
    await carrier?.keepAlive()
  }
  const open = runs.filter(run => !run.isOver)
  const closing = open.find(run => run.isAt(last)) ?? open[0]
  await closing?.toMoment()
  atMoment?.()
  for (const run of open) if (run !== closing) await run.runTo(lengthOf(run.spec) - last)
  await closing?.judge()
  for (const run of runs) {
    if (!closing || run === closing) continue
    for (let left = last; left > 0; left--) run.share(closing, lengthOf(closing.spec) - left)
  }
}

function lengthOf({ given, steps }: Spec): number {
  return given.length + steps.length
}

/**
 * Returns the end of a spec that shared its tokens. A token that died is a loss of all of them: what was refused since may have been
 * refused for that. And what kept one from its token kept all.
 */
export function ofJoined(end: SpecEnd, ends: readonly SpecEnd[]): SpecEnd {
  const dead = end.dead ?? ends.find(other => other.dead)?.dead
  return { ...end, isJoined: true, ...(dead && { dead }) }
}
