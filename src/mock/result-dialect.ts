/** Makes the dialect of a Core from the `result.json` of a run against it. */
import { count } from '../ground/count.js'
import type { AnswerName, DialectData, Phrase } from './dialect.js'
import type { Json } from './json.js'
import { type Recorded, recordedOf, type SeenExchange, textAt } from './result-file.js'
import { AS_NUMBER, deliveryOf, loggedOnPhrase, phraseOf, SAFE_DIGITS } from './result-phrases.js'
import { USERS_PATH } from './routes.js'
import { IDLE_LIFETIME_MS } from './start.js'

/** The value of `schemaVersion` that this module reads. */
const SCHEMA_VERSION = 2

/** Tells whether a JSON value claims to be the result of a run. */
export function isRunResult(value: Json): boolean {
  return textAt(value, 'suite', 'name') === 'core-conformance'
}

/** The characters of tokens, by their name in a result. */
const ALPHABETS: Readonly<Record<string, string>> = {
  digits: '0123456789',
  'hex (lower case)': '0123456789abcdef',
  'hex (upper case)': '0123456789ABCDEF',
  'letters and digits': 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  base64url: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
  base64: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
  token68: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/',
}

/** The spec that shows each answer. */
const SHOWN_BY: readonly (readonly [AnswerName, spec: string])[] = [
  ['credentialsRefused', 'logon-wrong-password'],
  ['tokenMissing', 'observe-no-token'],
  ['tokenRefused', 'observe-unknown-token'],
  ['tokenExpired', 'observe-expired-token'],
  ['tokenRevoked', 'observe-revoked-token'],
  ['revoked', 'observe-revocation'],
  ['revokeRefused', 'observe-revocation-repeated'],
  ['revokeMissing', 'observe-revocation-without-token'],
  ['users', 'observe-access'],
  ['hostMissing', 'host-missing-access'],
  ['hostRepeated', 'host-doubled'],
  ['bodyMalformed', 'logon-malformed-body'],
  ['contentTypeRefused', 'observe-form-logon'],
  ['notFound', 'observe-unknown-path'],
]

/** Tells whether the reference leaves an answer open to the Core. Any other answer is a fault, not a dialect. */
function isAllowed(name: AnswerName, status: number): boolean {
  if (name === 'hostMissing') return status === 406
  return !name.startsWith('token') || (status >= 400 && status < 500)
}

/**
 * Makes a dialect from the result of a run.
 *
 * @param tell gets one sentence for each trait of that Core that the mock Core cannot copy, or that the run does not show
 * @returns everything that the run showed; the default dialect supplies the rest
 * @throws Error with a sentence for people when the result cannot be used
 */
export function dialectOfResult(value: Json, tell: (note: string) => void = () => {}): DialectData {
  const result = recordedOf(value)
  if (result.schemaVersion !== SCHEMA_VERSION)
    throw new Error(`a result of format ${result.schemaVersion}; this core-conformance reads format ${SCHEMA_VERSION}`)
  const { token } = result
  const logon = result.survey.find(({ method, status }) => method === 'POST' && status === result.logonStatus)
  if (token === null || logon === undefined) {
    throw new Error('a result that shows no logon with a token, so no mock Core can be made like that Core')
  }
  const alphabet = ALPHABETS[token.alphabet]
  if (alphabet === undefined) tell(`Its tokens hold characters that no token may hold (${token.alphabet}).`)
  const answers = answersOf(result, logon, token.pointer, tell)
  const isNumber = JSON.stringify(answers.loggedOn?.body ?? null).includes(AS_NUMBER)
  const length = isNumber ? Math.min(token.length, SAFE_DIGITS) : token.length
  if (length < token.length)
    tell(`Its tokens are numbers of ${count(token.length, 'digit')}; the mock Core's have ${length}.`)
  const settings = settingsOf(result, answers, tell)
  tellOmissions(result, tell)
  return {
    title: `As ${result.url} answered on ${result.startedAt.slice(0, 10)}`,
    token: { ...(alphabet !== undefined && { alphabet: isNumber ? '123456789' : alphabet }), length },
    ...settings,
    answers,
  }
}

type Answers = { [K in AnswerName]?: Partial<Phrase> }

function answersOf(result: Recorded, logon: SeenExchange, pointer: string, tell: (note: string) => void): Answers {
  const answers: Answers = {
    loggedOn: loggedOnPhrase(logon, pointer, result.username),
  }
  const unseen: string[] = []
  const surveyed = result.survey.find(
    ({ method, authorized, status }) => method === 'GET' && !authorized && status === result.rejectedStatus,
  )
  for (const [name, spec] of SHOWN_BY) {
    const seen = result.shown(spec) ?? (name === 'tokenMissing' ? surveyed : undefined)
    if (seen === undefined) {
      unseen.push(name)
      continue
    }
    if (!isAllowed(name, seen.status)) {
      tell(
        `It answered ${spec} with ${seen.status}. That breaks the reference, so it is no dialect: the mock Core refuses.`,
      )
      continue
    }
    // Only its status tells the answer to a forbidden path from the answer to a missing path.
    if (name === 'notFound' && seen.status !== 404 && seen.status === result.rejectedStatus) continue
    answers[name] = phraseOf(seen, result.username)
  }
  if (unseen.length > 0)
    tell(`That run did not show, so these are as in the default dialect: ${unseen.sort().join(', ')}.`)
  return answers
}

/** Makes all settings of the dialect except the answers, and the answers that depend on settings. */
function settingsOf(result: Recorded, answers: Answers, tell: (note: string) => void): Partial<DialectData> {
  const { acceptedStatus, rejectedStatus, sessions } = result
  const [head, options, scheme, mode, oldest] = [
    'observe-head',
    'observe-options',
    'observe-scheme-case',
    'observe-access-mode',
    'observe-concurrent-tokens',
  ].map(spec => result.shown(spec))
  const settings: Partial<DialectData> = {}
  if (head !== undefined) settings.head = head.status === acceptedStatus
  if (scheme !== undefined) settings.scheme = scheme.status === acceptedStatus ? 'any-case' : 'exact'
  if (options !== undefined) {
    const isOpen = options.status !== rejectedStatus
    settings.options = isOpen ? 'open' : 'protected'
    if (isOpen) answers.options = phraseOf(options, undefined)
  }
  if (mode !== undefined) {
    const isOpen = mode.status < 300
    settings.endpoints = { accessMode: isOpen ? 'open' : mode.status === rejectedStatus ? 'protected' : 'absent' }
    if (isOpen)
      answers[result.accessControl === 'off' ? 'accessControlOff' : 'accessControlOn'] = phraseOf(mode, undefined)
  }
  if (result.http10 === false) settings.http10 = false
  if (sessions === 'newest') settings.limits = { tokens: 1, beyond: 'revoke-oldest' }
  else if (sessions === 'same') tell('Every logon gave the same token; the mock Core gives a new one each time.')
  else if (oldest !== undefined && oldest.status !== acceptedStatus) {
    tell(
      'The oldest of four tokens was ended: a Core that keeps so few may need limits, in a dialect file of your own.',
    )
  }
  const access = result.shown('observe-access')
  if (access !== undefined) settings.delivery = deliveryOf(access)
  return settings
}

/** Reports traits that belong to other options, or to no dialect. */
function tellOmissions(result: Recorded, tell: (note: string) => void): void {
  if (result.accessControl === 'off') tell('That run was with access control off: start the mock Core so, too.')
  if (result.idleLifetimeMs !== undefined && result.idleLifetimeMs !== IDLE_LIFETIME_MS) {
    tell(`That run was with an idle lifetime of ${result.idleLifetimeMs} ms: start the mock Core with it, too.`)
  }
  if (result.probePath !== USERS_PATH) {
    tell(`That run asked for ${result.probePath}, which the mock Core has not; its users answer in the same way.`)
  }
  if (result.shown('host-empty')?.status === 406) {
    tell('It answered an empty Host as a missing one; the mock Core accepts an empty Host.')
  }
  if (result.failed.length > 0) {
    tell(
      `Its faults are no dialect, and the mock Core has none of them (core-conformance mock --defect has many): ${result.failed.join(', ')}.`,
    )
  }
  tell('A run does not show how many tokens or logons a Core takes, nor how fast it is: the mock Core sets no limits.')
}
