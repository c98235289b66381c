/** Finds what a Core refused before and accepts now. Comparisons of runs and of fleets ask here. */
import type { Fact, Facts } from './dialect-record.js'
import type { Doubt, RequirementState } from './requirement-record.js'
import type { RunResult } from './run-result.js'

/** The answers to requests with no valid token, or with one that has ended. */
export const TOKEN_REFUSED = [
  'no-token',
  'unknown-token',
  'expired-token',
  'revoked-token',
  'idle-after-missing-host',
  'access.no-token',
  'access.unknown-token',
]
/** The answers to logons that are not to succeed. */
export const LOGON_REFUSED = ['logon-wrong-password', 'logon-wrong-username', 'logon-malformed', 'logon-form']
/** The answers to further requests that no valid token entitles to anything, or that fail a check of the Host. */
const OTHERS = [
  'options',
  'access-mode',
  'revocation-repeated',
  'revocation-without-token',
  'host-empty',
  'host-wrong',
  'host-doubled',
]
const OF_NOBODY: ReadonlySet<string> = new Set([...TOKEN_REFUSED, ...LOGON_REFUSED, ...OTHERS])

/** The statuses by which a Core protects something, whoever asked. Another status may say that there was nothing. */
const PROTECTED: ReadonlySet<Fact> = new Set([401, 403, 407])

/** The end of the name of a fact that is a status. */
const STATUS = '.status'

const isSuccess = (status: Fact | null) => typeof status === 'number' && status >= 200 && status < 300

/** Facts of the survey, each with the fact of a spec that observes the same thing. */
export const TWINS: Readonly<Record<string, string>> = {
  'access.accepted': 'access',
  'access.no-token': 'no-token',
  'access.unknown-token': 'unknown-token',
}

/**
 * Returns the status of an answer, by the first part of its name. A refusal whose status says success is `refused (STATUS)`, a
 * request without an answer `no answer (REASON)`; undefined: the run did not observe it.
 */
export function statusIn(facts: Facts, name: string): Fact | undefined {
  const status = facts[`${name}${STATUS}`]
  const answer = facts[`${name}.answer`] ?? facts[`${TWINS[name]}.answer`]
  if (answer === 'refused') return isSuccess(status ?? null) ? `refused (${status})` : status
  return status ?? (answer === undefined ? undefined : `no answer (${answer})`)
}

/**
 * Whether a status says that a refusal became an acceptance. Of a request that is entitled to nothing, every other answer was a
 * refusal; of a request that a user's own spec sends, only a status that says so. The values are those of {@link statusIn}.
 */
export function isOpened(name: string, was: Fact | null, is: Fact | null): boolean {
  if (!name.endsWith(STATUS) || was === null || isSuccess(was) || !isSuccess(is)) return false
  const of = name.slice(0, -STATUS.length)
  return OF_NOBODY.has(of) || (PROTECTED.has(was) && !ENTITLED.has(of))
}

/** The answers to requests that a valid token, or right credentials, entitle to an answer: to accept them harms nobody. */
const ENTITLED: ReadonlySet<string> = new Set([
  'logon',
  'chunked-logon',
  'access',
  'access.accepted',
  'head',
  'scheme-lower-case',
  'version-1',
  'unknown-path',
  'revocation',
  'oldest-of-four-tokens',
])

/** The statuses among the facts of a run, by the names of the facts; see {@link statusIn}. */
export function statusesIn(facts: Facts): Record<string, number | string> {
  return Object.fromEntries(
    Object.keys(facts)
      .filter(name => name.endsWith(STATUS))
      .map(name => [name, statusIn(facts, name.slice(0, -STATUS.length)) as number | string]),
  )
}

/** What doubts are read from: the states of the requirements, and what the run saw beside its specs. */
export interface DoubtSource {
  states: Readonly<Record<string, RequirementState | undefined>>
  doubts: readonly Doubt[]
}

/** The states from which a doubt is news: the requirement held until now, or it was in doubt for another reason. */
const HELD: ReadonlySet<RequirementState | undefined> = new Set(['met', 'met so far', 'in doubt'])

/**
 * Lists the requirements that are in doubt now, and were not, or not for this. A number in the text is no other reason. There is no
 * text of what was seen where only specs that bear no verdict speak against the requirement.
 */
export function newDoubts(was: DoubtSource, is: DoubtSource) {
  const keyOf = ({ requirement, text }: Doubt) => `${requirement} ${text.replace(/\d+/g, '#')}`
  const before = new Set(was.doubts.map(keyOf))
  const seen = is.doubts.filter(doubt => is.states[doubt.requirement] === 'in doubt' && !before.has(keyOf(doubt)))
  const told = new Set(is.doubts.map(({ requirement }) => requirement))
  const others = Object.keys(is.states)
    .filter(id => is.states[id] === 'in doubt' && was.states[id] !== 'in doubt' && !told.has(id))
    .map((requirement): { requirement: string; text?: string } => ({ requirement }))
  return [...seen, ...others].flatMap(({ requirement, text }) => {
    const state = was.states[requirement]
    if (state === undefined || !HELD.has(state)) return []
    return [{ requirement, was: state, ...(text !== undefined && { text }) }]
  })
}

/** Reads the doubts of a run. */
export function doubtSource({ requirements, doubts = [] }: RunResult): DoubtSource {
  return { states: Object.fromEntries(requirements.map(({ id, state }) => [id, state])), doubts }
}
