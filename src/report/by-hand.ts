/** Makes the shell script that repeats a failure by hand: with curl, and openssl where curl cannot. */
import type { RequestRecord, RunResult, SpecRecord, StepRecord } from '../result.js'
import { frontOf, isMakeable, isResumed, secondsAfter, tellingOf } from './by-hand-sent.js'
import { inert, oneLine } from './inert.js'
import {
  ASK,
  credentials,
  giveBack,
  issueLines,
  issueOf,
  JSON_OF,
  metBy,
  RAW,
  VERDICTS,
  verdictLines,
} from './script-head.js'
import { command, hosts, rawCommand, SESSION, tokensIn, variableOf, word } from './shell.js'
import { missedStep } from './words.js'

/** Longest script, in characters: three times the longest script of the suite. */
const MOST_CHARACTERS = 16_000

const COMMENT_LENGTH = 300

/**
 * Makes a POSIX shell script that sends the spec's requests, up to the step that missed, and says REPRODUCED (exit 1) or NOT
 * REPRODUCED (exit 0); exit 2 where it cannot tell. It uses curl, and openssl for requests that curl cannot send. It holds no
 * secret: it takes user name and password from the environment or the terminal, and tokens from its own logons.
 * @returns undefined where the result has no exchange of that step, where a shell cannot make what was sent, or where the script
 *   would be too long to read
 */
export function scriptOf(result: RunResult, spec: SpecRecord): string | undefined {
  const missed = missedStep(spec)
  if (missed === undefined || !missed.exchanges.some(index => spec.exchanges[index])) return undefined
  const upTo = spec.steps.slice(0, spec.steps.indexOf(missed) + 1)
  const hasResumed = upTo.some(isResumed)
  const known = new Set<string>()
  const [logon = -1] = spec.steps.find(({ text }) => TOKEN_STEP.test(text))?.exchanges ?? []
  const username = USERNAME.exec(spec.exchanges[logon]?.request.body ?? '')?.[2]
  const parts: string[] = []
  for (const step of upTo) {
    const lines = stepLines({ result, spec, step, missed, known, hasResumed, username })
    if (lines === undefined) return undefined
    parts.push(...lines)
  }
  const body = parts.join('\n')
  const { target, dialect } = result
  const head = [
    '#!/bin/sh',
    `# core-conformance: ${comment(spec.id)}: ${comment(spec.title)}`,
    '# Says REPRODUCED (exit 1), NOT REPRODUCED (exit 0), or CANNOT TELL (exit 2). It uses curl, and openssl where curl cannot.',
    '# CORE_URL, CORE_USERNAME and CORE_PASSWORD of the environment are used; the password is asked for where it is not set.',
    'set -u',
    `CORE_URL=\${CORE_URL:-${/^[\w:/.[\]-]+$/.test(target.url) ? target.url : 'https://CORE'}}`,
    ...credentials(username, body),
    ...(body.includes('$made_up') ? [`made_up=${'0123456789'.repeat(200).slice(0, dialect.token?.length ?? 64)}`] : []),
    ...(body.includes('$(json ') ? [JSON_OF] : []),
    ...(body.includes(SESSION) ? ['session=$(mktemp)'] : []),
    ASK,
    ...(/\| raw\b/.test(body) ? [RAW] : []),
    VERDICTS,
    ...giveBack(
      [...[...known].map(variableOf), ...['earlier', 'issued'].filter(variable => body.includes(`\n${variable}=`))],
      body.includes(SESSION),
    ),
  ]
  const script = `${head.join('\n')}\n\n${body}\n`
  return script.length <= MOST_CHARACTERS ? script : undefined
}

/** A step that logs on, with the name of its token. */
const TOKEN_STEP = /^log on and get token (\S+)/

/** The body of a logon, up to the name of its user. */
const USERNAME = /^(\{"username":")((?:[^"\\]|\\.)*)(?=")/

interface StepParts {
  result: RunResult
  spec: SpecRecord
  step: StepRecord
  missed: StepRecord
  /** The tokens that the script has so far. */
  known: Set<string>
  hasResumed: boolean
  username: string | undefined
}

/** Makes the lines of a step; undefined where a shell cannot make what it sent. */
function stepLines(parts: StepParts): string[] | undefined {
  const { result, spec, step, missed, known, hasResumed } = parts
  const isLast = step === missed
  // No shell breaks off at the right moment.
  if (/ broken off (within|before) the /.test(step.text)) return undefined
  const told = [`# ${comment(step.text)}`]
  const isWait = step.text.startsWith('wait until') || step.text === 'a moment later'
  if (step.exchanges.length === 0) return isWait ? [...told, `sleep ${secondsAfter(spec, step)}`, ''] : []
  const sent = tellingOf(spec, step)
  const exchange = sent.at(-1)
  if (exchange === undefined) return []
  if (!isMakeable(step, exchange)) return undefined
  if (exchange.variation !== undefined) told.push(`# of its variations: ${comment(exchange.variation)}`)
  const asked = sent.flatMap(({ request }) => needsOf(request, known))
  const earlier = sent.map(({ request }) => requestLine(parts, request))
  if (earlier.some(line => UNKNOWN.test(line))) return undefined
  const line = earlier.pop() ?? ''
  const token = TOKEN_STEP.exec(step.text)?.[1]
  if (token !== undefined && !isLast) {
    known.add(token)
    const variable = variableOf(token)
    return [
      ...told,
      ...asked,
      `answer=$(${line})`,
      `${variable}=$(${tokenOf(result)})`,
      `[ -n "$${variable}" ] || cannot_tell "no token came of a logon (\${answer%%"$(printf '\\r')"*})"`,
      '',
    ]
  }
  if (!isLast) {
    const met = step.expected === undefined ? '*' : (metBy(step.expected, result) ?? '*')
    return [...told, ...asked, ...asBefore(earlier, met), ...asBefore([line], met), '']
  }
  const control = command(probeOf(result))
  const use = command(probeOf(result, 'Bearer [issued]'))
  const issue = issueOf(missed)
  return [
    ...told,
    `# expected: ${comment(missed.expected ?? 'something else')}`,
    `# got:      ${comment(missed.got ?? 'nothing')}`,
    ...asked,
    ...asBefore(earlier, '*'),
    // The earlier token may be one of another spec.
    ...(issue === 'new' ? [`answer=$(${line})`, `earlier=$(${tokenOf(result)})`] : []),
    `answer=$(${line})`,
    `printf '%s\\n\\n' "$answer"`,
    ...(issue === undefined || hasResumed
      ? verdictLines(missed, exchange, result, control)
      : issueLines(issue, { take: tokenOf(result), use, earlier: [...[...known].map(variableOf), 'earlier'] }, result)),
  ]
}

/** A label of a secret that a shell cannot make: the literal text would show nothing. */
const UNKNOWN = /\[(?:made of the password|withheld|saved [\w-]+|token [a-z0-9 -]+, [a-z ]+)\]/

/** Writes requests of an earlier step, or earlier ones of the last step: equal ones that follow each other as a loop. */
function asBefore(lines: readonly string[], met: string): string[] {
  const runs: { line: string; times: number }[] = []
  for (const line of lines) {
    const before = runs.at(-1)
    if (before?.line === line) before.times++
    else runs.push({ line, times: 1 })
  }
  return runs.map(({ line, times }) => {
    const request = `before "$(${line})" '${met}'`
    return times === 1 ? request : `i=0; while [ $i -lt ${times} ]; do i=$((i + 1)); ${request}; done`
  })
}

/** Lists what ends the script where a token of the request is not there, and counts these tokens as known. */
function needsOf(request: RequestRecord, known: Set<string>): string[] {
  const texts = [request.path, request.body ?? '', ...request.headers.map(([, value]) => value)]
  const missing = [...new Set(texts.flatMap(tokensIn))].filter(token => !known.has(token))
  for (const token of missing) known.add(token)
  return missing.map(token => {
    const variable = variableOf(token)
    return `[ -n "\${${variable}:-}" ] || cannot_tell 'set ${variable} to a token of the Core'`
  })
}

function requestLine({ spec, step, missed, hasResumed, username }: StepParts, asSent: RequestRecord): string {
  const body = asSent.body?.replace(USERNAME, (whole, before, name) =>
    name === username ? `${before}[username]` : whole,
  )
  const request = body === undefined ? asSent : { ...asSent, body }
  const front = /right behind/.test(step.text) ? spec.exchanges[step.exchanges[0] ?? 0] : undefined
  // A logon may take any connection.
  const isRaw = front !== undefined || (hasResumed && !TOKEN_STEP.test(step.text)) || hosts(request) > 1
  return isRaw
    ? rawCommand(request, front?.request, hasResumed ? (isResumed(step) ? '-sess_in' : '-sess_out') : undefined)
    : command(request, step === missed ? frontOf(spec, step) : undefined)
}

/** The request that shows whether a token opens the API. */
function probeOf({ configuration: { probePath } }: RunResult, authorization?: string): RequestRecord {
  const headers: RequestRecord['headers'] = [
    ['Accept', 'application/json'],
    ['Host', 'core'],
    ...(authorization === undefined ? [] : [['Authorization', authorization] satisfies [string, string]]),
  ]
  return { method: 'GET', path: probePath, httpVersion: '1.1', headers }
}

/** Makes the command that takes the token from `$answer`, the headers and body of a logon, where the survey found it. */
function tokenOf({ dialect }: RunResult): string {
  const pointer = dialect.token?.pointer ?? '/token'
  const [, kind, name = ''] = /^(header|cookie):(.+)$/.exec(pointer) ?? []
  const take = (program: string) => `printf '%s\\n' "$answer" | tr -d '\\r' | sed -n ${word(program)}`
  if (kind === 'header') return `${take(`s/^${pattern(name)}: *\\(.* \\)*\\([^ ]*\\)$/\\2/Ip`)} | head -n 1`
  if (kind === 'cookie') return `${take(`s/^set-cookie: *${pattern(name)}=\\([^;]*\\).*/\\1/Ip`)} | head -n 1`
  const field = pointer
    .split('/')
    .filter(part => !/^\d*$/.test(part))
    .at(-1)
  if (field !== undefined) return `${take(`s/.*"${pattern(field)}" *: *"\\{0,1\\}\\([^",}]*\\).*/\\1/p`)} | tail -n 1`
  // The body is only the token, or a list with only the token.
  return `${take('$p')} | tr -d '[]" '`
}

function pattern(text: string): string {
  return inert(text).replace(/[^\w-]/g, '.')
}

/** Returns a text as one line of a comment. Nothing in it ends the comment. */
function comment(text: string): string {
  return oneLine(text, COMMENT_LENGTH)
}
