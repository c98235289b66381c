import type { Clock } from '../clock.js'
import type { Device } from '../device.js'
import type { TokenStore } from '../tokens.js'

/** Where a defect shows. */
export type Area = 'access' | 'host' | 'idle' | 'logon' | 'revocation' | 'sequence' | 'transport'

/** What is told of a defect. */
export interface DefectInfo {
  /** Lower-case words with hyphens, which say what goes wrong. */
  name: string
  area: Area
  /** One sentence on what the mock then does. */
  about: string
  /**
   * The ids of the requirements, in `specs/requirements.yaml`, that it breaks, one or more: what a client on the wire sees
   * broken. A suite that sees the defect accuses one of them at least.
   */
  requirements: readonly string[]
  /** The ids of requirements that the wire shows broken as a consequence: a suite may accuse them too, but no others. */
  mayAlso?: readonly string[]
  /** Whether it looks like a restart of the Core from outside: then a suite may tell that event, and judge nothing by it. */
  isLikeRestart?: boolean
  /** How many tokens must be valid for it to show; absent: one. A Core with room for fewer has not got the defect. */
  needsTokens?: number
}

/** A mock Core that is to be given a defect. */
export interface Subject {
  device: Device
  tokens: TokenStore
  clock: Clock
  /** Milliseconds, as the options said. */
  idleLifetimeMs: number
  username: string
  password: string
}

/** One misbehaviour of a mock Core: everything else stays as it was. */
export interface Defect extends DefectInfo {
  /** Gives the defect to a mock Core that has not yet seen a request. */
  install(subject: Subject): void
}

/** The defects of an area, by their names. */
export type DefectTable = Readonly<Record<string, Omit<Defect, 'name' | 'area'>>>

/** Makes a list of a table. */
export function defectsOf(area: Area, table: DefectTable): Defect[] {
  return Object.entries(table).map(([name, defect]) => ({ name, area, ...defect }))
}
