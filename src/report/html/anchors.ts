/** Makes the anchors of specs and requirements on the page. */
import { createContext } from 'preact'
import type { SpecRecord } from '../../result.js'

/** Returns the anchor of each spec, for {@link Anchors}. An id that is no name, or occurs twice, is replaced by a number. */
export function anchors(specs: readonly SpecRecord[]): Map<SpecRecord, string> {
  const taken = new Set<string>()
  return new Map(
    specs.map((spec, index) => {
      const named = `spec-${spec.id}`
      const anchor = /^[\w.-]+$/.test(named) && !taken.has(named) ? named : `spec--${index + 1}`
      taken.add(anchor)
      return [spec, anchor]
    }),
  )
}

/** The anchors of the page that is being rendered. */
export const Anchors = createContext<ReadonlyMap<SpecRecord, string>>(new Map())

/** The anchors of the requirements that have a row on the page that is being rendered. */
export const Stated = createContext<ReadonlySet<string>>(new Set())
