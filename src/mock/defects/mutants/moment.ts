/** A request as the triggers of a mutant see it: with its connection, its token, and what came before. */
import type { RequestHead } from '../../messages.js'
import type { TokenRecord } from '../../tokens.js'
import { isLogon, isRevocation } from '../tools.js'

/** What became of a request. `bare`: it had no Host; `refusal`: it had no token that was accepted. */
export type Kind = 'logon' | 'refused logon' | 'use' | 'revocation' | 'refusal' | 'bare' | 'OPTIONS'

/** What stands where a token belongs, by the reference. */
export type Carried = 'nothing' | 'unknown' | 'valid' | 'revoked' | 'expired'

/** The life of a token, by the reference. */
export interface TokenLife {
  text: string
  record: TokenRecord
  issuedMs: number
  /** When a request last used it while it was valid. */
  lastUsedMs: number
  /** When it was revoked, and as which of all tokens; absent while it is not. */
  revokedMs?: number
  revokedAs?: number
  /** The requests that used it while it was valid. */
  uses: number
  /** The requests that carried it after its end. */
  looks: number
  /** The connection on which it was issued. */
  bornOn: object
  /** The tokens that were valid when it was issued. */
  bornBeside: number
  /** What the request before its logon was, on any connection. */
  bornAfter: Kind | undefined
  /** The connection of the last request that carried it. */
  lastOn: object
  /** The connection on which it was revoked. */
  revokedOn?: object
}

/** A connection, with what became of its requests so far, the latest first. */
export interface ConnectionLife {
  /** 1 for the first connection that carried a request. */
  number: number
  openedMs: number
  lastMs: number
  past: Past[]
}

/** An earlier request. */
export interface Past {
  kind: Kind
  method: string
  status: number
  atMs: number
  token: TokenLife | undefined
  carried: Carried
  /** The body of a logon. */
  body: string | undefined
  /** How long the device had noted no use of its token, in milliseconds. */
  unnotedMs: number
  on: ConnectionLife
}

/** A request, as it is answered. */
export interface Moment {
  head: RequestHead
  path: string
  query: string | undefined
  nowMs: number
  /** When the request before it came, on any connection. */
  quietSinceMs: number
  connection: ConnectionLife
  /** The text that stands where a token belongs. */
  presented: string | undefined
  token: TokenLife | undefined
  /** Whether the token is valid by the reference. */
  isValid: boolean
  /** How long the token has been unused, in milliseconds. */
  idleMs: number
  /** When the device noted the last use of its token. */
  notedMs: number
  isBare: boolean
  /** Absent until it is whole. */
  body?: string
  /** The credentials of a logon; absent for another request, and until its body is whole. */
  credentials?: 'right' | 'wrong' | 'malformed'
  /** In how many pieces its head came, and how many came after it. */
  pieces: { head: number; body: number; chunks: number }
  /** The requests on other connections that were under way at the same time. */
  beside: Moment[]
  /** Whether the device let it in, or issued a token. */
  isGranted: boolean
}

/** Returns what became of a request. */
export function kindOf({ head, isBare, isGranted }: Moment): Kind {
  if (isBare) return 'bare'
  if (isLogon(head)) return isGranted ? 'logon' : 'refused logon'
  if (head.method === 'OPTIONS') return 'OPTIONS'
  if (!isGranted) return 'refusal'
  return isRevocation(head) ? 'revocation' : 'use'
}

/** Returns what a request carries. */
export function carriedBy({ presented, token, isValid }: Moment): Carried {
  if (token === undefined) return presented === undefined ? 'nothing' : 'unknown'
  if (isValid) return 'valid'
  return token.revokedMs === undefined ? 'expired' : 'revoked'
}
