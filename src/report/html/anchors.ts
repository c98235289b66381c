/** Makes the anchors of specs and requirements on the page. */
import { createContext } from 'preact'
import type { SpecRecord } from '../../result.js'

/** The anchors of the page that is being rendered. */
export const Anchors = createContext<ReadonlyMap<SpecRecord, string>>(new Map())

/** The anchors of the requirements that have a row on the page that is being rendered. */
export const Stated = createContext<ReadonlySet<string>>(new Set())
