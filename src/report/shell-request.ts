/** A request as a line of a POSIX shell: by curl, and by openssl what curl cannot send. */
import type { RequestRecord } from '../result.js'
import { word } from './shell.js'

/** How many Host headers a request has. */
export function hosts({ headers }: RequestRecord): number {
  return headers.filter(([name]) => name.toLowerCase() === 'host').length
}

/** The Host of the Core that the script is run against. */
const OWN_HOST = `"Host: \${CORE_URL#https://}"`

/** Headers that curl sends by itself, and are left out where the spec did not send them. */
const OF_CURL = ['Accept', 'Host']

/** By the function `ask` of the script: method and target, then what else curl is to be told. */
export function command({ method, path, httpVersion, headers, body }: RequestRecord): string {
  const sent = headers.filter(
    ([name, value]) => !isOwnHost(name, value) && !/^(connection|content-length)$/i.test(name),
  )
  const absent = OF_CURL.filter(name => !headers.some(([each]) => each.toLowerCase() === name.toLowerCase()))
  const isForm = body !== undefined && !headers.some(([name]) => /^content-type$/i.test(name))
  const options = [
    ...(httpVersion === '1.0' ? ['-0'] : []),
    ...(method === 'HEAD' ? ['-I'] : []),
    ...sent.map(([name, value]) => `-H ${word(value === '' ? `${name};` : `${name}: ${value}`)}`),
    ...[...absent, ...(isForm ? ['Content-Type'] : [])].map(name => `-H '${name}:'`),
    ...(body === undefined ? [] : ['--data-binary @-']),
  ]
  const line = ['ask', word(method), word(path), ...options].join(' ')
  return body === undefined ? line : `printf '%s' ${word(body, isJson(body) ? 'json' : 'text')} | ${line}`
}

/** Whether it is the Host that curl sends by itself, of the URL that the run had. */
function isOwnHost(name: string, value: string): boolean {
  return name.toLowerCase() === 'host' && !/^$|\.invalid$|\.example$/.test(value)
}

function isJson(body: string): boolean {
  return /^\s*[[{"]/.test(body)
}

/**
 * By the function `raw` of the script.
 * @param front a good request that is sent right before, without waiting for its answer
 * @param session what openssl does with the TLS session: keep it in a file, or resume the one of that file
 */
export function rawCommand(
  request: RequestRecord,
  front: RequestRecord | undefined,
  session?: '-sess_in' | '-sess_out',
): string {
  const lines = [...(front ? rawLines(front, true) : []), ...rawLines(request, false)]
  const printed = [`printf '%s\\r\\n'`, ...lines].join(' ')
  const { body } = request
  const whole =
    body === undefined ? printed : `{ ${printed}; printf '%s' ${word(body, isJson(body) ? 'json' : 'text')}; }`
  return `${whole} | raw${session === undefined ? '' : ` ${session} "\${TMPDIR:-/tmp}/session.pem"`}`
}

/** A request as lines, each a word of the shell, with the blank line at its end. The last one of a connection closes it. */
function rawLines({ method, path, httpVersion, headers, body }: RequestRecord, isFront: boolean): string[] {
  const kept = headers.filter(([name]) => !/^(connection|content-length)$/i.test(name))
  const hasHost = hosts({ headers } as RequestRecord) > 0
  return [
    word(`${method} ${path} HTTP/${httpVersion}`),
    // The good request in front has a Host, though the result does not tell it.
    ...(isFront && !hasHost ? [OWN_HOST] : []),
    ...kept.map(([name, value]) => (isOwnHost(name, value) ? OWN_HOST : word(`${name}: ${value}`))),
    ...(body === undefined ? [] : [`'Content-Length: ${Buffer.byteLength(body)}'`]),
    ...(isFront ? [] : ["'Connection: close'"]),
    "''",
  ]
}
