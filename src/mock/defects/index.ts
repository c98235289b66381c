import { closest, distance } from 'fastest-levenshtein'
import { contractText } from '../text-file.js'
import type { Area, Defect, DefectInfo, Subject, Tell } from './defect.js'
import { faultsOf, type Mutant, mutantOf } from './mutants/index.js'
import { OWN } from './own.js'

const AREAS: readonly Area[] = ['access', 'host', 'idle', 'logon', 'open', 'revocation', 'sequence', 'transport']

/** What a defect needs that a run tells as an event. */
const RESTART = 'like a restart'

const all: Defect[] = AREAS.flatMap(area => read(area, contractText(`defects/${area}.txt`)))

/** Every defect, by area, then by name. */
export const DEFECTS: readonly DefectInfo[] = all.map(({ install: _install, ...info }) => info)

/** Finds a defect or a mutant by its name. */
export function findDefect(name: string): Mutant | Defect | undefined {
  return mutantOf(name) ?? all.find(defect => defect.name === name)
}

/**
 * Gives a defect or a mutant to a mock Core. Call it before the first request.
 *
 * @param tell as of {@link Defect.install}; a defect of {@link OWN} tells nothing
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

/**
 * Reads the defects of an area. A line says which requirements break, and in brackets which others may; under it stands each defect:
 * a line with its name, in brackets what it needs, and its faults as of {@link faultsOf}; and its sentence.
 *
 * @returns by name
 */
function read(area: Area, text: string): Defect[] {
  const defects: Defect[] = []
  let broken: Pick<Defect, 'requirements' | 'mayAlso'> = { requirements: [] }
  for (const line of text.trim().split('\n')) {
    const defect = defects.at(-1)
    if (line.startsWith('#')) continue
    if (line.startsWith('    ') && defect) defect.about = `${defect.about} ${line.trim()}`.trim()
    else if (line.startsWith('  ')) defects.push({ ...broken, ...rowOf(area, line.trim()) })
    else broken = brokenBy(line)
  }
  return defects.sort((a, b) => (a.name < b.name ? -1 : 1))
}

function brokenBy(line: string): Pick<Defect, 'requirements' | 'mayAlso'> {
  const [, requirements, mayAlso] = /^([A-Z0-9 -]+?)(?: \(([A-Z0-9 -]+)\))?(?:: .*)?$/.exec(line) ?? []
  if (requirements === undefined) throw new Error(`${line}: which requirements break?`)
  return { requirements: requirements.split(' '), ...(mayAlso && { mayAlso: mayAlso.split(' ') }) }
}

function rowOf(area: Area, line: string): Omit<Defect, 'requirements'> {
  const [, name = '', needs = '', faults = ''] = /^([a-z0-9-]+)(?: \((.+?)\))?(?:: (.+))?$/.exec(line) ?? []
  const tokens = Number(/^(\d+) tokens$/.exec(needs)?.[1] ?? 0)
  const { needsTls, install } = faults ? faultsOf(faults) : { needsTls: false, install: OWN[name] }
  if (needs && needs !== RESTART && !tokens) throw new Error(`${line}: what does it need?`)
  if (install === undefined) throw new Error(`${line}: what does it do?`)
  return {
    name,
    area,
    about: '',
    install,
    ...(needsTls && { needsTls }),
    ...(tokens > 0 && { needsTokens: tokens }),
    ...(needs === RESTART && { isLikeRestart: true }),
    ...(area === 'open' && { accessControl: 'off', install: whereOpen(install) }),
  }
}

/** With access control on, such a defect changes nothing. */
function whereOpen(install: Defect['install']): Defect['install'] {
  return (subject, tell) => {
    if (subject.device.parts.accessControl === 'off') install(subject, tell)
  }
}
