/** Judges how a client treats its token: logon, renewal, revocation. `contracts/client-rules.yaml` says each rule. */
import { count } from '../ground/count.js'
import { endMs, isLogon, isRevocation, isRightWork, isWork } from './requests.js'
import { afterRefusal, canBeQueue, type Judges, shownBy } from './rule.js'

/** How often a rejected token may be sent again, as its rule says: once as a retry, and once to revoke it at the end. */
const REPEATS = 2

/** Most attempts with a wrong password, as their rule says. Accounts begin to lock after more. */
const ATTEMPTS = 3

/** The judges of the rules of a session. */
export const SESSION_JUDGES: Judges = {
  'few-logons'({ requests, eventAfter, elsewhere }) {
    const logons = requests.filter(({ issued }) => issued !== null)
    // A client that follows the redirect without the token is refused there, and may think that the token has ended.
    const needed = eventAfter === null && elsewhere.length === 0 ? 1 : 2
    if (logons.length === 0) return 'skipped'
    if (logons.length <= needed) return undefined
    return shownBy(logons, `${count(logons.length, 'logon')} that gave a token, where ${needed} would do`)
  },
  renewal({ requests, eventAfter }) {
    const after = requests.filter(({ number }) => eventAfter !== null && number > eventAfter)
    const rejected = after.filter(request => isWork(request) && !isRightWork(request))
    if (after.some(isRightWork)) return undefined
    if (rejected.length === 0) return 'skipped'
    const times = `${count(rejected.length, 'request was', 'requests were')} rejected`
    const then = after.some(isLogon) ? 'a logon, and no accepted request after it' : 'no other logon'
    return shownBy(rejected, `${times}, then ${then}`)
  },
  'no-loop'({ requests }) {
    const dead = requests.filter(({ token }) => token !== null && token.state !== 'valid')
    for (const number of new Set(dead.map(({ token }) => token?.number))) {
      const rejected = dead.filter(({ token }) => token?.number === number)
      const again = afterRefusal(rejected)
      if (again.length <= REPEATS) continue
      const isOpen = canBeQueue(rejected, requests)
      const others = isOpen ? ', or in requests that had waited for a connection' : ''
      return shownBy(again, `sent ${count(again.length, 'time')} after its rejection${others}`, isOpen)
    }
    return undefined
  },
  'few-attempts'({ requests }) {
    const logons = requests.filter(isLogon)
    if (logons.length === 0) return 'skipped'
    return logons.length > ATTEMPTS ? shownBy(logons, count(logons.length, 'logon')) : undefined
  },
  'after-revocation'({ requests }) {
    const revocations = requests.filter(
      request => isRevocation(request) && (request.status ?? 300) < 300 && request.token?.state === 'valid',
    )
    if (revocations.length === 0) return 'skipped'
    const used = requests.filter(isWork).filter(({ token, atMs }) => {
      return revocations.some(before => before.token?.number === token?.number && endMs(before) < atMs)
    })
    return shownBy(used, 'a request with a token that it had revoked')
  },
  revokes({ tokens, end, requests, eventAfter }) {
    if (tokens.issued === 0 || (end.kind !== 'exit' && end.kind !== 'signal')) return 'skipped'
    if (tokens.live === 0) return undefined
    const revoked = new Set(requests.filter(isRevocation).map(({ token }) => token?.number))
    // The event ended the tokens that were issued before it.
    const issued = requests.filter(request => request.issued !== null && request.number > (eventAfter ?? 0))
    const left = issued.filter(request => !revoked.has(request.issued ?? 0))
    // The client tried to revoke them, and the Core refused.
    if (left.length === 0 && issued.length > 0) return undefined
    return {
      got: `${tokens.live} of ${tokens.issued} left live on the Core`,
      requests: left.map(({ number }) => number),
    }
  },
}
