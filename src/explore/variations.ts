/** How a request may be sent, by names: what the explorer varies. Families of variations may be added to these. */
import type { Action } from './lower.js'

/** What a Core was seen to understand; what it does not is left out. */
export interface Features {
  /** It tells a valid token from none with HEAD, and at another endpoint. */
  head: boolean
  elsewhere: boolean
  /** It speaks HTTP/1.0. */
  http10: boolean
}

/** The other ways to send the request that looks whether a token is accepted. */
const USES: readonly { needs?: keyof Features; how: Action }[] = [
  { how: { send: 'probe' } },
  { how: { send: 'probe' } },
  { how: { send: 'probe', connection: 'new' } },
  { needs: 'head', how: { send: 'probe', method: 'HEAD' } },
  { needs: 'elsewhere', how: { send: 'elsewhere' } },
  { needs: 'http10', how: { send: 'probe', http: '1.0' } },
]

/** One of the ways to look whether a token is accepted, that this Core understands. @param pick any whole number */
export function useOf(features: Features, pick: number): Action {
  const all = USES.filter(({ needs }) => needs === undefined || features[needs])
  return all[pick % all.length]?.how ?? { send: 'probe' }
}
