/** Reads and checks the values that a step saves from a response for later steps. */
import { type Miss, miss, type Path } from './problem.js'
import type { RawSave, RawSpec, RawStep } from './raw-step.js'
import type { Saved } from './step-words.js'
import { namesIn, VARIABLES } from './variables.js'

/** Returns the values that a step saves, in the order of the file. */
export function savesOf(raw: RawSave): Saved[] {
  return Object.entries(raw).map(([name, where]) =>
    typeof where === 'string' ? { name, at: where } : { name, at: where.at, ...(where.secret && { isSecret: true }) },
  )
}

/** Returns the names of all values that the steps of a spec save. */
export function savedNames(steps: readonly RawStep[]): Set<string> {
  return new Set(steps.flatMap(({ save }) => Object.keys(save ?? {})))
}

/**
 * Finds faults in what a spec saves: a name that is taken, a value that no step uses, a value used before it is saved,
 * and a value that could come from several responses.
 */
export function saveMisses({ given = [], steps }: RawSpec): Miss[] {
  const all = [
    ...given.map((step, position) => ({ step, at: ['given', position] })),
    ...steps.map((step, position) => ({ step, at: ['steps', position] })),
  ]
  const names = savedNames(all.map(({ step }) => step))
  const misses: Miss[] = []
  const first = new Map<string, { path: Path; isUsed: boolean }>()
  /** Values saved since the last step that is not sent at the same time as another. */
  let beside = new Set<string>()
  for (const { step, at } of all) {
    if (!step.beside) beside = new Set()
    for (const key of ['path', 'headers', 'body'] as const) {
      for (const name of namesIn(step[key]).filter(each => names.has(each))) {
        const saved = first.get(name)
        if (saved) saved.isUsed = true
        const message = beside.has(name)
          ? `{${name}} is saved by a step that is sent at the same time: leave out 'beside'`
          : `{${name}} is used before it is saved: save it in a step before this one`
        if (!saved || beside.has(name)) misses.push(miss(message, ...at, key))
      }
    }
    const crowd = (['each', 'times'] as const).find(key => step[key] !== undefined)
    if (step.save && crowd !== undefined)
      misses.push(miss(`'save' does not go with '${crowd}': there are several responses`, ...at, 'save'))
    for (const name of Object.keys(step.save ?? {})) {
      const path = [...at, 'save', name]
      const isTaken = (VARIABLES as readonly string[]).includes(name)
      if (isTaken) misses.push(miss(`{${name}} is a variable of the run: choose another name`, ...path))
      if (first.has(name)) misses.push(miss(`'${name}' is saved before: choose another name`, ...path))
      else first.set(name, { path, isUsed: isTaken })
      beside.add(name)
    }
  }
  for (const [name, { path, isUsed }] of first) {
    if (!isUsed) misses.push(miss(`no later step uses {${name}}: use it, or do not save it`, ...path))
  }
  return misses
}
