import { allSteps, type Spec } from '../../suite/spec.js'
import { waitAMoment } from '../steps/wait-step.js'
import { isGood } from './confirm.js'
import { Meeting } from './meeting.js'
import type { Attempt, PhaseContext } from './phase.js'
import { allSettled } from './together.js'
import { UnitRunner } from './unit-runner.js'

/** Fewer specs are tried once more one by one: together they would save no time. */
const LEAST = 3
/** Most specs at a time: each holds tokens of its own. */
const MOST = 12

/**
 * Tries specs with bystanders once more that may have lost one to another spec. Alone, each takes seconds, in which it waits for late
 * effects. Here they come one after another, each with bystanders of its own, and wait together; no token is given back before all have
 * looked. Where none loses a bystander, none of them did it. Who loses one at once did that itself, so the others go on without it. And of
 * those that are left, each half is tried for itself.
 * @returns the attempts of those that did not do it
 */
export async function triedApart(phase: PhaseContext, attempts: readonly Attempt[]): Promise<Attempt[]> {
  // Where there is room for few tokens, those of one spec keep another from its own.
  if (phase.context.dialect.sessions !== 'many' || phase.budget.isShrunk || attempts.length < LEAST) return []
  if (attempts.length > MOST) return inHalves(phase, attempts)
  const again = await oneRound(phase, attempts)
  if (again.every(({ end }) => isGood(end))) return again
  const left = again.filter(({ spec, end }) => isGood(end) || !losesAtOnce(spec, end))
  return left.length < again.length ? triedApart(phase, left) : inHalves(phase, left)
}

async function inHalves(phase: PhaseContext, attempts: readonly Attempt[]): Promise<Attempt[]> {
  const half = Math.ceil(attempts.length / 2)
  return [...(await triedApart(phase, attempts.slice(0, half))), ...(await triedApart(phase, attempts.slice(half)))]
}

async function oneRound(phase: PhaseContext, attempts: readonly Attempt[]): Promise<Attempt[]> {
  const { context } = phase
  const runner = new UnitRunner(phase, { meeting: new Meeting(context.schedule) })
  // The end of those before, in which their tokens were given back, must not affect these.
  await context.schedule.task(() => waitAMoment(context, context.schedule.now())).catch(() => {})
  const ends: Promise<Attempt[]>[] = []
  for (const { spec, end } of attempts) {
    if (!isGood(end)) runner.triesAgain(spec, end.record.message ?? end.record.outcome)
    const { begun, ended } = runner.start([spec])
    ends.push(ended)
    await begun
  }
  return (await allSettled(ends)).flat()
}

/** Whether a spec missed something before it waited for late effects. One in its form with a single bystander is not told from such. */
function losesAtOnce(spec: Spec, { record }: Attempt['end']): boolean {
  const steps = allSteps(spec)
  const moment = spec.given.length + spec.steps.findIndex(({ action }) => action === 'later')
  return record.steps.length !== steps.length || record.steps.slice(0, moment).some(({ outcome }) => outcome !== 'ok')
}
