/** Writes words of a POSIX shell. The labels of redacted values become variables that hold these values. */
import { quoted } from '../ground/own-command.js'
import type { RequestRecord } from '../result.js'
import { clip, inert } from './inert.js'

/** The labels of the credentials, each with the shell expression for its value. */
const CREDENTIALS: Record<string, string> = {
  username: '$CORE_USERNAME',
  password: '$CORE_PASSWORD',
  'swapped-case-password': `$(printf '%s' "$CORE_PASSWORD" | tr 'a-zA-Z' 'A-Za-z')`,
  'shortened-password': `\${CORE_PASSWORD%?}`,
  'prolonged-password': `\${CORE_PASSWORD}x`,
  'basic-credentials': `$(printf '%s:%s' "$CORE_USERNAME" "$CORE_PASSWORD" | base64 | tr -d '\\n')`,
}

/** The commands that change a token into one that was never issued. Nearly every token's alphabet has `0` and `1`. */
const CHANGED: Record<string, string> = {
  'first character': "sed 's/^0/1/;t;s/^./0/'",
  'last character': "sed 's/0$/1/;t;s/.$/0/'",
  'one character': "sed 's/^\\(....\\)0/\\11/;t;s/^\\(....\\)./\\10/'",
  shortened: "sed 's/.$//'",
  prolonged: "sed 's/$/0/'",
  'upper case': "tr 'a-z' 'A-Z'",
  'lower case': "tr 'A-Z' 'a-z'",
}

/** Longest word, in characters: longer than the longest token. */
const LENGTH = 8000

/** Matches a label in place of a secret. */
const LABEL = /\[(made-up token|token ([a-z0-9 -]{1,60})(?:, ([a-z ]+))?|[a-z]+(?:-[a-z]+)*)\]/g

/** Returns the shell variable of a token, from its name in the specs: `token_a`. */
export function variableOf(token: string): string {
  return `token_${token.replace(/[^a-z0-9]/g, '_')}`
}

/** Lists the names of the tokens that a text needs. */
export function tokensIn(text: string): string[] {
  return [...text.matchAll(LABEL)].flatMap(([, , token]) => token ?? [])
}

/**
 * Quotes a text as one word of a shell. Labels of redacted values become variables. All other text is taken literally.
 * @param text as a result has it, with `[password]` and `[token a]` in place of secrets
 * @param isJson whether it is JSON, for which a password is escaped
 */
export function word(text: string, isJson = false): string {
  const line = inert(clip(text, LENGTH))
  const parts: string[] = []
  let at = 0
  for (const match of line.matchAll(LABEL)) {
    const put = variableFor(match, isJson)
    if (put === undefined) continue
    parts.push(literal(line.slice(at, match.index)), put)
    at = match.index + match[0].length
  }
  if (parts.length === 0) return quoted(line)
  return `"${parts.join('')}${literal(line.slice(at))}"`
}

/** Escapes a text within double quotes. */
function literal(text: string): string {
  return text.replace(/[\\$`"]/g, character => `\\${character}`)
}

function variableFor([, label = '', token, change]: RegExpMatchArray, isJson: boolean): string | undefined {
  if (label === 'made-up token') return '$made_up'
  if (label === 'issued') return '$issued'
  if (token !== undefined) {
    if (change === undefined) return `\${${variableOf(token)}}`
    const by = CHANGED[change]
    return by === undefined ? undefined : `$(printf '%s' "$${variableOf(token)}" | ${by})`
  }
  const credential = CREDENTIALS[label]
  return credential !== undefined && isJson ? `$(json "${credential}")` : credential
}

/** Counts the Host headers of a request. */
export function hosts({ headers }: RequestRecord): number {
  return headers.filter(([name]) => name.toLowerCase() === 'host').length
}

/** The Host header for the Core that the script runs against. */
const OWN_HOST = `"Host: \${CORE_URL#https://}"`

/** Headers that curl sends by itself. The script removes them where the spec did not send them. */
const OF_CURL = ['Accept', 'Host', 'User-Agent']

/**
 * Writes a request for the function `ask` of the script: method and target, then further options of curl.
 * @param front a request without a body to send right before, on the same connection
 */
export function command(request: RequestRecord, front?: RequestRecord): string {
  const { method, path, body } = request
  const options = optionsOf(request)
  const line =
    front === undefined
      ? ['ask', word(method), word(path), ...options]
      : [
          ...['ask', word(front.method), word(front.path), ...optionsOf(front)],
          ...['-o /dev/null "$CORE_URL" --next', EACH, '-X', word(method), '--request-target', word(path), ...options],
        ]
  const told = line.join(' ')
  return body === undefined ? told : `printf '%s' ${bodyWord(body)} | ${told}`
}

/** What curl is told of every request: the answer with its headers, any certificate, no better HTTP, a minute at most. */
export const EACH = '-sSki --http1.1 -m 60'

function optionsOf({ method, httpVersion, headers, body }: RequestRecord): string[] {
  const sent = headers.filter(
    ([name, value]) => !isOwnHost(name, value) && !/^(connection|content-length)$/i.test(name),
  )
  const absent = OF_CURL.filter(name => !headers.some(([each]) => each.toLowerCase() === name.toLowerCase()))
  const isForm = body !== undefined && !headers.some(([name]) => /^content-type$/i.test(name))
  return [
    ...(httpVersion === '1.0' ? ['-0'] : []),
    ...(method === 'HEAD' ? ['-I'] : []),
    ...sent.map(([name, value]) => `-H ${word(value === '' ? `${name};` : `${name}: ${value}`)}`),
    ...[...absent, ...(isForm ? ['Content-Type'] : [])].map(name => `-H '${name}:'`),
    ...(body === undefined ? [] : ['--data-binary @-']),
  ]
}

/** Whether a header is the Host of the run's target, which curl sends by itself. */
function isOwnHost(name: string, value: string): boolean {
  return name.toLowerCase() === 'host' && !/^$|\.invalid$|\.example$/.test(value)
}

function bodyWord(body: string): string {
  return word(body, /^\s*[[{"]/.test(body))
}

/** The file of a TLS session, which the next connection resumes: each script has its own, since several may run at a time. */
export const SESSION = '"$session"'

/**
 * Writes a request for the function `raw` of the script.
 * @param front a good request to send right before, without waiting for its answer
 * @param session what openssl does with the TLS session: `-sess_out` keeps it in the file {@link SESSION}, `-sess_in` resumes it from there
 */
export function rawCommand(
  request: RequestRecord,
  front: RequestRecord | undefined,
  session?: '-sess_in' | '-sess_out',
): string {
  const lines = [...(front ? rawLines(front, true) : []), ...rawLines(request, false)]
  const printed = [`printf '%s\\r\\n'`, ...lines].join(' ')
  const { body } = request
  const whole = body === undefined ? printed : `{ body=${bodyWord(body)}; ${printed}; printf '%s' "$body"; }`
  return `${whole} | raw${session === undefined ? '' : ` ${session} ${SESSION}`}`
}

/** Writes a request as lines, each a word of the shell, with a blank one at the end. The last request closes the connection. */
function rawLines({ method, path, httpVersion, headers, body }: RequestRecord, isFront: boolean): string[] {
  const kept = headers.filter(([name]) => !/^(connection|content-length)$/i.test(name))
  const hasHost = hosts({ headers } as RequestRecord) > 0
  return [
    word(`${method} ${path} HTTP/${httpVersion}`),
    // The good request in front has a Host header, though the result does not show it.
    ...(isFront && !hasHost ? [OWN_HOST] : []),
    ...kept.map(([name, value]) => (isOwnHost(name, value) ? OWN_HOST : word(`${name}: ${value}`))),
    ...(body === undefined ? [] : [`"Content-Length: $(printf '%s' "$body" | wc -c | tr -d ' ')"`]),
    ...(isFront ? [] : ["'Connection: close'"]),
    "''",
  ]
}
