/** Which certificates a target may present. */
export type Trust =
  | { kind: 'system' }
  /** Only certificates issued by these (PEM). */
  | { kind: 'ca'; pem: string }
  /** Exactly the certificate with this SHA-256, as upper-case pairs with colons. */
  | { kind: 'fingerprint'; sha256: string }
  /** Any certificate. */
  | { kind: 'insecure' }

/** The Core under test: where it is, how it is trusted, and who logs on. */
export interface Target {
  /** `https://host[:port]`, without path and credentials. */
  url: URL
  trust: Trust
  username: string
  password: string
}
