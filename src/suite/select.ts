import { nearest } from './problem.js'
import type { Spec } from './spec.js'

/** A selection that names nothing. Exit code 2. */
export class SelectionError extends Error {}

/**
 * The specs that `--only` names: ids, areas, or patterns with `*`; in the order of the suite.
 * @param only empty: all of them
 * @param label how messages call where `only` comes from
 * @throws SelectionError for a pattern that matches nothing, with the nearest that exists
 */
export function selectSpecs(specs: Spec[], only: string[], label = '--only'): Spec[] {
  if (!only.length) return specs
  const areas = new Set(specs.map(({ area }) => area))
  const names = new Set([...areas, ...specs.map(({ id }) => id)])
  const patterns = only.map(pattern => ({ pattern, matches: matcher(pattern) }))
  for (const { pattern, matches } of patterns) {
    if (![...names].some(matches)) {
      const near = nearest(pattern, names)
      const help = near === undefined ? `areas: ${[...areas].join(', ')}` : `did you mean '${near}'?`
      throw new SelectionError(`${label}: no spec and no area is called '${pattern}'; ${help}`)
    }
  }
  return specs.filter(({ id, area }) => patterns.some(({ matches }) => matches(id) || matches(area)))
}

function matcher(pattern: string): (name: string) => boolean {
  const source = pattern.split('*').map(part => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
  const regex = new RegExp(`^${source.join('.*')}$`)
  return name => regex.test(name)
}
