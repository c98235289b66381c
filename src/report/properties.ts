/** Describes the run, the Core and its dialect as pairs of names and values, for formats that have a place for such pairs. */
import { duration } from '../duration.js'
import { scopeOf, verdictText } from '../result/scope.js'
import type { RunResult } from '../result.js'
import { clip, inert } from './inert.js'
import { doubtText, eventText, measured } from './words.js'

/** Longest sentence, in characters. */
const LENGTH = 500

/**
 * Returns the properties of a run, always in the same order: suite and specs, target with label, firmware and certificate,
 * profile, verdict, dialect, events and doubts. The values are inert.
 */
export function propertiesOf(result: RunResult): [name: string, value: string][] {
  const { suite, target, configuration, time, verdict, dialect, events = [], doubts = [] } = result
  const all: [name: string, value: string | number | boolean | null | undefined][] = [
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
    ['verdict.text', verdictText(result)],
    ['verdict.scope', scopeOf(result).join(', ')],
    ['dialect.token', dialect.token?.pointer],
    ['dialect.token.length', dialect.token?.length],
    ['dialect.token.alphabet', dialect.token?.alphabet],
    ['dialect.logon.status', dialect.logonStatus],
    ['dialect.accepted.status', dialect.acceptedStatus],
    ['dialect.rejected.status', dialect.rejectedStatus],
    ['dialect.unknown-token.status', dialect.unknownTokenStatus],
    ['dialect.refused', dialect.refused?.join(', ')],
    ['dialect.http10', dialect.http10],
    ['dialect.sessions', dialect.sessions],
    ['dialect.lifetime', dialect.lifetime && measured(dialect.lifetime)],
    ...events.map((event, index): [string, string] => [`event.${index + 1}`, clip(eventText(event), LENGTH)]),
    ...doubts.map((doubt, index): [string, string] => [`doubt.${index + 1}`, clip(doubtText(doubt), LENGTH)]),
  ]
  // What is not known is left out.
  return all.flatMap(([name, value]): [string, string][] => {
    const text = inert(String(value ?? '')).trim()
    return text === '' ? [] : [[name, text]]
  })
}
