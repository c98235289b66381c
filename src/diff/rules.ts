/** Says what a change means for clients. */
import { LOGON_REFUSED, TOKEN_REFUSED } from '../result/opened.js'
import type { ChangeKind, Consequence } from './types.js'

/**
 * The conditions of a rule. An absent one holds always.
 *
 * `from` and `to` name a value or a class of values: `2xx` and `4xx` are statuses; `not 2xx` and `not 4xx` are all other
 * statuses; `no answer` is a transport error; `nothing` is an absent thing; `nullable` is a type that may be null.
 */
interface Conditions {
  kind?: ChangeKind
  /** The last part of the fact's name, or the whole name. */
  fact?: string
  /** The first parts of the facts' names. */
  of?: readonly string[]
  /** The changed parts: header names; or `as configured` for a lifetime that is no shorter than the configured one. */
  parts?: readonly string[]
  from?: string
  to?: string
  /** The direction in which the number changed. */
  moved?: 'less' | 'more'
  /** Whether the change is that of a refusal into an acceptance. */
  opened?: true
}

/** A rule: its conditions, and the consequence of a change that meets all of them. */
export interface Rule extends Conditions {
  id: string
  consequence: Consequence
  /** Why the rule has this consequence, in one sentence. */
  why: string
}

/** The answers that every client reads. */
const WORK = ['logon', 'access']
/** The answers to requests that are to be refused. */
const REFUSED = [...TOKEN_REFUSED, ...LOGON_REFUSED]
/** Headers that concern one connection only, and that no client reads. */
const TRANSPORT_HEADERS = [
  'age',
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'server',
  'transfer-encoding',
  'vary',
  'via',
  'x-powered-by',
  'x-request-id',
]

/** The rules in their order: the first that holds counts. docs/differences.md shows them. */
const TABLE = [
  ['spec-fails', 'breaking', { kind: 'failure' }],
  ['spec-fixed', 'harmless', { kind: 'fixed' }],
  ['refusal-lost', 'breaking', { opened: true }],
  ['doubt-cleared', 'harmless', { kind: 'doubt', to: 'met' }],
  ['acceptance-seen', 'breaking', { kind: 'doubt', parts: ['seen'] }],
  ['doubt', 'risky', { kind: 'doubt' }],
  ['answer-lost', 'breaking', { kind: 'fact', to: 'no answer' }],
  ['answer-gained', 'harmless', { kind: 'fact', from: 'no answer' }],
  ['refusal-gained', 'harmless', { fact: 'status', of: REFUSED, from: 'not 4xx', to: '4xx' }],
  [
    'log-off-refused',
    'risky',
    { fact: 'status', of: ['revocation-repeated', 'revocation-without-token'], from: '2xx', to: 'not 2xx' },
  ],
  ['success-lost', 'breaking', { fact: 'status', from: '2xx', to: 'not 2xx' }],
  ['success-gained', 'harmless', { fact: 'status', from: 'not 2xx', to: '2xx' }],
  ['success-status', 'risky', { fact: 'status', from: '2xx', to: '2xx' }],
  ['token-refusal-status', 'breaking', { fact: 'status', of: TOKEN_REFUSED }],
  ['refusal-sign', 'breaking', { fact: 'access.refused' }],
  ['refusal-status', 'risky', { fact: 'status' }],
  ['content-type-of-work', 'breaking', { fact: 'content-type', of: WORK }],
  ['content-type', 'risky', { fact: 'content-type' }],
  ['field-added', 'harmless', { kind: 'field', from: 'nothing' }],
  ['field-null', 'risky', { kind: 'field', to: 'nullable' }],
  ['field-of-work', 'breaking', { kind: 'field', of: WORK }],
  ['field', 'risky', { kind: 'field' }],
  ['body-added', 'harmless', { fact: 'body', from: 'empty' }],
  ['body-of-work', 'breaking', { fact: 'body', of: WORK }],
  ['body', 'risky', { fact: 'body' }],
  ['header-coding', 'risky', { kind: 'header', parts: ['content-encoding'] }],
  ['header-added', 'harmless', { kind: 'header', from: 'nothing' }],
  ['header-of-transport', 'harmless', { kind: 'header', parts: TRANSPORT_HEADERS }],
  ['header-gone', 'risky', { kind: 'header' }],
  ['token-field', 'breaking', { fact: 'token.field' }],
  ['token-shorter', 'harmless', { fact: 'token.length', moved: 'less' }],
  ['token-length', 'risky', { fact: 'token.length' }],
  ['token-alphabet', 'risky', { fact: 'token.alphabet' }],
  ['http10-gained', 'harmless', { fact: 'http.1-0', to: 'true' }],
  ['http10-lost', 'risky', { fact: 'http.1-0' }],
  ['sessions-many', 'harmless', { fact: 'sessions', to: 'many' }],
  ['sessions-fewer', 'breaking', { fact: 'sessions' }],
  ['lifetime-as-promised', 'risky', { kind: 'lifetime', parts: ['as configured'], moved: 'less' }],
  ['lifetime-shorter', 'breaking', { kind: 'lifetime', moved: 'less' }],
  ['lifetime-longer', 'harmless', { kind: 'lifetime', moved: 'more' }],
  ['certificate', 'risky', { kind: 'certificate' }],
  ['other', 'risky', {}],
] as const satisfies readonly (readonly [id: string, consequence: Consequence, conditions: Conditions])[]

/** Why each rule has its consequence, in one sentence. */
const WHY: Record<(typeof TABLE)[number][0], string> = {
  'spec-fails': 'the Core breaks a statement of the reference that it kept before, and clients rely on the reference',
  'spec-fixed': 'the Core keeps a statement of the reference that it broke before',
  'refusal-lost': 'the Core accepts a request now that it refused before: what it protected may be open to everybody',
  'doubt-cleared': 'nothing speaks against this requirement any more',
  'acceptance-seen': 'the Core accepted what it is to refuse, beside what specs can judge, and did not do so before',
  doubt: 'this requirement was met, and something speaks against it now that is too weak for a verdict',
  'answer-lost': 'a request that was answered gets no answer any more',
  'answer-gained': 'a request that got no answer is answered now',
  'refusal-gained': 'the Core now refuses a request that the reference gives nobody a right to',
  'log-off-refused': 'clients that log off twice, or after their token has ended, meet an error',
  'success-lost': 'the Core does not accept a request any more that it accepted before',
  'success-gained': 'the Core accepts a request now that it refused before',
  'success-status': 'clients that look for one status and not for any 2xx take success for failure',
  'token-refusal-status':
    'clients know by this status that their token is of no use, and log on again; they do not know the new status',
  'refusal-sign': 'clients know by this that their token is of no use, and log on again; they do not know the new sign',
  'refusal-status': 'clients that tell refusals apart by their status take this one for another',
  'content-type-of-work': 'clients that parse an answer by its content type cannot read this one',
  'content-type': 'clients that read this answer may not know how',
  'field-added': 'clients ignore fields that they do not know',
  'field-null': 'clients that read this field may find nothing in it',
  'field-of-work': 'clients that read this field do not find it, or find another type',
  field: 'clients that show or log this answer may rely on the field',
  'body-added': 'clients ignore a body where there was none',
  'body-of-work': 'clients that read this answer find another kind of body',
  body: 'clients that show or log this answer find another kind of body',
  'header-coding':
    'clients that do not look at this header cannot read the body, or decode a body that needs no decoding',
  'header-added': 'clients ignore headers that they do not know',
  'header-of-transport': 'this header concerns the connection, which HTTP libraries handle',
  'header-gone': 'clients, browsers and proxies may act on this header',
  'token-field': 'clients look for the token where it was, and cannot log on',
  'token-shorter': 'a shorter token fits wherever the longer one did',
  'token-length': 'clients that keep the token in a field of fixed size cut it, or refuse it',
  'token-alphabet':
    'clients that check the token, or put it elsewhere than into the header, may not take the new characters',
  'http10-gained': 'clients that speak HTTP/1.0 are served now',
  'http10-lost': 'clients and proxies that speak HTTP/1.0 are not served as before',
  'sessions-many': 'a user may hold several tokens now',
  'sessions-fewer': 'clients that share a user end each other’s sessions, or share one token',
  'lifetime-as-promised': 'clients that left tokens unused for longer than the reference allows lose them now',
  'lifetime-shorter': 'clients lose tokens that they could leave unused for longer before',
  'lifetime-longer': 'a token may be left unused for longer than before',
  certificate: 'clients that trust exactly the old certificate refuse the new one',
  other: 'no rule knows what this means for clients',
}

/** All rules, in their order. */
export const RULES: readonly Rule[] = TABLE.map(([id, consequence, conditions]) => ({
  id,
  consequence,
  why: WHY[id],
  ...conditions,
}))
