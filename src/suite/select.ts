import { ownCommand } from '../ground/own-command.js'
import { nearest } from './problem.js'
import type { Spec } from './spec.js'

/** A selection without specs. Exit code 2. */
export class SelectionError extends Error {}

/**
 * Returns the specs that `--only` selects: by ids, areas, or patterns with `*`; in the order of the suite. A pattern
 * that begins with `!` leaves specs out. Where all patterns do, they leave specs out of all.
 * @param only the patterns; empty: all specs
 * @param label the source of `only` in messages
 * @throws SelectionError for a pattern that matches nothing, with the nearest name that exists
 */
export function selectSpecs(specs: Spec[], only: string[], label = '--only'): Spec[] {
  if (!only.length) return specs
  const areas = new Set(specs.map(({ area }) => area))
  const names = new Set([...areas, ...specs.map(({ id }) => id)])
  const patterns = only.map(given => {
    const isLeftOut = given.startsWith('!')
    const pattern = isLeftOut ? given.slice(1) : given
    return { pattern, isLeftOut, matches: matcher(pattern) }
  })
  for (const { pattern, matches } of patterns) {
    if (![...names].some(matches)) {
      const like = meant(pattern, names)
      const help = like.length
        ? `did you mean ${like.map(name => `'${name}'`).join(' or ')}?`
        : `areas: ${[...areas].join(', ')}; ${ownCommand('list')} shows the specs`
      throw new SelectionError(`${label}: no spec and no area is called '${pattern}'; ${help}`)
    }
  }
  const named = ({ id, area }: Spec, of: typeof patterns) => of.some(({ matches }) => matches(id) || matches(area))
  const [out, wanted] = [true, false].map(side => patterns.filter(({ isLeftOut }) => isLeftOut === side))
  const left = specs.filter(spec => (!wanted?.length || named(spec, wanted)) && !named(spec, out ?? []))
  if (!left.length)
    throw new SelectionError(`${label}: the selection leaves out everything that it names, so there is nothing to run`)
  return left
}

/** The most names that a message suggests. */
const MOST_ALIKE = 3

/** Returns the names that a misspelt one may mean, the likeliest first: that of the nearest spelling, else those with the same words. */
export function meant(word: string, names: Iterable<string>): string[] {
  const near = nearest(word, names)
  return near === undefined ? alike(word, names) : [near]
}

/** Returns the names that have most words in common with a pattern, such as `revocation-rejects` with `rejects-revoked`. */
function alike(pattern: string, names: Iterable<string>): string[] {
  const words = new Set(pattern.split(/[-*]+/).filter(Boolean))
  const shared = (name: string) => name.split('-').filter(word => words.has(word)).length
  return [...names]
    .map(name => ({ name, common: shared(name) }))
    .filter(({ common }) => common > 0)
    .sort((a, b) => b.common - a.common || a.name.length - b.name.length)
    .slice(0, MOST_ALIKE)
    .map(({ name }) => name)
}

function matcher(pattern: string): (name: string) => boolean {
  const source = pattern.split('*').map(part => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
  const regex = new RegExp(`^${source.join('.*')}$`)
  return name => regex.test(name)
}
