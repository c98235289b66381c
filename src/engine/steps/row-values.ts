/** The values of a row: what each claims of its request, and whether they go together. */
import type { Made } from '../../suite/families/made.js'
import { carriesToken, OWN_PATH, type Variation } from '../../suite/family.js'
import type { SendStep } from '../../suite/spec.js'

/** A way in which a request departs from its step's: a variation that a family lists, or one that a generator made. */
export interface Value {
  name: string
  listed?: Variation
  made?: Made
}

/** Whether two values cannot stand in one request. */
export function clash(one: Value | undefined, other: Value | undefined): boolean {
  if (!one || !other) return false
  const [a, b] = [partsOf(one), partsOf(other)]
  for (const part of a) if (b.has(part)) return true
  return false
}

/** Returns the parts of a request that a value claims, so that no other value of its row may. */
export function partsOf(value: Value): Set<string> {
  const { listed, made } = value
  const variation = listed ?? made ?? value
  const known = PARTS.get(variation)
  if (known) return known
  const names = Object.keys({ ...listed?.headers, ...made?.headers }).map(name => name.toLowerCase())
  const isOwnPath = (path: string | undefined) => path !== undefined && !path.includes(OWN_PATH)
  const parts = new Set([
    ...names,
    ...(listed?.without ?? []).map(name => name.toLowerCase()),
    ...(['method', 'body', 'json', 'token', 'names', 'more', 'authorization', 'pieces', 'http'] as const).filter(
      part => listed?.[part] !== undefined,
    ),
    ...(made?.token === undefined ? [] : ['token']),
    ...(made?.body === undefined ? [] : ['body']),
    ...(isCarrier(value) && !mayStandBeside(value) ? ['token'] : []),
    ...(isOwnPath(listed?.path) || isOwnPath(made?.path) ? ['path'] : []),
    ...(listed?.path === undefined ? [] : [isQuery(listed.path) ? `query ${isCarrier(value)}` : 'target']),
    // At another target only what an answer holds tells that a request got through, and that to HEAD holds nothing.
    ...(listed?.method !== undefined || (listed?.path !== undefined && !listed.path.includes('?')) ? ['content'] : []),
    ...(listed ? waysOf(listed) : []),
  ])
  PARTS.set(variation, parts)
  return parts
}

/** By variation: those of a family outlive the values that are made of them for each step. */
const PARTS = new WeakMap<object, Set<string>>()

const isQuery = (path: string) => path.includes('?')

/**
 * Whether a value carries a token in a header field or in the query: other carriers may stand beside it. Not in the path or in the body,
 * which many a Core does not take, so that the others would show nothing.
 */
export function mayStandBeside({ listed, made }: Value): boolean {
  if (made || !listed || listed.token !== undefined || listed.body !== undefined) return false
  const isAuthorization = (name: string) => name.toLowerCase() === 'authorization'
  if (Object.keys(listed.headers ?? {}).some(isAuthorization)) return false
  return listed.path === undefined || listed.path.includes('?')
}

/** What a variation claims of the connection. HTTP/1.0 has no chunks, and no second request on a connection. */
function waysOf({ http, connection, pipelined, chunked, after }: Variation): string[] {
  return [
    ...(http === '1.0' ? ['connection', 'chunks', 'before'] : []),
    ...(connection !== undefined && connection !== 'kept' ? ['connection', 'before'] : []),
    ...(pipelined ? ['connection', 'before'] : []),
    ...(after ? ['before'] : []),
    ...(chunked ? ['chunks'] : []),
  ]
}

/** Whether a value chooses its connection, or ends it. */
export function isOfConnection({ listed }: Value): boolean {
  const names = Object.keys(listed?.headers ?? {})
  return listed !== undefined && (waysOf(listed).includes('before') || names.some(name => /^connection$/i.test(name)))
}

/** Whether a value names the target or the host in another way, or is about the number of header fields: there servers differ most. */
export function isOftenRefused(value: Value): boolean {
  const parts = partsOf(value)
  return parts.has('target') || parts.has('host') || parts.has('more')
}

/** Whether a value has a token of its own, so that the same row with a good token goes without it. */
export function isCarrier({ listed, made }: Value): boolean {
  if (made) return made.token !== undefined || made.headers !== undefined
  const isAuthorization = (name: string) => name.toLowerCase() === 'authorization'
  return listed !== undefined && (carriesToken(listed) || Object.keys(listed.headers ?? {}).some(isAuthorization))
}

/**
 * Whether a value stands in the place of what the step has itself, its token or its credentials: without it a row would be the step's own
 * request in another form.
 */
export function isSubject(value: Value, { token }: SendStep): boolean {
  return value.made?.body !== undefined || (token !== undefined && isCarrier(value))
}

/**
 * Finds the fewest values of a row that do together what the row does: what stands in the place of the step's own token first, which stays;
 * then without halves of the row, and quarters, since most of a long row has no part in it.
 */
export async function fewest(
  row: readonly Value[],
  step: SendStep,
  isEnough: (fewer: readonly Value[]) => Promise<boolean>,
): Promise<readonly Value[]> {
  const isOne = (value: Value) => isSubject(value, step)
  const hasSubject = (values: readonly Value[]) => values.some(isOne)
  const subject = row.filter(isOne)
  let needed = hasSubject(row) && subject.length < row.length && (await isEnough(subject)) ? subject : row
  for (let size = Math.max(needed.length >> 1, 1); size > 0; size >>= 1)
    for (let at = 0; at < needed.length; ) {
      const fewer = needed.filter((_, index) => index < at || index >= at + size)
      if ((hasSubject(fewer) || !hasSubject(row)) && (await isEnough(fewer))) needed = fewer
      else at += size
    }
  return needed
}

/** A family of so many variations is dealt out, and not paired: its pairs would take a row for each two variations. */
export const LARGE = 14

/** Whether a value is no more than header fields, more of them or fewer. */
export function isField(value: Value): boolean {
  return (
    !isCarrier(value) && Object.keys(value.listed ?? { token: '' }).every(key => /^(name|headers|without)$/.test(key))
  )
}

/** Header fields by which a request asks for something, so that a Core may refuse it for them. */
const ASKING = /^(authorization|accept|connection|content-.*|expect|if-.*|range|upgrade)$/i
/** Other ways to depart that ask for nothing. */
const SILENT = /^(name|headers|without|names|authorization|pieces|connection|after)$/

/** Whether a value asks for nothing, as the name of a client does, or the order of header fields: no Core refuses a good request for it. */
export function isSilent({ listed }: Value): boolean {
  if (!listed || !Object.keys(listed).every(key => SILENT.test(key))) return false
  return ![...Object.keys(listed.headers ?? {}), ...(listed.without ?? [])].some(name => ASKING.test(name))
}

/**
 * Parts the variations of several families into dimensions, of which a request has one value each: header fields that can stand in one request
 * are dimensions of their own, so that they meet each other and everything else in few rows. Most servers do not look at such a field at all,
 * so it hides nothing that stands beside it.
 */
export function dimensionsOf(families: readonly Value[][]): Value[][] {
  const fields: Value[][] = []
  for (const field of families.flat().filter(isField)) {
    const others = fields.find(each => each.every(other => clash(other, field)))
    if (others) others.push(field)
    else fields.push([field])
  }
  return [...families.map(each => each.filter(value => !isField(value))).filter(({ length }) => length), ...fields]
}
