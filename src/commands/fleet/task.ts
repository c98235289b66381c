/** Messages between the main thread and the threads of a fleet. They are plain data, since each message is copied. */
import type { MessagePort } from 'node:worker_threads'
import type { CoreHead } from '../../fleet/core.js'
import type { FleetCore, FleetRequirement } from '../../fleet/types.js'
import type { RunActivity } from '../../report/activity.js'

/** One Core for a thread to run. The journal in its folder holds everything else that its run needs. */
export interface CoreTask {
  head: CoreHead
  /** The folder of its journal and its reports. */
  outDir: string
  /** Whether the run begins now. Else another process began it. */
  isNew: boolean
  password: string
  /** The keys of its journal, so that the thread need not derive them again: each derivation takes 16 MB. */
  keys: Uint8Array
  /** The key of its control endpoint, if it has one. */
  controlKey: string | undefined
  /** Names of its reports, and paths of the user's own modules. */
  reporters: readonly string[]
  /** Leave the specs that wait to `resume`. */
  detach: boolean
  /** The command that finishes the fleet. */
  resumeCommand: string
  /** Whether the console shows the progress. */
  isShown: boolean
  /** Shared memory where the thread writes how late it is: see `beats.ts`. */
  beats: SharedArrayBuffer
  /** Takes {@link FromThread}, and brings {@link ToThread}. The thread closes the port after its last message. */
  port: MessagePort
}

/** A message of a thread about a Core that runs. */
export type FromThread = { type: 'activity'; activity: RunActivity } | { type: 'said'; text: string }

/** A message to a thread: revoke the tokens of the Core, and end its run. */
export interface ToThread {
  type: 'stop'
}

/** The outcome of a Core. */
export interface CoreEnd {
  core: FleetCore
  requirements: FleetRequirement[]
  /** Files that could not be written, in sentences. */
  problems: string[]
}
