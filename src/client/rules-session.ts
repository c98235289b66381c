/** The rules on how a client treats its token: logon, renewal, revocation. */
import { count } from '../ground/count.js'
import type { RecordedRequest } from '../mock/index.js'
import { endMs, isLogon, isRevocation, isWork } from './requests.js'
import { afterRefusal, canBeQueue, ENDING, numbers, type Rule } from './rule.js'

/** How often a rejected token may be sent again: once as a retry, and once to revoke it at the end. */
const REPEATS = 2

/** Most attempts with a wrong password. Accounts begin to lock after more. */
const ATTEMPTS = 3

/** The rules of a session. */
export const SESSION_RULES: readonly Rule[] = [
  {
    id: 'few-logons',
    level: 'should',
    title: 'one logon serves until its token ends',
    why: 'a Core may limit logons and tokens, and then locks everybody out',
    fix: 'keep the token and share it; run one renewal at a time, and give its new token to every request that waited',
    judge({ requests, eventAfter, elsewhere }) {
      const logons = requests.filter(({ issued }) => issued !== null)
      // A client that follows the redirect without the token is refused there, and may think that the token has ended.
      const needed = eventAfter === null && elsewhere.length === 0 ? 1 : 2
      if (logons.length === 0) return 'skipped'
      if (logons.length <= needed) return undefined
      return {
        got: `${count(logons.length, 'logon')} that gave a token, where ${needed} would do`,
        requests: numbers(logons),
      }
    },
  },
  {
    id: 'renewal',
    level: 'should',
    title: 'a client whose token was rejected logs on again, and goes on with its work',
    why: 'every token ends: by an hour without use, by a restart, by an administrator',
    fix: 'when a request is rejected, log on again and send the same request once more with the new token',
    scenarios: ENDING,
    judge({ requests, eventAfter }) {
      const after = requests.filter(({ number }) => eventAfter !== null && number > eventAfter)
      const rejected = after.filter(request => isWork(request) && request.token?.state !== 'valid')
      if (after.some(request => isWork(request) && request.token?.state === 'valid')) return undefined
      if (rejected.length === 0) return 'skipped'
      const times = `${count(rejected.length, 'request was', 'requests were')} rejected`
      const then = after.some(isLogon) ? 'a logon, and no accepted request after it' : 'no other logon'
      return { got: `${times}, then ${then}`, requests: numbers(rejected) }
    },
  },
  {
    id: 'no-loop',
    level: 'should',
    title: `a token that was rejected is sent no more than ${REPEATS} times again`,
    why: 'a client that goes on and on keeps a small Core from its work, and may be locked out',
    fix: 'never send a request again with the token that it was rejected with: log on first, and give up after one renewal',
    judge({ requests }) {
      const dead = requests.filter(({ token }) => token !== null && token.state !== 'valid')
      for (const number of new Set(dead.map(({ token }) => token?.number))) {
        const rejected = dead.filter(({ token }) => token?.number === number)
        const again = afterRefusal(rejected)
        if (again.length <= REPEATS) continue
        const got = `sent ${count(again.length, 'time')} after its rejection`
        if (!canBeQueue(rejected, requests)) return { got, requests: numbers(again) }
        return { got: `${got}, or in requests that had waited for a connection`, requests: numbers(again), open: true }
      }
      return undefined
    },
  },
  {
    id: 'few-attempts',
    level: 'should',
    title: `a wrong password is tried no more than ${ATTEMPTS} times`,
    why: 'accounts lock after a few wrong passwords, for everybody who uses them',
    fix: 'give up when a logon is refused, and say that the credentials are wrong',
    scenarios: ['wrong-password'],
    judge({ requests }) {
      const logons = requests.filter(isLogon)
      if (logons.length === 0) return 'skipped'
      return logons.length > ATTEMPTS ? { got: count(logons.length, 'logon'), requests: numbers(logons) } : undefined
    },
  },
  {
    id: 'after-revocation',
    level: 'should',
    title: 'a token that the client has revoked itself is not used again',
    why: 'the request is rejected, and what was to be done is not done',
    fix: 'revoke the token when all work is done, and forget it then',
    judge({ requests }) {
      const revocations = requests.filter(request => isRevocation(request) && isGranted(request))
      if (revocations.length === 0) return 'skipped'
      const used = requests.filter(
        request =>
          isWork(request) &&
          revocations.some(
            ({ token, ...rest }) => token?.number === request.token?.number && endMs({ ...rest, token }) < request.atMs,
          ),
      )
      return used.length === 0
        ? undefined
        : { got: 'a request with a token that it had revoked', requests: numbers(used) }
    },
  },
  {
    id: 'revokes',
    level: 'should',
    title: 'at its end it has revoked the tokens that it was given',
    why: 'a token that is left behind is good for another hour, and takes the place of another',
    fix: 'send DELETE /api/v0/logon with the token at the end, also when the work failed',
    scenarios: [...ENDING, 'normal', 'wrong-password', 'slow', 'too-many-requests', 'unavailable', 'not-acceptable'],
    judge({ tokens, end, requests, eventAfter }) {
      if (tokens.issued === 0 || (end.kind !== 'exit' && end.kind !== 'signal')) return 'skipped'
      if (tokens.live === 0) return undefined
      const revoked = new Set(requests.filter(isRevocation).map(({ token }) => token?.number))
      // The event ended the tokens that were issued before it.
      const issued = requests.filter(request => request.issued !== null && request.number > (eventAfter ?? 0))
      const left = issued.filter(request => !revoked.has(request.issued ?? 0))
      // The client tried to revoke them, and the Core refused.
      if (left.length === 0 && issued.length > 0) return undefined
      return { got: `${tokens.live} of ${tokens.issued} left live on the Core`, requests: numbers(left) }
    },
  },
]

function isGranted({ status, token }: RecordedRequest): boolean {
  return status !== null && status < 300 && token?.state === 'valid'
}
