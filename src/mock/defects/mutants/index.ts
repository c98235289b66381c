/**
 * Mutants: defects that nobody wrote down. Each is made of a kind of request, one or two triggers, and an effect that contradicts
 * the reference. The rows are written from the reference and the notes from the field alone, without a look at the suite.
 */
import { randomFrom } from '../../../ground/random.js'
import type { Defect, Subject, Tell } from '../defect.js'
import { ALL_EFFECTS, EFFECTS, type Effect } from './effects.js'
import { testOf } from './predicates.js'
import { ALL_STANDINGS, type Standing } from './standings.js'
import { blamedFor, TRIGGERS, type Trigger } from './triggers.js'
import { Watch } from './watch.js'

/** A defect made of rows, and named by them, as in `no-token+65-header-fields→accepted`. */
export interface Mutant extends Required<Omit<Defect, 'area' | 'isLikeRestart' | 'needsTokens' | 'accessControl'>> {
  /** The ids of its kind of request and its triggers. */
  parts: readonly string[]
  /** What its triggers look at. */
  groups: readonly string[]
  /** Whether it shows only in a run that waits. */
  needsWaiting: boolean
}

/** The part of mutants whose kind of request is a trigger that have no other; and of the rest, that have two. */
const CHANCES = { alone: 0.15, two: 0.25 }

/** The requirements that do not speak of what becomes of a token that was issued. */
const NO_TOKENS = ['ACCESS-1', 'ACCESS-3', 'LOGON-2', 'LOGON-3', 'HOST-1']

const ARROW = '→'

/**
 * Draws mutants, none twice.
 *
 * @param seed the same seed gives the same ones
 * @param count a larger count gives the same ones first
 */
export function mutantsOf(seed: number, count: number): Mutant[] {
  const random = randomFrom(seed)
  const drawn = new Map<string, Mutant>()
  while (drawn.size < count) {
    const mutant = draw(random)
    if (!drawn.has(mutant.name)) drawn.set(mutant.name, mutant)
  }
  return [...drawn.values()]
}

/** Makes a mutant of its name; undefined where that is no name of one. */
export function mutantOf(name: string): Mutant | undefined {
  const [left = '', id] = name.split(ARROW)
  const [first, ...rest] = left.split('+')
  const triggers = rest.flatMap(id => TRIGGERS.find(trigger => trigger.id === id) ?? [])
  if (triggers.length < rest.length) return undefined
  for (const effect of EFFECTS.filter(effect => effect.id === id)) {
    const standing = effect.standings.find(({ id }) => id === first)
    if (standing && triggers.every(effect.takes)) return mutant(standing, triggers, effect)
  }
  return undefined
}

function draw(random: () => number): Mutant {
  const effect = pick(EFFECTS, random)
  const standing = pick(effect.standings, random)
  const chance = random()
  const alone = standing.isTrigger && chance < CHANCES.alone
  const two = !standing.isTrigger && chance < CHANCES.two
  const triggers: Trigger[] = []
  for (let left = alone ? 0 : two ? 2 : 1; left > 0; left--) {
    const fitting = TRIGGERS.filter(
      trigger => effect.takes(trigger) && triggers.every(other => goTogether(trigger, other)),
    )
    triggers.push(pick(fitting, random))
  }
  return mutant(standing, triggers, effect)
}

function goTogether(one: Trigger, other: Trigger): boolean {
  const excludes = ({ without }: Trigger, { id, dimension }: Trigger) =>
    without.includes(id) || without.includes(dimension)
  const areFields = one.group === 'header fields' && other.group === 'header fields'
  return one.dimension !== other.dimension && !areFields && !excludes(one, other) && !excludes(other, one)
}

function mutant(standing: Standing, triggers: readonly Trigger[], effect: Effect): Mutant {
  const { requirements, does } = effect
  const concernsTokens = !requirements.some(id => NO_TOKENS.includes(id))
  const mayAlso = [...effect.mayAlso, ...(concernsTokens ? triggers.flatMap(blamedFor) : [])]
  const parts = [standing, ...triggers]
  return {
    name: `${parts.map(({ id }) => id).join('+')}${ARROW}${effect.id}`,
    about: `A request that ${parts.map(({ that }) => that).join(' and ')} ${does}.`,
    parts: parts.map(({ id }) => id),
    requirements,
    mayAlso,
    groups: [...new Set(triggers.map(({ group }) => group))],
    needsWaiting: effect.needsWaiting === true || triggers.some(({ needsWaiting }) => needsWaiting),
    needsTls: triggers.some(({ needsTls }) => needsTls),
    install: (subject, tell) => installFaults([{ parts, effect }], subject, tell),
  }
}

/** A part of a fault, as far as a fault needs it. */
type Part = Pick<Trigger, 'id' | 'is'> & Partial<Trigger>

const PARTS = new Map([...TRIGGERS, ...ALL_STANDINGS].map((part): [string, Part] => [part.id, part]))

/**
 * Finds a part by its name, a kind of request or a trigger; undefined where that is no name of one. Those of named defects may also be
 * what is not so (`!kept-connection`), and what {@link testOf} reads.
 */
function partOf(name: string): Part | undefined {
  if (name.startsWith('!')) {
    const part = partOf(name.slice(1))
    return part && { id: name, is: (moment, watch) => !part.is(moment, watch) }
  }
  const is = testOf(name)
  return PARTS.get(name) ?? (is && { id: name, is })
}

/** A fault: what a request must be for an effect. */
interface Fault {
  parts: readonly Part[]
  effect: Effect
}

/**
 * Reads the faults of a named defect, with ` & ` between them. Their parts may be those of {@link partOf}, and go with any effect.
 *
 * @throws Error where something is none
 */
export function faultsOf(text: string): { needsTls: boolean; install: Mutant['install'] } {
  const faults = text.split(' & ').map((name): Fault => {
    const [left = '', id] = name.split(ARROW)
    const parts = left.split('+').map(part => partOf(part) ?? raise(`${name}: there is no part "${part}"`))
    const effects = ALL_EFFECTS.filter(effect => effect.id === id)
    const fitting = effects.find(({ standings }) => standings.some(({ id }) => id === parts[0]?.id))
    return { parts, effect: fitting ?? effects[0] ?? raise(`${name}: there is no effect "${id}"`) }
  })
  const needsTls = faults.some(({ parts }) => parts.some(part => part.needsTls))
  return { needsTls, install: (subject, tell) => installFaults(faults, subject, tell) }
}

function raise(message: string): never {
  throw new Error(message)
}

function installFaults(faults: readonly Fault[], subject: Subject, tell?: Tell): void {
  const isBeside = faults.some(({ parts }) => parts.some(({ group }) => group === 'same moment'))
  const watch = new Watch(subject, tell, isBeside ? 3 : 0)
  for (const { parts, effect } of faults)
    effect.install(watch, moment => {
      const isMet = parts.every(({ is }) => is(moment, watch))
      if (isMet) watch.tell('triggered')
      return isMet
    })
  const unmet = new Set(faults.flatMap(({ parts }) => parts))
  watch.after(moment => {
    for (const part of unmet) {
      if (!part.is(moment, watch)) continue
      unmet.delete(part)
      watch.tell('met', part.id)
    }
  })
  watch.attach()
}

/** Picks an item by its weight. */
function pick<T extends { weight: number }>(items: readonly T[], random: () => number): T {
  let left = random() * items.reduce((sum, { weight }) => sum + weight, 0)
  for (const item of items) {
    left -= item.weight
    if (left < 0) return item
  }
  return items[items.length - 1] as T
}
