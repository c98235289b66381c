/** Makes the means to repeat a failure: a command line, and a shell script that uses curl or openssl. */
import { dirname, join } from 'node:path'
import { DEFAULT_OUT, ownCommand } from '../ground/own-command.js'
import { isMiss } from '../result/accused.js'
import type { ExchangeRecord, RunResult, SpecRecord, StepRecord } from '../result.js'
import { RECORDED, recordedValue } from '../settings/record.js'
import { clip, inert } from './inert.js'
import { tokensIn, variableOf, word } from './shell.js'
import { command, hosts, rawCommand } from './shell-request.js'
import { deciding } from './words.js'

/** The parts of a result that say how to repeat a failure. */
export type ReproductionSource = Pick<RunResult, 'configuration' | 'dialect' | 'exploration' | 'out'> & {
  target: Pick<RunResult['target'], 'url'> & Partial<RunResult['target']>
}

/** The folder, inside the report folder, for the findings of exploring: one spec a file, for `run --specs`. */
export const FOUND_FOLDER = 'found'

/** The folder, inside the report folder, with a folder for each repeated spec. */
const RERUN_FOLDER = 'rerun'

/** The flags that say whom to trust. */
const TRUST = ['ca-file', 'fingerprint', 'insecure'] as const

/** Longest value in a command line, in characters. */
const LENGTH = 500

/** Whether a failure can be repeated by its id. Pinned facts and baseline entries cannot: they are no specs. */
export function isRepeatable({ id, pin, area }: Pick<SpecRecord, 'id' | 'pin' | 'area'>): boolean {
  // A result from elsewhere may hold any text as an id.
  return pin === undefined && area !== 'baseline' && /^[\w.-]{1,200}$/.test(id)
}

/**
 * Returns the command that repeats one spec: `core-conformance run --target https://10.0.0.5 --username admin --only ID --out
 * reports/rerun/ID`. It says what the command line said, and writes to a folder of its own, so that the reports of the run stay.
 * The password, and what the environment said, come from the same place as before.
 * @param trust whether to name the certificate of the Core where the user named no trust. The line is then complete, but long
 */
export function rerunLine(result: ReproductionSource, spec: SpecRecord, trust = true): string {
  const { target, configuration, exploration, out = DEFAULT_OUT } = result
  const isCore = target.kind !== 'mock'
  const { target: named, ...flags } = target.flags ?? {}
  // The configuration file has the trust of a target that it names.
  const hasTrust = named !== undefined || TRUST.some(flag => flags[flag] !== undefined)
  const isFound = exploration?.findings.some(({ id }) => id === spec.id) === true
  const folder = isFound ? join(out, FOUND_FOLDER) : spec.isOwn ? dirname(spec.file) : undefined
  const given: (readonly [flag: string, value: string | undefined | false])[] = [
    ['target', isCore && clip(named ?? target.url, LENGTH)],
    ...Object.entries(flags).map(([flag, value]) => [flag, isCore && clip(String(value), LENGTH)] as const),
    ['fingerprint', isCore && trust && !hasTrust && target.certificateFingerprint],
    ...RECORDED.filter(({ isRepeated }) => isRepeated).map(setting => {
      const value = recordedValue(configuration, setting) ?? setting.usual
      return [setting.flag, value !== setting.usual && clip(setting.takes.write(value), LENGTH)] as const
    }),
    ['specs', folder],
    ['only', spec.id],
    ['out', rerunFolder(out, spec)],
  ]
  const words = given.flatMap(([flag, value]) =>
    !value ? [] : flag === 'insecure' ? [`--${flag}`] : [`--${flag}`, word(value)],
  )
  return [ownCommand('run'), ...words].join(' ')
}

/** Returns the folder for the repetition of a spec. A repetition that is repeated again replaces itself. */
function rerunFolder(out: string, { id }: SpecRecord): string {
  const own = join(RERUN_FOLDER, id)
  return out.endsWith(own) ? out : join(out, own)
}

/** Says what the commands of {@link rerunLine} take from the environment; undefined for a mock Core, which needs nothing. */
export function rerunNeeds({ target }: ReproductionSource): string | undefined {
  if (target.kind === 'mock') return undefined
  const { target: named, username } = target.flags ?? {}
  if (username !== undefined) return 'the password is taken from CORE_PASSWORD'
  if (named !== undefined) return 'the password is taken from the environment, as in this run'
  return 'user name and password are taken from CORE_USERNAME and CORE_PASSWORD'
}

/** Longest script, in characters: three times the longest script of the suite. */
const MOST_CHARACTERS = 16_000

/** Longest comment in a script, in characters. */
const COMMENT_LENGTH = 300

/**
 * Makes a POSIX shell script that sends the spec's requests, up to the step that missed. It uses curl, and openssl for
 * requests that curl cannot send. It holds no secret: it takes user name and password from the environment, and tokens from
 * its own logons.
 * @returns undefined where the result has no exchange of that step, or where the script would be too long to read
 */
export function scriptOf(result: ReproductionSource, spec: SpecRecord): string | undefined {
  const missed = spec.steps.find(isMiss) ?? deciding(spec)[0]
  if (missed === undefined || !missed.exchanges.some(index => spec.exchanges[index])) return undefined
  const upTo = spec.steps.slice(0, spec.steps.indexOf(missed) + 1)
  const hasResumed = upTo.some(isResumed)
  const known = new Set<string>()
  const parts: string[] = []
  for (const step of upTo) parts.push(...stepLines({ result, spec, step, missed, known, hasResumed }))
  const tokens = [...known].filter(token => parts.some(part => part.startsWith(`${variableOf(token)}=`)))
  const given = tokens.map(
    token => `ask DELETE /api/v0/logon -H ${word(`Authorization: Bearer [token ${token}]`)} >/dev/null 2>&1`,
  )
  const back = given.length > 0 ? ['', '# give back what was issued', ...given] : []
  const body = [...parts, ...back].join('\n')
  const { target, dialect } = result
  const head = [
    '#!/bin/sh',
    `# core-conformance: ${comment(spec.id)}: ${comment(spec.title)}`,
    '# CORE_USERNAME and CORE_PASSWORD are taken from the environment; CORE_URL, too, where it is another Core.',
    'set -u',
    `CORE_URL=\${CORE_URL:-${/^[\w:/.[\]-]+$/.test(target.url) ? target.url : 'https://CORE'}}`,
    `: "\${CORE_USERNAME:?set it}" "\${CORE_PASSWORD:?set it}"`,
    ...(body.includes('$made_up') ? [`made_up=${'0123456789'.repeat(200).slice(0, dialect.token?.length ?? 64)}`] : []),
    ...(body.includes('$(json ') ? [`json() { printf '%s' "$1" | sed 's/[\\\\"]/\\\\&/g'; }`] : []),
    ...(/\bask /.test(body) ? [ASK] : []),
    ...(/\| raw\b/.test(body) ? [RAW] : []),
  ]
  const script = `${head.join('\n')}\n\n${body}\n`
  return script.length <= MOST_CHARACTERS ? script : undefined
}

/** The function `ask` of a script. It does not verify the certificate: the examples of the reference do not, either. */
const ASK = `ask() { # METHOD TARGET, then what else curl is to be told
  method=$1 path=$2
  shift 2
  curl -sSki --http1.1 -m 60 -X "$method" --request-target "$path" \\
    -H 'User-Agent:' "$@" "$CORE_URL"
}`

const RAW = `raw() { # what openssl is to be told; the request is on stdin
  authority=\${CORE_URL#https://}
  case $authority in *:[0-9]*) ;; *) authority=$authority:443 ;; esac
  openssl s_client -quiet -connect "$authority" "$@" 2>/dev/null
}`

interface StepParts {
  result: ReproductionSource
  spec: SpecRecord
  step: StepRecord
  missed: StepRecord
  /** The tokens that the script has so far. */
  known: Set<string>
  hasResumed: boolean
}

function stepLines(parts: StepParts): string[] {
  const { result, spec, step, missed, known, hasResumed } = parts
  const isLast = step === missed
  const told = [`# ${comment(step.text)}`]
  if (step.exchanges.length === 0) return isWait(step) ? [...told, `sleep ${secondsAfter(spec, step)}`, ''] : []
  const exchange = tellingOf(spec, step)
  if (exchange === undefined) return []
  const { request } = exchange
  const needed = [request.path, request.body ?? '', ...request.headers.map(([, value]) => value)].flatMap(tokensIn)
  const missing = [...new Set(needed)].filter(token => !known.has(token))
  for (const token of missing) known.add(token)
  const asked = missing.map(token => `: "\${${variableOf(token)}:?a token that is needed for the next request}"`)
  if (exchange.variation !== undefined) told.push(`# of its variations: ${comment(exchange.variation)}`)
  const token = /^log on and get token (\S+)/.exec(step.text)?.[1]
  if (token !== undefined && !isLast) {
    known.add(token)
    return [...told, ...asked, `answer=$(${command(request)})`, `${variableOf(token)}=$(${tokenOf(result)})`, '']
  }
  const front = /right behind/.test(step.text) ? spec.exchanges[step.exchanges[0] ?? 0] : undefined
  const isRaw = front !== undefined || hasResumed || hosts(request) > 1
  const line = isRaw
    ? rawCommand(request, front?.request, hasResumed ? (isResumed(step) ? '-sess_in' : '-sess_out') : undefined)
    : command(request)
  if (!isLast) return [...told, ...asked, `${line} | head -n 1`, '']
  return [
    ...told,
    `# expected: ${comment(missed.expected ?? 'something else')}`,
    `# got:      ${comment(missed.got ?? 'nothing')}`,
    ...asked,
    line,
  ]
}

/** Returns the exchange that shows what a step is about. With variations, it is the one that the miss names. */
function tellingOf(spec: SpecRecord, step: StepRecord): ExchangeRecord | undefined {
  const own = step.exchanges.flatMap(index => spec.exchanges[index] ?? [])
  const named = own.find(({ variation }) => variation !== undefined && step.got?.includes(`${variation} (`))
  // If the step sends a request behind a good one, the good one is the first exchange.
  return named ?? (/right behind/.test(step.text) ? own[1] : own[0])
}

function isWait({ text }: StepRecord): boolean {
  return text.startsWith('wait until') || text === 'a moment later'
}

function isResumed({ text }: StepRecord): boolean {
  return text.includes('resumes the TLS session')
}

/** Returns how long the spec waited at a step, from the exchange before to the one after; whole seconds, at least one. */
function secondsAfter({ steps, exchanges }: SpecRecord, step: StepRecord): number {
  const at = steps.indexOf(step)
  const before = steps
    .slice(0, at)
    .flatMap(each => each.exchanges)
    .at(-1)
  const after = steps.slice(at + 1).flatMap(each => each.exchanges)[0]
  const [from, to] = [before, after].map(index => (index === undefined ? undefined : exchanges[index]?.atMs))
  return from === undefined || to === undefined ? 1 : Math.max(1, Math.ceil((to - from) / 1000))
}

/** Makes the command that takes the token from `$answer`, the headers and body of a logon, where the survey found it. */
function tokenOf({ dialect }: ReproductionSource): string {
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
  return inert(clip(text.replace(/\s+/g, ' ').trim(), COMMENT_LENGTH))
}
