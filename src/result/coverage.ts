/** How much of what requests may differ in a run judged, added up and in words. */
import { count } from '../ground/count.js'
import type { CoverageRecord } from './requirement-record.js'

/** Adds up what several steps covered; undefined for none. */
export function addCoverage(all: readonly CoverageRecord[]): CoverageRecord | undefined {
  if (!all.length) return undefined
  const sum = (part: keyof CoverageRecord, key: 'judged' | 'of') =>
    all.reduce((most, each) => most + each[part][key], 0)
  const of = (part: keyof CoverageRecord) => ({ judged: sum(part, 'judged'), of: sum(part, 'of') })
  return { variations: of('variations'), pairs: of('pairs') }
}

/** Says what was covered: `412 of 412 variations of requests, and 5121 of 5200 pairs of them`. */
export function coverageText({ variations, pairs }: CoverageRecord): string {
  return `${variations.judged} of ${count(variations.of, 'variation')} of requests, and ${pairs.judged} of ${count(pairs.of, 'pair')} of them`
}
