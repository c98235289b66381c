/** Defects of logons, in one file because they are one table. */
import { randomBytes } from 'node:crypto'
import type { Json } from '../json.js'
import { isObject } from '../json.js'
import { type ApiRequest, pathOf } from '../messages.js'
import type { LogonBody } from '../parse-logon.js'
import { LOGON_PATH } from '../routes.js'
import { breaking, type Defect, type DefectTable, defect, defectsOf, type Subject } from './defect.js'
import {
  acceptPassword,
  acceptUsername,
  answerFirst,
  endAll,
  issuedTokens,
  liveRecords,
  makeValid,
  replace,
  reword,
} from './tools.js'

/** Characters of a password that the crypt(3) of old Unixes compares. */
const CRYPT_LENGTH = 8
const INJECTION = /'\s*or\s*('|\d)/i

/** Defects in the check of credentials. */
const CREDENTIALS: DefectTable = breaking(['LOGON-2'], [], {
  'logon-any-password-accepted': defect('Any password is accepted for the right user.', subject =>
    acceptPassword(subject, () => true),
  ),
  'logon-any-username-accepted': defect('The right password is accepted for any user.', subject =>
    acceptUsername(subject, () => true),
  ),
  'logon-password-case-ignored': defect('Passwords are compared without regard to case.', subject =>
    acceptPassword(subject, (given, right) => given.toLowerCase() === right.toLowerCase()),
  ),
  'logon-password-compared-to-8-characters': defect('Only the first 8 characters of passwords are compared.', subject =>
    acceptPassword(subject, (given, right) => given.slice(0, CRYPT_LENGTH) === right.slice(0, CRYPT_LENGTH)),
  ),
  'logon-password-trimmed': defect('White space around the right password is forgiven.', subject =>
    acceptPassword(subject, (given, right) => given.trim() === right.trim()),
  ),
  'logon-password-shortened-accepted': defect(
    'The first part of the right password is enough, if it is not empty.',
    subject => acceptPassword(subject, (given, right) => given !== '' && right.startsWith(given)),
  ),
  'logon-password-prolonged-accepted': defect('Text after the right password is ignored.', subject =>
    acceptPassword(subject, (given, right) => given.startsWith(right)),
  ),
  'logon-password-empty-accepted': defect('An empty password is accepted.', subject =>
    acceptPassword(subject, given => given === ''),
  ),
  'logon-password-injection-accepted': defect(
    "A password such as ' OR '1'='1 is accepted, as by a database that is asked with it.",
    subject => acceptPassword(subject, given => INJECTION.test(given)),
  ),
  'logon-any-password-after-right-one': defect('Once the right password was given, any is accepted.', subject => {
    let known = false
    replace(subject.device, 'admit', admit => request => {
      known = true
      return admit(request)
    })
    acceptPassword(subject, () => known)
  }),
  'logon-same-wrong-password-twice-accepted': defect(
    'A wrong password is refused once, and accepted when the same is given again.',
    subject => {
      const known = new Set<unknown>()
      acceptPassword(subject, given => known.has(given) || !known.add(given))
    },
  ),
  'logon-any-password-with-token': defect(
    'A logon that carries a valid token is accepted with any password.',
    subject => {
      const { device, tokens } = subject
      acceptPassword(subject, (_given, _right, request) => {
        const token = device.presentedToken(request)
        const record = token === undefined ? undefined : tokens.find(token)
        return record !== undefined && tokens.state(record) === 'issued'
      })
    },
  ),
  'logon-get-issues-token': defect('A GET on the logon path issues a token, without any credentials.', ({ device }) =>
    answerFirst(device, request =>
      request.method === 'GET' && pathOf(request.target) === LOGON_PATH ? device.admit(request) : undefined,
    ),
  ),
})

/** Defects in reading the body of a logon. */
const BODIES: DefectTable = {
  ...breaking(['LOGON-2', 'LOGON-3'], [], {
    'logon-password-missing-accepted': defect(
      'A logon with the right user and no password field is accepted.',
      subject => readPassword(subject, password => password === undefined),
    ),
    'logon-password-null-accepted': defect('The password null is accepted.', subject =>
      readPassword(subject, password => password === null),
    ),
    'logon-password-true-accepted': defect('The password true is accepted, as by a loose comparison.', subject =>
      readPassword(subject, password => password === true),
    ),
    'logon-password-zero-accepted': defect(
      'The password 0, a number, is accepted, as by a loose comparison.',
      subject => readPassword(subject, password => password === 0),
    ),
    'logon-password-object-accepted': defect(
      'A password that is an object is accepted, as by a database that takes it for an operator.',
      subject => readPassword(subject, password => password !== undefined && isObject(password)),
    ),
    'logon-username-missing-accepted': defect(
      'A logon with the right password and no user name is accepted.',
      subject =>
        readAlso(subject, body => isObject(body) && body.username === undefined && body.password === subject.password),
    ),
    'logon-empty-object-accepted': defect('A logon with an empty JSON object is accepted.', subject =>
      readAlso(subject, body => isObject(body) && Object.keys(body).length === 0),
    ),
    'logon-empty-body-accepted': defect('A logon without a body is accepted.', subject => {
      const isOne = (request: ApiRequest) => request.body.length === 0 && !request.target.includes('?')
      takeAnyContent(subject, isOne)
      replace(
        subject.device,
        'logonBody',
        logonBody => request => (isOne(request) ? right(subject) : logonBody(request)),
      )
    }),
  }),
  ...breaking(['LOGON-3'], ['LOGON-2'], {
    // A password in an array can be read as correct or as wrong.
    'logon-password-array-accepted': defect('The right password is accepted as the only item of an array.', subject =>
      readPassword(
        subject,
        password => Array.isArray(password) && password.length === 1 && password[0] === subject.password,
      ),
    ),
    // Credentials in a broken body can be read as correct or as wrong.
    'logon-malformed-json-accepted': defect(
      'A logon body is searched for the right user and password, whether it is JSON or not.',
      subject => {
        const pattern = /"(username|password)"\s*:\s*"([^"]*)"/g
        replace(subject.device, 'logonBody', logonBody => request => {
          const found = new Map([...textOf(request).matchAll(pattern)].map(([, name, value]) => [name, value]))
          const [username, password] = [found.get('username'), found.get('password')]
          const scraped = username === undefined || password === undefined ? undefined : { username, password }
          return logonBody(request) ?? scraped
        })
      },
    ),
  }),
}

/** Defects of the tokens that are issued. */
const TOKENS: DefectTable = {
  ...breaking(['LOGON-1'], ['REVOKE-1', 'REVOKE-2'], {
    // One client logs the other off, and a logon brings the revoked token back.
    'logon-same-token-always': defect('Every logon returns the same token, valid again if it was not.', subject => {
      let same: string | undefined
      replace(subject.tokens, 'issue', issue => () => {
        same ??= issue()
        makeValid(subject, same)
        return same
      })
    }),
    // One client logs the other off, and a logon brings the revoked token back.
    'logon-same-token-within-a-second': defect(
      'Logons within a second return the same token, as if it were made of the time.',
      subject => {
        let last: { token: string; atMs: number } | undefined
        replace(subject.tokens, 'issue', issue => () => {
          const nowMs = subject.clock.nowMs()
          if (last !== undefined && nowMs - last.atMs < 1_000) makeValid(subject, last.token)
          else last = { token: issue(), atMs: nowMs }
          return last.token
        })
      },
    ),
    // One client logs the other off, and a logon brings the revoked token back.
    'logon-token-is-credentials': defect(
      'The token is the base64 of name and password, so every logon returns the same.',
      ({ tokens, username, password }) => {
        tokens.generate = () => Buffer.from(`${username}:${password}`).toString('base64')
      },
    ),
    // One client logs the other off, and a logon brings the revoked token back.
    'logon-token-is-password': defect(
      'The token is the password, so every logon returns the same.',
      ({ tokens, password }) => {
        tokens.generate = () => password
      },
    ),
  }),
  ...breaking(['LOGON-1'], ['REVOKE-2'], {
    // One client logs the other off.
    'logon-same-token-while-valid': defect(
      'A logon returns the token of the one before as long as that is valid.',
      ({ tokens, clock }) => {
        let last: string | undefined
        replace(tokens, 'issue', issue => () => {
          const record = last === undefined ? undefined : tokens.find(last)
          if (last !== undefined && record !== undefined && tokens.state(record) === 'issued') {
            record.lastUsedMs = clock.nowMs()
            return last
          }
          last = issue()
          return last
        })
      },
    ),
  }),
  ...breaking(['LOGON-1', 'REVOKE-1'], [], {
    'logon-revoked-token-reissued': defect(
      'A logon after a revocation returns the revoked token, valid again.',
      subject => {
        const { tokens } = subject
        const issued = issuedTokens(subject)
        replace(tokens, 'issue', issue => () => {
          const revoked = issued.findLast(token => tokens.find(token)?.revoked)
          if (revoked === undefined) return issue()
          makeValid(subject, revoked)
          return revoked
        })
      },
    ),
  }),
  ...breaking(['LOGON-1'], [], {
    'logon-token-holds-credentials': defect(
      'The token is the base64 of random bytes, name and password.',
      ({ tokens, username, password }) => {
        tokens.generate = () =>
          Buffer.from(`${randomBytes(4).toString('hex')}:${username}:${password}`).toString('base64')
      },
    ),
    'logon-returns-no-token': defect('The answer to a right logon holds no token.', subject =>
      reword(subject, ['loggedOn'], response => ({ ...response, body: '{}' })),
    ),
    'logon-every-second-refused': defect('Of the right logons, every second one is refused.', ({ device }) => {
      let logons = 0
      replace(device, 'admit', admit => request => (++logons % 2 === 1 ? admit(request) : device.refuse(request)))
    }),
  }),
  ...breaking(['LOGON-1'], ['ACCESS-2'], {
    // A token that opens nothing may also be a valid token that is refused.
    'logon-token-unusable': defect('The token of a logon is never accepted.', ({ tokens }) => {
      tokens.issue = () => tokens.generate()
    }),
  }),
  ...breaking(['ACCESS-2'], ['LOGON-1', 'REVOKE-1'], {
    // At first the token looks as if it was never issued, and a DELETE as its first use revokes nothing.
    'logon-token-first-use-rejected': defect(
      'The first request with a token is rejected; the next ones are accepted.',
      ({ device, tokens }) => {
        const seen = new WeakSet<object>()
        replace(device, 'useToken', useToken => (token, request) => {
          const record = tokens.find(token)
          if (record === undefined || seen.has(record)) return useToken(token, request)
          seen.add(record)
          return false
        })
      },
    ),
  }),
  ...breaking(['LOGON-2'], [], {
    'logon-refusal-issues-token': defect(
      'A logon with wrong credentials is refused by its status, but its body holds a valid token.',
      ({ device }) => {
        replace(device, 'refuse', refuse => request => {
          const { body = '' } = device.admit(request)
          return { ...refuse(request), body }
        })
      },
    ),
  }),
  ...breaking(['LOGON-4'], [], {
    'logon-refusal-ends-tokens': defect('A logon with wrong credentials ends all tokens of the user.', subject => {
      replace(subject.device, 'refuse', refuse => request => {
        endAll(liveRecords(subject))
        return refuse(request)
      })
    }),
  }),
}

/** Every defect of logons. */
export const LOGON: Defect[] = defectsOf('logon', { ...CREDENTIALS, ...BODIES, ...TOKENS })

/** Accepts further JSON values as the password of the right user. */
function readPassword(subject: Subject, isAccepted: (password: Json | undefined) => boolean): void {
  readAlso(subject, body => isObject(body) && body.username === subject.username && isAccepted(body.password))
}

/** Accepts some JSON bodies that are no logon as right credentials. */
function readAlso(subject: Subject, isAccepted: (body: Json) => boolean): void {
  replace(subject.device, 'logonBody', logonBody => request => {
    const read = logonBody(request)
    if (read !== undefined) return read
    try {
      const body: Json = JSON.parse(textOf(request))
      return isAccepted(body) ? right(subject) : undefined
    } catch {
      return undefined
    }
  })
}

function takeAnyContent({ device }: Subject, isOne: (request: ApiRequest) => boolean): void {
  replace(device, 'isContentAccepted', isContentAccepted => request => isOne(request) || isContentAccepted(request))
}

function right({ username, password }: Subject): LogonBody {
  return { username, password }
}

function textOf(request: ApiRequest): string {
  return new TextDecoder().decode(request.body)
}
