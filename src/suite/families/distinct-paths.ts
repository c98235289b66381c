import type { Made } from './made.js'

/** Of several variations of the same path or the same name, the first; the path itself is none. */
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
