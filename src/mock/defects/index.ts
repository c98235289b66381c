import { closest, distance } from 'fastest-levenshtein'
import { ACCESS } from './access.js'
import type { Defect, DefectInfo, Subject, Tell } from './defect.js'
import { HOST } from './host.js'
import { IDLE } from './idle.js'
import { LOGON } from './logon.js'
import { type Mutant, mutantOf } from './mutants/index.js'
import { OPEN } from './open.js'
import { REVOCATION } from './revocation.js'
import { SEQUENCE } from './sequence.js'
import { TRANSPORT } from './transport.js'

const all: Defect[] = [...ACCESS, ...HOST, ...IDLE, ...LOGON, ...OPEN, ...REVOCATION, ...SEQUENCE, ...TRANSPORT].sort(
  (a, b) => compare(a.area, b.area) || compare(a.name, b.name),
)

/** Every defect, by area, then by name. */
export const DEFECTS: readonly DefectInfo[] = all.map(({ install: _install, ...info }) => info)

/** Finds a defect or a mutant by its name. */
export function findDefect(name: string): Mutant | Defect | undefined {
  return mutantOf(name) ?? all.find(defect => defect.name === name)
}

/**
 * Gives a defect or a mutant to a mock Core. Call it before the first request.
 *
 * @param tell as of {@link Defect.install}; a defect that is no mutant tells nothing
 * @throws Error with a sentence for people when none has that name
 */
export function installDefect(name: string, subject: Subject, tell?: Tell): void {
  const defect = findDefect(name)
  if (defect === undefined)
    throw new Error(`there is no defect "${name}"${hint(name)} (core-conformance mock --defects lists them)`)
  defect.install(subject, tell)
}

/** Suggests the most similar name, if one is near. */
function hint(name: string): string {
  const near = closest(
    name,
    all.map(defect => defect.name),
  )
  return distance(name, near) <= name.length / 2 ? `; did you mean "${near}"?` : ''
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
