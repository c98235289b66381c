import type { Socket } from 'node:net'
import type { Clock } from '../clock.js'
import type { Device } from '../device.js'
import type { TokenStore } from '../tokens.js'

/** The area of the API in which a defect shows. */
export type Area = 'access' | 'host' | 'idle' | 'logon' | 'open' | 'revocation' | 'sequence' | 'transport'

/** One misbehaviour of a mock Core. All other behaviour stays the same. */
export interface Defect {
  /** Lower-case words with hyphens that name the misbehaviour. */
  name: string
  /** The area of the API in which the defect shows. */
  area: Area
  /** One sentence that says how the mock then behaves. */
  about: string
  /**
   * The ids of the requirements in `specs/requirements.yaml` that a client sees broken; one or more. A suite that sees the
   * defect accuses at least one of them.
   */
  requirements: readonly string[]
  /** The ids of requirements that break as a consequence. A suite may accuse these too, but no others. */
  mayAlso?: readonly string[]
  /** Whether the defect looks like a restart of the Core. A suite may then report a restart and judge nothing. */
  isLikeRestart?: boolean
  /** Number of valid tokens that the defect needs to show; absent: one. A Core with fewer slots never shows the defect. */
  needsTokens?: number
  /** Whether the defect shows only over TLS. */
  needsTls?: boolean
  /** Present where the defect shows only with access control off. */
  accessControl?: 'off'
  /** Gives the defect to a mock Core. Call it before the first request. @param tell is told what it does, where it is made of rows */
  install(subject: Subject, tell?: Tell): void
}

/** A defect as it is described to callers. */
export type DefectInfo = Omit<Defect, 'install'>

/** The mock Core that is given a defect. */
export interface Subject {
  device: Device
  tokens: TokenStore
  clock: Clock
  /** Milliseconds, as the options said. */
  idleLifetimeMs: number
  username: string
  password: string
  /** Calls back with each new connection, before anything is read from it. */
  onConnection(listener: (socket: Socket) => void): void
}

/**
 * Is told what a mutant did: `met`, some request had a part of it (its kind of request, or a trigger), said once for each;
 * `triggered`, a request had all; `shown`, an answer was one that an honest device would not have given.
 */
export type Tell = (what: 'met' | 'triggered' | 'shown', part?: string) => void
