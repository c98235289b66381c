import type { Kind } from './lower.js'

/**
 * Returns the kinds of checks that this Core is known to fail.
 * @param broken the ids of the requirements that specs failed
 */
export function knownKinds(broken: ReadonlySet<string>): Set<Kind> {
  const kinds: Record<Kind, string[]> = {
    issue: ['LOGON-1'],
    open: ['ACCESS-2', 'IDLE-2', 'IDLE-3', 'LOGON-4', 'REVOKE-2', 'HOST-2'],
    revoked: ['REVOKE-1'],
    expired: ['IDLE-1'],
    none: ['ACCESS-1'],
    unknown: ['ACCESS-1'],
    place: ['ACCESS-3'],
    wrong: ['LOGON-2', 'LOGON-3'],
    malformed: ['LOGON-2', 'LOGON-3'],
    host: ['HOST-1'],
    bare: ['HOST-2'],
  }
  return new Set((Object.keys(kinds) as Kind[]).filter(kind => kinds[kind].some(id => broken.has(id))))
}
