/**
 * What in a request makes the fault of a mutant show, as rows. Over 250 lines, since it is one table. The weights are those of
 * the notes from the field: kept connections, bodies, spelling of paths and expiry are where clients and Cores stumble.
 */
import { TLSSocket } from 'node:tls'
import { type HeaderList, headerValues } from '../../messages.js'
import { CORE_PATH, LOGON_PATH, USERS_PATH } from '../../routes.js'
import type { Kind, Moment, Past, TokenLife } from './moment.js'
import type { Watch } from './watch.js'

/** What a trigger looks at; scores are told by it. */
export type Group =
  | 'method'
  | 'path'
  | 'query'
  | 'header fields'
  | 'body'
  | 'version'
  | 'connection'
  | 'earlier requests'
  | 'same moment'
  | 'token'
  | 'logon form'

/** One thing in a request, its connection, its moment or the life of its token. */
export interface Trigger {
  /** Lower-case words with hyphens. */
  id: string
  /** A clause about the request: `has more than 64 header fields`. */
  that: string
  group: Group
  /** Two triggers of one dimension do not go together. */
  dimension: string
  /** How likely a fault hangs on it, from 1. */
  weight: number
  /**
   * The requests that can have it. `other`: any but those of the logon path; `token`: one that carries an issued token; `dead`:
   * one that carries a token that has ended; `empty`: one that needs no valid token to be there.
   */
  on: 'any' | 'other' | 'token' | 'dead' | 'empty' | 'logon'
  /** Whether every client may do so by the reference, so that a good request with it may not be refused. */
  isPlain: boolean
  /** Whether it may stand for a limit of the Core (tokens, rates, bans), which the reference leaves open. */
  isLimitLike: boolean
  /** The dimensions and ids that do not go with it. */
  without: readonly string[]
  /** Whether only a connection over TLS can have it. */
  needsTls: boolean
  /** Whether a run that does not wait cannot have it. */
  needsWaiting: boolean
  is(moment: Moment, watch: Watch): boolean
}

type Row = [id: string, that: string, weight: number, is: Trigger['is'], more?: Partial<Trigger>]

function rows(group: Group, common: Partial<Trigger>, table: Row[]): Trigger[] {
  return table.map(([id, that, weight, is, more]) => ({
    id,
    that,
    group,
    dimension: group,
    weight,
    on: 'any',
    isPlain: false,
    isLimitLike: false,
    without: [],
    needsTls: false,
    needsWaiting: false,
    ...common,
    ...more,
    is,
  }))
}

const values = ({ head }: Moment, name: string) => headerValues(head.headers, name)
const has = (moment: Moment, name: string) => values(moment, name).length > 0
const method =
  (...names: string[]) =>
  ({ head }: Moment) =>
    names.includes(head.method)
const text = ({ headers }: { headers: HeaderList }) => headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')

const METHOD = rows('method', { on: 'other' }, [
  ['head', 'is a HEAD', 6, method('HEAD')],
  ['post', 'is a POST', 4, method('POST')],
  ['put', 'is a PUT', 4, method('PUT')],
  ['delete', 'is a DELETE', 3, method('DELETE')],
  ['patch', 'is a PATCH', 3, method('PATCH')],
  ['not-get', 'is no GET', 2, ({ head }) => head.method !== 'GET'],
  ['propfind', 'is a PROPFIND', 1, method('PROPFIND')],
  ['options', 'is an OPTIONS', 2, method('OPTIONS')],
])

const path = (is: (path: string) => boolean) => (moment: Moment) => is(moment.path)
const PATH = rows('path', { on: 'other' }, [
  ['trailing-slash', 'has a slash at the end of its path', 5, path(path => path.endsWith('/'))],
  ['doubled-slash', 'has two slashes in a row in its path', 4, path(path => path.includes('//'))],
  ['dot-segment', 'has a dot segment in its path', 3, path(path => /\/\.\.?(\/|$)/.test(path))],
  ['percent-encoded-path', 'has a percent-encoded character in its path', 5, path(path => /%[0-9a-f]{2}/i.test(path))],
  ['encoded-slash', 'has %2F in its path', 2, path(path => /%2f/i.test(path))],
  ['upper-case-path', 'has an upper-case letter in its path', 3, path(path => /[A-Z]/.test(path.replace(/%../g, '')))],
  ['path-parameter', 'has a semicolon in its path', 3, path(path => path.includes(';'))],
  ['file-extension', 'has a file extension at the end of its path', 2, path(path => /\.[a-z]{2,4}$/.test(path))],
  ['core-path', `asks for ${CORE_PATH}`, 4, path(path => path === CORE_PATH)],
  ['not-users', `asks for another path than ${USERS_PATH}`, 3, path(path => path !== USERS_PATH)],
  ['long-path', 'has a path of more than 255 characters', 2, path(path => path.length > 255)],
  [
    'unknown-path',
    'asks for a path that the Core does not serve',
    3,
    ({ path }, w) => !(path in w.subject.device.routes),
  ],
  ['absolute-form', 'names its target with scheme and host', 3, ({ head }) => /^https?:/i.test(head.target)],
])

const query = (is: (query: string) => boolean) => (moment: Moment) => moment.query !== undefined && is(moment.query)
const QUERY = rows('query', { on: 'other' }, [
  ['query', 'has a query', 5, query(() => true)],
  ['empty-query', 'has an empty query', 2, query(query => query === '')],
  ['encoded-query', 'has a percent-encoded character in its query', 3, query(query => /%[0-9a-f]{2}/i.test(query))],
  ['long-query', 'has a query of more than 128 characters', 2, query(query => query.length > 128)],
  ['two-parameters', 'has two query parameters', 2, query(query => query.includes('&'))],
  ['token-parameter', 'names a token in its query', 2, query(query => /token/i.test(query))],
  ['number-parameter', 'has a query parameter that is a number', 2, query(query => /=\d+(&|$)/.test(query))],
  ['method-parameter', 'names a method in its query', 1, query(query => /method=/i.test(query))],
])

const more = (count: number) => (moment: Moment) => moment.head.headers.length > count
const position = (moment: Moment, name: string) =>
  moment.head.headers.findIndex(([given]) => given.toLowerCase() === name)
/** A header field of which it matters whether it is there, or what it says. */
const field = (name: string, weight: number, id?: string, says?: string, value = /^/): Row => [
  id ?? name.toLowerCase(),
  says === undefined ? `has the header ${name}` : `has the header ${name}, which ${says}`,
  // One field of many hardly matters.
  weight / 2,
  moment => values(moment, name.toLowerCase()).some(given => value.test(given)),
  { dimension: `field ${name}` },
]
const FIELDS = rows('header fields', {}, [
  ['65-header-fields', 'has more than 64 header fields', 3, more(64), { dimension: 'count' }],
  ['33-header-fields', 'has more than 32 header fields', 3, more(32), { dimension: 'count' }],
  ['17-header-fields', 'has more than 16 header fields', 2, more(16), { dimension: 'count' }],
  ['few-header-fields', 'has fewer than four header fields', 2, m => !more(3)(m), { dimension: 'count' }],
  ['head-over-4-kb', 'has more than 4 KB of header fields', 2, m => text(m.head).length > 4096, { dimension: 'size' }],
  [
    'long-field',
    'has a header field of more than 1 KB',
    2,
    m => m.head.headers.some(([, value]) => value.length > 1024),
    { dimension: 'size' },
  ],
  ['empty-field', 'has an empty header field', 2, m => m.head.headers.some(([, value]) => value === '')],
  [
    'repeated-field',
    'has the same header field twice',
    3,
    m => new Set(m.head.headers.map(([name]) => name.toLowerCase())).size < m.head.headers.length,
    { dimension: 'count' },
  ],
  [
    'lower-case-names',
    'has all names of header fields in lower case',
    3,
    m => m.head.headers.every(([name]) => name === name.toLowerCase()),
    { dimension: 'case' },
  ],
  [
    'upper-case-names',
    'has a header field in upper case',
    2,
    m => m.head.headers.some(([name]) => /^[A-Z-]{4,}$/.test(name)),
    { dimension: 'case' },
  ],
  [
    'authorization-first',
    'has Authorization before all other header fields',
    3,
    m => position(m, 'authorization') === 0,
    { dimension: 'order', on: 'token' },
  ],
  [
    'authorization-last',
    'has Authorization behind all other header fields',
    2,
    m => position(m, 'authorization') === m.head.headers.length - 1,
    { dimension: 'order', on: 'token' },
  ],
  [
    'authorization-late',
    'has Authorization behind more than ten header fields',
    2,
    m => position(m, 'authorization') > 10,
    { dimension: 'order', on: 'token' },
  ],
  ['host-late', 'has Host behind another header field', 3, m => position(m, 'host') > 0, { dimension: 'order' }],
  ['no-accept', 'has no Accept header', 4, m => !has(m, 'accept'), { dimension: 'field Accept' }],
  ['no-user-agent', 'has no User-Agent header', 3, m => !has(m, 'user-agent'), { dimension: 'field User-Agent' }],
  field('Host', 3, 'host-local', 'names the machine itself', /^(localhost|127\.)/i),
  field('Host', 3, 'host-with-port', 'names a port', /:\d+$/),
  field('Accept', 3, 'accept-html', 'names HTML', /html/),
  field('Accept', 2, 'accept-anything', 'takes anything', /^\*\/\*$/),
  field('User-Agent', 3, 'browser', 'is that of a browser', /mozilla/i),
  field('User-Agent', 2, 'curl', 'is that of curl', /curl/i),
  field('Accept-Encoding', 3, 'accept-gzip', 'names gzip', /gzip/),
  field('Accept-Language', 2),
  field('Cookie', 4),
  field('Origin', 4),
  field('Referer', 2),
  field('X-Requested-With', 2),
  field('Sec-Fetch-Mode', 2),
  field('Access-Control-Request-Method', 2),
  field('X-Forwarded-For', 4),
  field(
    'X-Forwarded-For',
    3,
    'forwarded-for-inside',
    'names an address inside',
    /^(127\.|10\.|192\.168\.|localhost|::1)/,
  ),
  field('X-Forwarded-Proto', 3),
  field('X-Forwarded-Host', 3),
  field('Forwarded', 2),
  field('X-Real-IP', 2),
  field('Via', 2),
  field('X-Original-URL', 2),
  field('X-Rewrite-URL', 1),
  field('X-HTTP-Method-Override', 3),
  field('X-Request-ID', 1),
  field('Upgrade', 3),
  field('Connection', 3, 'connection-close', 'says close', /close/i),
  field('Connection', 3, 'connection-keep-alive', 'says keep-alive', /keep-alive/i),
  field('Range', 3),
  field('If-None-Match', 3),
  field('If-Modified-Since', 2),
  field('Cache-Control', 2),
  field('TE', 1),
  field('Max-Forwards', 1),
  field('Content-Encoding', 1),
  field('Proxy-Connection', 1),
  [
    'two-spaces',
    'has two spaces before its token',
    1,
    m => values(m, 'authorization').some(value => value.includes('  ')),
    { dimension: 'field Authorization', on: 'token' },
  ],
])

const BODY = rows('body', { dimension: 'body' }, [
  ['chunked', 'has a body in chunks', 5, m => has(m, 'transfer-encoding')],
  ['expect-continue', 'waits for 100 Continue', 3, m => has(m, 'expect')],
  ['content-length-0', 'has Content-Length 0', 4, m => values(m, 'content-length').some(value => /^0+$/.test(value))],
  ['body', 'has a body', 4, m => Number(values(m, 'content-length')[0] ?? 0) > 0, { on: 'other' }],
  [
    'long-body',
    'has a body of more than 1 KB',
    2,
    m => Number(values(m, 'content-length')[0] ?? 0) > 1024,
    { on: 'other' },
  ],
  [
    'content-type',
    'has a Content-Type',
    3,
    m => has(m, 'content-type'),
    { on: 'other', dimension: 'field Content-Type' },
  ],
])

const VERSION = rows('version', {}, [
  [
    'http-1.0',
    'is of HTTP/1.0',
    5,
    m => m.head.httpVersion === '1.0',
    { without: ['chunked', 'pipelined', 'expect-continue'] },
  ],
])

const before = (is: (past: Past, moment: Moment) => boolean) => (moment: Moment) =>
  moment.connection.past.some(past => is(past, moment))
const nth =
  (from: number, to = Number.POSITIVE_INFINITY) =>
  ({ connection: { past } }: Moment) =>
    past.length + 1 >= from && past.length + 1 <= to
const kinds = (kind: Kind) => (past: Past) => past.kind === kind
const CONNECTION = [
  ...rows('connection', { isPlain: true, dimension: 'place on the connection' }, [
    [
      'new-connection',
      'is the first on its connection',
      4,
      nth(1, 1),
      { without: ['past of the connection', 'time of the connection', 'pipelined', 'issued-here'] },
    ],
    ['kept-connection', 'is not the first on its connection', 5, nth(2)],
    ['second-on-connection', 'is the second on its connection', 4, nth(2, 2)],
    ['third-on-connection', 'is the third on its connection', 3, nth(3, 3)],
    ['5th-on-connection', 'is the fifth or a later one on its connection', 3, nth(5)],
    ['10th-on-connection', 'is the tenth or a later one on its connection', 2, nth(10)],
    ['17th-on-connection', 'is the seventeenth or a later one on its connection', 1, nth(17)],
  ]),
  ...rows('connection', { isPlain: true, dimension: 'past of the connection' }, [
    ['after-refusal-here', 'follows a refusal on its connection', 5, m => m.connection.past[0]?.kind === 'refusal'],
    ['refused-here-before', 'comes on a connection that has met a refusal', 4, before(kinds('refusal'))],
    ['after-logon-here', 'follows a logon on its connection', 4, m => m.connection.past[0]?.kind === 'logon'],
    ['logged-on-here', 'comes on a connection with a logon', 4, before(kinds('logon'))],
    ['refused-logon-here', 'comes on a connection with a refused logon', 4, before(kinds('refused logon'))],
    ['revoked-here', 'comes on a connection with a revocation', 4, before(kinds('revocation'))],
    [
      'after-revocation-here',
      'follows a revocation on its connection',
      3,
      m => m.connection.past[0]?.kind === 'revocation',
    ],
    ['after-options-here', 'comes on a connection with an OPTIONS', 3, before(past => past.method === 'OPTIONS')],
    ['after-head-here', 'follows a HEAD on its connection', 2, m => m.connection.past[0]?.method === 'HEAD'],
    ['after-404-here', 'comes on a connection with a 404', 2, before(past => past.status === 404)],
    ['after-406-here', 'comes on a connection with a request without Host', 3, before(kinds('bare'))],
    ['after-use-here', 'follows a good request on its connection', 4, m => m.connection.past[0]?.kind === 'use'],
    [
      'after-two-uses-here',
      'follows two good requests on its connection',
      3,
      m => m.connection.past.slice(0, 2).every(kinds('use')) && nth(3)(m),
    ],
    [
      'other-token-here',
      'comes on a connection that another token has used',
      4,
      before((past, { token }) => past.kind === 'use' && past.token !== undefined && past.token !== token),
    ],
  ]),
  ...rows('connection', { isPlain: true, needsWaiting: true, dimension: 'time of the connection' }, [
    ['rested-a-minute', 'comes on a connection that has rested a minute', 3, m => rested(m) >= 60_000],
    [
      'rested-a-tenth',
      'comes on a connection that has rested a tenth of the lifetime',
      2,
      (m, w) => rested(m) >= part(w, 0.1),
    ],
    [
      'old-connection',
      'comes on a connection as old as half of the lifetime',
      2,
      (m, w) => m.nowMs - m.connection.openedMs >= part(w, 0.5),
    ],
  ]),
  ...rows('connection', {}, [
    [
      'head-in-pieces',
      'has a head that comes in pieces',
      4,
      ({ pieces }) => pieces.head > 1,
      { isPlain: true, dimension: 'pieces of the head' },
    ],
    [
      'resumed-session',
      'comes on a connection that resumes a TLS session',
      4,
      ({ head: { connection } }) => connection instanceof TLSSocket && connection.isSessionReused(),
      { isPlain: true, dimension: 'TLS', needsTls: true },
    ],
    [
      'pipelined',
      'comes before the one before it is answered',
      3,
      m => m.head.isPipelined === true,
      { dimension: 'pipelined' },
    ],
    [
      'eight-connections',
      'comes while eight connections are open',
      2,
      (_, w) => w.openConnections() >= 8,
      { isLimitLike: true, dimension: 'open connections' },
    ],
  ]),
]

const rested = ({ nowMs, connection }: Moment) => nowMs - connection.lastMs
const part = ({ subject }: Watch, part: number) => subject.idleLifetimeMs * part
const last =
  (kind: Kind) =>
  (_: Moment, { past }: Watch) =>
    past[0]?.kind === kind
const quiet = (isLong: (ms: number, watch: Watch) => boolean) => (moment: Moment, watch: Watch) =>
  isLong(moment.nowMs - moment.quietSinceMs, watch)
const inARow =
  (kind: Kind, count: number) =>
  (_: Moment, { past }: Watch) =>
    past.length >= count && past.slice(0, count).every(kinds(kind))
const EARLIER = rows('earlier requests', { isPlain: true }, [
  ['after-logon', 'follows a logon', 3, last('logon')],
  ['after-refused-logon', 'follows a refused logon', 4, last('refused logon')],
  ['after-revocation', 'follows a revocation', 4, last('revocation')],
  ['after-refusal', 'follows a refusal', 3, last('refusal')],
  ['after-no-host', 'follows a request without Host', 3, last('bare')],
  [
    'quiet-a-minute',
    'comes after a minute without any request',
    3,
    quiet(ms => ms >= 60_000),
    { needsWaiting: true, dimension: 'quiet' },
  ],
  [
    'quiet-half',
    'comes after half of the lifetime without any request',
    2,
    quiet((ms, w) => ms >= part(w, 0.5)),
    { needsWaiting: true, dimension: 'quiet' },
  ],
  ['after-options', 'follows an OPTIONS', 2, last('OPTIONS'), { isPlain: false }],
  ['after-two-refusals', 'follows two refusals in a row', 3, inARow('refusal', 2), { isLimitLike: true }],
  ['after-five-refusals', 'follows five refusals in a row', 2, inARow('refusal', 5), { isLimitLike: true }],
  ['after-five-uses', 'follows five good requests in a row', 2, inARow('use', 5), { isLimitLike: true }],
  [
    'no-token-lives',
    'comes while no token is valid',
    2,
    (_, w) => w.valid().length === 0,
    { isPlain: false, on: 'empty', dimension: 'lives' },
  ],
  [
    'one-token-lives',
    'comes while one token is valid',
    3,
    (_, w) => w.valid().length === 1,
    { isLimitLike: true, dimension: 'lives' },
  ],
  [
    'two-tokens-live',
    'comes while two tokens or more are valid',
    2,
    (_, w) => w.valid().length >= 2,
    { isLimitLike: true, dimension: 'lives' },
  ],
  [
    'five-tokens-live',
    'comes while five tokens or more are valid',
    3,
    (_, w) => w.valid().length >= 5,
    { isLimitLike: true, dimension: 'lives' },
  ],
  [
    'ten-tokens-live',
    'comes while ten tokens or more are valid',
    2,
    (_, w) => w.valid().length >= 10,
    { isLimitLike: true, dimension: 'lives' },
  ],
])

const beside = (is: (other: Moment, moment: Moment) => boolean) => (moment: Moment) =>
  moment.beside.some(other => is(other, moment))
const isAt = (name: string) => (other: Moment) => other.head.method === name && other.path === LOGON_PATH
const SAME_MOMENT = rows('same moment', { isLimitLike: true }, [
  ['beside-logon', 'comes at the same moment as a logon', 4, beside(isAt('POST'))],
  ['beside-revocation', 'comes at the same moment as a revocation', 3, beside(isAt('DELETE'))],
  ['beside-any', 'comes at the same moment as another', 3, beside(() => true)],
  [
    'beside-same-token',
    'comes at the same moment as another with its token',
    4,
    beside((other, { token }) => other.token === token),
    { on: 'token' },
  ],
])

/** A trigger that depends on the life of the token. */
const life = (is: (life: TokenLife, moment: Moment, watch: Watch) => boolean) => (moment: Moment, watch: Watch) =>
  moment.token !== undefined && is(moment.token, moment, watch)
const number = (every: number) => life(({ record }) => (record.number ?? 0) % every === 0)
const TOKEN = [
  ...rows('token', { on: 'token', isPlain: true, dimension: 'uses' }, [
    ['never-used', 'carries a token that was never used', 4, life(({ uses }) => uses === 0)],
    ['used-once', 'carries a token that was used once', 3, life(({ uses }) => uses === 1)],
    ['used-twice', 'carries a token that was used twice', 3, life(({ uses }) => uses === 2)],
    ['used-5-times', 'carries a token that was used five times or more', 3, life(({ uses }) => uses >= 5)],
    ['used-10-times', 'carries a token that was used ten times or more', 2, life(({ uses }) => uses >= 10)],
    ['used-17-times', 'carries a token that was used seventeen times or more', 1, life(({ uses }) => uses >= 17)],
  ]),
  ...rows('token', { on: 'token', isPlain: true, needsWaiting: true, dimension: 'age' }, [
    [
      'age-a-twentieth',
      'carries a token older than a twentieth of the lifetime',
      3,
      life((t, m, w) => m.nowMs - t.issuedMs > part(w, 0.05)),
    ],
    [
      'age-half',
      'carries a token older than half of the lifetime',
      4,
      life((t, m, w) => m.nowMs - t.issuedMs > part(w, 0.5)),
    ],
    [
      'age-nine-tenths',
      'carries a token older than nine tenths of the lifetime',
      2,
      life((t, m, w) => m.nowMs - t.issuedMs > part(w, 0.9)),
    ],
    [
      'age-a-lifetime',
      'carries a token older than the lifetime',
      3,
      life((t, m, w) => m.nowMs - t.issuedMs > part(w, 1)),
    ],
    [
      'age-a-second',
      'carries a token younger than a second',
      2,
      life((t, m) => m.nowMs - t.issuedMs < 1000),
      { needsWaiting: false },
    ],
  ]),
  ...rows('token', { on: 'token', isPlain: true, needsWaiting: true, dimension: 'time without use' }, [
    [
      'idle-a-twentieth',
      'carries a token unused for a twentieth of the lifetime',
      3,
      (m, w) => m.idleMs > part(w, 0.05),
    ],
    ['idle-half', 'carries a token unused for half of the lifetime', 4, (m, w) => m.idleMs > part(w, 0.5)],
    [
      'idle-nine-tenths',
      'carries a token unused for nine tenths of the lifetime',
      2,
      (m, w) => m.idleMs > part(w, 0.9),
    ],
    [
      'used-a-moment-ago',
      'carries a token used less than a second ago',
      3,
      m => m.idleMs < 1000,
      { isPlain: false, needsWaiting: false },
    ],
  ]),
  ...rows('token', { on: 'token', isPlain: true, dimension: 'place of the token' }, [
    [
      'issued-here',
      'carries a token that was issued on its connection',
      4,
      life((t, m) => t.bornOn === m.head.connection),
    ],
    [
      'issued-elsewhere',
      'carries a token that was issued on another connection',
      3,
      life((t, m) => t.bornOn !== m.head.connection),
    ],
    [
      'last-used-elsewhere',
      'carries a token that was last used on another connection',
      3,
      life((t, m) => t.lastOn !== m.head.connection),
    ],
    [
      'last-used-here',
      'carries a token that was last used on its connection',
      3,
      life((t, m) => t.lastOn === m.head.connection),
    ],
  ]),
  ...rows('token', { on: 'token', isLimitLike: true, dimension: 'rank' }, [
    ['newest-token', 'carries the newest token', 3, life((t, _m, w) => w.tokens.at(-1) === t)],
    ['not-newest-token', 'carries a token that is not the newest', 3, life((t, _m, w) => w.tokens.at(-1) !== t)],
    ['oldest-token', 'carries the oldest of the valid tokens', 3, life((t, _m, w) => w.valid()[0] === t)],
  ]),
  ...rows('token', { on: 'token', isPlain: true, dimension: 'birth' }, [
    [
      'issued-alone',
      'carries a token issued while no other was valid',
      2,
      life(({ bornBeside }) => bornBeside === 0),
      { isLimitLike: true },
    ],
    [
      'issued-beside-others',
      'carries a token issued while three others were valid',
      2,
      life(({ bornBeside }) => bornBeside >= 3),
      { isLimitLike: true },
    ],
    [
      'issued-after-refused-logon',
      'carries a token issued after a refused logon',
      3,
      life(({ bornAfter }) => bornAfter === 'refused logon'),
    ],
    [
      'issued-after-revocation',
      'carries a token issued after a revocation',
      3,
      life(({ bornAfter }) => bornAfter === 'revocation'),
    ],
  ]),
  ...rows('token', { on: 'token', isPlain: true, dimension: 'text' }, [
    ['every-second-token', 'carries every second token', 2, number(2)],
    ['every-third-token', 'carries every third token', 2, number(3)],
    ['every-fifth-token', 'carries every fifth token', 1, number(5)],
    ['token-begins-with-digit', 'carries a token that begins with a digit', 2, life(({ text }) => /^\d/.test(text))],
    ['token-ends-with-letter', 'carries a token that ends with a letter', 2, life(({ text }) => /[a-z]$/.test(text))],
    ['token-holds-00', 'carries a token with two zeros in a row', 2, life(({ text }) => text.includes('00'))],
  ]),
]

const DEAD = [
  ...rows('token', { on: 'dead', dimension: 'looks' }, [
    ['first-look', 'carries it for the first time since its end', 3, life(({ looks }) => looks === 0)],
    ['second-look', 'carries it for the second time since its end', 3, life(({ looks }) => looks === 1)],
    ['third-look', 'carries it for the third time or more since its end', 3, life(({ looks }) => looks >= 2)],
  ]),
  ...rows('token', { on: 'dead', dimension: 'time since the end', needsWaiting: true }, [
    ['ended-now', 'comes within a second of its end', 3, ended(0, 1000), { needsWaiting: false }],
    ['ended-a-twentieth-ago', 'comes a twentieth of the lifetime after its end', 3, ended(0.05)],
    ['ended-half-ago', 'comes half of the lifetime after its end', 3, ended(0.5)],
    ['ended-a-lifetime-ago', 'comes a lifetime after its end', 2, ended(1)],
  ]),
]

/** A trigger that depends on when the token ended: so many lifetimes ago, and at most so many milliseconds. */
function ended(lifetimes: number, withinMs = Number.POSITIVE_INFINITY) {
  return life(({ revokedMs, lastUsedMs }, { nowMs }, watch) => {
    const agoMs = nowMs - (revokedMs ?? lastUsedMs + part(watch, 1))
    return agoMs >= part(watch, lifetimes) && agoMs < withinMs
  })
}

const body = (is: (body: string) => boolean) => (moment: Moment) => is(moment.body ?? '')
const LOGON_FORM = rows('logon form', { on: 'logon', isPlain: true }, [
  [
    'body-apart',
    'has a body that comes after its head',
    3,
    ({ pieces }) => pieces.body > 0,
    { dimension: 'pieces of the body' },
  ],
  [
    'password-first',
    'has the password before the username',
    3,
    body(body => /"password".*"username"/s.test(body)),
    { dimension: 'order of members' },
  ],
  ['white-space', 'has white space in its body', 3, body(body => /[:,{]\s/.test(body)), { dimension: 'spelling' }],
  ['escape', 'has an escape in its body', 3, body(body => body.includes('\\')), { dimension: 'spelling' }],
  [
    'further-member',
    'has a further member in its body',
    3,
    body(body => (body.match(/":/g)?.length ?? 0) > 2),
    { isPlain: false, dimension: 'members' },
  ],
  [
    'charset',
    'names a charset',
    3,
    m => values(m, 'content-type').some(value => /charset/i.test(value)),
    { isPlain: false, dimension: 'field Content-Type' },
  ],
  [
    'carries-valid-token',
    'carries a valid token',
    4,
    m => m.isValid,
    { isPlain: false, dimension: 'token of a logon' },
  ],
  [
    'carries-dead-token',
    'carries a token that has ended',
    3,
    m => m.token !== undefined && !m.isValid,
    { isPlain: false, dimension: 'token of a logon' },
  ],
  [
    'carries-unknown-token',
    'carries a token that was never issued',
    3,
    m => m.presented !== undefined && m.token === undefined,
    { isPlain: false, dimension: 'token of a logon' },
  ],
])

/** Every trigger that goes with several effects. */
export const TRIGGERS: readonly Trigger[] = [
  ...METHOD,
  ...PATH,
  ...QUERY,
  ...FIELDS,
  ...BODY,
  ...VERSION,
  ...CONNECTION,
  ...EARLIER,
  ...SAME_MOMENT,
  ...TOKEN,
  ...DEAD,
  ...LOGON_FORM,
]

const EARLIER_GROUPS: readonly Group[] = ['connection', 'earlier requests', 'same moment', 'token']

/** Returns what may be accused, too, where a token ends or comes back: that an earlier request, or one beside it, did so. */
export function blamedFor({ id, group }: Trigger): string[] {
  if (!EARLIER_GROUPS.includes(group)) return []
  if (/logon|logged/.test(id)) return ['LOGON-4']
  if (/revo/.test(id)) return ['REVOKE-2']
  return /406|no-host/.test(id) ? ['HOST-2'] : []
}
