/** Which certificates a target may present. */
export type Trust =
  | { kind: 'system' }
  /** Only certificates issued by these (PEM). */
  | { kind: 'ca'; pem: string }
  /** Exactly the certificate with this SHA-256, as upper-case pairs with colons. */
  | { kind: 'fingerprint'; sha256: string }
  /** Any certificate. */
  | { kind: 'insecure' }

/** What the user says of a Core, for the reports. */
export interface TargetNames {
  /** How it is called, such as `staging`. */
  label?: string
  /** The firmware that it runs, such as `4.2.1`. */
  firmware?: string
}

/** The Core under test: where it is, how it is trusted, and who logs on. */
export interface Target extends TargetNames {
  /** `https://host[:port]`, without path and credentials. */
  url: URL
  trust: Trust
  username: string
  password: string
}

/** The names of a target, and nothing else of it. */
export function namesOf({ label, firmware }: TargetNames): TargetNames {
  return { ...(label !== undefined && { label }), ...(firmware !== undefined && { firmware }) }
}
