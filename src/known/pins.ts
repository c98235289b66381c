/** Reads pins: facts that must not change. Format: `contracts/pins.schema.json`, or the result of a run. */
import { readRegular } from '../ground/file.js'
import type { Fact } from '../result.js'
import { SuiteError } from '../suite/problem.js'
import type { PinsFile } from './types.js'

/** A fact with the value that it must keep. `line` is the 1-based line of the pin in its file. */
export interface PinnedFact {
  fact: string
  was: Fact
  line: number
}

/** Pins that were read. */
export interface Pins {
  /** The path, as the user wrote it. */
  file: string
  /** The pinned facts, sorted by name. */
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
  if (await isResult(file)) {
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

/** Whether a file calls itself the result of a run. Its content is checked later. */
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
