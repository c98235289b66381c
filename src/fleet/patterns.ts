/** Finds which requirements fail on which Cores: on all, on one, or on those with a common firmware or label. */
import type { Fleet, FleetCore, FleetRequirement, FleetSpec } from './types.js'

/** A requirement that Cores do not meet. */
export interface Pattern {
  requirement: FleetRequirement
  /** The Cores that do not meet the requirement, sorted by name. */
  cores: FleetCore[]
  /** How many Cores were judged by the requirement. */
  judged: number
  /** `everywhere`: all judged Cores fail, and there are at least two; `one`: a single Core fails; `some`: any other number. */
  spread: 'everywhere' | 'one' | 'some'
  /**
   * The traits that exactly these Cores share, such as `firmware 4.2.0`: every judged Core with the trait fails, and no other.
   * Empty where there is no such trait, or where all Cores fail.
   */
  shared: string[]
  /** The ids of the specs that accuse the requirement, sorted. */
  specs: string[]
  /**
   * What that means for a client: the consequence of the requirement where a spec saw as much, else that of the first spec.
   * Absent where the suite does not say it.
   */
  consequence?: string
}

/** A property that tells Cores apart, with its value for one Core. */
type Trait = readonly [name: string, value: string]

/** Lists the requirements that are not met. The requirement that most Cores fail comes first. */
export function patternsOf({ cores, requirements }: Pick<Fleet, 'cores' | 'requirements'>): Pattern[] {
  return requirements
    .flatMap(requirement => {
      const judged = cores.filter(({ states }) => isJudged(states[requirement.id]))
      const failing = judged.filter(({ states }) => states[requirement.id] === 'not met')
      if (!failing.length) return []
      const isEverywhere = failing.length === judged.length && judged.length > 1
      const spread: Pattern['spread'] = isEverywhere ? 'everywhere' : failing.length === 1 ? 'one' : 'some'
      const seen = failing.flatMap(({ against }) => against.filter(spec => spec.requirements.includes(requirement.id)))
      const consequence = consequenceOf(requirement, seen)
      return [
        {
          requirement,
          cores: failing,
          judged: judged.length,
          spread,
          shared: isEverywhere ? [] : sharedTraits(failing, judged),
          specs: [...new Set(seen.map(({ id }) => id))].sort(),
          ...(consequence !== undefined && { consequence }),
        },
      ]
    })
    .sort((a, b) => b.cores.length - a.cores.length)
}

function consequenceOf({ id, consequence }: FleetRequirement, seen: readonly FleetSpec[]): string | undefined {
  const isGeneral = seen.some(spec => spec.consequence === undefined && spec.requirements[0] === id)
  return isGeneral ? consequence : (seen.find(spec => spec.consequence !== undefined)?.consequence ?? consequence)
}

/** Whether a state says something about a Core. */
export function isJudged(state: string | undefined): boolean {
  return state !== undefined && state !== 'not tested' && state !== 'not testable'
}

/** Returns the traits of a Core: its firmware and its labels. */
export function traitsOf({ firmware, labels = {} }: FleetCore): Trait[] {
  return [...(firmware === undefined ? [] : [['firmware', firmware] as const]), ...Object.entries(labels)]
}

/** Finds the shared traits. A single Core has its traits by chance: at least two must fail, and at least one must not. */
function sharedTraits(failing: FleetCore[], judged: FleetCore[]): string[] {
  const [first, ...others] = failing
  if (!first || !others.length || failing.length === judged.length) return []
  const has = (core: FleetCore, [name, value]: Trait) => traitsOf(core).some(([n, v]) => n === name && v === value)
  return traitsOf(first)
    .filter(trait => judged.every(core => has(core, trait) === failing.includes(core)))
    .map(([name, value]) => `${name} ${value}`)
}
