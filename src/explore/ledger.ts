import type { Requirement, Suite } from '../suite/spec.js'

/** The parts of the suite and of the run that describe findings. */
export interface Ledger extends Pick<Suite, 'requests' | 'families'> {
  requirements: ReadonlyMap<string, Requirement>
  probePath: string
  seed: number
}
