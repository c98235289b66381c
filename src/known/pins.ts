/** Reads pins: facts that must not change. Format: `contracts/pins.schema.json`, or the result of a run. */
import { textIn } from '../ground/file.js'
import { fieldsIn, isFields } from '../ground/json.js'
import type { Fact, Facts, Outcome, RequirementRef, SpecRecord, StepRecord } from '../result.js'
import { SuiteError } from '../suite/problem.js'
import { knownRecord } from './baseline.js'
import type { PinsFile } from './types.js'

/** A fact with the value that it must keep. `line` is the 1-based line of the pin in its file. */
interface PinnedFact {
  fact: string
  was: Fact
  line: number
}

interface Pins {
  /** The path, as the user wrote it. */
  file: string
  facts: PinnedFact[]
  /** Names of facts in a result file that no spec of this suite observes. */
  unknown: string[]
}

/**
 * Reads pins from a YAML or JSON file of names and values, or takes all facts of a `result.json`.
 * @param names the facts that a run may record; any other name in a file of pins is a mistake
 * @throws SuiteError with every problem, each with its place; ResultFileError for a result that cannot be used, or is of the embedded mock Core
 */
export async function readPins(file: string, names: readonly string[]): Promise<Pins> {
  const known = new Set(names)
  const sorted = (facts: PinnedFact[]) => facts.sort((a, b) => (a.fact < b.fact ? -1 : 1))
  const { suite } = fieldsIn(textIn(file, 256_000_000))
  // Whether it is a whole result is checked when it is read.
  if (isFields(suite) && suite.name === 'core-conformance') {
    const { readResult, ResultFileError } = await import('../report/read.js')
    const { facts, target } = await readResult(file)
    if (target.kind === 'mock')
      throw new ResultFileError(
        `${file} is the result of the embedded mock Core, whose facts bind no Core: pin the result of a run on a Core`,
      )
    const all = Object.entries(facts).map(([fact, was]) => ({ fact, was, line: 1 }))
    const unknown = all.flatMap(({ fact }) => (known.has(fact) ? [] : [fact]))
    return { file, facts: sorted(all.filter(({ fact }) => known.has(fact))), unknown }
  }
  const { readDocument } = await import('../suite/document.js')
  const { hint } = await import('../suite/problem.js')
  const { value, problemAt } = readDocument<PinsFile>(file, file, 'pins')
  const unknown = Object.keys(value).filter(fact => !known.has(fact))
  if (unknown.length) {
    throw new SuiteError(unknown.map(fact => problemAt([fact], `no spec observes '${fact}'${hint(fact, names)}`)))
  }
  const facts = Object.entries(value).map(([fact, was]) => ({ fact, was, line: problemAt([fact], '').line }))
  return { file, facts: sorted(facts), unknown: [] }
}

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
  return pinned.map(({ fact, was, line }) => {
    const { outcome, is, message } = judged(fact, was, facts, isPending)
    const step: Partial<StepRecord> =
      is === null ? { outcome: 'not run' } : { outcome: outcome === 'passed' ? 'ok' : 'miss', got: String(is) }
    return knownRecord('pin', fact, {
      title: `${fact} is as it was`,
      requirement: PIN,
      file,
      line,
      outcome,
      ...(message !== undefined && { message }),
      pin: { fact, was, is },
      steps: [{ text: `the fact ${fact}`, kind: 'check', outcome: 'ok', expected: `${was}`, exchanges: [], ...step }],
    })
  })
}

function judged(fact: string, was: Fact, facts: Facts, isPending: boolean) {
  const is = seen(fact, facts)
  const give = (outcome: Outcome, message?: string) => ({ outcome, is, message })
  if (is === null && isPending) return give('pending', 'a spec that waits may still observe it')
  if (is === null) return give('skipped', 'this run did not observe it')
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
