import { bearerToken } from './bearer.js'
import type { TokenFormat } from './dialect.js'
import { headerValues, pathOf, type RequestHead } from './messages.js'

/** Longer paths are cut: a log is read by people. */
const PATH_LENGTH = 200

/** What a request log is made of. */
export interface RequestLogParts {
  /** Takes one line, without its line end. */
  write(line: string): void
  /** Never to be seen in a line, in whatever spelling a client put it into its path. */
  password: string
  tokenFormat: TokenFormat
  /** The paths of the API, which give nothing away, whatever the password is. */
  knownPaths: readonly string[]
}

/** Writes one line a request; never fails. */
export class RequestLog {
  readonly #tokenLike: RegExp

  constructor(readonly parts: RequestLogParts) {
    const { alphabet, length } = parts.tokenFormat
    this.#tokenLike = new RegExp(`[${alphabet.replace(/[\\\]^-]/g, '\\$&')}]{${length}}`, 'i')
  }

  /**
   * Notes a request.
   *
   * @param status of the answer; undefined when the client went away before there was one
   * @param durationMs from the head of the request to the answer
   */
  request(head: RequestHead, status: number | undefined, durationMs: number): void {
    const host = headerValues(head.headers, 'host').length > 0
    const token = bearerToken(head.headers) !== undefined
    this.#write(
      `${head.method} ${this.#path(head.target)} ${status ?? 'aborted'} ${durationMs.toFixed(1)}ms host=${yes(host)} token=${yes(token)}`,
    )
  }

  /** Notes a connection that never became a request, with the code of Node or OpenSSL for why. */
  broken(layer: 'TLS' | 'HTTP', error: NodeJS.ErrnoException): void {
    this.#write(`not ${layer}: ${printable(error.code ?? error.name)}`)
  }

  #write(text: string): void {
    try {
      this.parts.write(`${new Date().toISOString()} ${text}`)
    } catch {
      // the log is a courtesy, the mock's answers are not
    }
  }

  /** The path without its query, which is no place for a token, but where clients put them. */
  #path(target: string): string {
    const path = pathOf(target)
    if (this.parts.knownPaths.includes(path)) return path
    if (this.#holdsSecret(path)) return '<concealed>'
    return printable(path.length > PATH_LENGTH ? `${path.slice(0, PATH_LENGTH)}…` : path)
  }

  #holdsSecret(path: string): boolean {
    const decoded = decode(path)
    if (decoded === undefined || this.#tokenLike.test(decoded)) return true
    const { password } = this.parts
    return password !== '' && (path.includes(password) || decoded.includes(password))
  }
}

function yes(is: boolean): string {
  return is ? 'yes' : 'no'
}

/** Undoes percent-encoding, as far as it is well-formed; undefined when it is nested so deep that only malice explains it. */
function decode(text: string): string | undefined {
  for (let current = text, depth = 0; depth < 8; depth += 1) {
    const next = current.replace(/(?:%[0-9a-f]{2})+/gi, run => {
      try {
        return decodeURIComponent(run)
      } catch {
        return run
      }
    })
    if (next === current) return next
    current = next
  }
  return undefined
}

/** Escapes whatever is not visible ASCII, so that a hostile path can neither forge a line nor command a terminal. */
function printable(text: string): string {
  return text.replace(/[^\x21-\x5b\x5d-\x7e…]/g, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
