/**
 * Renames headers that Pact's Verifier must not see under their names, in the contract and in the answer. Headers of one
 * connection would not arrive unchanged. The Verifier would follow `Location` of a redirect, judge the other answer, and reveal
 * the gateway's URL to that server.
 */
import type { WireResponse } from '../../core/exchange.js'

/** The prefix of a renamed header. */
const ALIAS = 'X-As-Answered-'

/** Headers of one connection, or of an encoding that the body no longer has: the gateway sends its own. */
const OF_THE_CONNECTION =
  /^(connection|keep-alive|transfer-encoding|content-length|content-encoding|upgrade|trailer|proxy-connection)$/i

/** Returns the headers of an answer as the Verifier may see them. */
export function headersForVerifier({ status, headers }: WireResponse): WireResponse['headers'] {
  return headers.flatMap(([name, value]): [string, string][] => {
    // A client may also follow these headers; nobody judges them.
    if (isRedirect(status) && /^(refresh|content-location)$/i.test(name)) return []
    return [[isRenamed(name, status) ? `${ALIAS}${name}` : name, value]]
  })
}

/** Renames the headers in the response of a contract. */
export function withAlias(contract: string, status: number): string {
  const renamed = (value: unknown, isInResponse = false): unknown => {
    if (Array.isArray(value)) return value.map(item => renamed(item, isInResponse))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => {
        const [, path = '', header = ''] = /^((?:\$\.headers?\.)?)(.*)$/s.exec(key) ?? []
        const name = isInResponse && isRenamed(header, status) ? `${path}${ALIAS}${header}` : key
        // A field of that name in the body stays.
        return [name, key === 'body' ? item : renamed(item, isInResponse || key === 'response')]
      }),
    )
  }
  return JSON.stringify(renamed(JSON.parse(contract)))
}

/** Restores the original names in the Verifier's words. */
export function withoutAlias(text: string): string {
  return text.replaceAll(new RegExp(ALIAS, 'gi'), '')
}

function isRenamed(name: string, status: number): boolean {
  return OF_THE_CONNECTION.test(name) || (isRedirect(status) && /^location$/i.test(name))
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400
}
