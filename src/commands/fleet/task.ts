/** What the threads of a fleet are told, and what they tell: plain data, since it is copied from one thread to another. */
import type { MessagePort } from 'node:worker_threads'
import type { CoreHead } from '../../fleet/core.js'
import type { FleetCore, FleetRequirement } from '../../fleet/types.js'
import type { RunActivity } from '../../report/index.js'

/** One Core that a thread is to run. All else that its run has to know stands in the journal in its folder. */
export interface CoreTask {
  head: CoreHead
  /** The folder of its journal and its reports. */
  outDir: string
  /** Whether its run begins now; else another process began it. */
  isNew: boolean
  password: string
  /** The keys of its journal, so that nobody derives them twice: each time takes 128 MB. */
  keys: Uint8Array
  /** The key of its control endpoint, where it has one. */
  controlKey: string | undefined
  /** Names of its reports, and paths of the user's own modules. */
  reporters: readonly string[]
  /** Leave waits to `resume` instead of staying for them. */
  detach: boolean
  /** What finishes the fleet. */
  resumeCommand: string
  /** Whether somebody looks at how it goes. */
  isShown: boolean
  /** Where the thread tells how late it is: see `fleet-beats.ts`. */
  beats: SharedArrayBuffer
  /** Takes {@link FromThread}, and brings {@link ToThread}; closed once there is nothing more to say. */
  port: MessagePort
}

/** What a thread says of a Core while it runs. */
export type FromThread = { type: 'activity'; activity: RunActivity } | { type: 'said'; text: string }

/** What a thread is told of a Core: to give its tokens back, and to end its run. */
export interface ToThread {
  type: 'stop'
}

/** What came of a Core. */
export interface CoreEnd {
  core: FleetCore
  requirements: FleetRequirement[]
  /** What could not be written, in sentences. */
  problems: string[]
}
