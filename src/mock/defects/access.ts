/** Defects of access, in one file because they are one table: each entry is a few lines of data and code. */
import { decoded } from '../../ground/decoded.js'
import { headerValues, pathOf, type RequestHead } from '../messages.js'
import { USERS_PATH } from '../routes.js'
import type { TokenRecord } from '../tokens.js'
import { breaking, type Defect, type DefectTable, defect, defectsOf, type Subject } from './defect.js'
import { acceptResembling, alsoLookIn, answerFirst, endAll, liveRecords, openIf, replace } from './tools.js'

/** Defects in the choice of requests that need a token. */
const OPEN: DefectTable = {
  ...Object.fromEntries(
    (
      [
        ['double-slash', 'with doubled slashes', path => path.replace(/\/{2,}/g, '/')],
        ['trailing-slash', 'with a slash at its end', path => path.replace(/\/+$/, '')],
        ['dot-segments', 'with . or .. in it', withoutDots],
        ['percent-encoded', 'with percent-encoded letters', decoded],
        ['upper-case', 'in capital letters', path => path.toLowerCase()],
        ['path-parameter', 'with ;parameters in it', path => path.replace(/;[^/]*/g, '')],
      ] as const satisfies [string, string, (path: string) => string][]
    ).map(([word, words, plain]) => [
      `access-${word}-needs-no-token`,
      {
        requirements: ['ACCESS-1'],
        about: `A path ${words} leads to the same endpoint, and wants no token.`,
        install: subject => openPath(subject, plain),
      } satisfies DefectTable[string],
    ]),
  ),
  ...breaking(['ACCESS-1'], [], {
    'access-no-token-accepted': defect('Requests without an Authorization header are accepted.', subject =>
      openIf(subject, request => authorization(request) === undefined),
    ),
    'access-head-needs-no-token': defect('HEAD requests without a token are accepted.', subject =>
      openIf(subject, request => request.method === 'HEAD'),
    ),
    'access-post-creates-without-token': defect('A POST without a token creates what it asks for.', ({ device }) =>
      replace(
        device,
        'reject',
        reject => (path, request, presented) =>
          request.method === 'POST' && path === USERS_PATH
            ? { status: 201, headers: [['Content-Type', 'application/json']], body: '{"id":3}' }
            : reject(path, request, presented),
      ),
    ),
    'access-next-version-needs-no-token': defect(
      'The users are served without a token under /api/v1 too.',
      ({ device }) =>
        replace(
          device,
          'answer',
          answer => request =>
            request.method === 'GET' && pathOf(request.target) === USERS_PATH.replace('v0', 'v1')
              ? device.route(USERS_PATH, { request, token: undefined })
              : answer(request),
        ),
    ),
    'access-http10-needs-no-token': defect('Requests over HTTP/1.0 without a token are accepted.', subject =>
      openIf(subject, request => request.httpVersion === '1.0'),
    ),
    'access-users-needs-no-token': defect('GET /api/v0/cores/self/users is accepted without a token.', subject =>
      openIf(subject, (_, path) => path === USERS_PATH),
    ),
    'access-query-needs-no-token': defect(
      'A request whose path has a query behind it is accepted without a token.',
      subject => openIf(subject, request => request.target.includes('?')),
    ),
    'access-absolute-form-needs-no-token': defect(
      'A request whose target is a whole URL is accepted without a token.',
      subject => openIf(subject, request => /^https?:/i.test(request.target)),
    ),
    'access-forwarded-needs-no-token': defect(
      'A request that says it was forwarded for 127.0.0.1 is accepted without a token.',
      subject => openIf(subject, request => headerValues(request.headers, 'x-forwarded-for').includes('127.0.0.1')),
    ),
    'access-empty-bearer-accepted': defect(
      'An Authorization header of the scheme alone, Bearer without a token, is accepted.',
      subject => openIf(subject, request => authorization(request)?.trim().toLowerCase() === 'bearer'),
    ),
    'access-credentials-as-basic-accepted': defect(
      'Name and password are accepted in place of a token, in the Basic scheme.',
      subject => {
        const credentials = Buffer.from(`${subject.username}:${subject.password}`).toString('base64')
        openIf(subject, request => authorization(request) === `Basic ${credentials}`)
      },
    ),
    'access-open-while-logged-on': defect(
      'As long as any token is valid, requests without one are accepted, as if the session were the address.',
      subject => openIf(subject, () => liveRecords(subject).length > 0),
    ),
  }),
}

/** Defects in finding and comparing a token. */
const COMPARED: DefectTable = {
  ...breaking(['ACCESS-1'], [], {
    'access-any-token-accepted': defect(
      'A token that was never issued is accepted, in any form.',
      ({ device, tokens }) =>
        replace(device, 'useToken', useToken => (token, request) => {
          return useToken(token, request) || tokens.find(token) === undefined
        }),
    ),
    'access-well-formed-token-accepted': defect(
      'A token that was never issued is accepted if it has the characters and the length of an issued one.',
      ({ device, tokens }) => {
        const { alphabet, length, prefix = '', suffix = '' } = tokens.parts.format
        const isWellFormed = (token: string) => {
          const random = token.slice(prefix.length, prefix.length + length)
          const inAlphabet = random.length === length && [...random].every(char => alphabet.includes(char))
          return inAlphabet && token === `${prefix}${random}${suffix}`
        }
        replace(device, 'useToken', useToken => (token, request) => {
          return useToken(token, request) || (tokens.find(token) === undefined && isWellFormed(token))
        })
      },
    ),
  }),
  ...breaking(['ACCESS-1'], ['REVOKE-2'], {
    // DELETE with the first part of a token ends the token.
    'access-shortened-token-accepted': defect('The first part of a token is taken for the token.', subject =>
      acceptResembling(subject, (presented, token) => token.startsWith(presented)),
    ),
    // DELETE with more than a token ends the token.
    'access-prolonged-token-accepted': defect('Text after a token is ignored.', subject =>
      acceptResembling(subject, (presented, token) => presented.startsWith(token)),
    ),
    // DELETE with the token in another case ends the token.
    'access-token-case-ignored': defect('Tokens are compared without regard to case.', subject =>
      acceptResembling(subject, (presented, token) => presented.toLowerCase() === token.toLowerCase()),
    ),
    // DELETE with another last character ends the token.
    'access-last-character-ignored': defect('The last character of a token is not compared.', subject =>
      acceptResembling(subject, (presented, token) => {
        return presented.length === token.length && presented.slice(0, -1) === token.slice(0, -1)
      }),
    ),
    // DELETE with another second half ends the token.
    'access-second-half-ignored': defect('Only the length and the first half of a token are compared.', subject =>
      acceptResembling(subject, (presented, token) => {
        return presented.length === token.length && token.startsWith(presented.slice(0, token.length / 2))
      }),
    ),
    // DELETE with another first half ends the token.
    'access-first-half-ignored': defect('Only the length and the second half of a token are compared.', subject =>
      acceptResembling(subject, (presented, token) => {
        return presented.length === token.length && token.endsWith(presented.slice(token.length / 2))
      }),
    ),
    // DELETE takes the token in that scheme too.
    'access-basic-scheme-accepted': defect('A token is accepted in the Basic scheme too.', subject =>
      alsoLookIn(subject, head => /^basic +(\S+)$/i.exec(authorization(head) ?? '')?.[1]),
    ),
    // DELETE takes the token in that scheme too.
    'access-any-scheme-accepted': defect('A token is accepted with any scheme.', subject =>
      alsoLookIn(subject, head => /^\S+ +(\S+)$/.exec(authorization(head) ?? '')?.[1]),
    ),
    // DELETE takes the bare token too.
    'access-bare-token-accepted': defect('A token is accepted without a scheme before it.', subject =>
      alsoLookIn(subject, head => /^\S+$/.exec(authorization(head) ?? '')?.[0]),
    ),
    // DELETE without a token, on such a connection, ends the remembered one.
    'access-authorization-remembered': defect(
      'A request without a token is accepted on a connection where an earlier one had a valid token.',
      ({ device }) => {
        const remembered = new WeakMap<object, string>()
        replace(device, 'useToken', useToken => (token, request) => {
          const valid = useToken(token, request)
          if (valid) remembered.set(request.connection, token)
          return valid
        })
        replace(device, 'presentedToken', presentedToken => request => {
          return presentedToken(request) ?? remembered.get(request.connection)
        })
      },
    ),
  }),
  ...breaking(['ACCESS-3'], [], {
    'access-token-in-query-accepted': defect('A token is accepted in the query, under any name.', subject =>
      alsoLookIn(subject, ({ target }) =>
        firstIssued(subject, [...new URLSearchParams(target.replace(/^[^?]*\??/, '')).values()]),
      ),
    ),
    'access-token-in-cookie-accepted': defect('A token is accepted in a cookie of any name.', subject =>
      alsoLookIn(subject, ({ headers }) =>
        firstIssued(
          subject,
          headerValues(headers, 'cookie')
            .flatMap(value => value.split(';'))
            .map(pair => pair.replace(/^[^=]*=/, '').trim()),
        ),
      ),
    ),
    'access-token-in-other-header-accepted': defect(
      'A token is accepted in any header whose name starts with X-, such as X-Auth-Token.',
      subject =>
        alsoLookIn(subject, ({ headers }) =>
          firstIssued(
            subject,
            headers.filter(([name]) => /^x-/i.test(name)).map(([, value]) => value.trim()),
          ),
        ),
    ),
    'access-token-beside-authorization-accepted': defect(
      'A token is accepted in X-API-Key or in a cookie, where the Authorization header has one that was never issued.',
      subject =>
        replace(subject.device, 'presentedToken', presentedToken => request => {
          const given = presentedToken(request)
          if (given === undefined || subject.tokens.find(given)) return given
          const others = request.headers.filter(([name]) => /^(x-api-key|cookie)$/i.test(name))
          const values = others.map(([, value]) => value.replace(/^[^=]*=/, '').trim())
          return firstIssued(subject, values) ?? given
        }),
    ),
  }),
}

/** Defects that reject valid tokens. */
const REFUSED: DefectTable = {
  ...breaking(['ACCESS-2'], ['LOGON-1'], {
    // From any other connection the token looks like one that was never issued.
    'access-token-bound-to-connection': defect(
      'A token is accepted only on the connection of its logon.',
      ({ device, tokens }) => {
        const bound = new WeakMap<TokenRecord, object>()
        let connection: object = {}
        replace(device, 'admit', admit => request => {
          connection = request.connection
          return admit(request)
        })
        replace(tokens, 'add', add => (token, record) => {
          bound.set(record, connection)
          add(token, record)
        })
        acceptOnly({ device, tokens }, (request, record) => bound.get(record) === request.connection)
      },
    ),
    // The token of the second client opens nothing.
    // Each of the other tokens takes a slot for good, since its revocation is rejected.
    'access-oldest-token-only': defect(
      "Of a user's tokens, only the oldest valid one is accepted.",
      subject => acceptOnly(subject, (_, record) => liveRecords(subject)[0] === record),
      { needsTokens: 4 },
    ),
  }),
  ...breaking(['ACCESS-2'], [], {
    'access-token-on-every-second-connection': defect(
      'There are two back ends that share no tokens, and connections go to them in turn.',
      ({ device, tokens }) => {
        const backEnds = new WeakMap<object, number>()
        let connections = 0
        const backEndOf = (connection: object): number => {
          const backEnd = backEnds.get(connection) ?? connections++ % 2
          backEnds.set(connection, backEnd)
          return backEnd
        }
        const homes = new WeakMap<TokenRecord, number>()
        let here = 0
        replace(device, 'answer', answer => request => {
          here = backEndOf(request.connection)
          return answer(request)
        })
        replace(tokens, 'add', add => (token, record) => {
          homes.set(record, here)
          add(token, record)
        })
        acceptOnly({ device, tokens }, (request, record) => homes.get(record) === backEndOf(request.connection))
      },
    ),
    'access-token-usable-after-300-ms': defect(
      'A token is accepted only 300 ms after it was issued.',
      ({ device, tokens, clock }) => {
        const issuedMs = new WeakMap<TokenRecord, number>()
        replace(tokens, 'add', add => (token, record) => {
          issuedMs.set(record, clock.nowMs())
          add(token, record)
        })
        acceptOnly({ device, tokens }, (_, record) => clock.nowMs() - (issuedMs.get(record) ?? 0) >= 300)
      },
    ),
    'access-token-usable-once': defect('A token is accepted once.', subject =>
      acceptOnly(
        subject,
        byCount((_, count) => count <= 1),
      ),
    ),
    'access-token-usable-five-times': defect('A token is accepted five times.', subject =>
      acceptOnly(
        subject,
        byCount((_, count) => count <= 5),
      ),
    ),
    'access-rejection-sticks-to-connection': defect(
      'After a rejection, everything on the same connection is rejected.',
      subject => {
        const barred = new WeakSet<object>()
        replace(subject.device, 'reject', reject => (path, request, presented) => {
          barred.add(request.connection)
          return reject(path, request, presented)
        })
        acceptOnly(subject, request => !barred.has(request.connection))
      },
    ),
  }),
  ...breaking(['ACCESS-2'], ['REVOKE-1'], {
    // A DELETE is among the rejected requests, and its token stays valid.
    'access-every-second-request-rejected': defect(
      'Of the requests with a valid token, every second one is rejected.',
      subject =>
        acceptOnly(
          subject,
          byCount((_, count) => count % 2 === 1),
        ),
    ),
  }),
  ...breaking(['ACCESS-2'], ['LOGON-4'], {
    // A client that logs on and uses the new token ends the token before it.
    'access-use-ends-older-tokens': defect('The use of a token ends the older ones of its user.', subject =>
      acceptOnly(subject, (_, record) => {
        const live = liveRecords(subject)
        for (const older of live.slice(0, live.indexOf(record))) older.revoked = true
        return true
      }),
    ),
  }),
  ...breaking(['ACCESS-2', 'REVOKE-1'], [], {
    'access-token-opens-users-only': defect(
      'A valid token is accepted on the users path only, and on no other, not even to revoke it.',
      subject => acceptOnly(subject, request => pathOf(request.target) === USERS_PATH),
    ),
  }),
  ...breaking(['ACCESS-2', 'REVOKE-2'], [], {
    'access-unknown-token-ends-all': defect(
      'A request with a token that was never issued is rejected, and ends all tokens.',
      subject => {
        replace(subject.device, 'reject', reject => (path, request, presented) => {
          if (presented !== undefined && subject.tokens.find(presented) === undefined) endAll(liveRecords(subject))
          return reject(path, request, presented)
        })
      },
    ),
  }),
}

/** Every defect of access: requests that are accepted or rejected wrongly. */
export const ACCESS: Defect[] = defectsOf('access', { ...OPEN, ...COMPARED, ...REFUSED })

/** Returns the value of the one Authorization header. */
function authorization(head: RequestHead): string | undefined {
  return headerValues(head.headers, 'authorization')[0]
}

/** Returns the first text that is an issued token, valid or not. */
function firstIssued({ tokens }: Subject, texts: string[]): string | undefined {
  return texts.find(text => tokens.find(text) !== undefined)
}

/** Accepts a valid token only for some requests. */
function acceptOnly(
  { device, tokens }: { device: Subject['device']; tokens: Subject['tokens'] },
  isAccepted: (request: RequestHead, record: TokenRecord) => boolean,
): void {
  replace(device, 'useToken', useToken => (token, request) => {
    const record = tokens.find(token)
    const barred = record !== undefined && tokens.state(record) === 'issued' && !isAccepted(request, record)
    return !barred && useToken(token, request)
  })
}

/** Makes a condition on a request and its number: 1 for the first request with its token. */
function byCount(isAccepted: (request: RequestHead, count: number) => boolean) {
  const counts = new WeakMap<TokenRecord, number>()
  return (request: RequestHead, record: TokenRecord): boolean => {
    const count = (counts.get(record) ?? 0) + 1
    counts.set(record, count)
    return isAccepted(request, count)
  }
}

/** Serves other spellings of a path from its endpoint without a check of the token. */
function openPath({ device }: Subject, plain: (path: string) => string): void {
  answerFirst(device, request => {
    const path = pathOf(request.target)
    const meant = plain(path)
    const endpoint = device.routes[meant]?.[request.method]
    if (meant === path || endpoint === undefined || device.presentedToken(request) !== undefined) return undefined
    return device.route(meant, { request, token: undefined })
  })
}

function withoutDots(path: string): string {
  return /\/\.{1,2}(\/|$)/.test(path) ? new URL(path, 'http://core').pathname : path
}
