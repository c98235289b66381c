/** Where on the page each spec stands. */
import { createContext } from 'preact'
import type { SpecRecord } from '../../result.js'

/** The anchor of each spec, for {@link Anchors}. Ids that are no names, or stand twice, get a number in their place. */
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
