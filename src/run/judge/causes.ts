/**
 * The causes of what contradicts the reference, as rows of one table; the first that explains a contradiction counts. Events and
 * limits accuse nobody: the reference says nothing about restarts and the like. Each demands evidence of its own. What they
 * leave is a fault. A new kind of Core is a new row.
 */
import type { Cause } from './causes/cause.js'
import { EVENTS } from './causes/events.js'
import { FAULTS } from './causes/faults.js'
import { LIMITS } from './causes/limits.js'

/** All causes. */
export const CAUSES: readonly Cause[] = [...EVENTS, ...LIMITS, ...FAULTS]
