/** Which HTTP methods are safe. */

/** Methods that change nothing (RFC 9110 9.2.1; PROPFIND: RFC 4918 9.1). */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'])

/** Whether requests of a method change nothing, by HTTP's definition (RFC 9110 9.2.1). */
export function isSafe(method: string): boolean {
  return SAFE.has(method)
}
