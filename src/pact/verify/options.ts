import type { Target } from '../../core/target.js'
import type { RunResult } from '../../result.js'
import type { Profile } from '../../settings/configuration.js'
import type { Contract } from '../read/contract-file.js'
import type { Meanings } from '../read/meanings.js'

/** The options for verifying. */
export interface VerifyOptions {
  contracts: Contract[]
  /** The meanings of a team's own provider states. */
  meanings: Meanings
  target: Target
  targetKind: RunResult['target']['kind']
  accessControl: 'on' | 'off'
  /** The authenticated GET that tells a live token from others. */
  probePath: string
  tokenField: string | undefined
  /** How the Core refuses, as the user said; empty: the survey finds it. */
  refused: readonly string[]
  idleLifetimeMs: number
  /** A fraction of the lifetime. */
  idleTolerance: number
  /** `quick` leaves out interactions about an expired token. */
  profile: Profile
  maxRefusedLogons: number
  deadlineMs: number
  /** The clock in milliseconds. `leap` is present where a mock Core's clock can be advanced. */
  clock: { now(): number; leap?(ms: number): Promise<void> }
  /** Further secrets that no output may show, with their labels in reports. */
  secrets?: readonly { value: string; label: string }[]
  /** Ends the verification early; every token is revoked. */
  signal: AbortSignal
  /** Called before the first request and after each interaction, with the number of interactions that have their outcome. */
  verified?: (done: number) => void
  /** Called once, when nothing but a wait in real time is left to do. */
  waiting?: (wait: { untilMs: number; interactions: number }) => void
}
