import type { Area, Defect } from './defect.js'
import { faultsOf } from './mutants/index.js'

/**
 * Reads a table of defects. A line says which requirements break, and in brackets which others may; under it stands each defect: a
 * line with its name, in brackets what it needs, and its faults as of {@link faultsOf}; and its sentence.
 *
 * @param own installs the defects without faults: those that no rows say
 */
export function table(area: Area, text: string, own: Readonly<Record<string, Defect['install']>> = {}): Defect[] {
  const defects: Defect[] = []
  let broken: Pick<Defect, 'requirements' | 'mayAlso'> = { requirements: [] }
  for (const line of text.trim().split('\n')) {
    const defect = defects.at(-1)
    if (line.startsWith('    ') && defect) defect.about = `${defect.about} ${line.trim()}`.trim()
    else if (line.startsWith('  ')) defects.push({ ...broken, ...rowOf(area, line.trim(), own) })
    else broken = brokenBy(line)
  }
  return defects
}

function brokenBy(line: string): Pick<Defect, 'requirements' | 'mayAlso'> {
  const [, requirements, mayAlso] = /^([A-Z0-9 -]+?)(?: \(([A-Z0-9 -]+)\))?(?:: .*)?$/.exec(line) ?? []
  if (requirements === undefined) throw new Error(`${line}: which requirements break?`)
  return { requirements: requirements.split(' '), ...(mayAlso && { mayAlso: mayAlso.split(' ') }) }
}

/** What a defect needs that a run tells as an event. */
const RESTART = 'like a restart'

function rowOf(area: Area, line: string, own: Readonly<Record<string, Defect['install']>>) {
  const [, name = '', needs = '', faults = ''] = /^([a-z0-9-]+)(?: \((.+?)\))?(?:: (.+))?$/.exec(line) ?? []
  const tokens = Number(/^(\d+) tokens$/.exec(needs)?.[1] ?? 0)
  const { needsTls, install } = faults ? faultsOf(faults) : { needsTls: false, install: own[name] }
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
  }
}
