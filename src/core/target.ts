import type { TargetFlags } from '../result.js'

/** Which certificates a target may present. */
export type Trust =
  | { kind: 'system' }
  /** Only certificates issued by these (PEM). */
  | { kind: 'ca'; pem: string }
  /** Exactly the certificate with this SHA-256, as upper-case pairs with colons. */
  | { kind: 'fingerprint'; sha256: string }
  /** Any certificate. */
  | { kind: 'insecure' }

/** What the user says about a Core, for the reports. */
export interface TargetNames {
  /** Name of the Core, such as `staging`. */
  label?: string
  /** Firmware of the Core, such as `4.2.1`. */
  firmware?: string
  /** How the user named the Core: values by flags. */
  flags?: TargetFlags
}

/** Where a Core is: its address, and the trust in its certificate. */
export interface Place extends TargetNames {
  /** `https://host[:port]`, without path and credentials. */
  url: URL
  trust: Trust
}

/** Name and password of a user. */
export interface Credentials {
  username: string
  password: string
}

/** The Core under test, with the credentials for it. */
export interface Target extends Place, Credentials {}

/** Returns the names of a target, without the rest of it. */
export function namesOf({ label, firmware, flags }: TargetNames): TargetNames {
  return { ...(label !== undefined && { label }), ...(firmware !== undefined && { firmware }), ...(flags && { flags }) }
}
