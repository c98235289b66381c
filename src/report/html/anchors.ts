/** Where on the page each spec and each requirement stands. */
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

/** The anchor of a requirement that has its row on the page; none for an id that is no name. */
export function requirementAnchor(id: string): string | undefined {
  return /^[\w.-]+$/.test(id) ? `requirement-${id}` : undefined
}

/** The anchors of the requirements that have their rows on the page that is being rendered. */
export const Stated = createContext<ReadonlySet<string>>(new Set())
