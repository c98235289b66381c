/** Methods of HTTP. */

/** Methods that change nothing, whoever sends them (RFC 9110 9.2.1). */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/** Whether requests of a method change nothing by what HTTP says of it (RFC 9110 9.2.1). */
export function isSafe(method: string): boolean {
  return SAFE.has(method)
}
