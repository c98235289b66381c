/** The rules on how a client handles trouble (late, broken and missing answers, refusals, certificates), and how it ends. */
import { count, numbered } from '../ground/count.js'
import { endMs, isAccepted, isLogon, isRevocation, isWork, targetOf } from './requests.js'
import type { ClientRecord } from './result.js'
import {
  afterRefusal,
  canBeOtherWorkers,
  canBeQueue,
  ENDING,
  judgeExit,
  numbers,
  type Rule,
  sideBySide,
} from './rule.js'

/** Longest pause in a queue while the Core is busy. A client that polls every half second is no queue. */
const BUSY_GAP_MS = 400

/** Most requests over one connection after a 406. Sending the same request again cannot help. */
const BLIND_REPEATS = 10

/** The rules on trouble, and on the end of the client. */
export const TROUBLE_RULES: readonly Rule[] = [
  {
    id: 'patience',
    level: 'should',
    title: 'an answer that takes 2 seconds is waited for, and a logon is not sent twice meanwhile',
    why: 'small Cores are slow at times, and a logon that was given up leaves a token behind',
    fix: 'wait for at least 10 seconds for an answer',
    scenarios: ['slow'],
    judge({ requests }) {
      const given = requests.filter(({ abandoned }) => abandoned)
      if (given.length > 0) return { got: 'a request given up before its answer', requests: numbers(given) }
      const logons = requests.filter(isLogon)
      const early = logons.filter(({ atMs }, index) => logons.slice(0, index).some(before => endMs(before) > atMs))
      return early.length > 0
        ? { got: 'another logon while one was not yet answered', requests: numbers(early) }
        : undefined
    },
  },
  {
    id: 'retry',
    level: 'should',
    title: 'a client should retry a request that a restart cut off, and go on over a new connection',
    why: 'a Core restarts for every update, and a request that may be repeated is lost for no reason',
    fix: 'send a GET once more over a new connection when its connection ends without an answer; then log on again if it is rejected',
    scenarios: ['restart', 'restart-inside'],
    judge(record) {
      const { requests, met, eventAfter, end } = record
      const how = end.kind === 'exit' ? `, and exit code ${end.code}` : ''
      const [cut] = requests.filter(({ number }) => met.includes(number))
      if (cut !== undefined) {
        const later = requests.filter(({ number }) => number > cut.number)
        if (later.some(request => targetOf(request) === targetOf(cut))) return undefined
        const then = later.some(isWork) ? 'other requests, but not that one again' : 'no such request again'
        return { got: `${then}${how}`, requests: [cut.number] }
      }
      if (eventAfter === null || requests.some(({ number }) => number > eventAfter)) return 'skipped'
      const isFine = end.kind !== 'exit' || end.code === 0
      return isFine ? 'skipped' : { got: `no request over a new connection${how}`, requests: [eventAfter] }
    },
  },
  {
    id: 'retry-after',
    level: 'should',
    title: 'a request that is refused with Retry-After is not sent again before that time',
    why: 'a Core that is busy does not get over it while everybody asks again',
    fix: 'wait for as many seconds as Retry-After says before the next try, or give up and say so',
    scenarios: ['too-many-requests', 'unavailable'],
    judge({ requests, met }) {
      if (met.length === 0) return 'skipped'
      const refused = requests.filter(({ number }) => met.includes(number))
      const early = afterRefusal(refused)
      if (early.length === 0) return undefined
      const got = `${count(early.length, 'request')} before that time`
      const isOpen = canBeQueue(refused, requests, BUSY_GAP_MS) || canBeOtherWorkers(refused, requests, BUSY_GAP_MS)
      if (!isOpen) return { got, requests: numbers(early) }
      return { got: `${got}, or requests that had waited for a connection`, requests: numbers(early), open: true }
    },
  },
  {
    id: 'no-blind-retry',
    level: 'should',
    title: 'a 406 is no reason to log on again, or to send the same again and again',
    why: 'a 406 says that the request itself is wrong: the same request, or another token, cannot help',
    fix: 'take a 406 for an error of the client, say so, and end',
    scenarios: ['not-acceptable'],
    judge({ requests, met }) {
      if (met.length === 0) return 'skipped'
      const refused = requests.filter(({ number }) => met.includes(number))
      const again = afterRefusal(refused)
      const logons = again.filter(isLogon)
      if (logons.length > 0) return { got: 'another logon after a 406', requests: numbers(logons) }
      return again.length > BLIND_REPEATS * sideBySide(refused)
        ? { got: `${count(again.length, 'request')} after a 406`, requests: numbers(again) }
        : undefined
    },
  },
  {
    id: 'timeout',
    level: 'should',
    title: 'a request that is never answered is given up',
    why: 'without a timeout one lost answer stops a client for ever',
    fix: 'give every request a timeout, for the answer as well as for the connection',
    scenarios: ['hang'],
    judge({ requests, met, end }) {
      const held = requests.filter(({ number }) => met.includes(number))
      if (held.length === 0) return 'skipped'
      if (end.kind !== 'hang') return end.kind === 'timeout' || end.kind === 'interrupted' ? 'skipped' : undefined
      const [seconds] = held.map(({ durationMs }) => Math.round((durationMs ?? 0) / 1000))
      return { got: `still waiting after ${seconds} s, when it was killed`, requests: numbers(held) }
    },
  },
  {
    id: 'certificate',
    level: 'should',
    title: 'nothing is sent to a Core whose certificate is not the one to trust',
    why: 'a client that takes any certificate gives its password to an attacker in between',
    fix: 'leave the verification of certificates on, and trust the one of CORE_CA_FILE; a client that is meant to take any is judged with --allow-any-certificate',
    scenarios: ['untrusted-certificate', 'changed-certificate'],
    silent: true,
    judge({ requests, met, scenario, unused }) {
      const sent =
        scenario === 'untrusted-certificate' ? requests : requests.filter(({ number }) => met.includes(number))
      if (sent.length > 0)
        return {
          got: `${numbered(sent.length, 'a request', `${sent.length} requests`)} after it took another certificate`,
          requests: numbers(sent),
        }
      return unused.untrusted > 0 ? undefined : 'skipped'
    },
  },
  {
    id: 'whole-answers',
    level: 'should',
    title: 'an answer that breaks off is not taken for a whole one',
    why: 'half a list of users looks like a shorter list',
    fix: 'read each answer to its end, take an error there for an error, and end with another exit code than 0',
    scenarios: ['truncated'],
    judge: ({ met, end }) =>
      met.length === 0
        ? 'skipped'
        : judgeExit(end, code => code !== 0, {
            got: 'it ended with exit code 0, though no answer had come whole',
            requests: [...met],
          }),
  },
  {
    id: 'exit',
    level: 'should',
    title: 'it ends with exit code 0 when its work is done',
    why: 'scripts and schedulers learn only from the exit code that all is well',
    fix: 'look at what the client prints; its work can be done in this scenario',
    scenarios: ['normal', 'slow', ...ENDING],
    unless: ['retry', 'renewal'],
    judge: record => (isAtMissingPaths(record) ? 'skipped' : judgeExit(record.end, code => code === 0)),
  },
  {
    id: 'exit-refused',
    level: 'should',
    title: 'it ends with another exit code than 0 when its work could not be done',
    why: 'a failure that nobody is told of is found much later',
    fix: 'end with another exit code than 0 when the work could not be done',
    scenarios: [
      'wrong-password',
      'not-acceptable',
      'too-many-requests',
      'unavailable',
      'untrusted-certificate',
      'changed-certificate',
    ],
    unless: ['certificate'],
    silent: true,
    judge({ scenario, requests, met, end, unused }) {
      const isBusy = scenario === 'too-many-requests' || scenario === 'unavailable'
      const last = Math.max(0, ...met)
      if (isBusy && requests.some(request => request.number > last && isAccepted(request))) return 'skipped'
      // The client may have done all its work earlier, or over older connections.
      const isRefused = requests.some(request => met.includes(request.number) && !isRevocation(request))
      const isWrong = scenario === 'wrong-password' && requests.length > 0
      if (!isRefused && !isWrong && unused.untrusted === 0) return 'skipped'
      return judgeExit(end, code => code !== 0)
    },
  },
]

/** Whether a client asked for paths that the mock Core does not have, so that the client cannot do its work. */
export function isAtMissingPaths({ requests }: ClientRecord): boolean {
  return requests.some(({ status, token }) => status === 404 && token?.state === 'valid')
}
