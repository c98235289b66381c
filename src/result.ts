/**
 * The run result: everything a run found out, and the only thing that reports are made from.
 *
 * It is written as `reports/result.json`; its JSON Schema is `contracts/result.schema.json`. Every string in it that came
 * from the wire or from the user has been redacted before it got here. All `…Ms` numbers are milliseconds; `…At` strings
 * are ISO 8601 in UTC.
 */

import type { ConfigurationRecord } from './settings/record.js'

export { PROFILES, type Profile } from './settings/configuration.js'
export type { ExploreSetting } from './settings/exploring.js'
export { type ConfigurationRecord, USUAL } from './settings/record.js'

/** The version of this format. Raised when a reader of the old one would be misled. */
export const RESULT_SCHEMA_VERSION = 1

/** `must`: the reference states it, a miss is a failure. `observe`: left open by the reference, recorded, never fails. */
export type Level = 'must' | 'observe'

/** What became of one spec. Only `failed` accuses the Core. */
export const OUTCOMES = [
  'passed',
  'failed',
  'unexpected pass',
  'known failure',
  'observed',
  'skipped',
  'blocked',
  'inconclusive',
  'pending',
] as const
/**
 * See {@link OUTCOMES}: `known failure`: it failed, as the baseline says; `unexpected pass`: it passed, though the baseline
 * says that it fails; `blocked`: its prerequisite failed; `inconclusive`: a time window was missed; `pending`: it waits, and
 * the run was detached.
 */
export type Outcome = (typeof OUTCOMES)[number]

/** What a run says of its target; the exit codes follow from it. `pending`: nothing failed yet, and some specs wait. */
export type Verdict = 'conformant' | 'nonconformant' | 'incomplete' | 'untestable' | 'pending'

/** One statement of the reference, as a report shows it. */
export interface RequirementRef {
  /** Stable id, for example `REVOKE-1`. */
  id: string
  /** The statement, in our own words. */
  text: string
  /** The section of the reference that it comes from. */
  section: string
  /** What breaks for a client where it is not met, in one sentence; absent where nobody wrote it down. */
  consequence?: string
}

/**
 * What a run says of a requirement. `not met`: a step that tests it missed, and its spec failed; `in doubt`: something speaks
 * against it that does not bear a verdict; `known failure`: not met, as the baseline says; `met so far`: some of its specs are
 * still open, or were not selected; `observed`: the reference leaves it open, and what this Core does was seen; `not testable`:
 * no test over the wire can tell.
 */
export const REQUIREMENT_STATES = [
  'not met',
  'in doubt',
  'known failure',
  'met so far',
  'not tested',
  'met',
  'observed',
  'not testable',
] as const
/** See {@link REQUIREMENT_STATES}. */
export type RequirementState = (typeof REQUIREMENT_STATES)[number]

/** A step that speaks against a requirement. */
export interface Evidence {
  /** The id of the spec. */
  spec: string
  /** Index into the `steps` of the spec. */
  step: number
}

/** One statement of the ledger, with what there is to test it: whether that ran is told by `specs` of the result. */
export interface RequirementRecord extends RequirementRef {
  /** `excluded`: no test over the wire can tell; then `reason` says why. */
  level: Level | 'excluded'
  reason?: string
  /** The ids of all specs of the suite that test it, in its order, also of those that were not selected. */
  specs: string[]
  /** What the run says of it; absent in results of before it was kept, see `withStates`. */
  state?: RequirementState
  /** The steps that missed and test it, of specs that failed, known or not, or ended inconclusive; absent where `state` is. */
  evidence?: Evidence[]
}

/** A request as it went out, redacted. Header names as sent, in the order sent. */
export interface RequestRecord {
  method: string
  path: string
  httpVersion: '1.1' | '1.0'
  headers: [name: string, value: string][]
  /** The body as text; absent when none was sent. */
  body?: string
}

/** A response as it came in, redacted. */
export interface ResponseRecord {
  status: number
  statusText: string
  httpVersion: string
  headers: [name: string, value: string][]
  /** What was kept of the body, as text (broken UTF-8 replaced by U+FFFD). */
  body: string
  /** Bytes that arrived, also those that were not kept. */
  bodyBytes: number
  /** False when the response ended before the end that it announced, or was cut by the deadline. */
  complete: boolean
}

/** Why there is no response, or no whole one. */
export interface TransportError {
  /**
   * `connect`: nothing answered at the address; `tls`: no TLS, or not trusted; `deadline`: no whole response in time;
   * `closed`: the connection ended or was reset; `malformed`: what came is not HTTP; `oversized`: far beyond the body cap.
   */
  kind: 'connect' | 'tls' | 'deadline' | 'closed' | 'malformed' | 'oversized'
  /** One sentence for people. */
  message: string
}

/** A try of a request that came to nothing, so that it was sent again: the connection dropped, or the Core asked to come back later. */
export interface EarlierTryRecord {
  /** As in {@link ExchangeRecord}. */
  atMs: number
  durationMs: number
  /** The status that came, where one did. */
  status?: number
  error?: TransportError
}

/** One request with its response, or its transport error, or both (a response that was cut). */
export interface ExchangeRecord {
  /** When the request was sent, since the start of the run, on the clock of the run. */
  atMs: number
  /** From send to the end of the response. */
  durationMs: number
  request: RequestRecord
  response?: ResponseRecord
  error?: TransportError
  /** The tries before this one, the first of them first; absent where there was none. */
  earlier?: EarlierTryRecord[]
  /** Which variation of the family of its step it was; absent where its step has none. */
  variation?: string
}

/**
 * The two readings of how long a token was unused. A Core times idleness from when it received a request, and that lies
 * between our send and our receive; so the true gap lies between these two.
 */
export interface Gap {
  shortestMs: number
  longestMs: number
}

/** One step of a spec, as it went. */
export interface StepRecord {
  /** The step as a sentence, for example `GET /api/v0/cores/self/users with token a`. */
  text: string
  /**
   * `given` steps prepare; `check` steps judge, and a miss of one fails the spec; `control` steps stand between them, and a miss
   * of one blocks it. (In results of before controls were told apart, these are `check`.)
   */
  kind: 'given' | 'check' | 'control'
  /** `not run`: an earlier step ended the spec. */
  outcome: 'ok' | 'miss' | 'missed window' | 'not run'
  /** What was expected; absent when the step expects nothing. */
  expected?: string
  /** What came; present when there was an expectation and the step ran. */
  got?: string
  /** How long its token had been unused; present where the spec waits and the answer depends on it. */
  gap?: Gap
  /** Whether its token was accepted; present with `gap`. */
  isAlive?: boolean
  /** The ids of the requirements that a miss of it accuses; absent for none. */
  requirements?: string[]
  /** What was seen, in words, such as `a revoked token is still accepted`; present where it missed and tests something. */
  seen?: string
  /** What that means for clients, in one sentence; absent where nobody wrote it down. */
  consequence?: string
  /** Indexes into the `exchanges` of the spec. */
  exchanges: number[]
}

/** A step of a spec that client teams get as an interaction of their contracts. */
export interface InteractionRecord {
  /** Unique in the suite, for example `users-revoked-token`. */
  name: string
  /** What the client does, as contracts say it. */
  description: string
  /** What the Core is to be in beforehand: a provider state of contracts. */
  state: string
  /** Index into the `steps` of the spec, of which some may not have run. */
  step: number
}

/** What a baseline says of a spec that is known to fail. */
export interface KnownFailure {
  /** Why that is accepted for now. */
  reason: string
  /** Where it is tracked: a URL. */
  issue?: string
  /** The firmware that it is known of, as a range of semantic versions; absent: any. */
  firmware?: string
  /** The last day on which it is accepted, `YYYY-MM-DD` in UTC; absent: no end. */
  expires?: string
}

/** A fact that was to stay as it was. */
export interface Pin {
  /** Its name in the facts. */
  fact: string
  was: Fact
  /** As this run saw it; null where it did not. */
  is: Fact | null
}

/** One spec with its outcome, or a pinned fact as if it were one. */
export interface SpecRecord {
  id: string
  /** The area: the spec file's name for what it covers, for example `revocation`. */
  area: string
  title: string
  level: Level
  requirements: RequirementRef[]
  /** The spec file, relative to the suite or as the user gave it, and the 1-based line of the spec in it. */
  file: string
  line: number
  /** Present where that file is the user's own (`--specs`), and not one of the suite. */
  isOwn?: true
  /** What of it goes into contracts if it passes; absent for none. */
  interactions?: InteractionRecord[]
  outcome: Outcome
  /** Why, in one sentence; present for every outcome but `passed`. */
  message?: string
  /** What made the first try inconclusive; present where there was a second, which all the rest tells of. */
  firstTry?: string
  /**
   * Present where a request was let in that was to be refused, and when it was sent once more, it was refused. Where the
   * API lets requests in that hold no token at all, such a spec accuses nobody.
   */
  seenOnce?: true
  /** What the baseline says of it; present where it says something of this firmware, and the spec failed or passed. */
  known?: KnownFailure
  /** The fact that it pins; such a record is no spec, and says nothing of the reference. */
  pin?: Pin
  /** Since the start of the run, on the clock of the run. */
  atMs: number
  durationMs: number
  steps: StepRecord[]
  exchanges: ExchangeRecord[]
}

/** How this Core says what the reference leaves open, as the survey found it. */
export interface Dialect {
  /** Where the token stands in the logon response. */
  token: {
    /**
     * JSON Pointer (RFC 6901) into the body of the logon response; `header:` and the name of a header in lower case; or
     * `cookie:` and the name of a cookie that the response sets.
     */
    pointer: string
    length: number
    /** For example `hex (lower case)`. */
    alphabet: string
  } | null
  /** The status of a successful logon. */
  logonStatus: number | null
  /** The answer to the probe with a fresh token. */
  acceptedStatus: number | null
  /** The answer to the probe without a token. */
  rejectedStatus: number | null
  /** The answer to the probe with a token that was never issued. */
  unknownTokenStatus: number | null
  /** Whether it answers HTTP/1.0 with Host as it answers HTTP/1.1; null when no selected spec needs to know. */
  http10: boolean | null
  /**
   * Whether a user may hold several tokens: `many`; `newest`: a logon ends the ones before; `same`: every logon gives the
   * same token; null when the second logon of the survey gave none.
   */
  sessions: 'many' | 'newest' | 'same' | null
  /** The idle lifetime as it was measured; null when it was not (`--measure-lifetime`). */
  lifetime: MeasuredLifetime | null
  /** What it took until a fresh token was accepted; null where it was at once; absent in results of before it was looked at. */
  warmUp?: WarmUp | null
  /** How a valid token was accepted on some connections or requests only; null where it was on all; absent as `warmUp`. */
  backEnds?: BackEnds | null
  /** How fast the Core answered the survey; null where it was not surveyed; absent as `warmUp`. */
  latency?: Latency | null
}

/** What it took until the token of the survey's logon was accepted, though the reference has it valid at once. */
export interface WarmUp {
  /** How many requests with it were refused before. */
  refused: number
  /** How long after the answer to its logon the request was sent that was accepted first. */
  afterMs: number
}

/** A valid token that is accepted now and refused then. */
export interface BackEnds {
  /** How many of the new connections it was accepted on. */
  accepted: number
  of: number
  /**
   * `connection`: on one connection every answer is the same, as with several back ends that do not share tokens;
   * `request`: the answers differ on one connection, too.
   */
  by: 'connection' | 'request'
}

/** How long the Core took, in the survey. */
export interface Latency {
  /** A request on a connection of its own, from connecting to the whole answer: the middle of several. */
  freshMs: number
  /** A request on a connection that was open before. */
  keptMs: number
  /** The logon, from sending it to the whole answer. */
  logonMs: number
  /** The slowest exchange of the survey, logons too, from sending to the whole answer. */
  slowestMs: number
}

/** What is known of how long an unused token lives: between these two. Null: no token was seen alive, or expired. */
export interface MeasuredLifetime {
  /** It was still valid after so long. */
  aliveMs: number | null
  /** It had expired after so long. Less than `aliveMs` when this varies from token to token. */
  expiredMs: number | null
}

/** What a run was going to do with its time. */
export interface Plan {
  /** How many specs there are to run. */
  specs: number
  /** How long the waits take side by side: the critical path. */
  durationMs: number
  /** How long they would take if there were no limit to the tokens held. */
  unlimitedMs: number
  /** How long they would take one after another. */
  oneByOneMs: number
  /** How many tokens it holds at a time, at the most. */
  tokens: number
  /** The tokens of the specs that wait, in the order of their starts. */
  lanes: Lane[]
}

/** One token of a plan, from its logon to its last use. Times count from the start of the run. */
export interface Lane {
  /** The specs that it serves. */
  specs: string[]
  /** Its name in the specs. */
  token: string
  fromMs: number
  toMs: number
  /** What happens to it: `used` keeps it alive, `checked` expects it to be rejected, `revoked` ends it. */
  events: { atMs: number; kind: 'issued' | 'used' | 'checked' | 'revoked' }[]
}

/** What was observed, by names that stay the same between firmware releases: statuses, header values, shapes. */
export type Facts = Record<string, Fact>

/** One fact. */
export type Fact = string | number | boolean

/** What exploring came to: sequences that nobody wrote down, drawn from a seed and held against a model of the reference. */
export interface Exploration {
  seed: number
  /** Why nothing was explored, or it ended before its time; absent where neither is so. */
  reason?: string
  /** How many sequences were run to their end, and how many were cut short by what says nothing of the Core. */
  sequences: number
  cut: number
  /** How many requests were sent, those too that confirmed and shrank findings. */
  requests: number
  /** The transitions of the model that were walked, sorted: what was done to a token in which state, and how often. */
  transitions: { from: string; by: string; times: number }[]
  /** How often a valid token was used after so many tenths of its lifetime without use: ten numbers. */
  ages: number[]
  /** What contradicts the reference, in the order in which it was found. */
  findings: FindingRecord[]
}

/** One contradiction to the reference. */
export interface FindingRecord {
  /** The id of its spec, which stands among the specs where it was confirmed, or fails all the same. */
  id: string
  /** The id of the requirement that it breaks. */
  requirement: string
  /** What was seen, in words. */
  text: string
  /**
   * `confirmed`: it repeats; `certain`: it was seen, and cannot be repeated at will, but the reference leaves no room for it;
   * `flaky`: it was seen, and hardly again, which fails nothing.
   */
  state: 'confirmed' | 'certain' | 'flaky'
  /** How often it was seen, of how many tries, the first among them. */
  seen: number
  tries: number
  /** Whether each step was seen to be needed; false where there was no time for that. */
  isShortest: boolean
  /** How many steps it was found with, and how many are left. */
  foundWith: number
  steps: number
  /** The spec as a file of the suite, YAML. Nothing in it comes from the wire. */
  yaml: string
}

/** Something that happened to a Core during the run, and spoiled specs: one cause, told once. */
export interface RunEvent {
  /** What kind of event, in a word or two, such as `tokens stopped working`. */
  kind: string
  /** What happened, in one sentence, with its times: `all 14 tokens stopped working between 3.2 s and 3.4 s`. */
  text: string
  /** From when to when, since the start of the run, on the clock of the run. */
  fromMs: number
  untilMs: number
  /** The ids of the specs that it spoiled, in the order of the run. */
  specs: string[]
}

/** Something that speaks against a requirement and bears no verdict. */
export interface Doubt {
  /** The id of the requirement. */
  requirement: string
  /** What was seen, in one sentence. */
  text: string
}

/** The result of one run. */
export interface RunResult {
  schemaVersion: typeof RESULT_SCHEMA_VERSION
  /** The suite that ran: its version and the SHA-256 of its spec set. */
  suite: { name: 'core-conformance'; version: string; specsDigest: string }
  target: {
    /** Base URL without credentials. */
    url: string
    /** `mock` for the embedded mock Core. */
    kind: 'core' | 'mock'
    /** How its users call it, such as `staging`; absent when they did not say (`--label`). */
    label?: string
    /** The firmware that it runs, as the user says, such as `4.2.1`; absent when not said (`--firmware`). */
    firmware?: string
    /** SHA-256 of the certificate it presented, as upper-case pairs with colons; absent when no TLS came about. */
    certificateFingerprint?: string
  }
  startedAt: string
  /** Wall time of the whole run. */
  durationMs: number
  /** `virtual`: the clock of a mock Core was advanced instead of waiting. */
  time: 'real' | 'virtual'
  configuration: ConfigurationRecord
  /** The plan that the run started with; the Core may have had room for fewer tokens. */
  plan: Plan
  dialect: Dialect
  /** What the reference leaves open and this Core was seen to do; sorted by name. */
  facts: Facts
  verdict: Verdict
  /** Why this verdict, in one sentence. */
  reason: string
  /** What to do next; present when the run could not test the target as wanted. */
  advice?: string
  counts: { selected: number } & Record<Outcome, number>
  /**
   * When to come back with `resume`, so that every window is met: once in each of these spans of time (no end: however late).
   * Present where specs are pending.
   */
  visits?: { fromAt: string; untilAt: string | null }[]
  /** Tokens issued to this run, and how many of them may still be live on the Core. */
  tokens: { issued: number; left: number }
  /** Logons that were not answered with a token; accounts may lock after too many. */
  refusedLogons: number
  /** What the reader should know beside the outcomes, for example what a quick run left out. */
  notices: string[]
  /** The exchanges of the survey and of the cleaning up. */
  survey: ExchangeRecord[]
  /**
   * Every statement of the reference, in the order of the ledger, also what no selected spec tests. Absent in results of
   * before it was kept, of which one knows only what their specs name.
   */
  requirements?: RequirementRecord[]
  /**
   * What speaks against requirements and bears no verdict, such as a path that answers alike with a token and without one. A
   * requirement that is named here, and met by its specs, is in doubt. Absent for nothing.
   */
  doubts?: Doubt[]
  /** What happened to the Core during the run, in the order of time; absent for nothing. */
  events?: RunEvent[]
  /** What exploring came to; absent where nobody asked for it. */
  exploration?: Exploration
  /** By area in file order, then in the order of the file. */
  specs: SpecRecord[]
}
