import type { Made } from './made.js'

/**
 * Returns the first of several variations with the same path or the same name, without those that have the original
 * path.
 */
export function distinctPaths(made: readonly Made[], path: string): Made[] {
  const paths = new Set([path])
  const names = new Set<string>()
  return made.filter(({ name, path: own = '' }) => {
    const isKnown = paths.has(own) || names.has(name)
    paths.add(own)
    names.add(name)
    return !isKnown
  })
}
