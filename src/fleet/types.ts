/**
 * The result of a fleet: what one command says of many Cores, and the only thing that its reports are made from beside the
 * results of the Cores. It is written as `fleet.json`. Its JSON Schema, `contracts/fleet.schema.json`, is made of these types
 * by `npm run types`. `…Ms` numbers are milliseconds, `…At` strings ISO 8601 in UTC. What came from the wire was redacted
 * before it got into the results.
 */
import type {
  AtLeastOne,
  Count,
  Level,
  LongerThanZero,
  Milliseconds,
  NonEmptyText,
  Outcome,
  OutcomeCounts,
  Profile,
  RequirementRef,
  RequirementState,
  SuiteRecord,
  TokenCounts,
  UtcTime,
  Verdict,
  Visit,
} from '../result.js'
import type { Scope } from '../scope.js'

/** The version of this format. Raised when a reader of the old one would be misled. */
export const FLEET_SCHEMA_VERSION = 1

/** The file of a fleet, in the folder of its reports. */
export const FLEET_FILE = 'fleet.json'

/** Words of the user for a Core, such as `model: X300`, from the configuration file. */
export type Labels = Readonly<Record<string, string>>

/**
 * The name of a Core, unique in the fleet, and of its folder, beside the file of the fleet.
 * @pattern ^[A-Za-z0-9_][A-Za-z0-9_.-]*$
 * @maxLength 200
 */
export type CoreName = string

/** The part of a list of Cores that this fleet judged. */
export interface Shard {
  /** Its number among the parts, from 1. */
  number: AtLeastOne
  /** How many parts there are. */
  total: AtLeastOne
  /**
   * SHA-256 of the names, addresses and conditions of all Cores of all parts, so that parts of two lists are never made one.
   * @pattern ^[0-9a-f]{64}$
   */
  of: string
}

/** What all runs of a fleet have in common: by this they belong together. */
export type FleetSuite = SuiteRecord

/** How a Core was run, as far as its verdict cannot be read without it. */
export interface FleetConfiguration {
  /** How much waiting the run did. */
  profile: Profile
  /** The idle lifetime of a token that the Core was held to, in milliseconds. */
  idleLifetimeMs: LongerThanZero
  /** Whether it was to demand tokens. */
  accessControl: 'on' | 'off'
  /** The patterns of `--only`; empty for all specs. */
  only: string[]
}

/** A spec that speaks against a Core. */
export interface FleetSpec {
  /** Its id. */
  id: string
  /** What it says of a Core. */
  title: string
  /** What became of it. */
  outcome: Extract<Outcome, 'failed' | 'unexpected pass' | 'known failure' | 'blocked' | 'inconclusive'>
  /** The ids of the requirements that it accuses; empty where it accuses none. */
  requirements: string[]
  /** What was seen, or why it has its outcome, in one sentence. */
  seen: string
}

/** How many specs of a Core came to which outcome. A fleet never was without baselines, so that none is absent. */
export interface FleetOutcomeCounts extends OutcomeCounts {
  /** Specs that passed, though the baseline says that they fail. */
  'unexpected pass': Count
  /** Specs that failed, as the baseline says. */
  'known failure': Count
}

/** One Core of a fleet. */
export interface FleetCore {
  /** Unique in the fleet, and the name of its folder, beside the file of the fleet. */
  name: CoreName
  /** Its base URL without credentials. */
  url: NonEmptyText
  /** How the user calls it, where that is not its name. */
  label?: string
  /** The firmware that it runs, as the user says. */
  firmware?: string
  /** Words of the user for it. */
  labels?: Labels
  /** SHA-256 of the certificate that it presented; absent when no TLS came about. */
  certificateFingerprint?: string
  /** How it was run. */
  configuration: FleetConfiguration
  /** How far its verdict reaches; absent where nothing was tested, and in files of older versions. */
  scope?: Scope
  /** What its run says of it. */
  verdict: Verdict
  /** Why this verdict, in one sentence. */
  reason: string
  /** What to do next; present when the Core could not be tested as wanted. */
  advice?: string
  /** Whether its run left a result, in NAME/result.json. False: it has not ended, or its part of this program failed. */
  hasResult: boolean
  /** When its run began. */
  startedAt: UtcTime
  /** Wall time of its run. */
  durationMs: Milliseconds
  /** How many of its specs came to which outcome. */
  counts: FleetOutcomeCounts
  /** The tokens of its run. */
  tokens: TokenCounts
  /** When to come back with `resume`; present where specs are pending. */
  visits?: Visit[]
  /** What its run says of each requirement, by the ids of the requirements of the fleet. */
  states: Record<string, RequirementState>
  /** The specs that speak against it, in the order of the suite. */
  against: FleetSpec[]
}

/** One statement of the reference, as the page of a fleet shows it. */
export interface FleetRequirement extends RequirementRef {
  /** `must` and `observe` as of a spec; `excluded`: no test over the wire can tell. */
  level: Level | 'excluded'
}

/** What changed with a Core since an earlier fleet. */
export interface CoreChange {
  /** The name of the Core. */
  core: CoreName
  /** What sort of change. `added`, `gone`: it is in one of the fleets only. */
  kind: 'added' | 'gone' | 'verdict' | 'fails now' | 'mended' | 'firmware'
  /** What it was: a verdict, a state of a requirement, a firmware; null where there was none. */
  was: string | null
  /** What it is; null where there is none. */
  is: string | null
  /** The requirement that fails now or was mended. */
  requirement?: string
  /** The ids of the specs that fail it now, or failed it before. */
  specs?: string[]
}

/** What changed since an earlier fleet. */
export interface Since {
  /** Its file, as the user named it. */
  file: string
  /** When it was begun. */
  startedAt: UtcTime
  /** How many Cores are in both. */
  compared: Count
  /** Why the fleets are not quite alike, in sentences. */
  notices: string[]
  /** By Core, then by kind. */
  changes: CoreChange[]
}

/** How many Cores there are, and of which verdict. */
export interface FleetCounts {
  /** All of them. */
  cores: Count
  /** Those that are conformant. */
  conformant: Count
  /** Those that are nonconformant. */
  nonconformant: Count
  /** Those that could not be judged in full. */
  incomplete: Count
  /** Those that could not be judged at all. */
  untestable: Count
  /** Those with specs that wait, and no failure. */
  pending: Count
}

/**
 * What one run of core-conformance says of many Cores, as fleet.json. The result of each stands in NAME/result.json beside it.
 * Redacted as the results were.
 * @title Result of a fleet
 */
export interface Fleet {
  /** The version of this format. Raised when a reader of the old one would be misled. */
  schemaVersion: typeof FLEET_SCHEMA_VERSION
  /** What was run on all Cores. */
  suite: FleetSuite
  /** When the first Core was begun. */
  startedAt: UtcTime
  /** Wall time of all of it. */
  durationMs: Milliseconds
  /** Present where other parts of the same list are judged elsewhere. */
  shard?: Shard
  /** What the fleet comes to: the gravest verdict of its Cores. */
  verdict: Verdict
  /** Why this verdict, in one sentence. */
  reason: NonEmptyText
  /** How many Cores there are, and of which verdict. */
  counts: FleetCounts
  /** When to come back with `resume`, so that the windows of all Cores are met; present where specs are pending. */
  visits?: Visit[]
  /** What the reader should know beside the verdicts. */
  notices: string[]
  /** The names of the reports that are made of it, so that `resume` makes them again. */
  reports: string[]
  /** Every statement of the reference, in the order of the ledger. */
  requirements: FleetRequirement[]
  /** The Cores, sorted by name. */
  cores: FleetCore[]
  /** Present where the user named an earlier fleet. */
  since?: Since
}
