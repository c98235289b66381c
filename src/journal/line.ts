import type { TargetNames, Trust } from '../core/target.js'
import type { GenerateOptions } from '../pact/make/consumer.js'
import type { ConfigurationRecord, RunResult } from '../result.js'

/**
 * The journal of a run: `journal.ndjson` in its output folder, readable for its owner only. It holds one JSON object a
 * line, and lines are only appended. Secrets in it are sealed (see `seal.ts`) with a key that the password of the run opens (see `own-key.ts`), or is
 * made of; it holds no password. The key also authenticates every line (see `chain.ts`), so that nobody else can choose
 * where the password is sent.
 */
export const JOURNAL_FILE = 'journal.ndjson'

/**
 * Version of the format. Version 8 leaves out what it was not told. Other versions are not read: a journal lives no longer than
 * its run.
 */
export const JOURNAL_VERSION = 8

/** Largest journal, in bytes. A full run has some 220 tokens; of 64 KB each, they take 16 MB. */
export const MOST_BYTES = 20_000_000

/** A process that works on the run, with the offsets of its clocks from the clock of the run. */
export interface ProcessLine {
  pid: number
  /** When the process started, as its machine tells; empty where the machine does not. */
  born: string
  /** The clock of the run at this moment. */
  runMs: number
  /** The same moment in time since the machine started (`machineMs`), and in epoch milliseconds (`wallMs`). */
  machineMs: number
  wallMs: number
  /** Identifies the machine and its present start; empty where that is not known. */
  boot: string
}

/** What a run is told, beside its Core, its folder and its secrets. */
export interface Told {
  configuration: ConfigurationRecord
  /** The place of the token in the logon response; absent: the survey finds it. */
  tokenField?: string | undefined
  specFolders: string[]
  /** What the user knows beforehand: the files of pins and baseline, and the firmware, which tells what of a baseline is for it. */
  known: { pins?: string | undefined; baseline?: string | undefined; firmware?: string | undefined }
  reporters: string[]
  contracts: GenerateOptions
}

/** A run, without its password. */
export interface RunLine extends Told {
  version: typeof JOURNAL_VERSION
  startedAt: string
  suite: { version: string; specsDigest: string }
  target: { url: string; kind: RunResult['target']['kind']; trust: Trust; username: string } & TargetNames
  /** The control endpoint of a mock Core, and the reading of its clock at the start of the run (null: not known). */
  control: { url: string; startMs: number | null } | null
  /** Salt for the key that is made of the password. */
  salt: string
  /**
   * Present where the seal has a key of its own, which a `key` line holds, or else a file of the user who began the run.
   * Without it the key is made of the password. `passwordMac` is the code of the password by that key.
   */
  ownKey?: { passwordMac: string }
  /** The word `journal`, sealed. It tells a wrong password from a broken file. */
  check: string
}

/** One line. A `sealed` text is JSON of the type in the comment above it. */
export type Line =
  | ({ type: 'run' } & RunLine)
  | ({ type: 'process' } & ProcessLine)
  /** The key of the seal, sealed by the key that is made of the password. */
  | { type: 'key'; sealed: string }
  /** SurveyState */
  | { type: 'survey'; sealed: string }
  /** Texts that must not be shown: a list of their values and labels. */
  | { type: 'secrets'; sealed: string }
  /** TokenState, with the next number; `packed`: compressed (raw deflate) before it was sealed. */
  | { type: 'token'; sealed: string; packed?: true }
  | { type: 'token-changed'; number: number; givenBack: boolean }
  /** A logon is about to be sent. */
  | { type: 'logon'; number: number; wallMs: number }
  | { type: 'logon-answered'; number: number }
  /** A logon that should be refused is about to be sent. */
  | { type: 'refused-logon'; spec: string }
  | { type: 'room'; tokens: number }
  /** UnitState without the values of its tokens, which have lines of their own; `specs`: those that wait. */
  | { type: 'waits'; specs: string[]; sealed: string }
  | { type: 'leaves'; specs: string[] }
  /** EndState */
  | { type: 'ended'; spec: string; outcome: string; sealed: string }
  | { type: 'certificate'; fingerprint: string }
  /** RunEvent */
  | { type: 'happened'; sealed: string }
  /** Exploration; the last such line counts. */
  | { type: 'explored'; sealed: string }
  /** A list of Doubt, about what came before a process left the run to another. */
  | { type: 'doubted'; sealed: string }
  /** The journal has its largest size: it holds no later events. */
  | { type: 'full' }
