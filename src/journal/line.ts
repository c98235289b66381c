import type { TargetNames, Trust } from '../core/target.js'
import type { Resumed } from '../engine/journal.js'
import type { GenerateOptions } from '../pact/make/consumer.js'
import type { ConfigurationRecord, RunResult } from '../result.js'

/**
 * The journal of a run, `journal.ndjson` in its output folder, readable for its owner only: one JSON object a line, only ever
 * appended to. What is secret in it, or may be, is sealed with the password of the run (see `seal.ts`); no password is in it.
 * All of it is authenticated with that password (see `chain.ts`), so that nobody else can say where the password is to go.
 */
export const JOURNAL_FILE = 'journal.ndjson'

/** The version of the format: 4 has another key. A journal lives no longer than its run, so others are not read. */
export const JOURNAL_VERSION = 4

/** How large a journal may become, whatever its Core answers. A full run has some 220 tokens; of 64 KB each, they take 16 MB. */
export const MOST_BYTES = 20_000_000

/** A process that works on the run, and how its clocks stand to the clock of the run. */
export interface ProcessLine {
  pid: number
  /** When it was started, as its machine tells it; empty where it does not. */
  born: string
  /** The clock of the run at this moment. */
  runMs: number
  /** The same moment by the clock of the machine since it was started, and by the wall clock, epoch milliseconds. */
  machineMs: number
  wallMs: number
  /** Tells machines, and the starts of one machine, apart; empty where that is not known. */
  boot: string
}

/** All that a run was started with, but for its password. */
export interface RunLine {
  version: typeof JOURNAL_VERSION
  startedAt: string
  suite: { version: string; specsDigest: string }
  target: { url: string; kind: RunResult['target']['kind']; trust: Trust; username: string } & TargetNames
  configuration: ConfigurationRecord
  tokenField: string | null
  /** Where the clock of a mock Core is advanced, and what that clock showed at the start of the run (null: it did not tell). */
  control: { url: string; startMs: number | null } | null
  specFolders: string[]
  /** The files of what was known beforehand, and the firmware. */
  known?: { pins?: string; baseline?: string; firmware?: string }
  reporters: string[]
  contracts: GenerateOptions
  /** For the key of the seal. */
  salt: string
  /** The word `journal`, sealed, to tell a wrong password from a broken file. */
  check: string
}

/** One line. A `sealed` text is JSON of the type that is named beside it. */
export type Line =
  | ({ type: 'run' } & RunLine)
  | ({ type: 'process' } & ProcessLine)
  /** SurveyState */
  | { type: 'survey'; sealed: string }
  /** The value and the label of a text that must not be shown. */
  | { type: 'secret'; sealed: string }
  /** TokenState, of the next number; `packed`: compressed (raw deflate) before it was sealed. */
  | { type: 'token'; sealed: string; packed?: true }
  | { type: 'token-changed'; number: number; givenBack: boolean }
  /** A logon is about to be sent. */
  | { type: 'logon'; number: number; wallMs: number }
  | { type: 'logon-answered'; number: number }
  /** A logon is about to be sent that is to be refused. */
  | { type: 'refused-logon'; spec: string }
  | { type: 'room'; tokens: number }
  /** UnitState, its tokens without their values, which stand in lines of their own; `specs` are those that wait. */
  | { type: 'waits'; specs: string[]; sealed: string }
  | { type: 'leaves'; specs: string[] }
  /** EndState */
  | { type: 'ended'; spec: string; outcome: string; sealed: string }
  | { type: 'certificate'; fingerprint: string }
  /** Exploration; the last of them counts. */
  | { type: 'explored'; sealed: string }
  /** The journal is as large as it may be: what happened after that is not in it. */
  | { type: 'full' }

/** What a journal says of a run. */
export interface JournaledRun {
  run: RunLine
  /** The process that worked on it last. */
  process: ProcessLine
  resumed: Resumed
}
