/** Lists the forms in which an answer or a report may contain a secret: quoted, escaped, encoded or misread. */

import { LONGEST_RUN } from './token-like.js'

/** Least characters of the inside of a base64 text. Fewer are no trace of a secret. */
const LEAST_INSIDE = 6

/** Characters besides letters and digits that different libraries leave unescaped in URLs. */
const KEPT_IN_URLS = ["-_.!~*'()", '-_.~', '*-._', '-_.~/', "-_.!~*'();/?:@&=+$,#"]

/** The characters that HTML and XML escape, as different libraries write them. */
const ENTITIES: Record<string, string>[] = [
  { '&': '&amp;', '<': '&lt;', '>': '&gt;' },
  { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' },
  { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' },
  { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#x27;' },
  { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#039;' },
  { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' },
  { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' },
]

/** A longer secret is a token, whose characters hardly need escaping. All of its forms would take too much memory. */
const MOST_FOR_ALL_FORMS = 1024

/**
 * Returns every form of a text that may stand in an answer or a report, the text itself included.
 * @param isMany whether thousands of similar texts are hidden, so that the likely forms have to suffice
 */
export function formsOf(secret: string, isMany = false): Set<string> {
  if (isMany || secret.length > MOST_FOR_ALL_FORMS) {
    const json = quoted(secret)
    // Its base64 and hex forms are so long that they are hidden by their kind.
    if (secret.length >= LONGEST_RUN) return new Set([secret, json])
    return new Set([secret, json, ...encoded(Buffer.from(secret))])
  }
  if (KEPT_BY_ALL.test(secret)) return allFormsOf(secret)
  // Some readings leave the text as it is, and each takes milliseconds.
  const readings = new Set([secret, ...otherCharsets(secret)])
  const all = [...readings].flatMap(text => [...allFormsOf(text)])
  // Latin-1 writes each of these characters as one byte.
  const latin1 = /[^\0-\x7f]/.test(secret) && !/[^\0-\xff]/.test(secret) ? Buffer.from(secret, 'latin1') : undefined
  return new Set([...all, ...(latin1 ? encoded(latin1) : [])])
}

/**
 * Returns what a text becomes when UTF-8 is read as Latin-1 or as Windows-1252, once or twice, and the other way round.
 */
function otherCharsets(text: string): string[] {
  if (!/[^\0-\x7f]/.test(text)) return []
  const bytes = Buffer.from(text)
  const once = bytes.toString('latin1')
  return [
    once,
    new TextDecoder('windows-1252').decode(bytes),
    Buffer.from(once).toString('latin1'),
    Buffer.from(text, 'latin1').toString('latin1'),
    Buffer.from(text, 'latin1').toString('utf8'),
    text.replace(/[^\0-\x7f]/gu, '?'),
    text.normalize('NFD'),
    text.normalize('NFC'),
  ]
}

/**
 * Text that no escaping changes, except one that escapes every character. Most tokens are such text, and a run has
 * hundreds.
 */
const KEPT_BY_ALL = /^[A-Za-z0-9._-]*$/

function allFormsOf(secret: string): Set<string> {
  if (KEPT_BY_ALL.test(secret)) return new Set([secret, ...asCodes(secret), ...codesOf(Buffer.from(secret))])
  // A request body may stand in a JSON string, that string on a page, and the whole in a URL or in base64.
  const once = escaped([secret])
  const twice = escaped(once)
  return new Set([
    ...twice,
    ...nested(secret),
    ...numericEntities(secret),
    ...whollyEscaped(secret),
    ...safeForPages(secret),
    ...once.flatMap(text => encoded(Buffer.from(text))),
  ])
}

/** A text as it stands within quotes in JSON. */
const quoted = (text: string) => JSON.stringify(text).slice(1, -1)
/** Escapes a character as JSON may. */
const escapeOf = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
/** Writes the digits of such escapes in capitals. */
const inCapitals = (json: string) => json.replace(/\\u..../g, code => `\\u${code.slice(2).toUpperCase()}`)

/** Returns a text as it stands in JSON within JSON, several levels deep, for Cores that log their answers. */
function nested(text: string): string[] {
  const forms = [text]
  while (forms.length <= 4) forms.push(quoted(forms.at(-1) ?? ''))
  return forms
}

/** Ways to write a character of ASCII by its code: one list of 128 texts for each way. */
const WAYS = ['&#D;', '&#xH;', '&#xU;', '\\u00h', '\\u00u', '%h', '%u'].map(way =>
  Array.from({ length: 128 }, (_, code) => {
    const hex = code.toString(16)
    const two = hex.padStart(2, '0')
    const words: Record<string, string> = {
      D: String(code),
      H: hex,
      U: hex.toUpperCase(),
      h: two,
      u: two.toUpperCase(),
    }
    return way.replace(/[DHUhu](?=;?$)/, word => words[word] ?? '')
  }),
)
/** Those ways that are entities. */
const ENTITY_WAYS = WAYS.slice(0, 3)

/**
 * Returns the forms of {@link numericEntities} and {@link whollyEscaped} for a token of letters, digits and `._-` only.
 * One pass for each way, since a run has hundreds of such tokens.
 */
function asCodes(token: string): string[] {
  const by = (way: string[], which: (code: number) => boolean) => {
    let form = ''
    for (let at = 0; at < token.length; at++) {
      const code = token.charCodeAt(at)
      form += which(code) ? way[code] : token[at]
    }
    return form
  }
  const all = WAYS.map(way => by(way, () => true))
  const marked = /[._-]/.test(token) ? ENTITY_WAYS.map(way => by(way, isMark)) : []
  const wide = Buffer.from(token, 'utf16le').subarray(0, -1).toString('utf8')
  return [...all, ...marked, wide]
}

const isMark = (code: number) => code === 0x2d || code === 0x2e || code === 0x5f

/** Escapes every character of a text, in JSON and in a URL; also reads its UTF-16 as UTF-8. */
function whollyEscaped(text: string): string[] {
  const json = text.replace(/[\s\S]/g, escapeOf)
  const url = Buffer.from(text).toString('hex').replace(/../g, '%$&')
  const wide = Buffer.from(text, 'utf16le').subarray(0, -1).toString('utf8')
  return [json, inCapitals(json), url, url.toUpperCase(), wide]
}

/**
 * Escapes a text as JSON libraries do that make JSON safe for pages. Those of Go, PHP, Java and .NET each escape other
 * characters.
 */
function safeForPages(text: string): string[] {
  const json = quoted(text)
  return [/[<>&\u2028\u2029]/g, /[<>&'=]/g, /[<>&'+]/g, /[<>&'+"`]/g].flatMap(which => {
    const safe = (which.test('"') ? json.replaceAll('\\"', '"') : json).replace(which, escapeOf)
    return [safe, safe.replace(/[^ -~]/g, escapeOf)].flatMap(form => [form, inCapitals(form)])
  })
}

/** Returns texts with their escaped forms in JSON and HTML, each once. */
function escaped(texts: string[]): string[] {
  const all = texts.flatMap(text => {
    const json = quoted(text)
    const ascii = json.replace(/[^ -~]/g, escapeOf)
    const jsons = [json, ascii, inCapitals(ascii)]
    const html = ENTITIES.map(entities => text.replace(/[&<>"']/g, character => entities[character] ?? character))
    return [text, ...jsons, ...jsons.map(each => each.replaceAll('/', '\\/')), ...html]
  })
  return [...new Set(all)]
}

/** Writes characters of a text as numbers: those beyond ASCII, all but letters and digits, or all. */
function numericEntities(text: string): string[] {
  const [decimal, hex, upper] = [
    (character: string) => `&#${character.codePointAt(0)};`,
    (character: string) => `&#x${character.codePointAt(0)?.toString(16)};`,
    (character: string) => `&#x${character.codePointAt(0)?.toString(16).toUpperCase()};`,
  ]
  // Most tokens consist of letters and digits. Only the last pattern changes those.
  return [/[^ -~]/gu, /[^ -~]|[&<>"']/gu, /[^A-Za-z0-9]/gu, /[^A-Za-z0-9 ]/gu, /./gsu]
    .filter(which => text.search(which) >= 0)
    .flatMap(which => [decimal, hex, upper].map(entity => text.replace(which, entity)))
}

/** Ways to write a byte in a URL: one list of 256 texts for each. */
const URL_WAYS = KEPT_IN_URLS.map(kept =>
  Array.from({ length: 256 }, (_, byte) => {
    const character = String.fromCharCode(byte)
    const isKept = /[A-Za-z0-9]/.test(character) || kept.includes(character)
    return isKept ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }),
)

/** Encodes bytes for URLs and forms, in base64 and in hex. */
function encoded(bytes: Buffer): string[] {
  const urls = URL_WAYS.map(way => Array.from(bytes, byte => way[byte]).join(''))
  return [
    ...urls.flatMap(url => [
      url,
      url.replace(/%../g, code => code.toLowerCase()),
      url.replaceAll('%20', '+'),
      // A URL within a URL, such as the address to go to next.
      url.replaceAll('%', '%25'),
    ]),
    ...codesOf(bytes),
  ]
}

/** Encodes bytes in base64 and hex. */
function codesOf(bytes: Buffer): string[] {
  const [base64, hex] = [bytes.toString('base64'), bytes.toString('hex')]
  // Also within longer base64 text, such as name and password of the scheme Basic.
  const inside = [0, 1, 2].flatMap(shift => insideBase64(bytes, shift))
  return [base64, base64.replace(/=+$/, ''), bytes.toString('base64url'), hex, hex.toUpperCase(), ...inside]
}

/**
 * Returns the part of base64 text that depends on these bytes only.
 * @param shift how many bytes before them are in the same group of three
 */
function insideBase64(bytes: Buffer, shift: number): string[] {
  const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
  const inside = text.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6))
  return inside.length < LEAST_INSIDE ? [] : [inside, inside.replaceAll('+', '-').replaceAll('/', '_')]
}
