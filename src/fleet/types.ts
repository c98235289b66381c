/**
 * The format of `fleet.json`: the result of one command about many Cores. The reports of a fleet are made from it and from the
 * results of its Cores. `npm run types` makes its JSON Schema, `contracts/fleet.schema.json`, from these types. `…Ms` numbers
 * are milliseconds, `…At` strings ISO 8601 in UTC. Texts from the wire are already redacted in the results.
 */
import type { Scope } from '../result/scope.js'
import type {
  AtLeastOne,
  Count,
  Doubt,
  Level,
  LongerThanZero,
  Milliseconds,
  NonEmptyText,
  Outcome,
  OutcomeCounts,
  Profile,
  RequirementRef,
  RequirementState,
  Status,
  SuiteRecord,
  TokenCounts,
  UtcTime,
  Verdict,
  Visit,
} from '../result.js'

/** The version of this format. It is raised when a change would mislead a reader of the old format. */
export const FLEET_SCHEMA_VERSION = 1

/** The name of a fleet's file, in the folder of its reports. */
export const FLEET_FILE = 'fleet.json'
/** The file of a fleet that has no end yet. It is there for `resume`: the process may be killed. */
export const OPEN_FLEET_FILE = 'unfinished-fleet.json'

/** The user's own labels for a Core, such as `model: X300`, from the configuration file. */
export type Labels = Readonly<Record<string, string>>

/**
 * The name of a Core, unique in the fleet. Its folder, beside the fleet's file, has the same name.
 * @pattern ^[A-Za-z0-9_][A-Za-z0-9_.-]*$
 * @maxLength 200
 */
export type CoreName = string

/** The part of a list of Cores that this fleet judged. */
export interface Shard {
  /** The number of this part, from 1. */
  number: AtLeastOne
  /** How many parts there are. */
  total: AtLeastOne
  /**
   * SHA-256 of the names, addresses and conditions of all Cores of all parts. It keeps parts of two lists from being merged.
   * @pattern ^[0-9a-f]{64}$
   */
  of: string
}

/** The suite that all runs of a fleet share. Runs of different suites do not belong together. */
export type FleetSuite = SuiteRecord

/** The settings of a Core's run that a reader of its verdict must know. */
export interface FleetConfiguration {
  /** The profile, which says how much waiting the run did. */
  profile: Profile
  /** The idle lifetime that the Core had to keep, in milliseconds. */
  idleLifetimeMs: LongerThanZero
  /** Whether the Core was expected to demand tokens. */
  accessControl: 'on' | 'off'
  /** The patterns of `--only`; empty for all specs. */
  only: string[]
}

/** A spec that speaks against a Core. */
export interface FleetSpec {
  /** The id of the spec. */
  id: string
  /** The statement about a Core that the spec tests. */
  title: string
  /** The outcome of the spec. */
  outcome: Extract<Outcome, 'failed' | 'unexpected pass' | 'known failure' | 'blocked' | 'inconclusive'>
  /** The ids of the requirements that the spec accuses; empty for none. */
  requirements: string[]
  /** What was seen, or why the spec has its outcome, in one sentence. */
  seen: string
  /** What that means for a client; absent where its first requirement says so. */
  consequence?: NonEmptyText
}

/** How many specs of a Core had each outcome. No count is absent: baselines are older than fleets. */
export interface FleetOutcomeCounts extends OutcomeCounts {
  /** Specs that passed, though the baseline says that they fail. */
  'unexpected pass': Count
  /** Specs that failed, as the baseline says. */
  'known failure': Count
}

/** One Core of a fleet. */
export interface FleetCore {
  /** The name of the Core, unique in the fleet. Its folder, beside the fleet's file, has the same name. */
  name: CoreName
  /** The base URL of the Core, without credentials. */
  url: NonEmptyText
  /** The user's label for the Core; absent where it equals the name. */
  label?: string
  /** The firmware of the Core, as the user says. */
  firmware?: string
  /** The user's own labels for the Core. */
  labels?: Labels
  /** SHA-256 of the certificate that the Core presented; absent without a TLS connection. */
  certificateFingerprint?: string
  /** The settings of its run. */
  configuration: FleetConfiguration
  /** The limits of its verdict; absent where nothing was tested. */
  scope?: Scope
  /** The verdict of its run. */
  verdict: Verdict
  /** Why this verdict, in one sentence. */
  reason: string
  /** What to do next; present when the Core could not be tested as wanted. */
  advice?: string
  /** Whether the run left a result, in NAME/result.json. False: the run has not ended, or its process failed. */
  hasResult: boolean
  /** When the run of the Core began. */
  startedAt: UtcTime
  /** Wall time of the run. */
  durationMs: Milliseconds
  /** How many of its specs had each outcome. */
  counts: FleetOutcomeCounts
  /** The tokens of the run. */
  tokens: TokenCounts
  /** When to come back with `resume`; present where specs are pending. */
  visits?: Visit[]
  /** The state of each requirement, by its id. */
  states: Record<string, RequirementState>
  /** Evidence against requirements that is too weak for a verdict; absent for none. */
  doubts?: Doubt[]
  /** What happened to the Core during its run, a sentence each; absent for nothing. */
  events?: NonEmptyText[]
  /**
   * The statuses that the run saw, by the names of their facts; `refused (STATUS)` where a status says success of what was
   * refused. Absent where the run left no result.
   */
  statuses?: Record<string, Status | NonEmptyText>
  /** The specs that speak against the Core, in the order of the suite. */
  against: FleetSpec[]
}

/** One requirement, as the page of a fleet shows it. */
export interface FleetRequirement extends RequirementRef {
  /** `must` and `observe` as for a spec; `excluded`: no test over the wire can judge it. */
  level: Level | 'excluded'
}

/** One change of a Core since an earlier fleet. */
export interface CoreChange {
  /** The name of the Core. */
  core: CoreName
  /**
   * The kind of change. `added`, `gone`: the Core is in one of the fleets only; `opened`: an answer that was a refusal is an
   * acceptance; `in doubt`: a requirement that was met is in doubt.
   */
  kind: 'added' | 'gone' | 'verdict' | 'fails now' | 'opened' | 'in doubt' | 'fixed' | 'firmware'
  /** The earlier value: a verdict, a state of a requirement, a status, a firmware; null where there was none. */
  was: string | null
  /** The value now; null where there is none. */
  is: string | null
  /** The requirement that fails now, is in doubt or was fixed. */
  requirement?: string
  /** The name of the fact that is the answer of an opened request. */
  fact?: string
  /** What was seen, of a requirement that is in doubt; absent where only specs that bear no verdict speak against it. */
  seen?: string
  /** The ids of the specs that accuse the requirement now, or accused it before it was fixed. */
  specs?: string[]
}

/** The changes since an earlier fleet. */
export interface Since {
  /** The path of the earlier fleet, as the user wrote it. */
  file: string
  /** When the earlier fleet began. */
  startedAt: UtcTime
  /** How many Cores are in both fleets. */
  compared: Count
  /** Why the fleets were not made under the same conditions, in sentences. */
  notices: string[]
  /** The changes, by Core, then by kind. */
  changes: CoreChange[]
}

/** How many Cores there are, and how many have each verdict. */
export interface FleetCounts {
  /** All Cores of the fleet. */
  cores: Count
  /** Cores that are conformant. */
  conformant: Count
  /** Cores that are nonconformant. */
  nonconformant: Count
  /** Cores that drifted from their pins. */
  drifted: Count
  /** Cores whose list of known failures is out of date. */
  'stale baseline': Count
  /** Cores that could not be judged in full. */
  incomplete: Count
  /** Cores that could not be judged at all. */
  untestable: Count
  /** Cores without a failure so far, and with specs that still wait. */
  pending: Count
}

/**
 * The result of one run of core-conformance against many Cores: fleet.json. The result of each Core is NAME/result.json beside
 * it. Secrets are redacted, as in the results.
 * @title Result of a fleet
 */
export interface Fleet {
  /** The version of this format. It is raised when a change would mislead a reader of the old format. */
  schemaVersion: typeof FLEET_SCHEMA_VERSION
  /** The suite that ran against all Cores. */
  suite: FleetSuite
  /** When the run of the first Core began. */
  startedAt: UtcTime
  /** Wall time of the whole fleet. */
  durationMs: Milliseconds
  /** The part of the list that this is; present where other machines judge the other parts. */
  shard?: Shard
  /** The verdict of the fleet, from the verdicts of its Cores. */
  verdict: Verdict
  /** Why this verdict, in one sentence. */
  reason: NonEmptyText
  /** How many Cores there are, and how many have each verdict. */
  counts: FleetCounts
  /** When to come back with `resume`, so that no window of any Core is missed; present where specs are pending. */
  visits?: Visit[]
  /** Sentences that a reader of the verdicts should know. */
  notices: string[]
  /** The names of the reports that are made of this fleet. `resume` makes the same ones. */
  reports: string[]
  /** Every requirement, in the order of the ledger. */
  requirements: FleetRequirement[]
  /** The Cores, sorted by name. */
  cores: FleetCore[]
  /** The changes since the earlier fleet that the user named; absent where the user named none. */
  since?: Since
}
