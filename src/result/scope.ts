/**
 * Says how far a verdict reaches: which conditions differed from the reference, and how much was tested. All reports use the
 * same words.
 */
import { duration } from '../duration.js'
import { count } from '../ground/count.js'
import { type ConfigurationRecord, type Count, type RunResult, type Status, USUAL, type Verdict } from '../result.js'
import { isJudged, isSpec, VERDICTS } from './outcomes.js'

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
  /** The ids of the requirements in doubt; absent for none. */
  doubts?: string[]
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
export const SCOPE_KINDS = ['doubt', 'part', 'profile', 'known', 'lifetime', 'tolerance', 'access', 'probe'] as const

/** One limit of a verdict. */
export interface ScopeWord {
  kind: (typeof SCOPE_KINDS)[number]
  /** The limit in a few words: `ACCESS-1 in doubt`, `38 of 134 specs judged`, `with 1 known failure`. */
  text: string
}

/** Most requirements in doubt that are named. More are counted. */
const MOST_DOUBTS = 3

/** The lowest error status. */
const REFUSING = 400

/** Reads the scope from a result. Pinned facts and baseline entries do not count as specs. */
export function scopeIn({ configuration, dialect, counts, specs, requirements }: RunResult): Scope {
  const { idleTolerance, probePath: path } = configuration
  const { acceptedStatus: status } = dialect
  const own = specs.filter(isSpec)
  const inDoubt = requirements.filter(({ state }) => state === 'in doubt').map(({ id }) => id)
  return {
    judged: own.filter(isJudged).length,
    specs: new Set([...requirements.flatMap(each => each.specs), ...own.map(({ id }) => id)]).size,
    known: counts['known failure'],
    ...(inDoubt.length > 0 && { doubts: inDoubt }),
    idleTolerance,
    ...(status !== null && status >= REFUSING && { refusedProbe: { path, status } }),
  }
}

/** Lists the limits of a verdict, always in the same order; none where the whole suite ran under the reference's conditions. */
export function scopeWords({ profile, idleLifetimeMs, accessControl, only }: ScopeSettings, scope: Scope): ScopeWord[] {
  const { judged, specs, known, doubts = [], idleTolerance, refusedProbe } = scope
  const inDoubt = doubts.length > MOST_DOUBTS ? count(doubts.length, 'requirement') : doubts.join(', ')
  const isPart = only.length > 0 || profile === 'quick'
  const percent = Number((idleTolerance * 100).toFixed(3))
  const words: Record<ScopeWord['kind'], string | false | undefined> = {
    doubt: doubts.length > 0 && `${inDoubt} in doubt`,
    part: isPart && `${judged} of ${count(specs, 'spec')} judged`,
    profile: profile === 'quick' && 'quick profile',
    known: known > 0 && `with ${count(known, 'known failure')}`,
    lifetime: idleLifetimeMs !== USUAL.idleLifetimeMs && `at a lifetime of ${duration(idleLifetimeMs)}`,
    tolerance: idleTolerance !== USUAL.idleTolerance && `with a tolerance of ${percent} %`,
    access: accessControl === 'off' && 'with access control off',
    // Where even a valid token gets an error, accepted and refused can hardly be told apart.
    probe: refusedProbe && `the probe ${refusedProbe.path} answers ${refusedProbe.status}`,
  }
  return SCOPE_KINDS.flatMap(kind => {
    const text = words[kind]
    return text ? [{ kind, text }] : []
  })
}

/**
 * Lists the limits of a result's verdict, in a few words each; empty where nothing was tested. Examples: `38 of 134 specs judged`,
 * `quick profile`, `with 1 known failure`, `at a lifetime of 5 s`.
 */
export function scopeOf(result: RunResult): string[] {
  if (result.verdict === 'untestable') return []
  return scopeWords(result.configuration, scopeIn(result)).map(({ text }) => text)
}

/**
 * Says a verdict with its limits and doubts: `conformant, ACCESS-1 in doubt, 38 of 134 specs judged`. No report, of whatever
 * subject and in whatever format, shows a verdict in other words.
 * @param verdict the verdict in words, as the report writes it
 * @param limits those of {@link scopeOf}, or of a fleet
 */
export function withLimits(verdict: string, limits: readonly string[]): string {
  const text = limits.join(', ')
  if (text === '') return verdict
  return `${verdict}${/^(with|at) /.test(text) ? ' ' : ', '}${text}`
}

/** Says a verdict with its limits within a sentence; see {@link withLimits}. */
export function verdictWith(verdict: Verdict, limits: readonly string[]): string {
  return withLimits(VERDICTS[verdict].word.toLowerCase(), limits)
}

/** Says the verdict of a result in one line, with its limits and doubts; see {@link withLimits}. */
export function verdictText(result: RunResult): string {
  return verdictWith(result.verdict, scopeOf(result))
}
