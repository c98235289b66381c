/**
 * Headers that would not get to Pact's Verifier as the Core sent them: those of one connection, and `Location` of an answer
 * that leads elsewhere, which the Verifier would follow, to judge what stands there and tell that server the address of the
 * gateway. So they go by another name, in the contract as in the answer.
 */
import type { WireResponse } from '../../core/exchange.js'

/** What stands before the name of such a header in between. */
const ALIAS = 'X-As-Answered-'

/** Headers of one connection, or of a form of the body that it no longer has: the gateway would send its own. */
const OF_THE_CONNECTION =
  /^(connection|keep-alive|transfer-encoding|content-length|content-encoding|upgrade|trailer|proxy-connection)$/i

/** The headers of an answer as the Verifier may see them. */
export function passedOn({ status, headers }: Pick<WireResponse, 'status' | 'headers'>): WireResponse['headers'] {
  return headers.flatMap(([name, value]): [string, string][] => {
    // A client may follow what it knows by other names, too; nobody judges those.
    if (isRedirect(status) && /^(refresh|content-location)$/i.test(name)) return []
    return [[isRenamed(name, status) ? `${ALIAS}${name}` : name, value]]
  })
}

/** A contract with the same names in the place of the headers of its response. */
export function withAlias(contract: string, status: number): string {
  const renamed = (value: unknown, isInResponse = false): unknown => {
    if (Array.isArray(value)) return value.map(item => renamed(item, isInResponse))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => {
        const [, path = '', header = ''] = /^((?:\$\.headers?\.)?)(.*)$/s.exec(key) ?? []
        const name = isInResponse && isRenamed(header, status) ? `${path}${ALIAS}${header}` : key
        // The body may have a field of that name, which stays.
        return [name, key === 'body' ? item : renamed(item, isInResponse || key === 'response')]
      }),
    )
  }
  return JSON.stringify(renamed(JSON.parse(contract)))
}

/** What the Verifier says, with the names as they were. */
export function withoutAlias(text: string): string {
  return text.replaceAll(new RegExp(ALIAS, 'gi'), '')
}

function isRenamed(name: string, status: number): boolean {
  return OF_THE_CONNECTION.test(name) || (isRedirect(status) && /^location$/i.test(name))
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400
}
