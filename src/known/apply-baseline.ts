import { outcomeWord } from '../result/outcomes.js'
import type { KnownFailure, RequirementRef, SpecRecord } from '../result.js'
import type { Baseline, Entry } from './baseline.js'
import { isKnown, symptomText } from './symptom.js'

/** The requirement that an expired entry breaks. */
const IN_DATE: RequirementRef = {
  id: 'BASELINE',
  text: 'a known failure is accepted until the day that its entry names',
  section: 'the baseline, not the reference',
}

/**
 * Applies a baseline to the outcomes of a run. A spec with an entry that failed becomes a known failure. A spec with an entry
 * that passed becomes an unexpected pass. A spec that failed with another symptom than its entry names stays failed. An expired entry excuses nothing; if its spec did not run, the entry itself fails.
 * @param today `YYYY-MM-DD`, UTC
 */
export function applyBaseline(specs: SpecRecord[], { file, entries }: Baseline, today: string): SpecRecord[] {
  const bySpec = new Map(entries.map(entry => [entry.spec, entry]))
  const told = specs.map(record => {
    const entry = bySpec.get(record.id)
    return entry && !record.pin ? withEntry(record, entry, isExpired(entry, today)) : record
  })
  const stale = specs.flatMap(record => {
    const entry = bySpec.get(record.id)
    return entry && isExpired(entry, today) && !isEnded(record) && record.outcome !== 'pending'
      ? [expiredRecord(record, entry, file)]
      : []
  })
  return [...told, ...stale]
}

function isExpired({ expires }: KnownFailure, today: string): boolean {
  return expires !== undefined && expires < today
}

function isEnded({ outcome }: SpecRecord): boolean {
  return outcome === 'passed' || outcome === 'failed'
}

function withEntry(record: SpecRecord, { spec: _spec, line: _line, ...known }: Entry, expired: boolean): SpecRecord {
  if (!isEnded(record)) return record
  const about = `${known.reason}${known.issue === undefined ? '' : ` (${known.issue})`}`
  if (record.outcome === 'passed') {
    const message = `it passed, but the baseline knows it to fail: ${about}; take it out of the baseline`
    return { ...record, outcome: 'unexpected pass', message, known }
  }
  const why = record.message ?? 'it failed'
  if (expired)
    return { ...record, message: `${why}; the baseline accepted this until ${known.expires}: ${about}`, known }
  if (!isKnown(known, record)) {
    const other = `the baseline knows another failure of this spec, ${symptomText(known)} (${about})`
    return { ...record, message: `${why}; ${other}`, known }
  }
  return { ...record, outcome: 'known failure', message: `known: ${about}. Seen: ${why}`, known }
}

function expiredRecord({ id, outcome }: SpecRecord, { line, expires, reason }: Entry, file: string): SpecRecord {
  return {
    id: `baseline-${id}`,
    area: 'baseline',
    title: `the baseline entry of ${id} is in date`,
    level: 'must',
    requirements: [IN_DATE],
    file,
    line,
    outcome: 'failed',
    message: `it expired on ${expires} (${reason}), and the spec is ${outcomeWord(outcome)} in this run: renew the entry, or remove it`,
    atMs: 0,
    durationMs: 0,
    steps: [],
    exchanges: [],
  }
}
