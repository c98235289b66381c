/**
 * Says how far a verdict reaches: which conditions differed from the reference, and how much was tested. All reports use the
 * same words.
 */
import { duration } from '../duration.js'
import { count } from '../ground/count.js'
import { type ConfigurationRecord, type Count, type RunResult, type Status, USUAL } from '../result.js'
import { isJudged } from './outcomes.js'

/** The parts of a result that the scope is read from. */
export type ScopeSource = Pick<RunResult, 'verdict' | 'configuration' | 'dialect' | 'counts' | 'specs' | 'requirements'>

/** The probe of a Core that answers it with an error status even with a valid token. */
export interface RefusedProbe {
  /** The path of the probe. */
  path: string
  /** The status of the answer. */
  status: Status
}

/** How far the verdict of a run reaches, apart from its settings. */
export interface Scope {
  /** How many specs were judged. */
  judged: Count
  /** How many specs the suite has. */
  specs: Count
  /** How many specs are known failures. */
  known: Count
  /**
   * The tolerance of the idle lifetime, as a fraction of it.
   * @minimum 0
   */
  idleTolerance: number
  /** The probe, if it answers with an error status: the path does not exist, or this user may not read it. */
  refusedProbe?: RefusedProbe
}

/** The settings that limit a verdict. */
export type ScopeSettings = Pick<ConfigurationRecord, 'profile' | 'idleLifetimeMs' | 'accessControl' | 'only'>

/** The kinds of limits of a verdict, in the order in which reports show them. */
export const SCOPE_KINDS = ['part', 'profile', 'known', 'lifetime', 'tolerance', 'access', 'probe'] as const

/** One limit of a verdict. */
export interface ScopeWord {
  kind: (typeof SCOPE_KINDS)[number]
  /** The limit in a few words: `38 of 134 specs`, `with 1 known failure`. */
  text: string
}

/** The lowest error status. */
const REFUSING = 400

/** Reads the scope from a result. Pinned facts and baseline entries do not count as specs. */
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

/**
 * Lists the limits of a verdict, always in the same order; empty where the whole suite ran under the reference's conditions.
 */
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
    // Where even a valid token gets an error, accepted and refused can hardly be told apart.
    ...(refusedProbe
      ? [{ kind: 'probe' as const, text: `the probe ${refusedProbe.path} answers ${refusedProbe.status}` }]
      : []),
  ]
}

/**
 * Lists the limits of a result's verdict, in a few words each; empty where nothing was tested. Examples: `38 of 134 specs`,
 * `quick profile`, `with 1 known failure`, `at a lifetime of 5 s`.
 */
export function scopeOf(result: ScopeSource): string[] {
  if (result.verdict === 'untestable') return []
  return scopeWords(result.configuration, scopeIn(result)).map(({ text }) => text)
}
