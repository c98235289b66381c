/** What fails where: on all Cores, on one, or on those of one model, firmware or label. */
import type { Fleet, FleetCore, FleetRequirement } from './types.js'

/** A requirement that Cores do not meet. */
export interface Pattern {
  requirement: FleetRequirement
  /** The Cores that do not meet it, by name. */
  cores: FleetCore[]
  /** How many Cores were judged by it. */
  judged: number
  /** `everywhere`: all that were judged, of two at the least; `one`: a single one of several. */
  spread: 'everywhere' | 'one' | 'some'
  /**
   * What exactly these Cores have in common, such as `firmware 4.2.0`: all that have it and were judged fail, and no other.
   * Empty where that is nothing, or where all fail.
   */
  shared: string[]
  /** The ids of the specs that accuse it, sorted. */
  specs: string[]
}

/** What tells Cores apart: a name, and its value for a Core. */
type Trait = readonly [name: string, value: string]

/** The requirements that are not met, those that the most Cores do not meet first. */
export function patternsOf({ cores, requirements }: Pick<Fleet, 'cores' | 'requirements'>): Pattern[] {
  return requirements
    .flatMap(requirement => {
      const judged = cores.filter(({ states }) => isJudged(states[requirement.id]))
      const failing = judged.filter(({ states }) => states[requirement.id] === 'not met')
      if (!failing.length) return []
      const isEverywhere = failing.length === judged.length && judged.length > 1
      const spread: Pattern['spread'] = isEverywhere ? 'everywhere' : failing.length === 1 ? 'one' : 'some'
      const specs = failing.flatMap(({ against }) =>
        against.filter(spec => spec.requirements.includes(requirement.id)).map(({ id }) => id),
      )
      return [
        {
          requirement,
          cores: failing,
          judged: judged.length,
          spread,
          shared: isEverywhere ? [] : sharedTraits(failing, judged),
          specs: [...new Set(specs)].sort(),
        },
      ]
    })
    .sort((a, b) => b.cores.length - a.cores.length)
}

/** Whether a state says something of a Core. */
export function isJudged(state: string | undefined): boolean {
  return state !== undefined && state !== 'not tested' && state !== 'not testable'
}

/** The traits of a Core: its firmware, and its labels. */
export function traitsOf({ firmware, labels = {} }: Pick<FleetCore, 'firmware' | 'labels'>): Trait[] {
  return [...(firmware === undefined ? [] : [['firmware', firmware] as const]), ...Object.entries(labels)]
}

/** One Core has its traits by chance: it takes two that fail, and another that does not. */
function sharedTraits(failing: FleetCore[], judged: FleetCore[]): string[] {
  const [first, ...others] = failing
  if (!first || !others.length || failing.length === judged.length) return []
  const has = (core: FleetCore, [name, value]: Trait) => traitsOf(core).some(([n, v]) => n === name && v === value)
  return traitsOf(first)
    .filter(trait => judged.every(core => has(core, trait) === failing.includes(core)))
    .map(([name, value]) => `${name} ${value}`)
}
