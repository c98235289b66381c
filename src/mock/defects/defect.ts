import type { Socket } from 'node:net'
import type { Clock } from '../clock.js'
import type { Device } from '../device.js'
import type { TokenStore } from '../tokens.js'

/** The area of the API in which a defect shows. */
export type Area = 'access' | 'host' | 'idle' | 'logon' | 'open' | 'revocation' | 'sequence' | 'transport'

/** A defect as it is described to callers. */
export interface DefectInfo {
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
}

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

/** One misbehaviour of a mock Core. All other behaviour stays the same. */
export interface Defect extends DefectInfo {
  /** Gives the defect to a mock Core. Call it before the first request. */
  install(subject: Subject): void
}

/** The defects of an area by name. */
export type DefectTable = Readonly<Record<string, Omit<Defect, 'name' | 'area'>>>

/** Makes a list of defects from a table. */
export function defectsOf(area: Area, table: DefectTable): Defect[] {
  return Object.entries(table).map(([name, defect]) => ({ name, area, ...defect }))
}

/** A defect of a table whose defects break the same requirements. */
export type DefectRow = Omit<DefectTable[string], 'requirements' | 'mayAlso'>

/** The defects of such a table by name. */
export type DefectRows = Readonly<Record<string, DefectRow>>

/** Makes a row of such a table. @param about one sentence that says how the mock then behaves */
export function defect(about: string, install: Defect['install'], more: Partial<DefectRow> = {}): DefectRow {
  return { ...more, about, install }
}

/** Makes the table of defects that break the same requirements; see {@link DefectInfo}. */
export function breaking(requirements: readonly string[], mayAlso: readonly string[], rows: DefectRows): DefectTable {
  const broken = { requirements, ...(mayAlso.length > 0 && { mayAlso }) }
  return Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, { ...row, ...broken }]))
}
