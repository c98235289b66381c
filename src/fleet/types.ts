/**
 * The result of a fleet: what one command says of many Cores, and the only thing that its reports are made from beside the
 * results of the Cores. It is written as `fleet.json`; its JSON Schema is `contracts/fleet.schema.json`. `…Ms` numbers are
 * milliseconds, `…At` strings ISO 8601 in UTC. What came from the wire was redacted before it got into the results.
 */
import type { ConfigurationRecord, Level, Outcome, RequirementState, RunResult, Verdict } from '../result.js'
import type { Scope } from '../scope.js'

/** The version of this format. Raised when a reader of the old one would be misled. */
export const FLEET_SCHEMA_VERSION = 1

/** The file of a fleet, in the folder of its reports. */
export const FLEET_FILE = 'fleet.json'

/** Words of the user for a Core, such as `model: X300`, from the configuration file. */
export type Labels = Readonly<Record<string, string>>

/** The part of a list of Cores that this fleet judged: of `total` parts the one of this number, from 1. */
export interface Shard {
  number: number
  total: number
  /** SHA-256 of the names, addresses and conditions of all Cores of all parts, so that parts of two lists are never made one. */
  of: string
}

/** What all runs of a fleet have in common: by this they belong together. */
export interface FleetSuite {
  name: 'core-conformance'
  version: string
  specsDigest: string
}

/** How a Core was run, as far as its verdict cannot be read without it. */
export type FleetConfiguration = Pick<ConfigurationRecord, 'profile' | 'idleLifetimeMs' | 'accessControl' | 'only'>

/** A spec that speaks against a Core. */
export interface FleetSpec {
  id: string
  title: string
  outcome: Extract<Outcome, 'failed' | 'unexpected pass' | 'known failure' | 'blocked' | 'inconclusive'>
  /** The ids of the requirements that it accuses; empty where it accuses none. */
  requirements: string[]
  /** What was seen, or why it has its outcome, in one sentence. */
  seen: string
}

/** One Core of a fleet. */
export interface FleetCore {
  /** Unique in the fleet, and the name of its folder, beside the file of the fleet. */
  name: string
  url: string
  /** How the user calls it, where that is not its name. */
  label?: string
  firmware?: string
  labels?: Labels
  certificateFingerprint?: string
  configuration: FleetConfiguration
  /** How far its verdict reaches; absent where nothing was tested, and in files of older versions. */
  scope?: Scope
  verdict: Verdict
  /** Why this verdict, in one sentence. */
  reason: string
  /** What to do next; present when the Core could not be tested as wanted. */
  advice?: string
  /** False where its run has left no result: it has not ended, or its part of this program failed. */
  hasResult: boolean
  startedAt: string
  /** Wall time of its run. */
  durationMs: number
  counts: RunResult['counts']
  tokens: RunResult['tokens']
  /** When to come back with `resume`; present where specs are pending. */
  visits?: NonNullable<RunResult['visits']>
  /** What its run says of each requirement, by the ids of the requirements of the fleet. */
  states: Record<string, RequirementState>
  /** The specs that speak against it, in the order of the suite. */
  against: FleetSpec[]
}

/** One statement of the reference, as the page of a fleet shows it. */
export interface FleetRequirement {
  id: string
  text: string
  section: string
  level: Level | 'excluded'
  /** What breaks for a client where it is not met; absent where nobody wrote it down. */
  consequence?: string
}

/** What changed with a Core since an earlier fleet. */
export interface CoreChange {
  core: string
  /** `added`, `gone`: it is in one of the fleets only. */
  kind: 'added' | 'gone' | 'verdict' | 'fails now' | 'mended' | 'firmware'
  /** What it was, and is: a verdict, a state of a requirement, a firmware; null where there was or is none. */
  was: string | null
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
  startedAt: string
  /** How many Cores are in both. */
  compared: number
  /** Why the fleets are not quite alike, in sentences. */
  notices: string[]
  /** By Core, then by kind. */
  changes: CoreChange[]
}

/** The result of one fleet. */
export interface Fleet {
  schemaVersion: typeof FLEET_SCHEMA_VERSION
  suite: FleetSuite
  startedAt: string
  /** Wall time of all of it. */
  durationMs: number
  /** Present where other parts of the same list are judged elsewhere. */
  shard?: Shard
  verdict: Verdict
  /** Why this verdict, in one sentence. */
  reason: string
  counts: { cores: number } & Record<Verdict, number>
  /** When to come back with `resume`, so that the windows of all Cores are met; present where specs are pending. */
  visits?: NonNullable<RunResult['visits']>
  /** What the reader should know beside the verdicts. */
  notices: string[]
  /** The names of the reports that are made of it, so that `resume` makes them again. */
  reports: string[]
  /** Every statement of the reference, in the order of the ledger. */
  requirements: FleetRequirement[]
  /** Sorted by name. */
  cores: FleetCore[]
  /** Present where the user named an earlier fleet. */
  since?: Since
}
