import { pathOf, type RequestHead } from '../messages.js'
import { LOGON_PATH } from '../routes.js'
import type { TokenRecord } from '../tokens.js'
import type { Subject } from './defect.js'

/** Replaces one method of an object. `make` gets the original method. */
export function replace<T extends object, K extends keyof T>(owner: T, name: K, make: (original: T[K]) => T[K]): void {
  const original = owner[name]
  owner[name] = make(typeof original === 'function' ? original.bind(owner) : original)
}

/** Returns the records of all tokens that are valid now, oldest first. */
export function liveRecords({ tokens }: Subject): TokenRecord[] {
  return [...tokens.records.values()].filter(record => tokens.state(record) === 'issued')
}

/** Ends tokens, as a revocation does. */
export function endAll(records: readonly TokenRecord[]): void {
  for (const record of records) record.revoked = true
}

/** Tells whether a request asks for a token. */
export function isLogon({ method, target }: RequestHead): boolean {
  return method === 'POST' && pathOf(target) === LOGON_PATH
}

/** Tells whether a request revokes a token. */
export function isRevocation({ method, target }: RequestHead): boolean {
  return method === 'DELETE' && pathOf(target) === LOGON_PATH
}
