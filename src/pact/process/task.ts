/** The tasks that `PactProcess` gives its child process. The answer to each is a text. */
import type { Interaction } from './model.js'

/** Writes a contract; the answer is its text. */
export interface GenerateTask {
  type: 'generate'
  consumer: string
  interactions: Interaction[]
}

/** Verifies a contract of one interaction through the gateway; the answer is the Verifier's report, as JSON. */
export interface VerifyTask {
  type: 'verify'
  /** The whole contract. */
  contract: string
  gatewayUrl: string
  statesUrl: string
  /** Longest wait of the Verifier for one response. */
  timeoutMs: number
}

/** A task for the child. */
export type Task = GenerateTask | VerifyTask
