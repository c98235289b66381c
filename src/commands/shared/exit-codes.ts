import type { Verdict } from '../../result.js'

/** The exit code of each verdict. */
export const EXIT_CODES: Record<Verdict, number> = {
  conformant: 0,
  nonconformant: 1,
  drifted: 1,
  'stale baseline': 1,
  incomplete: 3,
  untestable: 3,
  pending: 0,
}
