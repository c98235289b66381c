/** Makes the entry of one Core in a fleet, with or without a result of its run. */
import { given } from '../ground/given.js'
import { accused, isMiss } from '../result/accused.js'
import { statusesIn } from '../result/opened.js'
import { isBreach, isHindered } from '../result/outcomes.js'
import { scopeIn } from '../result/scope.js'
import { OUTCOMES, type Outcome, type RunResult, type SpecRecord, type Verdict } from '../result.js'
import type { FleetConfiguration, FleetCore, FleetRequirement, FleetSpec, Labels } from './types.js'

/** The facts about a Core that are known before its run. */
export interface CoreHead {
  name: string
  url: string
  label?: string | undefined
  firmware?: string | undefined
  labels?: Labels | undefined
  configuration: FleetConfiguration
}

/** Longest sentence in a fleet, in characters. The result of the Core has the whole text. */
const LENGTH = 300

/** Makes the entry of a Core from the result of its run. */
export function coreOf(result: RunResult, { name, labels }: { name: string; labels?: Labels | undefined }): FleetCore {
  const { target, configuration, verdict, advice, visits, doubts, events } = result
  const { url, label, firmware, certificateFingerprint } = target
  return {
    ...headOf({ name, url, label, firmware, labels, configuration: configurationOf(configuration) }),
    ...given({ certificateFingerprint, scope: verdict === 'untestable' ? undefined : scopeIn(result) }),
    verdict,
    reason: short(result.reason),
    ...given({ advice: advice === undefined ? advice : short(advice) }),
    hasResult: true,
    startedAt: result.startedAt,
    durationMs: result.durationMs,
    counts: result.counts,
    tokens: result.tokens,
    ...given({ visits }),
    states: Object.fromEntries(result.requirements.map(({ id, state }) => [id, state])),
    ...given({
      doubts: doubts?.map(({ requirement, text }) => ({ requirement, text: short(text) })),
      events: events?.map(({ text }) => short(text)),
    }),
    statuses: statusesIn(result.facts),
    against: result.specs.flatMap(against),
  }
}

/**
 * Makes the entry of a Core whose run left no result.
 * @param why `reason`: why there is none, in one sentence; `advice`: what to do next; `verdict`: default `incomplete`
 * @param startedAt ISO 8601 in UTC
 */
export function coreWithout(
  head: CoreHead,
  why: { verdict?: Verdict; reason: string; advice?: string },
  startedAt: string,
): FleetCore {
  const none = Object.fromEntries(OUTCOMES.map(outcome => [outcome, 0])) as Record<Outcome, number>
  const { verdict = 'incomplete', reason, advice } = why
  return {
    ...headOf(head),
    verdict,
    reason: short(reason),
    ...given({ advice }),
    hasResult: false,
    startedAt,
    durationMs: 0,
    counts: { selected: 0, ...none },
    tokens: { issued: 0, left: 0 },
    states: {},
    against: [],
  }
}

/** Returns the requirements of a result without what the run says of them. */
export function requirementsOf({ requirements }: RunResult): FleetRequirement[] {
  return requirements.map(({ id, text, section, level, consequence }) => {
    return { id, text, section, level, ...given({ consequence }) }
  })
}

/** Returns the part of a configuration that a fleet records. */
export function configurationOf(configuration: FleetConfiguration): FleetConfiguration {
  const { profile, idleLifetimeMs, accessControl, only } = configuration
  return { profile, idleLifetimeMs, accessControl, only }
}

function headOf({ name, url, label, firmware, labels = {}, configuration }: CoreHead) {
  const sorted = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    name,
    url,
    ...given({
      label: label === name ? undefined : label,
      firmware,
      labels: sorted.length ? Object.fromEntries(sorted) : undefined,
    }),
    configuration,
  }
}

function against(spec: SpecRecord): FleetSpec[] {
  const { id, title, outcome, steps, message = 'no reason was recorded' } = spec
  if (!isBreach(spec) && !isHindered(spec) && outcome !== 'known failure') return []
  const missed = steps.find(isMiss)
  const blamed = accused(spec)
  const meaning = missed?.consequence === blamed[0]?.consequence ? undefined : missed?.consequence
  return [
    {
      id,
      title: short(title),
      outcome: outcome as FleetSpec['outcome'],
      requirements: blamed.map(({ id }) => id),
      seen: short(missed?.seen ?? message),
      ...(meaning !== undefined && { consequence: short(meaning) }),
    },
  ]
}

function short(text: string): string {
  return text.length <= LENGTH ? text : `${text.slice(0, LENGTH).replace(/[\ud800-\udbff]$/, '')}…`
}
