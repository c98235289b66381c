/**
 * Defects that a list of examples misses: each shows in only a few variations of a family. In one file because they are one table.
 */
import { type Json, parseJsonObject } from '../json.js'
import { headerValues, pathOf } from '../messages.js'
import { LOGON_PATH } from '../routes.js'
import { breaking, type Defect, type DefectTable, defect, defectsOf, type Subject } from './defect.js'
import {
  acceptPassword,
  acceptResembling,
  acceptUsername,
  alsoLookIn,
  answerFirst,
  endAll,
  isLogon,
  isRevocation,
  issuedTokens,
  liveRecords,
  openIf,
  replace,
  resetIf,
  slowLogon,
} from './tools.js'

const ACCESS: DefectTable = {
  ...breaking(['ACCESS-1'], ['REVOKE-2'], {
    // DELETE with another character there ends the token.
    'access-17th-character-ignored': defect('The 17th character of a token is not compared.', subject => {
      const bare = (token: string) => token.slice(0, 16) + token.slice(17)
      acceptResembling(
        subject,
        (presented, token) => presented.length === token.length && bare(presented) === bare(token),
      )
    }),
    // DELETE with such a text ends the token.
    'access-padded-token-accepted': defect('A token with equals signs behind it is accepted.', subject =>
      acceptResembling(subject, (presented, token) => presented.replace(/=+$/, '') === token),
    ),
    // DELETE with a dot behind the token ends the token.
    'access-token-with-suffix-accepted': defect('Text behind a dot after a token is ignored.', subject =>
      acceptResembling(subject, (presented, token) => presented.split('.')[0] === token),
    ),
  }),
  ...breaking(['ACCESS-1'], [], {
    'access-http10-compares-half': defect('Over HTTP/1.0, the second half of a token is not compared.', subject => {
      const issued = issuedTokens(subject)
      const half = (token: string) => token.slice(0, token.length / 2)
      replace(subject.device, 'presentedToken', presentedToken => request => {
        const presented = presentedToken(request)
        if (presented === undefined || request.httpVersion !== '1.0') return presented
        return (
          issued.findLast(token => half(token) === half(presented) && token.length === presented.length) ?? presented
        )
      })
    }),
    'access-head-with-many-headers-needs-no-token': defect(
      'Without a token, HEAD with more than 64 header fields gets the answer that needs a token.',
      subject => openIf(subject, ({ method, headers }) => method === 'HEAD' && headers.length > 64),
    ),
    'access-null-token-accepted': defect('The word null in the place of a token is accepted.', ({ device }) =>
      replace(device, 'useToken', useToken => (token, request) => useToken(token, request) || token === 'null'),
    ),
    'access-unspaced-scheme-accepted': defect(
      'A token right after the word Bearer, without a blank, is accepted.',
      subject =>
        alsoLookIn(
          subject,
          ({ headers }) => /^Bearer([!-~]+)$/.exec(headerValues(headers, 'authorization')[0] ?? '')?.[1],
        ),
    ),
    'access-referer-needs-no-token': defect('A request with a Referer is accepted without a token.', subject =>
      openIf(subject, ({ headers }) => headerValues(headers, 'referer').length > 0),
    ),
    'access-preflight-headers-need-no-token': defect(
      'A request of any method with the headers of a preflight is accepted without a token.',
      subject => openIf(subject, ({ headers }) => headerValues(headers, 'access-control-request-method').length > 0),
    ),
    'access-long-target-needs-no-token': defect(
      'A request whose target is longer than 255 characters is accepted without a token.',
      subject => openIf(subject, ({ target }) => target.length > 255),
    ),
    'access-post-needs-no-token': defect(
      'POST is answered as GET, without a token, everywhere but at the logon.',
      ({ device }) =>
        answerFirst(device, request => {
          const path = pathOf(request.target)
          if (request.method !== 'POST' || path === LOGON_PATH || !device.routes[path]?.GET) return undefined
          return device.route(path, { request: { ...request, method: 'GET' }, token: undefined })
        }),
    ),
    'access-encoded-slash-needs-no-token': defect(
      'A path with an encoded slash in it leads to the same endpoint, and wants no token.',
      ({ device }) =>
        answerFirst(device, request => {
          const path = pathOf(request.target).replace(/%2f/gi, '/')
          if (path === pathOf(request.target) || !device.routes[path]?.[request.method]) return undefined
          return device.presentedToken(request) === undefined
            ? device.route(path, { request, token: undefined })
            : undefined
        }),
    ),
  }),
  ...breaking(['ACCESS-3'], ['ACCESS-1', 'REVOKE-2'], {
    // The stray token opens the API without the header, and ends there.
    'access-token-in-body-accepted': defect(
      'A token is also taken from the body, from the member token of a JSON object.',
      subject =>
        alsoLookIn(subject, request =>
          isLogon(request) ? undefined : /"token":"([^"]+)"/.exec(String(request.body))?.[1],
        ),
    ),
  }),
}

const HOST: DefectTable = {
  ...breaking(['HOST-1'], [], {
    'host-looked-for-after-token': defect(
      'A request without the Host header is told first that its token is not good.',
      ({ device, tokens }) => {
        replace(device, 'screen', screen => head => {
          const refused = screen(head)
          const [value] = headerValues(head.headers, 'authorization')
          const record = value === undefined ? undefined : tokens.find(value.replace(/^Bearer +/i, ''))
          const isGood = record !== undefined && tokens.state(record) === 'issued'
          return refused && value !== undefined && !isGood ? device.say('tokenRefused') : refused
        })
      },
    ),
  }),
  ...breaking(['HOST-2'], [], {
    'host-missing-with-query-revokes': defect(
      'DELETE logon with a query and without the Host header is answered 406, and revokes the token that it carries.',
      ({ device, tokens }) => {
        replace(device, 'screen', screen => head => {
          const refused = screen(head)
          if (refused && isRevocation(head) && head.target.includes('?')) {
            const token = /^Bearer +(\S+)$/i.exec(headerValues(head.headers, 'authorization')[0] ?? '')?.[1]
            if (token !== undefined && tokens.find(token)) tokens.revoke(token)
          }
          return refused
        })
      },
    ),
  }),
}

const LOGON: DefectTable = {
  ...breaking(['LOGON-2'], [], {
    'logon-username-as-password-accepted': defect('The user name is taken as the password, too.', subject =>
      acceptPassword(subject, given => given === subject.username),
    ),
    'logon-wide-letters-accepted': defect(
      'Passwords are compared after a compatibility normalization: the right one in wide letters is accepted.',
      subject => acceptPassword(subject, (given, right) => given.normalize('NFKC') === right),
    ),
    'logon-password-as-pattern': defect(
      'The password is compared with LIKE of SQL: a percent sign stands for any text.',
      subject => acceptPassword(subject, given => given === '%'),
    ),
    'logon-username-prolonged-accepted': defect('Text after the right user name is ignored.', subject =>
      acceptUsername(subject, given => given.startsWith(subject.username)),
    ),
    'logon-username-empty-accepted': defect('The right password is accepted with an empty user name.', subject =>
      acceptUsername(subject, given => given === ''),
    ),
    'logon-password-last-character-ignored': defect(
      'The last character of a password is not compared, only that there is one.',
      subject =>
        acceptPassword(
          subject,
          (given, right) => given.length === right.length && given.slice(0, -1) === right.slice(0, -1),
        ),
    ),
    'logon-password-anagram-accepted': defect(
      'A password of the same characters in another order is accepted, as by a sum of them.',
      subject => acceptPassword(subject, (given, right) => [...given].sort().join('') === [...right].sort().join('')),
    ),
    'logon-password-cut-to-bytes': defect('Of each character of a password, the last 8 bits are compared.', subject =>
      acceptPassword(subject, (given, right) => Buffer.from(given, 'latin1').toString('latin1') === right),
    ),
    'logon-password-length-in-a-byte': defect(
      'The length of a password is kept in a byte, so 256 more characters are not seen.',
      subject => acceptPassword(subject, (given, right) => given.slice(0, given.length % 256) === right),
    ),
    'logon-password-in-base64-accepted': defect('The right password is accepted in base64, too.', subject =>
      acceptPassword(subject, (given, right) => given === Buffer.from(right).toString('base64')),
    ),
    'logon-header-names-user': defect(
      'A logon whose X-Remote-User is the user needs no right password, as behind a proxy that has checked it.',
      subject =>
        acceptPassword(
          subject,
          (_given, _right, { headers }) => headerValues(headers, 'x-remote-user')[0] === subject.username,
        ),
    ),
    'logon-claim-believed': defect('A logon with "authenticated": true in its body needs no right password.', subject =>
      readAs(subject, body => (body.authenticated === true ? { ...body, password: subject.password } : undefined)),
    ),
    'logon-put-needs-no-password': defect(
      'PUT on the logon path issues a token, whatever the password.',
      ({ device }) =>
        answerFirst(device, request =>
          request.method === 'PUT' && pathOf(request.target) === LOGON_PATH ? device.admit(request) : undefined,
        ),
    ),
    'logon-wrong-password-accepted-again': defect(
      'A wrong password that was just refused is accepted when it comes again at once.',
      subject => {
        let last: string | undefined
        replace(subject.device, 'matches', matches => (body, request) => {
          const isAgain = body.password === last
          last = body.password
          return matches(body, request) || (body.username === subject.username && isAgain)
        })
      },
    ),
    'logon-any-password-beside-right-one': defect(
      'While a right logon is being answered, which takes 25 ms, any password is accepted.',
      subject => {
        acceptPassword(subject, slowLogon(subject))
      },
    ),
    'logon-expired-token-suffices': defect(
      'A logon with an expired token in its Authorization header needs no right password.',
      ({ device, tokens }) =>
        replace(device, 'matches', matches => (body, request) => {
          const record = tokens.find(device.presentedToken(request) ?? '')
          return matches(body, request) || (record !== undefined && tokens.state(record) === 'expired')
        }),
    ),
  }),
  ...breaking(['LOGON-3'], ['LOGON-2'], {
    // A user name in an array can be read as correct or as wrong.
    'logon-username-array-accepted': defect('The right user name is accepted as the only item of an array.', subject =>
      readAs(subject, ({ username, ...rest }) =>
        Array.isArray(username) ? { username: username[0], ...rest } : undefined,
      ),
    ),
    // Without any credentials, they are not correct either.
    'logon-token-renewed-without-body': defect(
      'A logon with a valid token and no body issues another token.',
      ({ device, tokens }) =>
        answerFirst(device, request => {
          const record =
            isLogon(request) && request.body.length === 0 && tokens.find(device.presentedToken(request) ?? '')
          return record && tokens.state(record) === 'issued' ? device.admit(request) : undefined
        }),
    ),
  }),
  ...breaking(['LOGON-1'], [], {
    'logon-with-cookie-refused': defect('A logon that carries a cookie is refused.', ({ device }) =>
      answerFirst(device, request =>
        isLogon(request) && headerValues(request.headers, 'cookie').length > 0
          ? device.say('credentialsRefused')
          : undefined,
      ),
    ),
    'logon-password-first-refused': defect('A logon with the password before the user name is refused.', ({ device }) =>
      replace(
        device,
        'logonBody',
        logonBody => request => (/^\s*\{\s*"password"/.test(String(request.body)) ? undefined : logonBody(request)),
      ),
    ),
    'logon-escapes-refused': defect(
      'A logon body with escapes in it is refused, though its credentials are right.',
      ({ device }) =>
        replace(
          device,
          'logonBody',
          logonBody => request => (String(request.body).includes('\\') ? undefined : logonBody(request)),
        ),
    ),
  }),
  ...breaking(['LOGON-4'], [], {
    'logon-from-page-ends-others': defect('A logon that a page sends (Referer) ends all earlier tokens.', subject =>
      answerFirst(subject.device, request => {
        if (isLogon(request) && headerValues(request.headers, 'referer').length > 0) endAll(liveRecords(subject))
        return undefined
      }),
    ),
  }),
}

const REVOCATION: DefectTable = {
  ...breaking(['REVOKE-2'], [], {
    'revoke-takes-token-from-query': defect(
      'DELETE logon with a token in its query is rejected, and revokes that token.',
      subject => strayRevocation(subject, ({ target }) => target.split('?')[1] ?? ''),
    ),
  }),
  ...breaking(['REVOKE-1'], [], {
    'revoke-query-still-accepted': defect(
      'A revoked token is still accepted where the target has a query.',
      ({ device, tokens, clock, idleLifetimeMs }) =>
        replace(device, 'useToken', useToken => (token, request) => {
          const record = tokens.find(token)
          const isInTime = record !== undefined && clock.nowMs() - record.lastUsedMs < idleLifetimeMs
          return useToken(token, request) || (isInTime && record.revoked && request.target.includes('?'))
        }),
    ),
    'revoke-aged-does-nothing': defect(
      'A token that is older than half the lifetime is not revoked, although DELETE says so.',
      subject => revokeOnlyUntil(subject, 0.5),
    ),
    'revoke-old-does-nothing': defect(
      'A token that is older than the lifetime, and was kept alive by uses, is not revoked, although DELETE says so.',
      subject => revokeOnlyUntil(subject, 1),
    ),
    'revoke-with-content-length-0-does-nothing': defect(
      'A revocation with Content-Length: 0 is accepted and has no effect.',
      ({ device }) =>
        replace(device, 'revoke', revoke => visit => {
          const isEmpty = headerValues(visit.request.headers, 'content-length')[0] === '0'
          return isEmpty ? device.say('revoked') : revoke(visit)
        }),
    ),
  }),
  ...breaking(['REVOKE-2'], ['IDLE-2', 'IDLE-3'], {
    // The newest token may be that of a spec that waits: for it, the token ends before its lifetime.
    'revoke-aged-ends-newest': defect(
      'The revocation of a token that is older than half the lifetime ends also the newest one.',
      ({ tokens, clock, idleLifetimeMs }) => {
        const issued: { token: string; ms: number }[] = []
        replace(tokens, 'issue', issue => () => {
          const token = issue()
          issued.push({ token, ms: clock.nowMs() })
          return token
        })
        replace(tokens, 'revoke', revoke => token => {
          const ms = issued.find(each => each.token === token)?.ms
          revoke(token)
          const isLive = (record: ReturnType<typeof tokens.find>) =>
            record !== undefined && tokens.state(record) === 'issued'
          const newest = issued.findLast(each => each.token !== token && isLive(tokens.find(each.token)))
          if (newest && ms !== undefined && clock.nowMs() - ms >= idleLifetimeMs / 2) revoke(newest.token)
        })
      },
    ),
  }),
}

const IDLE: DefectTable = {
  ...breaking(['IDLE-1'], [], {
    'idle-expired-accepted-with-query': defect(
      'An expired token is still accepted where the target has a query.',
      ({ device, tokens }) =>
        replace(device, 'useToken', useToken => (token, request) => {
          const record = tokens.find(token)
          const isExpired = record !== undefined && !record.revoked && tokens.state(record) === 'expired'
          return useToken(token, request) || (isExpired && request.target.includes('?'))
        }),
    ),
  }),
  ...breaking(['IDLE-2'], [], {
    'idle-not-reset-by-query': defect('A request whose target has a query does not reset the idle timer.', subject =>
      resetIf(subject, ({ target }) => !target.includes('?')),
    ),
    'idle-not-reset-by-whole-url': defect(
      'A request whose target is a whole URL does not reset the idle timer.',
      subject => resetIf(subject, ({ target }) => target.startsWith('/')),
    ),
  }),
}

/** Lets a revocation have no effect on a token of some age. @param lifetimes in idle lifetimes */
function revokeOnlyUntil({ tokens, clock, idleLifetimeMs }: Subject, lifetimes: number): void {
  const issuedMs = new Map<string, number>()
  replace(tokens, 'issue', issue => () => {
    const token = issue()
    issuedMs.set(token, clock.nowMs())
    return token
  })
  replace(tokens, 'revoke', revoke => token => {
    if (clock.nowMs() - (issuedMs.get(token) ?? 0) < idleLifetimeMs * lifetimes) revoke(token)
  })
}

/** Lets a rejected DELETE revoke a token that it names in another place. */
function strayRevocation({ device, tokens }: Subject, named: (request: { target: string }) => string): void {
  replace(device, 'reject', reject => (path, request, presented) => {
    const token = isRevocation(request)
      ? named(request)
          .split(/[=&]/)
          .find(word => tokens.find(word))
      : undefined
    if (token !== undefined) tokens.revoke(token)
    return reject(path, request, presented)
  })
}

/** Every defect of families. */
export const FAMILIES: Defect[] = [
  ...defectsOf('access', ACCESS),
  ...defectsOf('host', HOST),
  ...defectsOf('idle', IDLE),
  ...defectsOf('logon', LOGON),
  ...defectsOf('revocation', REVOCATION),
]

type Fields = { readonly [key: string]: Json }

/** Reads some JSON objects in another way, as credentials that are then compared. */
function readAs({ device }: Subject, read: (body: Fields) => Fields | undefined): void {
  replace(device, 'logonBody', logonBody => request => {
    const body = parseJsonObject(request.body)
    const { username, password } = (body && read(body)) ?? {}
    return typeof username === 'string' && typeof password === 'string' ? { username, password } : logonBody(request)
  })
}
