import type { Readable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { redactorFor } from '../core/redactor-for.js'
import { randomPart } from './password.js'
import type { ClientRecord, PrintedSecret } from './result.js'

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
