/** How far a verdict reaches: what of a run was not as the reference has it, or was not tested. Said in the same words everywhere. */
import { duration } from './duration.js'
import { count } from './ground/count.js'
import {
  type ConfigurationRecord,
  type Count,
  type Outcome,
  type RunResult,
  type SpecRecord,
  type Status,
  USUAL,
} from './result.js'

/** The parts of a result that tell it. */
export type ScopeSource = Pick<RunResult, 'verdict' | 'configuration' | 'dialect' | 'counts' | 'specs' | 'requirements'>

/** A probe that is answered, but with no success. */
export interface RefusedProbe {
  /** Its path. */
  path: string
  /** The status of its answer. */
  status: Status
}

/** What of a run says how far its verdict reaches, beside its settings. */
export interface Scope {
  /** How many specs said something of the Core. */
  judged: Count
  /** How many specs there are. */
  specs: Count
  /** Specs that failed, and were known to. */
  known: Count
  /**
   * By how much of it the lifetime may have been another: a fraction.
   * @minimum 0
   */
  idleTolerance: number
  /** What the probe answers where that is no success: a path that is not there, or that this user may not see. */
  refusedProbe?: RefusedProbe
}

/** The settings that say it. */
export type ScopeSettings = Pick<ConfigurationRecord, 'profile' | 'idleLifetimeMs' | 'accessControl' | 'only'>

/** What a verdict is to be read with, by kinds, in the order in which they are told. */
export const SCOPE_KINDS = ['part', 'profile', 'known', 'lifetime', 'tolerance', 'access', 'probe'] as const

/** One thing that a verdict is to be read with. */
export interface ScopeWord {
  kind: (typeof SCOPE_KINDS)[number]
  /** In a few words: `38 of 134 specs`, `with 1 known failure`. */
  text: string
}

/** What is accepted though it is no 2xx. */
const REFUSING = 400

const JUDGED: Record<Outcome, boolean> = {
  passed: true,
  failed: true,
  'unexpected pass': true,
  'known failure': true,
  observed: true,
  skipped: false,
  blocked: false,
  inconclusive: false,
  pending: false,
}

/** Whether the outcome of a spec says something about the Core, not only why there is nothing to say. */
export function isJudged(spec: SpecRecord): boolean {
  return JUDGED[spec.outcome]
}

/** What a result says of it. Pinned facts and entries of the baseline are no specs. */
export function scopeIn({ configuration, dialect, counts, specs, requirements = [] }: ScopeSource): Scope {
  const { idleTolerance, probePath: path } = configuration
  const { acceptedStatus: status } = dialect
  const own = specs.filter(({ pin, area }) => pin === undefined && area !== 'baseline')
  return {
    judged: own.filter(isJudged).length,
    specs: new Set([...requirements.flatMap(each => each.specs), ...own.map(({ id }) => id)]).size,
    known: counts['known failure'],
    idleTolerance,
    ...(status !== null && status >= REFUSING && { refusedProbe: { path, status } }),
  }
}

/** What a verdict is to be read with, always in the same order; empty where the whole suite was run as the reference has it. */
export function scopeWords({ profile, idleLifetimeMs, accessControl, only }: ScopeSettings, scope: Scope): ScopeWord[] {
  const { judged, specs, known, idleTolerance, refusedProbe } = scope
  const isPart = only.length > 0 || profile === 'quick'
  const word = (is: boolean, kind: ScopeWord['kind'], text: () => string) => (is ? [{ kind, text: text() }] : [])
  return [
    ...word(isPart, 'part', () => `${judged} of ${count(specs, 'spec')}`),
    ...word(profile === 'quick', 'profile', () => 'quick profile'),
    ...word(known > 0, 'known', () => `with ${count(known, 'known failure')}`),
    ...word(idleLifetimeMs !== USUAL.idleLifetimeMs, 'lifetime', () => `at a lifetime of ${duration(idleLifetimeMs)}`),
    ...word(
      idleTolerance !== USUAL.idleTolerance,
      'tolerance',
      () => `with a tolerance of ${Number((idleTolerance * 100).toFixed(3))} %`,
    ),
    ...word(accessControl === 'off', 'access', () => 'with access control off'),
    // Without an answer that opens, accepted and refused differ in words at best.
    ...(refusedProbe
      ? [{ kind: 'probe' as const, text: `the probe ${refusedProbe.path} answers ${refusedProbe.status}` }]
      : []),
  ]
}

/**
 * What the verdict of a result is to be read with, in a few words each; empty, too, where nothing was tested:
 * `38 of 134 specs`, `quick profile`, `with 1 known failure`, `at a lifetime of 5 s`, `the probe answers 404`.
 */
export function scopeOf(result: ScopeSource): string[] {
  if (result.verdict === 'untestable') return []
  return scopeWords(result.configuration, scopeIn(result)).map(({ text }) => text)
}
