import type { Fact, Facts, Outcome, RequirementRef, SpecRecord, StepRecord } from '../result.js'
import type { PinnedFact, Pins } from './pins.js'

/** The requirement that a changed fact breaks. */
const PIN: RequirementRef = {
  id: 'PIN',
  text: 'a pinned fact stays as it was',
  section: 'pinned by the user; the reference leaves it open',
}

/**
 * Turns pins into records, so that every report shows them. A pin passes if the fact is unchanged, fails if the fact changed,
 * and is skipped if the run did not observe the fact. The records have the area `pins` and the field `pin`.
 * @param specs the specs of the run: while a spec is pending, an unseen fact is pending, too
 */
export function pinRecords({ file, facts: pinned }: Pins, facts: Facts, specs: SpecRecord[]): SpecRecord[] {
  const isPending = specs.some(({ outcome }) => outcome === 'pending')
  return pinned.map(pin => {
    const { outcome, is, message } = judged(pin, facts, isPending)
    const step: Partial<StepRecord> =
      is === null ? { outcome: 'not run' } : { outcome: outcome === 'passed' ? 'ok' : 'miss', got: String(is) }
    return {
      id: `pin-${pin.fact}`,
      area: 'pins',
      title: `${pin.fact} is as it was`,
      level: 'must',
      requirements: [PIN],
      file,
      line: pin.line,
      outcome,
      ...(message !== undefined && { message }),
      pin: { fact: pin.fact, was: pin.was, is },
      atMs: 0,
      durationMs: 0,
      steps: [
        {
          text: `the fact ${pin.fact}`,
          kind: 'check',
          outcome: 'ok',
          expected: String(pin.was),
          exchanges: [],
          ...step,
        },
      ],
      exchanges: [],
    }
  })
}

function judged({ fact, was }: PinnedFact, facts: Facts, isPending: boolean) {
  const is = seen(fact, facts)
  const give = (outcome: Outcome, message?: string) => ({ outcome, is, message })
  if (is === null) {
    return isPending
      ? give('pending', 'a spec that waits may still observe it')
      : give('skipped', 'this run did not observe it')
  }
  return String(is) === String(was) ? give('passed') : give('failed', `pinned: ${fact} was ${was}, and is ${is}`)
}

/** Returns a fact as the run saw it; null where it did not. Whether there was an answer at all counts as seen. */
function seen(fact: string, facts: Facts): Fact | null {
  const is = facts[fact]
  if (is !== undefined) return is
  const name = fact.slice(0, fact.lastIndexOf('.'))
  const { [`${name}.answer`]: none, [`${name}.status`]: status } = facts
  if (status === undefined) return none === undefined ? null : `no answer (${none})`
  return fact === `${name}.answer` ? `answered with ${status}` : null
}
