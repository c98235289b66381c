/** Says what a change means for clients. */
import { LOGON_REFUSED, TOKEN_REFUSED } from '../result/opened.js'
import { type ChangeKind, CONSEQUENCES, type Consequence } from './types.js'

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

/** A rule as a row of the table: the conditions under the consequence. */
type RuleRow = Partial<Record<Consequence, Conditions>> & Pick<Rule, 'why'>

/** The answers that every client reads. */
const WORK = ['logon', 'access']
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

/** The rules by their ids, in order: the first that holds counts. docs/differences.md shows them. */
const TABLE: Readonly<Record<string, RuleRow>> = {
  'spec-fails': {
    breaking: { kind: 'failure' },
    why: 'the Core breaks a statement of the reference that it kept before, and clients rely on the reference',
  },
  'spec-fixed': {
    harmless: { kind: 'fixed' },
    why: 'the Core keeps a statement of the reference that it broke before',
  },
  'refusal-lost': {
    breaking: { opened: true },
    why: 'the Core accepts a request now that it refused before: what it protected may be open to everybody',
  },
  'doubt-cleared': {
    harmless: { kind: 'doubt', to: 'met' },
    why: 'nothing speaks against this requirement any more',
  },
  'acceptance-seen': {
    breaking: { kind: 'doubt', parts: ['seen'] },
    why: 'the Core accepted what it is to refuse, beside what specs can judge, and did not do so before',
  },
  doubt: {
    risky: { kind: 'doubt' },
    why: 'this requirement was met, and something speaks against it now that is too weak for a verdict',
  },
  'answer-lost': {
    breaking: { kind: 'fact', to: 'no answer' },
    why: 'a request that was answered gets no answer any more',
  },
  'answer-gained': {
    harmless: { kind: 'fact', from: 'no answer' },
    why: 'a request that got no answer is answered now',
  },
  'refusal-gained': {
    harmless: { fact: 'status', of: [...TOKEN_REFUSED, ...LOGON_REFUSED], from: 'not 4xx', to: '4xx' },
    why: 'the Core now refuses a request that the reference gives nobody a right to',
  },
  'log-off-refused': {
    risky: { fact: 'status', of: ['revocation-repeated', 'revocation-without-token'], from: '2xx', to: 'not 2xx' },
    why: 'clients that log off twice, or after their token has ended, meet an error',
  },
  'success-lost': {
    breaking: { fact: 'status', from: '2xx', to: 'not 2xx' },
    why: 'the Core does not accept a request any more that it accepted before',
  },
  'success-gained': {
    harmless: { fact: 'status', from: 'not 2xx', to: '2xx' },
    why: 'the Core accepts a request now that it refused before',
  },
  'success-status': {
    risky: { fact: 'status', from: '2xx', to: '2xx' },
    why: 'clients that look for one status and not for any 2xx take success for failure',
  },
  'token-refusal-status': {
    breaking: { fact: 'status', of: TOKEN_REFUSED },
    why: 'clients know by this status that their token is of no use, and log on again; they do not know the new status',
  },
  'refusal-sign': {
    breaking: { fact: 'access.refused' },
    why: 'clients know by this that their token is of no use, and log on again; they do not know the new sign',
  },
  'refusal-status': {
    risky: { fact: 'status' },
    why: 'clients that tell refusals apart by their status take this one for another',
  },
  'content-type-of-work': {
    breaking: { fact: 'content-type', of: WORK },
    why: 'clients that parse an answer by its content type cannot read this one',
  },
  'content-type': {
    risky: { fact: 'content-type' },
    why: 'clients that read this answer may not know how',
  },
  'field-added': {
    harmless: { kind: 'field', from: 'nothing' },
    why: 'clients ignore fields that they do not know',
  },
  'field-null': {
    risky: { kind: 'field', to: 'nullable' },
    why: 'clients that read this field may find nothing in it',
  },
  'field-of-work': {
    breaking: { kind: 'field', of: WORK },
    why: 'clients that read this field do not find it, or find another type',
  },
  field: {
    risky: { kind: 'field' },
    why: 'clients that show or log this answer may rely on the field',
  },
  'body-added': {
    harmless: { fact: 'body', from: 'empty' },
    why: 'clients ignore a body where there was none',
  },
  'body-of-work': {
    breaking: { fact: 'body', of: WORK },
    why: 'clients that read this answer find another kind of body',
  },
  body: {
    risky: { fact: 'body' },
    why: 'clients that show or log this answer find another kind of body',
  },
  'header-coding': {
    risky: { kind: 'header', parts: ['content-encoding'] },
    why: 'clients that do not look at this header cannot read the body, or decode a body that needs no decoding',
  },
  'header-added': {
    harmless: { kind: 'header', from: 'nothing' },
    why: 'clients ignore headers that they do not know',
  },
  'header-of-transport': {
    harmless: { kind: 'header', parts: TRANSPORT_HEADERS },
    why: 'this header concerns the connection, which HTTP libraries handle',
  },
  'header-gone': {
    risky: { kind: 'header' },
    why: 'clients, browsers and proxies may act on this header',
  },
  'token-field': {
    breaking: { fact: 'token.field' },
    why: 'clients look for the token where it was, and cannot log on',
  },
  'token-shorter': {
    harmless: { fact: 'token.length', moved: 'less' },
    why: 'a shorter token fits wherever the longer one did',
  },
  'token-length': {
    risky: { fact: 'token.length' },
    why: 'clients that keep the token in a field of fixed size cut it, or refuse it',
  },
  'token-alphabet': {
    risky: { fact: 'token.alphabet' },
    why: 'clients that check the token, or put it elsewhere than into the header, may not take the new characters',
  },
  'http10-gained': {
    harmless: { fact: 'http.1-0', to: 'true' },
    why: 'clients that speak HTTP/1.0 are served now',
  },
  'http10-lost': {
    risky: { fact: 'http.1-0' },
    why: 'clients and proxies that speak HTTP/1.0 are not served as before',
  },
  'sessions-many': {
    harmless: { fact: 'sessions', to: 'many' },
    why: 'a user may hold several tokens now',
  },
  'sessions-fewer': {
    breaking: { fact: 'sessions' },
    why: 'clients that share a user end each other’s sessions, or share one token',
  },
  'lifetime-as-promised': {
    risky: { kind: 'lifetime', parts: ['as configured'], moved: 'less' },
    why: 'clients that left tokens unused for longer than the reference allows lose them now',
  },
  'lifetime-shorter': {
    breaking: { kind: 'lifetime', moved: 'less' },
    why: 'clients lose tokens that they could leave unused for longer before',
  },
  'lifetime-longer': {
    harmless: { kind: 'lifetime', moved: 'more' },
    why: 'a token may be left unused for longer than before',
  },
  certificate: {
    risky: { kind: 'certificate' },
    why: 'clients that trust exactly the old certificate refuse the new one',
  },
  other: {
    risky: {},
    why: 'no rule knows what this means for clients',
  },
}

/** All rules, in their order. */
export const RULES: readonly Rule[] = Object.entries(TABLE).flatMap(([id, { why, ...row }]) =>
  CONSEQUENCES.flatMap(consequence => (row[consequence] ? [{ id, consequence, why, ...row[consequence] }] : [])),
)
