/** One cause is one difference: leaves out what only echoes another. */
import type { Facts } from '../result.js'
import { parts } from './names.js'
import type { Change } from './types.js'

/** What the survey finds, with what a spec observes of the same. */
const TWINS: Readonly<Record<string, string>> = {
  'access.accepted.status': 'access.status',
  'access.no-token.status': 'no-token.status',
  'access.unknown-token.status': 'unknown-token.status',
}

/** Headers of one connection, or of a cache on the way: whether one answer has them may be chance. */
const OF_CONNECTION = ['age', 'connection', 'keep-alive']

/**
 * The changes without those that another one explains.
 * @param was the facts of the earlier run
 * @param is those of the later one
 */
export function withoutEchoes(changes: Change[], was: Facts, is: Facts): Change[] {
  return changes.filter(
    change =>
      !isTwin(change, changes) &&
      !isContentType(change, changes) &&
      !isMovedToken(change, changes) &&
      !isChance(change, was, is),
  )
}

function isTwin({ subject, was, is }: Change, changes: Change[]): boolean {
  const twin = TWINS[subject]
  return changes.some(other => other.subject === twin && other.was === was && other.is === is)
}

/** The header goes with the fact that its value is, and both go with the body. */
function isContentType({ kind, subject, part }: Change, changes: Change[]): boolean {
  const { first, last } = parts(subject)
  if (kind === 'header') return part === 'content-type'
  if (last !== 'content-type') return false
  return changes.some(({ subject: other, was, is }) => other === `${first}.body` && (was === 'empty' || is === 'empty'))
}

/** Where the token stands is a fact of its own. */
function isMovedToken({ kind, subject, part, was }: Change, changes: Change[]): boolean {
  if (kind !== 'field' || subject !== 'logon.body' || part === undefined) return false
  const moved = changes.find(other => other.subject === 'token.field')
  if (!moved) return false
  const path = String(was === null ? moved.is : moved.was)
    .slice(1)
    .replaceAll('/', '.')
  return path === part || path.startsWith(`${part}.`)
}

/** Told only where no answer has the header any more, or none had it before. */
function isChance({ kind, part, was }: Change, before: Facts, now: Facts): boolean {
  if (kind !== 'header' || !OF_CONNECTION.includes(part ?? '')) return false
  const without = was === null ? before : now
  return Object.entries(without).some(
    ([name, list]) =>
      parts(name).last === 'headers' &&
      String(list)
        .split(', ')
        .includes(part ?? ''),
  )
}
