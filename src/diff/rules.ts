/**
 * Says what a change means for clients. Over 250 lines, since it is one table, of which the first rule that holds counts.
 */
import { LOGON_REFUSED, TOKEN_REFUSED } from '../result/opened.js'
import type { ChangeKind, Consequence } from './types.js'

/**
 * A rule: its conditions, and the consequence of a change that meets all of them. An absent condition holds always.
 *
 * `from` and `to` name a value or a class of values: `2xx` and `4xx` are statuses; `not 2xx` and `not 4xx` are all other
 * statuses; `no answer` is a transport error; `nothing` is an absent thing; `nullable` is a type that may be null.
 */
export interface Rule {
  id: string
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
  consequence: Consequence
  /** Why the rule has this consequence, in one sentence. */
  why: string
}

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

/** The rules in order: the first that holds counts. docs/differences.md shows them. */
export const RULES: readonly Rule[] = [
  {
    id: 'spec-fails',
    kind: 'failure',
    consequence: 'breaking',
    why: 'the Core breaks a statement of the reference that it kept before, and clients rely on the reference',
  },
  {
    id: 'spec-fixed',
    kind: 'fixed',
    consequence: 'harmless',
    why: 'the Core keeps a statement of the reference that it broke before',
  },
  {
    id: 'refusal-lost',
    opened: true,
    consequence: 'breaking',
    why: 'the Core accepts a request now that it refused before: what it protected may be open to everybody',
  },
  {
    id: 'doubt-cleared',
    kind: 'doubt',
    to: 'met',
    consequence: 'harmless',
    why: 'nothing speaks against this requirement any more',
  },
  {
    id: 'acceptance-seen',
    kind: 'doubt',
    parts: ['seen'],
    consequence: 'breaking',
    why: 'the Core accepted what it is to refuse, beside what specs can judge, and did not do so before',
  },
  {
    id: 'doubt',
    kind: 'doubt',
    consequence: 'risky',
    why: 'this requirement was met, and something speaks against it now that is too weak for a verdict',
  },
  {
    id: 'answer-lost',
    kind: 'fact',
    to: 'no answer',
    consequence: 'breaking',
    why: 'a request that was answered gets no answer any more',
  },
  {
    id: 'answer-gained',
    kind: 'fact',
    from: 'no answer',
    consequence: 'harmless',
    why: 'a request that got no answer is answered now',
  },
  {
    id: 'refusal-gained',
    fact: 'status',
    of: [...TOKEN_REFUSED, ...LOGON_REFUSED],
    from: 'not 4xx',
    to: '4xx',
    consequence: 'harmless',
    why: 'the Core now refuses a request that the reference gives nobody a right to',
  },
  {
    id: 'log-off-refused',
    fact: 'status',
    of: ['revocation-repeated', 'revocation-without-token'],
    from: '2xx',
    to: 'not 2xx',
    consequence: 'risky',
    why: 'clients that log off twice, or after their token has ended, meet an error',
  },
  {
    id: 'success-lost',
    fact: 'status',
    from: '2xx',
    to: 'not 2xx',
    consequence: 'breaking',
    why: 'the Core does not accept a request any more that it accepted before',
  },
  {
    id: 'success-gained',
    fact: 'status',
    from: 'not 2xx',
    to: '2xx',
    consequence: 'harmless',
    why: 'the Core accepts a request now that it refused before',
  },
  {
    id: 'success-status',
    fact: 'status',
    from: '2xx',
    to: '2xx',
    consequence: 'risky',
    why: 'clients that look for one status and not for any 2xx take success for failure',
  },
  {
    id: 'token-refusal-status',
    fact: 'status',
    of: TOKEN_REFUSED,
    consequence: 'breaking',
    why: 'clients know by this status that their token is of no use, and log on again; they do not know the new status',
  },
  {
    id: 'refusal-sign',
    fact: 'access.refused',
    consequence: 'breaking',
    why: 'clients know by this that their token is of no use, and log on again; they do not know the new sign',
  },
  {
    id: 'refusal-status',
    fact: 'status',
    consequence: 'risky',
    why: 'clients that tell refusals apart by their status take this one for another',
  },
  {
    id: 'content-type-of-work',
    fact: 'content-type',
    of: WORK,
    consequence: 'breaking',
    why: 'clients that parse an answer by its content type cannot read this one',
  },
  {
    id: 'content-type',
    fact: 'content-type',
    consequence: 'risky',
    why: 'clients that read this answer may not know how',
  },
  {
    id: 'field-added',
    kind: 'field',
    from: 'nothing',
    consequence: 'harmless',
    why: 'clients ignore fields that they do not know',
  },
  {
    id: 'field-null',
    kind: 'field',
    to: 'nullable',
    consequence: 'risky',
    why: 'clients that read this field may find nothing in it',
  },
  {
    id: 'field-of-work',
    kind: 'field',
    of: WORK,
    consequence: 'breaking',
    why: 'clients that read this field do not find it, or find another type',
  },
  {
    id: 'field',
    kind: 'field',
    consequence: 'risky',
    why: 'clients that show or log this answer may rely on the field',
  },
  {
    id: 'body-added',
    fact: 'body',
    from: 'empty',
    consequence: 'harmless',
    why: 'clients ignore a body where there was none',
  },
  {
    id: 'body-of-work',
    fact: 'body',
    of: WORK,
    consequence: 'breaking',
    why: 'clients that read this answer find another kind of body',
  },
  {
    id: 'body',
    fact: 'body',
    consequence: 'risky',
    why: 'clients that show or log this answer find another kind of body',
  },
  {
    id: 'header-coding',
    kind: 'header',
    parts: ['content-encoding'],
    consequence: 'risky',
    why: 'clients that do not look at this header cannot read the body, or decode a body that needs no decoding',
  },
  {
    id: 'header-added',
    kind: 'header',
    from: 'nothing',
    consequence: 'harmless',
    why: 'clients ignore headers that they do not know',
  },
  {
    id: 'header-of-transport',
    kind: 'header',
    parts: TRANSPORT_HEADERS,
    consequence: 'harmless',
    why: 'this header concerns the connection, which HTTP libraries handle',
  },
  {
    id: 'header-gone',
    kind: 'header',
    consequence: 'risky',
    why: 'clients, browsers and proxies may act on this header',
  },
  {
    id: 'token-field',
    fact: 'token.field',
    consequence: 'breaking',
    why: 'clients look for the token where it was, and cannot log on',
  },
  {
    id: 'token-shorter',
    fact: 'token.length',
    moved: 'less',
    consequence: 'harmless',
    why: 'a shorter token fits wherever the longer one did',
  },
  {
    id: 'token-length',
    fact: 'token.length',
    consequence: 'risky',
    why: 'clients that keep the token in a field of fixed size cut it, or refuse it',
  },
  {
    id: 'token-alphabet',
    fact: 'token.alphabet',
    consequence: 'risky',
    why: 'clients that check the token, or put it elsewhere than into the header, may not take the new characters',
  },
  {
    id: 'http10-gained',
    fact: 'http.1-0',
    to: 'true',
    consequence: 'harmless',
    why: 'clients that speak HTTP/1.0 are served now',
  },
  {
    id: 'http10-lost',
    fact: 'http.1-0',
    consequence: 'risky',
    why: 'clients and proxies that speak HTTP/1.0 are not served as before',
  },
  {
    id: 'sessions-many',
    fact: 'sessions',
    to: 'many',
    consequence: 'harmless',
    why: 'a user may hold several tokens now',
  },
  {
    id: 'sessions-fewer',
    fact: 'sessions',
    consequence: 'breaking',
    why: 'clients that share a user end each other’s sessions, or share one token',
  },
  {
    id: 'lifetime-as-promised',
    kind: 'lifetime',
    parts: ['as configured'],
    moved: 'less',
    consequence: 'risky',
    why: 'clients that left tokens unused for longer than the reference allows lose them now',
  },
  {
    id: 'lifetime-shorter',
    kind: 'lifetime',
    moved: 'less',
    consequence: 'breaking',
    why: 'clients lose tokens that they could leave unused for longer before',
  },
  {
    id: 'lifetime-longer',
    kind: 'lifetime',
    moved: 'more',
    consequence: 'harmless',
    why: 'a token may be left unused for longer than before',
  },
  {
    id: 'certificate',
    kind: 'certificate',
    consequence: 'risky',
    why: 'clients that trust exactly the old certificate refuse the new one',
  },
  {
    id: 'other',
    consequence: 'risky',
    why: 'no rule knows what this means for clients',
  },
]
