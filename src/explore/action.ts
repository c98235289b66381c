import type { RawStep } from '../suite/raw-step.js'
import type { Role } from '../suite/roles.js'

/** A step of a spec that names its request by role. The explorer knows no other requests. */
export type RoleStep = Omit<RawStep, 'send'> & { send?: Role }

/** One action: a step without expectations. */
export type Action = Readonly<RoleStep>
