/** Finds the smallest thing that tells this Core's refusals from its acceptance, and recognises it in other answers. */

import { jsonIn, jsonOf } from '../ground/json.js'
import { BODY_KINDS, type RefusalSign, readSign } from '../settings/refused.js'
import { type Answered, header, type WireResponse } from './exchange.js'
import { isPutOff } from './pause.js'

/** Headers that may tell refusals, each with whether its value counts, or only that it is there. */
const TELLING_HEADERS = [
  ['location', true],
  ['www-authenticate', false],
  ['content-type', true],
] as const
/** Most fields of a body that are tried, and the longest value that can be a sign. */
const MOST_FIELDS = 200
const LONGEST_VALUE = 80

/** Whether an exchange shows one of these signs. */
export function showsSign(signs: readonly string[], exchange: Answered): boolean {
  return signs.some(text => {
    const sign = readSign(text)
    return sign !== undefined && shows(sign, exchange)
  })
}

/** Whether a sign can be seen in answers to other requests too: what success and its body look like differs there. */
export function isPortable(text: string): boolean {
  const sign = readSign(text)
  if (sign?.in === 'status') return sign.status >= 300
  return sign?.in === 'field' || sign?.in === 'closed' || (sign?.in === 'header' && sign.name === 'location')
}

/** Whether a sign stands in the body, so that the answer to HEAD does not show it. */
export function isInBody(text: string): boolean {
  const sign = readSign(text)
  return sign?.in === 'field' || sign?.in === 'body' || (sign?.in === 'header' && sign.name === 'content-type')
}

/** Whether an answer without a body would show a sign all the same: the type of its content is in its head. */
export function isInHead(text: string, response: WireResponse): boolean {
  const sign = readSign(text)
  return sign?.in === 'header' && header(response, sign.name) !== undefined
}

/**
 * Finds the signs of refusals: for each request that was refused the smallest that all its answers show, and no accepted answer
 * does. A limit or a fault of the way may look like a refusal, so what is turned away has to be so more than once.
 * @param accepted answers to a request with a fresh token
 * @param refused answers to requests without a good token; one list for each request
 * @param known signs that are preferred where they fit
 * @returns one sign for each kind of refusal, without repetitions; none where nothing tells
 */
export function learnSigns(
  accepted: readonly Answered[],
  refused: readonly (readonly Answered[])[],
  known: readonly string[] = [],
): string[] {
  const found: string[] = []
  for (const answers of refused) {
    if (!answers.length) continue
    const fits = (text: string) =>
      answers.every(answer => showsSign([text], answer)) && !accepted.some(answer => showsSign([text], answer))
    if (found.some(fits)) continue
    const sign = [...known, ...candidatesOf(answers)].find(fits)
    if (sign !== undefined) found.push(sign)
  }
  return found
}

/**
 * Returns what all accepted answers show in the fields of the body by whose values refusals are told: `body.code=0` where
 * refusals have `body.code=401`.
 */
export function oppositesOf(signs: readonly string[], accepted: readonly Answered[]): string[] {
  return signs.flatMap(text => {
    const sign = readSign(text)
    if (sign?.in !== 'field' || sign.value === undefined) return []
    const { path } = sign
    const [first, ...others] = accepted.map(({ response }) => textOf(at(jsonIn(response?.body ?? ''), path)))
    return first !== undefined && others.every(each => each === first) ? written(`body.${path}`, first) : []
  })
}

/** Whether an answer has another value in a field for which a value is expected. */
export function contradicts(expected: readonly string[], { body }: WireResponse): boolean {
  return expected.some(text => {
    const sign = readSign(text)
    const value = sign?.in === 'field' ? textOf(at(jsonIn(body), sign.path)) : undefined
    return sign?.in === 'field' && value !== undefined && value !== sign.value
  })
}

/** Returns the type of the content of all accepted answers, as a sign; none where it is that of a page, or differs. */
export function typeOf(accepted: readonly Answered[]): string[] {
  const [first, ...others] = accepted.map(({ response }) => response && steadyValue(response, 'content-type'))
  const isOne = first !== undefined && first !== PAGE_TYPE && others.every(each => each === first)
  return isOne ? written('header.content-type', first) : []
}

/** Whether an answer without a body names the type of a page, where accepted ones have another. */
export function isTypedAsPage(expected: readonly string[], response: WireResponse): boolean {
  const isOther = expected.some(text => readSign(text)?.in === 'header')
  return isOther && response.body === '' && steadyValue(response, 'content-type') === PAGE_TYPE
}

/** Whether a body is no JSON, where accepted answers are, and refusals are told by what stands in it: a damaged answer, say. */
export function isUnreadable(signs: readonly string[], expected: readonly string[], { body }: WireResponse): boolean {
  const isJson = expected.some(text => /^header\.content-type=.*[/+]json$/.test(text))
  return isJson && signs.some(isInBody) && body !== '' && jsonOf(body) === undefined
}

const PAGE_TYPE = 'text/html'

/** Whether a body is a page of markup: XML is data, where it is no XHTML. */
export function isPage(body: string): boolean {
  return /^\s*<(?!\?xml)/.test(body) || /^\s*<\?xml[^>]*>\s*<(!doctype )?html\b/i.test(body)
}

/** Lists the signs of the first answer to a request, the smallest first. */
function candidatesOf(answers: readonly Answered[]): string[] {
  const [first] = answers
  const isRepeated = answers.length > 1
  if (!first?.response) return isRepeated && isClosed(first) ? ['closed'] : []
  const { response } = first
  const { status } = response
  if (first.error || isPutOff(response)) return []
  const byStatus = status >= 500 && !isRepeated ? [] : [`status=${status}`]
  const byHeader = TELLING_HEADERS.flatMap(([name, isValue]) => {
    const value = steadyValue(response, name)
    if (value === undefined) return []
    return isValue ? written(`header.${name}`, value) : [`header.${name}`]
  })
  // A redirect to somewhere else is no refusal, so where it leads counts for more than that it is one.
  const isRedirect = status >= 300 && status < 400
  const outer = isRedirect ? [...byHeader, ...byStatus] : [...byStatus, ...byHeader]
  // What varies from one answer to the next is no sign, and a single answer does not show what varies.
  return isRepeated ? [...outer, ...inBody(response.body)] : outer
}

function inBody(body: string): string[] {
  const fields = fieldsOf(jsonIn(body))
  const values = fields.flatMap(({ path, value }) => (value === undefined ? [] : written(`body.${path}`, value)))
  const flags = values.filter(text => /=(true|false)$/.test(text))
  // A field that is there only in refusals, such as `error`, shows more of them than the words of one of them.
  const names = fields.filter(({ value }) => value !== 'null').map(({ path }) => `body.${path}`)
  return [...flags, ...names, ...values, `body=${kindOf(body)}`, ...written('body', body.trim())]
}

/** Writes a sign; none where the value is too long for one, or cannot be stated in a list. */
function written(place: string, value: string): string[] {
  const isSayable = value !== '' && value.length <= LONGEST_VALUE && !/[,\p{C}]/u.test(value)
  return isSayable ? [`${place}=${value}`] : []
}

function shows(sign: RefusalSign, exchange: Answered): boolean {
  const { response, error } = exchange
  if (sign.in === 'closed') return isClosed(exchange)
  if (!response || error) return false
  switch (sign.in) {
    case 'status':
      return response.status === sign.status
    case 'header': {
      const value = steadyValue(response, sign.name)
      return value !== undefined && (sign.value === undefined || value === sign.value)
    }
    case 'field': {
      const value = at(jsonIn(response.body), sign.path)
      // A field that holds nothing is as good as none.
      return sign.value === undefined ? value !== undefined && value !== null : textOf(value) === sign.value
    }
    case 'body':
      return BODY_KINDS.some(kind => kind === sign.is)
        ? kindOf(response.body) === sign.is
        : response.body.trim() === sign.is
  }
}

/** Whether the connection was closed without an answer, more than once in a row. A single time may be chance. */
function isClosed(exchange: Answered | undefined): boolean {
  const isDrop = ({ error }: { error?: Answered['error'] }) => error?.kind === 'closed'
  return exchange !== undefined && !exchange.response && isDrop(exchange) && (exchange.earlier ?? []).some(isDrop)
}

/** Returns the part of a header that does not vary: a path without its query, a media type without its parameters. */
function steadyValue(response: WireResponse, name: string): string | undefined {
  const value = header(response, name)?.trim()
  if (name === 'content-type') return value?.split(';', 1)[0]?.trim().toLowerCase()
  return name === 'location' ? value?.replace(/^https?:\/\/[^/?#]+/i, '').replace(/(?!^)[?#].*$/, '') || value : value
}

function kindOf(body: string): string {
  const text = body.trim()
  if (text === '') return 'empty'
  // Before it is read as JSON: an error of the parser costs more than all else here.
  if (isPage(text)) return 'page'
  const json = jsonIn(text)
  if (json !== undefined && json !== null && typeof json === 'object') return Array.isArray(json) ? 'array' : 'object'
  return 'text'
}

/**
 * Lists the fields of objects, those further out first; `value` where it is a scalar. Lists are content, and no sign, but for those
 * that are fields without names: `[40101, "unauthorized", null]`.
 */
function fieldsOf(json: unknown): { path: string; value: string | undefined }[] {
  const found: { path: string; value: string | undefined }[] = []
  let level: [path: string, value: unknown][] = [['', json]]
  while (level.length > 0 && found.length < MOST_FIELDS) {
    const objects = level.filter(([, value]) => hasFields(value))
    level = objects.flatMap(([path, value]) =>
      Object.entries(value as object)
        .filter(([name]) => name !== '' && !/[.=,\p{C}]/u.test(name))
        .map(([name, item]): [string, unknown] => [path === '' ? name : `${path}.${name}`, item]),
    )
    found.push(...level.map(([path, value]) => ({ path, value: textOf(value) })))
  }
  return found.slice(0, MOST_FIELDS)
}

function hasFields(value: unknown): value is object {
  if (Array.isArray(value)) return new Set(value.map(item => typeof item)).size > 1
  return value !== null && typeof value === 'object'
}

function textOf(value: unknown): string | undefined {
  return value === undefined || (value !== null && typeof value === 'object') ? undefined : String(value)
}

function at(json: unknown, path: readonly string[]): unknown {
  let value = json
  for (const name of path) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}
