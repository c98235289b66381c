/** Pins: facts that are to stay as they are. Format: `contracts/pins.schema.json`, or the result of a run. */
import { readRegular } from '../ground/file.js'
import type { Fact } from '../result.js'
import { SuiteError } from '../suite/problem.js'
import type { PinsFile } from './types.js'

/** A fact with the value that it is to have, and the 1-based line where that is said. */
export interface PinnedFact {
  fact: string
  was: Fact
  line: number
}

/** Pins as read. */
export interface Pins {
  /** As the user named it. */
  file: string
  /** Sorted by the names of the facts. */
  facts: PinnedFact[]
  /** Facts of the result of a run that no spec of this suite observes. */
  unknown: string[]
}

/**
 * Reads pins: a YAML or JSON file of names and values, or all facts of a `result.json`.
 * @param names the facts that a run may record; one that is none of them is a mistake in a file of pins
 * @throws SuiteError with every problem, each with its place; ResultFileError for a result that cannot be used
 */
export async function readPins(file: string, names: readonly string[]): Promise<Pins> {
  const known = new Set(names)
  const sorted = (facts: PinnedFact[]) => facts.sort((a, b) => (a.fact < b.fact ? -1 : 1))
  if (await isResult(file)) {
    const { readResult } = await import('../report/read.js')
    const { facts } = await readResult(file)
    const all = Object.entries(facts).map(([fact, was]) => ({ fact, was, line: 1 }))
    const unknown = all.flatMap(({ fact }) => (known.has(fact) ? [] : [fact]))
    return { file, facts: sorted(all.filter(({ fact }) => known.has(fact))), unknown }
  }
  const { readDocument } = await import('../suite/document.js')
  const { hint } = await import('../suite/problem.js')
  const { value, problemAt } = readDocument<PinsFile>(file, file, 'pins')
  const strangers = Object.keys(value).filter(fact => !known.has(fact))
  if (strangers.length) {
    throw new SuiteError(strangers.map(fact => problemAt([fact], `no spec observes '${fact}'${hint(fact, names)}`)))
  }
  const facts = Object.entries(value).map(([fact, was]) => ({ fact, was, line: problemAt([fact], '').line }))
  return { file, facts: sorted(facts), unknown: [] }
}

/** Whether a file is, or calls itself, the result of a run; whether it can be read is told later. */
async function isResult(file: string): Promise<boolean> {
  try {
    const { suite } = JSON.parse(
      readRegular(file, 256_000_000)
        .toString('utf8')
        .replace(/^\ufeff/, ''),
    ) as {
      suite?: { name?: unknown }
    }
    return suite?.name === 'core-conformance'
  } catch {
    return false
  }
}
