/**
 * What in a request makes the fault of a mutant show, as rows. Over 250 lines, since it is one table. The weights are those of
 * the notes from the field: kept connections, bodies, spelling of paths and expiry are where clients and Cores stumble.
 */
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { type HeaderList, headerValues } from '../../messages.js'
import { CORE_PATH, LOGON_PATH, USERS_PATH } from '../../routes.js'
import { carriedBy, inWords, type Kind, type Moment, type Past, type TokenLife } from './moment.js'
import { type Is, testOf } from './numbers.js'
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
  is: Is
}

/** What it is in words, and the test of it, or the words of {@link testOf}. */
type Row = [words: string, is: Is | string, more?: Partial<Trigger>]

function rows(group: Group, common: Partial<Trigger>, table: Row[]): Trigger[] {
  return table.map(([words, is, more]) => ({
    ...inWords(words),
    group,
    dimension: group,
    on: 'any',
    isPlain: false,
    isLimitLike: false,
    without: [],
    needsTls: false,
    needsWaiting: false,
    ...common,
    ...more,
    is: typeof is === 'string' ? known(is) : is,
  }))
}

function known(words: string): Is {
  const is = testOf(words)
  if (is === undefined) throw new Error(`${words}: what is that?`)
  return is
}

const values = ({ head }: Moment, name: string) => headerValues(head.headers, name)
const has = (moment: Moment, name: string) => values(moment, name).length > 0
const method = (name: string) => (moment: Moment) => moment.head.method === name
const text = ({ headers }: { headers: HeaderList }) => headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')

const METHOD = rows('method', { on: 'other' }, [
  ['head 6: is a HEAD', method('HEAD')],
  ['post 4: is a POST', method('POST')],
  ['put 4: is a PUT', method('PUT')],
  ['delete 3: is a DELETE', method('DELETE')],
  ['patch 3: is a PATCH', method('PATCH')],
  ['get 1: is a GET', method('GET')],
  ['not-get 2: is no GET', ({ head }) => head.method !== 'GET'],
  ['propfind 1: is a PROPFIND', method('PROPFIND')],
  ['options 2: is an OPTIONS', method('OPTIONS')],
])

const path = (is: (path: string) => boolean) => (moment: Moment) => is(moment.path)
const PATH = rows('path', { on: 'other' }, [
  ['trailing-slash 5: has a slash at the end of its path', path(path => path.endsWith('/'))],
  ['doubled-slash 4: has two slashes in a row in its path', path(path => path.includes('//'))],
  ['dot-segment 3: has a dot segment in its path', path(path => /\/\.\.?(\/|$)/.test(path))],
  ['percent-encoded-path 5: has a percent-encoded character in its path', path(path => /%[0-9a-f]{2}/i.test(path))],
  ['encoded-slash 2: has %2F in its path', path(path => /%2f/i.test(path))],
  ['upper-case-path 3: has an upper-case letter in its path', path(path => /[A-Z]/.test(path.replace(/%../g, '')))],
  ['path-parameter 3: has a semicolon in its path', path(path => path.includes(';'))],
  ['file-extension 2: has a file extension at the end of its path', path(path => /\.[a-z]{2,4}$/.test(path))],
  [`core-path 4: asks for ${CORE_PATH}`, path(path => path === CORE_PATH)],
  [`not-users 3: asks for another path than ${USERS_PATH}`, path(path => path !== USERS_PATH)],
  ['next-version 2: asks for a path of the next version', path(path => path.startsWith('/api/v1/'))],
  ['long-path 2: has a path of more than 255 characters', path(path => path.length > 255)],
  ['unknown-path 3: asks for a path that the Core does not serve', ({ path }, w) => !(path in w.subject.device.routes)],
  ['absolute-form 3: names its target with scheme and host', ({ head }) => /^https?:/i.test(head.target)],
])

const query = (is: (query: string) => boolean) => (moment: Moment) => moment.query !== undefined && is(moment.query)
const QUERY = rows('query', { on: 'other' }, [
  ['query 5: has a query', query(() => true)],
  ['empty-query 2: has an empty query', query(query => query === '')],
  ['encoded-query 3: has a percent-encoded character in its query', query(query => /%[0-9a-f]{2}/i.test(query))],
  ['long-query 2: has a query of more than 128 characters', query(query => query.length > 128)],
  ['two-parameters 2: has two query parameters', query(query => query.includes('&'))],
  ['token-parameter 2: names a token in its query', query(query => /token/i.test(query))],
  ['number-parameter 2: has a query parameter that is a number', query(query => /=\d+(&|$)/.test(query))],
  ['method-parameter 1: names a method in its query', query(query => /method=/i.test(query))],
])

const names = ({ head }: Moment) => head.headers.map(([name]) => name.toLowerCase())
const position = (moment: Moment, name: string) => names(moment).indexOf(name)
const anyValue = (is: (value: string) => boolean) => (moment: Moment) =>
  moment.head.headers.some(([, value]) => is(value))
/** A header field of which it matters whether it is there, or what it says. */
const field = (name: string, weight: number, id = name.toLowerCase(), says?: string, value = /^/): Row => [
  // One field of many hardly matters.
  `${id} ${weight / 2}: has the header ${name}${says === undefined ? '' : `, which ${says}`}`,
  moment => values(moment, name.toLowerCase()).some(given => value.test(given)),
  { dimension: `field ${name}` },
]
/** Header fields by their names and weights, of which it matters that they are there. */
const fields = (list: string) =>
  list.split(', ').map(each => {
    const [name = '', weight] = each.split(' ')
    return field(name, Number(weight))
  })
const FIELDS = [
  ...rows('header fields', { dimension: 'count' }, [
    ['65-header-fields 3: has more than 64 header fields', 'headers>64'],
    ['33-header-fields 3: has more than 32 header fields', 'headers>32'],
    ['17-header-fields 2: has more than 16 header fields', 'headers>16'],
    ['few-header-fields 2: has fewer than four header fields', 'headers<4'],
  ]),
  ...rows('header fields', {}, [
    ['head-over-4-kb 2: has more than 4 KB of header fields', m => text(m.head).length > 4096, { dimension: 'size' }],
    [
      'long-field 2: has a header field of more than 1 KB',
      anyValue(value => value.length > 1024),
      { dimension: 'size' },
    ],
    ['empty-field 2: has an empty header field', anyValue(value => value === '')],
    [
      'repeated-field 3: has the same header field twice',
      m => new Set(names(m)).size < names(m).length,
      { dimension: 'count' },
    ],
  ]),
  ...rows('header fields', { dimension: 'case' }, [
    [
      'lower-case-names 3: has all names of header fields in lower case',
      m => names(m).every((name, at) => name === m.head.headers[at]?.[0]),
    ],
    [
      'upper-case-names 2: has a header field in upper case',
      m => m.head.headers.some(([name]) => /^[A-Z-]{4,}$/.test(name)),
    ],
  ]),
  ...rows('header fields', { dimension: 'order', on: 'token' }, [
    ['authorization-first 3: has Authorization before all other header fields', m => names(m)[0] === 'authorization'],
    [
      'authorization-last 2: has Authorization behind all other header fields',
      m => position(m, 'authorization') === names(m).length - 1,
    ],
    [
      'authorization-late 2: has Authorization behind more than ten header fields',
      m => position(m, 'authorization') > 10,
    ],
  ]),
  ...rows('header fields', {}, [
    ['host-late 3: has Host behind another header field', m => position(m, 'host') > 0, { dimension: 'order' }],
    ['no-accept 4: has no Accept header', m => !has(m, 'accept'), { dimension: 'field Accept' }],
    ['no-user-agent 3: has no User-Agent header', m => !has(m, 'user-agent'), { dimension: 'field User-Agent' }],
    field('Host', 3, 'host-local', 'names the machine itself', /^(localhost|127\.)/i),
    field('Host', 3, 'host-with-port', 'names a port', /:\d+$/),
    field('Accept', 3),
    field('Accept', 3, 'accept-html', 'names HTML', /html/),
    field('Accept', 2, 'accept-anything', 'takes anything', /^\*\/\*$/),
    field('User-Agent', 3, 'browser', 'is that of a browser', /mozilla/i),
    field('User-Agent', 2, 'curl', 'is that of curl', /curl/i),
    field('Accept-Encoding', 3, 'accept-gzip', 'names gzip', /gzip/),
    ...fields(
      'Accept-Language 2, Cookie 4, Origin 4, Referer 2, X-Requested-With 2, Sec-Fetch-Mode 2, ' +
        'Access-Control-Request-Method 2, X-Forwarded-For 4',
    ),
    field(
      'X-Forwarded-For',
      3,
      'forwarded-for-inside',
      'names an address inside',
      /^((127|10|192\.168)\.|localhost|::1)/,
    ),
    ...fields(
      'X-Forwarded-Proto 3, X-Forwarded-Host 3, Forwarded 2, X-Real-IP 2, Via 2, X-Original-URL 2, ' +
        'X-Rewrite-URL 1, X-HTTP-Method-Override 3, X-Request-ID 1, X-Remote-User 2, X-Debug 1, Upgrade 3',
    ),
    field('Connection', 3, 'connection-close', 'says close', /close/i),
    field('Connection', 3, 'connection-keep-alive', 'says keep-alive', /keep-alive/i),
    ...fields(
      'Range 3, If-None-Match 3, If-Modified-Since 2, Cache-Control 2, TE 1, Max-Forwards 1, ' +
        'Content-Encoding 1, Proxy-Connection 1',
    ),
    [
      'two-spaces 1: has two spaces before its token',
      m => values(m, 'authorization').some(value => value.includes('  ')),
      { dimension: 'field Authorization', on: 'token' },
    ],
  ]),
]

const announced = (moment: Moment) => Number(values(moment, 'content-length')[0] ?? 0)
const BODY = rows('body', { dimension: 'body' }, [
  ['chunked 5: has a body in chunks', m => has(m, 'transfer-encoding')],
  ['expect-continue 3: waits for 100 Continue', m => has(m, 'expect')],
  ['content-length-0 4: has Content-Length 0', m => values(m, 'content-length').some(value => /^0+$/.test(value))],
  ['body 4: has a body', m => announced(m) > 0, { on: 'other' }],
  ['long-body 2: has a body of more than 1 KB', m => announced(m) > 1024, { on: 'other' }],
  ['content-type 3: has a Content-Type', m => has(m, 'content-type'), { on: 'other', dimension: 'field Content-Type' }],
])

const VERSION = rows('version', { without: ['chunked', 'pipelined', 'expect-continue'] }, [
  ['http-1.0 5: is of HTTP/1.0', m => m.head.httpVersion === '1.0'],
])

const before = (is: (past: Past, moment: Moment) => boolean) => (moment: Moment) =>
  moment.connection.past.some(past => is(past, moment))
const isUnknown = ({ carried }: Past) => carried === 'unknown'
const isUse = ({ kind, token }: Past, of: TokenLife | undefined) => kind === 'use' && of !== undefined && token === of
const CONNECTION = [
  ...rows('connection', { isPlain: true, dimension: 'place on the connection' }, [
    [
      'new-connection 4: is the first on its connection',
      'nth=1',
      { without: ['past of the connection', 'time of the connection', 'pipelined', 'issued-here'] },
    ],
    ['kept-connection 5: is not the first on its connection', 'nth>=2'],
    ['second-on-connection 4: is the second on its connection', 'nth=2'],
    ['third-on-connection 3: is the third on its connection', 'nth=3'],
    ['5th-on-connection 3: is the fifth or a later one on its connection', 'nth>=5'],
    ['10th-on-connection 2: is the tenth or a later one on its connection', 'nth>=10'],
    ['17th-on-connection 1: is the seventeenth or a later one on its connection', 'nth>=17'],
  ]),
  ...rows('connection', { isPlain: true, dimension: 'past of the connection' }, [
    ['after-refusal-here 5: follows a refusal on its connection', 'refusal-run-here>=1'],
    ['refused-here-before 4: comes on a connection that has met a refusal', 'refusal-here>=1'],
    ['after-logon-here 4: follows a logon on its connection', 'logon-run-here>=1'],
    ['logged-on-here 4: comes on a connection with a logon', 'logon-here>=1'],
    ['refused-logon-here 4: comes on a connection with a refused logon', 'refused-logon-here>=1'],
    ['revoked-here 4: comes on a connection with a revocation', 'revocation-here>=1'],
    ['after-revocation-here 3: follows a revocation on its connection', 'revocation-run-here>=1'],
    ['after-options-here 3: comes on a connection with an OPTIONS', 'OPTIONS-here>=1'],
    ['after-head-here 2: follows a HEAD on its connection', 'HEAD-run-here>=1'],
    ['used-here 4: comes on a connection with a good request', 'use-here>=1'],
    [
      'its-use-here 3: comes on a connection that has used its token',
      before((past, { token }) => isUse(past, token)),
      { on: 'token' },
    ],
    ['unknown-token-here 3: comes on a connection with a token that was never issued', before(isUnknown)],
    [
      'after-token-here 3: follows a request with a token on its connection',
      m => m.connection.past[0]?.token !== undefined,
    ],
    ['named-host-here 4: comes on a connection with a request that had a Host', before(past => past.kind !== 'bare')],
    ['after-404-here 2: comes on a connection with a 404', '404-here>=1'],
    ['after-406-here 3: comes on a connection with a request without Host', 'bare-here>=1'],
    ['after-use-here 4: follows a good request on its connection', 'use-run-here>=1'],
    ['after-two-uses-here 3: follows two good requests on its connection', 'use-run-here>=2'],
    [
      'other-token-here 4: comes on a connection that another token has used',
      before((past, { token }) => past.token !== token && isUse(past, past.token)),
    ],
  ]),
  ...rows('connection', { isPlain: true, needsWaiting: true, dimension: 'time of the connection' }, [
    ['rested-a-minute 3: comes on a connection that has rested a minute', 'rested-ms>=60000'],
    ['rested-a-tenth 2: comes on a connection that has rested a tenth of the lifetime', 'rested>=0.1'],
    ['old-connection 2: comes on a connection as old as half of the lifetime', 'open>=0.5'],
  ]),
  ...rows('connection', {}, [
    [
      'head-in-pieces 4: has a head that comes in pieces',
      ({ pieces }) => pieces.head > 1,
      { isPlain: true, dimension: 'pieces of the head' },
    ],
    [
      'resumed-session 4: comes on a connection that resumes a TLS session',
      ({ head: { connection } }) => connection instanceof TLSSocket && connection.isSessionReused(),
      { isPlain: true, dimension: 'TLS', needsTls: true },
    ],
    [
      'pipelined 3: comes before the one before it is answered',
      m => m.head.isPipelined === true,
      { dimension: 'pipelined' },
    ],
    [
      'eight-connections 2: comes while eight connections are open',
      (_, w) => w.openConnections() >= 8,
      { isLimitLike: true, dimension: 'open connections' },
    ],
  ]),
]

const EARLIER = [
  ...rows('earlier requests', { isPlain: true }, [
    ['after-any-logon 2: comes when somebody has logged on', 'logon-count>=1'],
    ['a-token-was-used 2: comes when a token has been used', (_, { tokens }) => tokens.some(({ uses }) => uses > 0)],
    ['after-logon 3: follows a logon', 'logon-run>=1'],
    ['after-refused-logon 4: follows a refused logon', 'refused-logon-run>=1'],
    ['after-revocation 4: follows a revocation', 'revocation-run>=1'],
    ['after-refusal 3: follows a refusal', 'refusal-run>=1'],
    ['after-no-host 3: follows a request without Host', 'bare-run>=1'],
  ]),
  ...rows('earlier requests', { isPlain: true, needsWaiting: true, dimension: 'quiet' }, [
    ['quiet-a-minute 3: comes after a minute without any request', 'quiet-ms>=60000'],
    ['quiet-half 2: comes after half of the lifetime without any request', 'quiet>=0.5'],
  ]),
  ...rows('earlier requests', {}, [['after-options 2: follows an OPTIONS', 'OPTIONS-run>=1']]),
  ...rows('earlier requests', { isPlain: true, isLimitLike: true }, [
    ['after-two-refusals 3: follows two refusals in a row', 'refusal-run>=2'],
    ['after-five-refusals 2: follows five refusals in a row', 'refusal-run>=5'],
    ['after-five-uses 2: follows five good requests in a row', 'use-run>=5'],
  ]),
  ...rows('earlier requests', { dimension: 'lives', on: 'empty' }, [
    ['no-token-lives 2: comes while no token is valid', 'live=0'],
  ]),
  ...rows('earlier requests', { isPlain: true, isLimitLike: true, dimension: 'lives' }, [
    ['one-token-lives 3: comes while one token is valid', 'live=1'],
    ['two-tokens-live 2: comes while two tokens or more are valid', 'live>=2'],
    ['five-tokens-live 3: comes while five tokens or more are valid', 'live>=5'],
    ['ten-tokens-live 2: comes while ten tokens or more are valid', 'live>=10'],
  ]),
]

const beside = (is: (other: Moment, moment: Moment) => boolean) => (moment: Moment) =>
  moment.beside.some(other => is(other, moment))
const isAt = (name: string) => (other: Moment) => other.head.method === name && other.path === LOGON_PATH
const SAME_MOMENT = rows('same moment', { isLimitLike: true }, [
  ['beside-logon 4: comes at the same moment as a logon', beside(isAt('POST'))],
  ['beside-revocation 3: comes at the same moment as a revocation', beside(isAt('DELETE'))],
  ['beside-any 3: comes at the same moment as another', beside(() => true)],
  [
    'beside-same-token 4: comes at the same moment as another with its token',
    beside((other, { token }) => other.token === token),
    { on: 'token' },
  ],
])

/** A trigger that depends on the life of the token. */
const life = (is: (life: TokenLife, moment: Moment, watch: Watch) => boolean) => (moment: Moment, watch: Watch) =>
  moment.token !== undefined && is(moment.token, moment, watch)
const here = (which: 'bornOn' | 'lastOn') => life((life, moment) => life[which] === moment.head.connection)
const elsewhere = (which: 'bornOn' | 'lastOn') => life((life, moment) => life[which] !== moment.head.connection)
const bornAfter = (kind: Kind) => life(life => life.bornAfter === kind)
const TOKEN = [
  ...rows('token', { on: 'token', isPlain: true, dimension: 'uses' }, [
    ['never-used 4: carries a token that was never used', 'uses=0'],
    ['used-once 3: carries a token that was used once', 'uses=1'],
    ['used-twice 3: carries a token that was used twice', 'uses=2'],
    ['used-5-times 3: carries a token that was used five times or more', 'uses>=5'],
    ['used-10-times 2: carries a token that was used ten times or more', 'uses>=10'],
    ['used-17-times 1: carries a token that was used seventeen times or more', 'uses>=17'],
  ]),
  ...rows('token', { on: 'token', isPlain: true, needsWaiting: true, dimension: 'age' }, [
    ['age-a-twentieth 3: carries a token older than a twentieth of the lifetime', 'age>0.05'],
    ['age-half 4: carries a token older than half of the lifetime', 'age>0.5'],
    ['age-nine-tenths 2: carries a token older than nine tenths of the lifetime', 'age>0.9'],
    ['age-a-lifetime 3: carries a token older than the lifetime', 'age>1'],
    ['age-two-lifetimes 1: carries a token older than 1.9 lifetimes', 'age>1.9'],
    ['age-300-ms 1: carries a token younger than 300 ms', 'age-ms<300', { needsWaiting: false }],
    ['age-a-second 2: carries a token younger than a second', 'age-ms<1000', { needsWaiting: false }],
  ]),
  ...rows('token', { on: 'token', isPlain: true, needsWaiting: true, dimension: 'time without use' }, [
    ['idle-a-twentieth 3: carries a token unused for a twentieth of the lifetime', 'unused>0.05'],
    ['idle-half 4: carries a token unused for half of the lifetime', 'unused>0.5'],
    ['idle-nine-tenths 2: carries a token unused for nine tenths of the lifetime', 'unused>0.9'],
  ]),
  ...rows('token', { on: 'token', dimension: 'time without use' }, [
    ['used-a-moment-ago 3: carries a token used less than a second ago', 'unused-ms<1000'],
  ]),
  ...rows('token', { on: 'token', isPlain: true, dimension: 'place of the token' }, [
    [
      'other-back-end 3: carries a token that was issued on a connection to the other of two back ends, which take turns',
      life((t, m, w) => w.numberOf(t.bornOn) % 2 !== m.connection.number % 2),
    ],
    ['issued-here 4: carries a token that was issued on its connection', here('bornOn')],
    ['issued-elsewhere 3: carries a token that was issued on another connection', elsewhere('bornOn')],
    ['last-used-elsewhere 3: carries a token that was last used on another connection', elsewhere('lastOn')],
    ['last-used-here 3: carries a token that was last used on its connection', here('lastOn')],
    [
      'last-use-open 2: carries a token while the connection of its last use is open',
      life(t => !(t.lastOn as Socket).destroyed),
    ],
  ]),
  ...rows('token', { on: 'token', isLimitLike: true, dimension: 'rank' }, [
    ['newest-token 3: carries the newest token', life((t, _m, w) => w.tokens.at(-1) === t)],
    ['not-newest-token 3: carries a token that is not the newest', life((t, _m, w) => w.tokens.at(-1) !== t)],
    ['oldest-token 3: carries the oldest of the valid tokens', life((t, _m, w) => w.valid()[0] === t)],
  ]),
  ...rows('token', { on: 'token', isPlain: true, dimension: 'birth' }, [
    ['issued-alone 2: carries a token issued while no other was valid', 'born-beside=0', { isLimitLike: true }],
    [
      'issued-beside-others 2: carries a token issued while three others were valid',
      'born-beside>=3',
      { isLimitLike: true },
    ],
    ['issued-after-refused-logon 3: carries a token issued after a refused logon', bornAfter('refused logon')],
    ['issued-after-revocation 3: carries a token issued after a revocation', bornAfter('revocation')],
  ]),
  ...rows('token', { on: 'token', isPlain: true, dimension: 'text' }, [
    ['every-second-token 2: carries every second token', 'token%2'],
    ['every-third-token 2: carries every third token', 'token%3'],
    ['every-fifth-token 1: carries every fifth token', 'token%5'],
    ['token-begins-with-digit 2: carries a token that begins with a digit', life(({ text }) => /^\d/.test(text))],
    ['token-ends-with-letter 2: carries a token that ends with a letter', life(({ text }) => /[a-z]$/.test(text))],
    ['token-holds-00 2: carries a token with two zeros in a row', life(({ text }) => text.includes('00'))],
  ]),
]

const DEAD = [
  ...rows('token', { on: 'dead', dimension: 'since the end' }, [
    [
      'no-logon-since 3: comes before the first logon after its end',
      life((t, _m, w) => w.lastLogonMs < (t.revokedMs ?? t.lastUsedMs + w.subject.idleLifetimeMs)),
    ],
    [
      'revoked-elsewhere 3: carries a token that was revoked on another connection',
      life((t, m) => t.revokedOn !== undefined && t.revokedOn !== m.head.connection),
    ],
  ]),
  ...rows('token', { on: 'dead', dimension: 'looks' }, [
    ['first-look 3: carries it for the first time since its end', 'looks=0'],
    ['second-look 3: carries it for the second time since its end', 'looks=1'],
    ['third-look 3: carries it for the third time or more since its end', 'looks>=2'],
  ]),
  ...rows('token', { on: 'dead', dimension: 'time since the end', needsWaiting: true }, [
    ['ended-now 3: comes within a second of its end', 'ended-ms<1000', { needsWaiting: false }],
    ['ended-a-twentieth-ago 3: comes a twentieth of the lifetime after its end', 'ended>=0.05'],
    ['ended-half-ago 3: comes half of the lifetime after its end', 'ended>=0.5'],
    ['ended-1.5-lifetimes-ago 1: comes one and a half lifetimes after its end', 'ended>=1.5'],
    ['ended-a-lifetime-ago 2: comes a lifetime after its end', 'ended>=1'],
  ]),
]

const body = (pattern: RegExp) => (moment: Moment) => pattern.test(moment.body ?? '')
const isLogonPast = ({ kind }: Past) => kind === 'logon' || kind === 'refused logon'
const LOGON_FORM = [
  ...rows('logon form', { on: 'logon', isPlain: true }, [
    ['body-apart 3: has a body that comes after its head', m => m.pieces.body > 0, { dimension: 'pieces of the body' }],
    [
      'password-first 3: has the password before the username',
      body(/"password".*"username"/s),
      { dimension: 'order of members' },
    ],
    ['white-space 3: has white space in its body', body(/[:,{]\s/), { dimension: 'spelling' }],
    ['escape 3: has an escape in its body', body(/\\/), { dimension: 'spelling' }],
  ]),
  ...rows('logon form', { on: 'logon', dimension: 'members' }, [
    ['further-member 3: has a further member in its body', body(/(":.*){3}/s)],
    ['claims-authenticated 2: says that it is authenticated', body(/"authenticated"\s*:\s*true/)],
  ]),
  ...rows('logon form', { on: 'logon', isPlain: true, isLimitLike: true, dimension: 'again' }, [
    [
      'sent-before 3: was sent before, with the same body',
      (m, { past }) => past.some(({ body }) => body !== undefined && body === m.body),
    ],
    [
      'sent-just-before 3: has the same body as the logon before it',
      (m, { past }) => past.find(isLogonPast)?.body === m.body,
    ],
  ]),
  ...rows('logon form', { on: 'logon', dimension: 'field Content-Type' }, [
    ['charset 3: names a charset', m => values(m, 'content-type').some(value => /charset/i.test(value))],
  ]),
  ...rows('logon form', { on: 'logon', dimension: 'token of a logon' }, [
    ['carries-valid-token 4: carries a valid token', m => m.isValid],
    ['carries-dead-token 3: carries a token that has ended', m => m.token !== undefined && !m.isValid],
    ['carries-unknown-token 3: carries a token that was never issued', m => carriedBy(m) === 'unknown'],
  ]),
]

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
