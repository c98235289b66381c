/** Makes one difference of one cause: leaves out changes that repeat another one. */
import { TWINS } from '../result/opened.js'
import type { Facts } from '../result.js'
import { parts } from './names.js'
import type { Change } from './types.js'

/** Headers of one connection, or of a cache on the way. Whether one answer has them may be chance. */
const OF_CONNECTION = ['age', 'connection', 'keep-alive']

/**
 * Leaves out the changes that another change explains.
 * @param was the facts of the earlier run
 * @param is the facts of the later run
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
  const { first, last } = parts(subject)
  const twin = TWINS[first]
  return changes.some(other => other.subject === `${twin}.${last}` && other.was === was && other.is === is)
}

/** Whether a change repeats the content type: the header repeats the fact, and both repeat a body that appeared or went. */
function isContentType({ kind, subject, part }: Change, changes: Change[]): boolean {
  const { first, last } = parts(subject)
  if (kind === 'header') return part === 'content-type'
  if (last !== 'content-type') return false
  return changes.some(({ subject: other, was, is }) => other === `${first}.body` && (was === 'empty' || is === 'empty'))
}

/** Whether a changed field is the token's: the place of the token is a fact of its own. */
function isMovedToken({ kind, subject, part, was }: Change, changes: Change[]): boolean {
  if (kind !== 'field' || subject !== 'logon.body' || part === undefined) return false
  const moved = changes.find(other => other.subject === 'token.field')
  if (!moved) return false
  const path = String(was === null ? moved.is : moved.was)
    .slice(1)
    .replaceAll('/', '.')
  return path === part || path.startsWith(`${part}.`)
}

/** Whether a connection header is chance: another answer of the run without it has the header. */
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
