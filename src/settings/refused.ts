/**
 * The signs by which a Core's refusals are told from its acceptance, as the survey learns them and as users state them
 * (`--refused`): `status=302`, `header.location=/login`, `header.www-authenticate`, `body.success=false`, `body.error`,
 * `body=empty`, `closed`.
 */
import { STATUS_CODES } from 'node:http'
import { list } from './kinds.js'

/** The kinds of a body in the sign `body=KIND`; any other text there is the whole body. */
export const BODY_KINDS = ['empty', 'page', 'text', 'object', 'array'] as const

/** One sign. */
export type RefusalSign =
  | { in: 'status'; status: number }
  /** `value` is undefined where the header has only to be there. */
  | { in: 'header'; name: string; value: string | undefined }
  /** A field of a JSON body, by the names on the way to it. `value` is undefined where it has only to be there. */
  | { in: 'field'; path: string[]; value: string | undefined }
  | { in: 'body'; is: string }
  /** The connection is closed, time after time, while good requests are served. */
  | { in: 'closed' }

/** Reads a sign; undefined where the text is none. */
export function readSign(text: string): RefusalSign | undefined {
  if (text === 'closed') return { in: 'closed' }
  const [, place = '', value] = /^([^=]+)(?:=(.+))?$/.exec(text) ?? []
  if (place === 'status') return /^[1-5]\d\d$/.test(value ?? '') ? { in: 'status', status: Number(value) } : undefined
  if (place === 'body') return value === undefined ? undefined : { in: 'body', is: value }
  const [kind, ...path] = place.split('.')
  if (path.length === 0 || path.includes('')) return undefined
  if (kind === 'header') return { in: 'header', name: path.join('.').toLowerCase(), value }
  return kind === 'body' ? { in: 'field', path, value } : undefined
}

/** Takes signs with commas between; none where nobody states any. */
export const refusing = {
  ...list('SIGNS'),
  read: (given: string) => {
    const signs = list('SIGNS').read(given)
    return signs?.every(readSign) ? signs : undefined
  },
  wrong: (given: string) =>
    `must be signs such as status=302, header.location=/login, body.success=false, body=empty or closed, not '${given}'`,
}

/** Whether refusals look as most do: by a 4xx. Then their statuses say all that there is to say. */
export function isUsual(signs: readonly string[]): boolean {
  return signs.every(sign => sign.startsWith('status=4'))
}

/** Describes signs in words: `302 to /login`, `success: false in the body`. */
export function signsInWords(signs: readonly string[]): string {
  return signs.map(inWords).join(', or ')
}

function inWords(text: string): string {
  const sign = readSign(text)
  switch (sign?.in) {
    case 'status':
      return `${sign.status} ${STATUS_CODES[sign.status] ?? ''}`.trim()
    case 'header':
      if (sign.value === undefined) return `an answer with ${sign.name}`
      return sign.name === 'location' ? `a redirect to ${sign.value}` : `${sign.name}: ${sign.value}`
    case 'field':
      return sign.value === undefined
        ? `${sign.path.join('.')} in the body`
        : `${sign.path.join('.')}: ${sign.value} in the body`
    case 'body':
      return sign.is === 'empty' ? 'an empty body' : `a body that is ${article(sign.is)}`
    case 'closed':
      return 'a closed connection'
    default:
      return text
  }
}

function article(is: string): string {
  if (!BODY_KINDS.some(kind => kind === is)) return `'${is}'`
  return is === 'text' ? is : `${/^[aeiou]/.test(is) ? 'an' : 'a'} ${is}`
}
