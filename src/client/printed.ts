import type { Readable } from 'node:stream'
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
    this.#redactor.hide(randomPart(credentials.password), 'password')
  }

  /** Hides a secret from now on. */
  hide(secret: string, label: PrintedSecret['secret']): void {
    this.#redactor.hide(secret, label)
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
    const shown = this.#redactor.text(content)
    const labels = Object.keys(SECRETS) as (keyof typeof SECRETS)[]
    const found = labels.filter(label => times(shown, `[${label}]`) > times(content, `[${label}]`))
    for (const secret of new Set(found.map(label => SECRETS[label]))) this.secrets.push({ secret, stream, line })
    this.output(shown + end)
  }
}

function times(text: string, part: string): number {
  return text.split(part).length - 1
}
