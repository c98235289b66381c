/** Makes the forms of `specs/families/forms.txt`: other tokens, and credentials that are wrong or written differently. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { decoded } from '../../ground/decoded.js'
import { once } from '../../ground/once.js'
import { alphabetOf } from '../../ground/token-text.js'
import { boundaries, isOther, nextOf } from './characters.js'
import { distinct, type Generator, type Made, type Material } from './made.js'

/**
 * A form. Its parts are `KEY=TEXT`: a header, a key of {@link Made}, or the user name or the password of the body; with a colon in
 * place of the `=`, those are JSON. A text has escapes as JSON has them, and in braces a word of {@link wordsOf} with what becomes of
 * it, in words of {@link WRITERS}: `{password to:1 upper}`. Behind a `=` in the braces stands a text.
 */
interface Form {
  name: string
  title: Template
  parts: [key: string, sign: string, text: string, template: Template][]
  /** Whether it stands for others of its kind. */
  isTelling: boolean
}

const PLACE = /\{(=[a-z]*|[a-z]+)((?: [a-z\d]+(?::[^ }]+)?)*)\}/
type Template = readonly string[]

/** Reads the forms of a generator. A long one goes on in further lines. */
const formsOf = once((generator: string): Form[] => {
  const text = readFileSync(new URL('../../../specs/families/forms.txt', import.meta.url), 'utf8')
  const own = text.split(/^(?=[a-z])/m).find(part => part.startsWith(`${generator}\n`)) ?? ''
  const lines = own.replace(/\n {4}(\|?)/g, (_, bar) => bar && ' |').split('\n')
  return lines.filter(line => /^ {2}[^#]/.test(line)).flatMap(line => eachOf(line.trim().split(' | ')))
})

/** Makes the forms of a line: with `for=A B` one of each, which stands in the place of `@`. */
function eachOf([name = '', ...parts]: string[]): Form[] {
  const words = parts.find(part => part.startsWith('for='))?.slice('for='.length) ?? '@'
  const sent = parts.filter(part => part !== 'telling' && !part.startsWith('for='))
  return words.split(' ').map(word => {
    const put = (text: string) => unescaped(text.replace('@', () => word))
    return {
      name: put(name),
      title: put(name).split(PLACE),
      parts: sent.map(part => {
        const [, key = '', sign = '', text = ''] = /^([\w-]+)([=:])(.*)$/.exec(part) ?? []
        return [key, sign, put(text), put(text).split(PLACE)]
      }),
      isTelling: parts.includes('telling'),
    }
  })
}

function unescaped(text: string): string {
  return text.replace(/\\(?:u[\da-f]{4}|[bnrt])/g, code => JSON.parse(`"${code}"`))
}

/**
 * Makes the forms of a generator, but for those that this material gives nothing for.
 * @param more further words that they are made of
 */
export function madeOf(generator: string, material: Material, more: Words = {}): Made[] {
  const words = { ...wordsOf(material), ...more }
  return formsOf(generator).flatMap(({ name, title, parts }) => {
    const made: Made = { name: written(title, words, material) ?? name }
    const credentials: Record<string, unknown> = { username: material.username, password: material.password }
    for (const [key, sign, text, template] of parts) {
      const value = written(template, words, material)
      if (value === undefined) return []
      if (key === 'username' || key === 'password') {
        credentials[key] = sign === ':' ? JSON.parse(value) : value
        made.body = JSON.stringify(credentials)
        const isMade = sign === '=' && key === 'password' && text.includes('{password') && text !== '{password}'
        if (isMade && isTelling(value, material)) made.secrets = [secretOf(value, material)]
      } else if (/^[A-Z]/.test(key)) made.headers = { ...made.headers, [key]: value }
      else Object.assign(made, { [key]: value })
    }
    return [made]
  })
}

/** Whether a password that is made from the right one is secret. To hide any other would only blot out the evidence. */
function isTelling(word: string, { username }: Material): boolean {
  return !/^(.)\1*$/s.test(word) && word !== username
}

/** Of the password in quotes, only what JSON makes of it is secret: as it is, it stands in the body of every right logon. */
function secretOf(word: string, { username, password }: Material): string {
  const isRight = word.includes(password) && JSON.stringify({ username, password }).includes(word)
  return isRight ? JSON.stringify(word).slice(1, -1) : word
}

type Words = Record<string, string | undefined>

/** Returns the words that forms are made of. */
function wordsOf({ token, place, path, cookies, ...own }: Material): Words {
  return {
    ...{ ...own, token, path, place: String(place), number: String(place + 1) },
    // The path of the logon is open to clients without a token.
    ...{ logon: '/api/v0/logon', tail: path.replace(/^\/api\/v0/, '') },
    wrong: own.password === 'x' ? 'y' : 'x',
    // A zero before a number does not change its value.
    digit: alphabetOf(token) === 'digits' ? '9' : '0',
    cookies: cookies.join('; ') || undefined,
  }
}

/** Fills a text in its parts: what stands between places, and for each place its word and the names of writers. */
function written([first = '', ...places]: Template, words: Words, material: Material): string | undefined {
  let filled = first
  for (let at = 0; at < places.length; at += 3) {
    const [word = '', writers = '', then = ''] = places.slice(at, at + 3)
    let value = word.startsWith('=') ? word.slice(1) : words[word]
    for (const writer of writers ? writers.slice(1).split(' ') : []) {
      const [name = '', how = ''] = writer.split(':')
      const write = WRITERS[name]
      if (!write) throw new Error(`specs/families/forms.txt: there is no '${name}'`)
      value = value === undefined ? undefined : write(value, how, material)
    }
    if (value === undefined) return undefined
    filled += value + then
  }
  return filled
}

/** Returns a place in a text; a negative one counts from its end. */
const placeOf = (how: string, { length }: string) => (how === 'half' ? Math.max(1, length >> 1) : Number(how))
const fromStart = (how: string, text: string) => placeOf(how, text) + (how.startsWith('-') ? text.length : 0)
const perUnit = (text: string, write: (unit: string, code: string) => string) =>
  text.replace(/[\s\S]/g, unit => write(unit, unit.charCodeAt(0).toString(16).padStart(4, '0')))
const inBytes = (text: string, before: string) =>
  [...Buffer.from(text)].map(byte => before + byte.toString(16).padStart(2, '0')).join('')
const otherCase = (unit: string) => (unit === unit.toLowerCase() ? unit.toUpperCase() : unit.toLowerCase())

/** What becomes of a text; undefined: there is no such form of it. */
const WRITERS: Record<string, (text: string, how: string, material: Material) => string | undefined> = {
  to: (text, how) => text.slice(0, placeOf(how, text)),
  from: (text, how) => text.slice(placeOf(how, text)),
  first: (text, how) => (Number(how) < text.length ? text.slice(0, Number(how)) : undefined),
  times: (text, how) => text.repeat(Number(how)),
  filled: (text, how) => how.repeat(text.length),
  visible: text => (/^[!-~]+$/.test(text) ? text : undefined),
  changed: (text, how) => {
    const at = fromStart(how, text)
    return text.slice(0, at) + (text.charAt(at) === 'x' ? 'y' : 'x') + text.slice(at + 1)
  },
  /** All but the first and the last character changed. */
  between: (text, _, { password }) =>
    text.length < 3 ? text : text.slice(0, 1) + (password === 'x' ? 'y' : 'x').repeat(text.length - 2) + text.slice(-1),
  swapped: (text, how) => {
    const at = fromStart(how, text)
    return text.slice(0, at - 1) + text.charAt(at) + text.charAt(at - 1) + text.slice(at + 1)
  },
  /** The character at a place, as the next one of its class. */
  next: (text, how) => nextOf(text, fromStart(how, text)),
  /** The text from a place on, with every character changed. */
  rest: (text, how) =>
    [...text.slice(placeOf(how, text))].map((_, at) => nextOf(text, placeOf(how, text) + at)).join(''),
  onesegment: text => text.replaceAll('/', '%2F'),
  reversed: text => [...text].reverse().join(''),
  sorted: text => [...text].sort().join(''),
  upper: text => text.toUpperCase(),
  lower: text => text.toLowerCase(),
  othercase: text => [...text].map(otherCase).join(''),
  oneother: text => text.replace(/[A-Za-z]/, otherCase),
  /**
   * Its ASCII characters moved up by this much. By 0xfee0 they become their wide forms, which a compatibility normalization
   * undoes.
   */
  moved: (text, how) => text.replace(/[!-~]/g, unit => String.fromCharCode(unit.charCodeAt(0) + Number(how))),
  /** A comparison of seven bits takes it for the same. */
  eightbits: text => perUnit(text, unit => String.fromCharCode(unit.charCodeAt(0) | 0x80)),
  pair: (text, _, { username }) => `${username}:${text}`,
  colon: text => `${text}:`,
  hash: (text, how) => createHash(how).update(text).digest('hex'),
  base64: text => Buffer.from(text).toString('base64'),
  hex: text => inBytes(text, ''),
  percent: text => inBytes(text, '%'),
  unhex: text => (alphabetOf(text).startsWith('hex') ? Buffer.from(text, 'hex').toString('base64') : text),
  decoded: text => decoded(text.replaceAll('+', ' ')),
  form: text => String(new URLSearchParams({ '': text })).slice(1),
  json: text => JSON.stringify(text),
  escaped: text => perUnit(text, (_, code) => `\\u${code}`),
  capital: text => text.replace(/[a-f]/g, digit => digit.toUpperCase()),
  entities: text => perUnit(text, unit => `&#${unit.charCodeAt(0)};`),
  utf16: text => perUnit(text, unit => `${unit}\0`),
}

/** Makes wrong credentials. Some forms are the right pair after all, or the same as another. */
export const wrongCredentials: Generator = material => {
  const { username, password } = material
  const right = JSON.stringify({ username, password })
  const wrong = madeOf('wrong-credentials', material).filter(({ body }) => body !== right)
  return distinct(wrong, ({ name: _, secrets: __, ...sent }) => [JSON.stringify(sent)])
}

/** Writes the right credentials in other ways. */
export const rightCredentials: Generator = material => {
  const { escaped = String, capital = String } = WRITERS
  const word = String(escaped(material.password, '', material))
  const secrets = [word, String(capital(word, '', material))]
  return madeOf('right-credentials', material).map(each => ({ ...each, secrets }))
}

/** Makes other tokens from a token. */
export const lookalikes: Generator = material => {
  const { token } = material
  return distinct(madeOf('lookalikes', material), nameAndToken).filter(
    ({ token: value = '' }) => isOther(value, token) && /^[!-~\x80-\xff]+$/.test(value),
  )
}

/** The most telling of these, and of a token with one character changed: one for each way in which a comparison may be careless. */
export const likenesses: Generator = material => {
  const changed = boundaries(material)
  const ends = [changed.at(0), changed.at(changed.length >> 1), changed.at(-1)].flatMap(each => each ?? [])
  const telling = new Set(formsOf('lookalikes').flatMap(({ name, isTelling }) => (isTelling ? [name] : [])))
  return distinct([...ends, ...lookalikes(material).filter(({ name }) => telling.has(name))], nameAndToken)
}

const nameAndToken = ({ name, token }: Made) => (token ? [name, `\0${token}`] : [name])
