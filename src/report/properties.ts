/** What was tested with what, as names with values: for formats that have a place for such pairs and no other for these. */
import { duration } from '../duration.js'
import type { RunResult } from '../result.js'
import { type ScopeSource, scopeOf } from '../scope.js'
import { clip, inert } from './inert.js'
import { doubtText, eventText, measured } from './words.js'

/** The parts of a result that tell it. */
export type PropertySource = Pick<RunResult, 'suite' | 'target' | 'time' | 'verdict' | 'events' | 'doubts'> &
  ScopeSource

/** Of a sentence. */
const LENGTH = 500

/** What nobody told, or no survey found, has no property. */
function known(pairs: [name: string, value: string | number | boolean | null | undefined][]): [string, string][] {
  return pairs.flatMap(([name, value]): [string, string][] => {
    const text = value === null || value === undefined ? '' : inert(String(value)).trim()
    return text === '' ? [] : [[name, text]]
  })
}

/**
 * The properties of a run by name, always in the same order: suite and specs, target with label, firmware and certificate,
 * profile, verdict, the dialect, and what happened to the Core. The values are inert.
 */
export function propertiesOf(result: PropertySource): [name: string, value: string][] {
  const { suite, target, configuration, time, verdict, dialect, events = [], doubts = [] } = result
  return known([
    ['suite', `${suite.name} ${suite.version}`],
    ['specs.sha256', suite.specsDigest],
    ['target.label', target.label],
    ['target.firmware', target.firmware],
    ['target.url', target.url],
    ['target.kind', target.kind],
    ['target.certificate.sha256', target.certificateFingerprint],
    ['profile', configuration.profile],
    ['access-control', configuration.accessControl],
    ['idle-lifetime', duration(configuration.idleLifetimeMs)],
    ['time', time],
    ['verdict', verdict],
    ['verdict.scope', scopeOf(result).join(', ')],
    ['dialect.token', dialect.token?.pointer],
    ['dialect.token.length', dialect.token?.length],
    ['dialect.token.alphabet', dialect.token?.alphabet],
    ['dialect.logon.status', dialect.logonStatus],
    ['dialect.accepted.status', dialect.acceptedStatus],
    ['dialect.rejected.status', dialect.rejectedStatus],
    ['dialect.unknown-token.status', dialect.unknownTokenStatus],
    ['dialect.http10', dialect.http10],
    ['dialect.sessions', dialect.sessions],
    ['dialect.lifetime', dialect.lifetime && measured(dialect.lifetime)],
    ...events.map((event, index): [string, string] => [`event.${index + 1}`, clip(eventText(event), LENGTH)]),
    ...doubts.map((doubt, index): [string, string] => [`doubt.${index + 1}`, clip(doubtText(doubt), LENGTH)]),
  ])
}
