/** Actions, and the ways to send a request that the explorer varies. Families of variations add to these. */
import type { RawStep } from '../suite/raw-step.js'
import type { Role } from '../suite/roles.js'

/** A step of a spec that names its request by role. The explorer knows no other requests. */
export type RoleStep = Omit<RawStep, 'send'> & { send?: Role }

/** One action: a step without expectations. */
export type Action = Readonly<RoleStep>

/** Features of a Core that the explorer can use. */
export interface Features {
  /** Whether it tells a valid token from none with HEAD; `elsewhere`: at another endpoint. */
  head: boolean
  elsewhere: boolean
  /** Whether it speaks HTTP/1.0. */
  http10: boolean
  /** Whether it resumes TLS sessions; `behind`: answers a request that comes before the answer to another. Both until it does not. */
  resumed: boolean
  behind: boolean
}

/** Ways to send the request that shows whether a token is accepted. */
const USES: readonly { needs?: keyof Features; how: Action }[] = [
  { how: { send: 'probe' } },
  { how: { send: 'probe' } },
  { how: { send: 'probe', connection: 'new' } },
  { needs: 'head', how: { send: 'probe', method: 'HEAD' } },
  { needs: 'elsewhere', how: { send: 'elsewhere' } },
  { needs: 'http10', how: { send: 'probe', http: '1.0' } },
]

/** Returns one of the ways to send the probe that this Core understands. @param pick any whole number */
export function useOf(features: Features, pick: number): Action {
  const all = USES.filter(({ needs }) => needs === undefined || features[needs])
  return at(all, pick)?.how ?? { send: 'probe' }
}

/** Returns one of the items; undefined where there is none. @param pick any whole number */
export function at<T>(items: readonly T[], pick: number): T | undefined {
  return items[pick % items.length]
}
