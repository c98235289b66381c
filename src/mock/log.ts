import { decoded } from '../ground/decoded.js'
import { bearerToken } from './bearer.js'
import type { TokenFormat } from './dialect.js'
import { headerValues, pathOf, type RequestHead } from './messages.js'

/** Longest path in a line, in characters: people read the log. */
const PATH_LENGTH = 200

/** The parts of a request log. */
export interface RequestLogParts {
  /** Writes one line; the line has no line end. */
  write(line: string): void
  /** Hidden in every line, in every spelling that a client may give it in a path. */
  password: string
  tokenFormat: TokenFormat
  /** The paths of the API. They are shown even where they contain the password. */
  knownPaths: readonly string[]
}

/** Writes one line for each request; never fails. */
export class RequestLog {
  readonly #tokenLike: RegExp

  constructor(readonly parts: RequestLogParts) {
    const { alphabet, length } = parts.tokenFormat
    this.#tokenLike = new RegExp(`[${alphabet.replace(/[\\\]^-]/g, '\\$&')}]{${length}}`, 'i')
  }

  /**
   * Notes a request.
   *
   * @param status of the answer; undefined when the client left before the answer
   * @param durationMs from the head of the request to the answer
   */
  request(head: RequestHead, status: number | undefined, durationMs: number): void {
    const host = headerValues(head.headers, 'host').length > 0
    const token = bearerToken(head.headers) !== undefined
    this.#write(
      `${head.method} ${this.#path(head.target)} ${status ?? 'aborted'} ${durationMs.toFixed(1)}ms host=${yes(host)} token=${yes(token)}`,
    )
  }

  /** Notes a connection that brought no request, with the error code of Node or OpenSSL. */
  broken(layer: 'TLS' | 'HTTP', error: NodeJS.ErrnoException): void {
    this.#write(`not ${layer}: ${printable(error.code ?? error.name)}`)
  }

  #write(text: string): void {
    try {
      this.parts.write(`${new Date().toISOString()} ${text}`)
    } catch {
      // the mock goes on when the log fails
    }
  }

  /** Returns the path without its query: a query is no place for a token, but clients put tokens there. */
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

/** Decodes percent-encoding, as far as it is well-formed; undefined when it is nested too deep for an honest client. */
function decode(text: string): string | undefined {
  for (let current = text, depth = 0; depth < 8; depth += 1) {
    const next = current.replace(/(?:%[0-9a-f]{2})+/gi, run => decoded(run))
    if (next === current) return next
    current = next
  }
  return undefined
}

/** Escapes everything but visible ASCII, so that a hostile path can neither forge a line nor command a terminal. */
function printable(text: string): string {
  return text.replace(/[^\x21-\x5b\x5d-\x7e…]/g, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
