/** How a failure is seen again: the line that repeats it, and a script for curl or openssl that shows it by hand. */
import { dirname } from 'node:path'
import { isMiss } from '../accused.js'
import type { ExchangeRecord, RunResult, SpecRecord, StepRecord } from '../result.js'
import { RECORDED, recordedValue } from '../settings/record.js'
import { clip, inert } from './inert.js'
import { tokensIn, variableOf, word } from './shell.js'
import { command, hosts, rawCommand } from './shell-request.js'
import { deciding } from './words.js'

/** The parts of a result that tell how. */
export type ReproductionSource = Pick<RunResult, 'configuration' | 'dialect' | 'exploration'> & {
  target: Pick<RunResult['target'], 'url'> & Partial<RunResult['target']>
}

/** Where a run leaves what its explorer found, unless its folder is another. */
const FOUND = 'reports/found'

/** Of a value in a command line. */
const LENGTH = 500

/** Of a script: the longest of the suite has a third of it. */
const MOST_CHARACTERS = 16_000

/** Of a sentence in a comment of a script. */
const COMMENT_LENGTH = 300

/** Whether a failure can be repeated by its id: a pinned fact and an entry of the baseline are no specs. */
export function isRepeatable({ id, pin, area }: Pick<SpecRecord, 'id' | 'pin' | 'area'>): boolean {
  // A result that was written by others may hold anything.
  return pin === undefined && area !== 'baseline' && /^[\w.-]{1,200}$/.test(id)
}

/**
 * The command that repeats one spec: `core-conformance run --target https://10.0.0.5 --only ID`. User name and password are
 * taken from where the run had them.
 * @param trust whether to name the certificate that the Core showed, so that the line is whole; it makes it long
 */
export function rerunLine(result: ReproductionSource, spec: SpecRecord, trust = true): string {
  const { target, configuration, exploration } = result
  const isCore = target.kind !== 'mock'
  const isFound = exploration?.findings.some(({ id }) => id === spec.id) === true
  const folder = isFound ? FOUND : spec.isOwn ? dirname(spec.file) : undefined
  const given: (readonly [flag: string, value: string | undefined | false])[] = [
    ['target', isCore && clip(target.url, LENGTH)],
    ['fingerprint', isCore && trust && target.certificateFingerprint],
    ...RECORDED.filter(({ isRepeated }) => isRepeated).map(setting => {
      const value = recordedValue(configuration, setting) ?? setting.usual
      return [setting.flag, value !== setting.usual && clip(setting.takes.write(value), LENGTH)] as const
    }),
    ['specs', folder],
    ['only', spec.id],
  ]
  const flags = given.flatMap(([flag, value]) => (value ? [`--${flag}`, word(value)] : []))
  return ['core-conformance run', ...flags].join(' ')
}

/**
 * A POSIX shell script that sends what the spec sent, up to the step that missed, by curl, and by openssl what curl cannot send.
 * Nothing secret is in it: it takes user name and password from the environment, and tokens from the logons that it makes.
 * Undefined where the result holds no exchange of that step, or so much that nobody would read it.
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

/** What a certificate is worth says another spec; the reference's own examples verify none. */
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
  /** The tokens that the script has by now. */
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

/** The exchange of a step that shows what it is about: of variations, one that the miss names. */
function tellingOf(spec: SpecRecord, step: StepRecord): ExchangeRecord | undefined {
  const own = step.exchanges.flatMap(index => spec.exchanges[index] ?? [])
  const named = own.find(({ variation }) => variation !== undefined && step.got?.includes(`${variation} (`))
  // Of a request behind a good one, that stands first.
  return named ?? (/right behind/.test(step.text) ? own[1] : own[0])
}

function isWait({ text }: StepRecord): boolean {
  return text.startsWith('wait until') || text === 'a moment later'
}

function isResumed({ text }: StepRecord): boolean {
  return text.includes('resumes the TLS session')
}

/** How long the spec waited there: from the exchange before to the one after. Whole seconds, at least one. */
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

/** Takes the token from `$answer`, headers and body of a logon, by where the survey found it. */
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
  // A body that is nothing but the token, or a list of it.
  return `${take('$p')} | tr -d '[]" '`
}

function pattern(text: string): string {
  return inert(text).replace(/[^\w-]/g, '.')
}

/** One line of a comment: nothing in it ends it. */
function comment(text: string): string {
  return inert(clip(text.replace(/\s+/g, ' ').trim(), COMMENT_LENGTH))
}
