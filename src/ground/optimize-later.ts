import { setFlagsFromString } from 'node:v8'

/**
 * Flags of V8 that let it wait longer before it optimizes a function. Node 20 (V8 11) spends a tenth of the processor time of a
 * short run on optimizing. Later versions of V8 wait longer by themselves, and have no such flag. The budget is ten times the
 * default; more saves nothing more.
 */
export const LATER: readonly string[] = process.versions.v8.startsWith('11.') ? ['--interrupt-budget=700000'] : []

/** Sets {@link LATER} in this process. Call it before most of the code is loaded. */
export function optimizeLater(): void {
  for (const flag of LATER) setFlagsFromString(flag)
}
