import { randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { redactorFor } from '../core/redactor-for.js'
import type { RecordedRequest } from '../mock/index.js'
import { isLogon, presentedToken } from './requests.js'
import type { ClientRecord, PrintedSecret } from './result.js'

/** Returns the texts to search for: the secret, its hex, its reverse, and its base64 at each of the three alignments. */
function formsOf(secret: string): string[] {
  const base64 = [0, 1, 2].map(shift => {
    const text = Buffer.concat([Buffer.alloc(shift), Buffer.from(secret)]).toString('base64')
    // The first and the last group depend on the characters around the secret.
    return text.slice(shift === 0 ? 0 : 4, -4)
  })
  const hex = Buffer.from(secret).toString('hex')
  return [secret, hex, [...secret].reverse().join(''), ...base64]
}

/** Undoes percent-encoding, up to four times over. */
function decoded(text: string): string {
  let current = text
  for (let depth = 0; depth < 4; depth += 1) {
    current = current.replace(/%([0-9a-f]{2})/gi, (_whole, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
  }
  return current
}

/**
 * Makes a password for one scenario. Its first part is random hex. Its second part has characters that break a client which builds JSON by hand.
 */
export function makePassword(): string {
  return `${randomBytes(12).toString('hex')}-"%25+\\&'`
}

/** Returns the random part of a password. Only an encoding that changes every letter changes it. */
export function randomPart(password: string): string {
  return password.slice(0, password.indexOf('-'))
}

/**
 * Finds a password in a request, anywhere but in the body of a logon.
 * @returns `the path`, `the header Authorization` and so on; empty when the password is nowhere
 */
export function passwordPlaces(request: RecordedRequest, password: string): string[] {
  const forms = formsOf(randomPart(password))
  const has = (text: string) => {
    const lower = decoded(text).toLowerCase()
    return forms.some(form => text.includes(form) || lower.includes(form))
  }
  // In the body of a logon it has its place.
  return placesOf(isLogon(request) ? { ...request, body: '' } : request, has)
}

function placesOf({ path, query, rawHeaders, body }: RecordedRequest, has: (text: string) => boolean): string[] {
  return [
    ...(has(path) ? ['the path'] : []),
    ...(has(query) ? ['the query'] : []),
    ...rawHeaders.filter(([name, value]) => has(name) || has(value)).map(([name]) => `the header ${name}`),
    ...(has(body) ? ['the body'] : []),
  ]
}

/** Returns the issued tokens that a client sent in an Authorization header. */
export function tokensOf({ requests }: ClientRecord): string[] {
  const issued = requests.filter(({ token }) => typeof token?.number === 'number')
  return [...new Set(issued.flatMap(request => presentedToken(request) ?? []))]
}

/**
 * Finds tokens in a request, anywhere but in its Authorization header.
 * @returns `the query`, `the header Cookie` and so on; empty when no token is found
 */
export function tokenPlaces(request: RecordedRequest, tokens: readonly string[]): string[] {
  const forms = tokens.flatMap(formsOf)
  const has = (text: string) =>
    forms.some(form => text.includes(form)) || forms.some(form => decoded(text).includes(form))
  const rawHeaders = request.rawHeaders.filter(([name]) => name.toLowerCase() !== 'authorization')
  return placesOf({ ...request, rawHeaders }, has)
}

/** Longest line that is waited for, in characters. A longer one is passed on in pieces that end between two words. */
const LONGEST_LINE = 1 << 20

/** The secrets by their labels in the output. */
const SECRETS = { password: 'password', 'basic-credentials': 'password', token: 'token' } as const

/** Takes the output of a client: passes it on without its secrets, line by line, and notes the lines that hold one. */
export class Printed {
  /** The lines that hold a secret. */
  readonly secrets: PrintedSecret[] = []
  readonly #redactor

  /** @param output gets the lines, each whole */
  constructor(
    credentials: ClientRecord['credentials'],
    readonly output: (text: string) => void = () => {},
  ) {
    this.#redactor = redactorFor(credentials)
    this.hide(randomPart(credentials.password), 'password')
  }

  /** Hides a secret from now on: also in capitals or small letters, and its first half alone. */
  hide(secret: string, label: PrintedSecret['secret']): void {
    for (const each of [secret, secret.slice(0, Math.ceil(secret.length / 2))]) {
      for (const form of [each, each.toUpperCase(), each.toLowerCase()]) this.#redactor.hide(form, label)
    }
  }

  /** Takes all that comes from a stream; settles at its end. Never rejects. */
  async take(from: Readable, stream: PrintedSecret['stream']): Promise<void> {
    let line = 1
    let rest = ''
    try {
      for await (const chunk of from.setEncoding('utf8')) {
        // A secret may come in two pieces, but it stands in one line.
        const lines = `${rest}${chunk}`.split(/(?<=\n)/)
        rest = lines.at(-1)?.endsWith('\n') ? '' : (lines.pop() ?? '')
        for (const each of lines) this.#pass(each, stream, line++)
        if (rest.length <= LONGEST_LINE) continue
        const end = rest.search(/\s\S*$/) + 1 || rest.length
        this.#pass(rest.slice(0, end), stream, line)
        rest = rest.slice(end)
      }
    } catch {
      // what was read until then is all
    }
    if (rest !== '') this.#pass(rest, stream, line)
  }

  #pass(text: string, stream: PrintedSecret['stream'], line: number): void {
    const [, content = '', end = ''] = /^(.*?)(\r?\n?)$/s.exec(text) ?? []
    const labels = Object.keys(SECRETS) as (keyof typeof SECRETS)[]
    const foundIn = (shown: string) => labels.filter(label => times(shown, `[${label}]`) > times(content, `[${label}]`))
    const colored = this.#redactor.text(content)
    // A code for a terminal, such as that of a color, may stand within a secret. Only then the line loses its colors.
    const plain = this.#redactor.text(stripVTControlCharacters(content))
    const shown = times(plain, '[') > times(stripVTControlCharacters(colored), '[') ? plain : colored
    for (const secret of new Set(foundIn(shown).map(label => SECRETS[label])))
      this.secrets.push({ secret, stream, line })
    this.output(shown + end)
  }
}

function times(text: string, part: string): number {
  return text.split(part).length - 1
}
