/**
 * Answers that lead elsewhere, on their way to Pact's Verifier: it would follow them, judge what stands there, and tell that
 * server the address of the gateway. So their Location goes by another name, in the contract as in the answer.
 */
import type { WireResponse } from '../core/exchange.js'

/** What `Location` is called in between. */
const ALIAS = 'X-Location-As-Answered'

/** The headers of an answer as the Verifier may see them. */
export function withoutRedirect({
  status,
  headers,
}: Pick<WireResponse, 'status' | 'headers'>): WireResponse['headers'] {
  if (!isRedirect(status)) return headers
  return headers.flatMap(([name, value]): [string, string][] => {
    // A client may follow what it knows by other names, too; nobody judges those.
    if (/^(refresh|content-location)$/i.test(name)) return []
    return [[/^location$/i.test(name) ? ALIAS : name, value]]
  })
}

/** A contract that expects a redirection, with the same name in the place of `Location`. */
export function withAlias(contract: string, status: number): string {
  if (!isRedirect(status)) return contract
  const renamed = (value: unknown, isInResponse = false): unknown => {
    if (Array.isArray(value)) return value.map(item => renamed(item, isInResponse))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => {
        const name = isInResponse ? key.replace(/^((?:\$\.headers?\.)?)location$/i, `$1${ALIAS}`) : key
        // The body may have a field of that name, which stays.
        return [name, key === 'body' ? item : renamed(item, isInResponse || key === 'response')]
      }),
    )
  }
  return JSON.stringify(renamed(JSON.parse(contract)))
}

/** What the Verifier says, with the name as it was. */
export function withLocation(text: string): string {
  return text.replace(/x-location-as-answered/gi, 'Location')
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400
}
