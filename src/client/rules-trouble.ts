/**
 * Judges how a client handles trouble (late, broken and missing answers, refusals, certificates), and how it ends.
 * `contracts/client-rules.yaml` says each rule.
 */
import { count, numbered } from '../ground/count.js'
import type { RecordedRequest } from '../mock/index.js'
import { endMs, isAccepted, isLogon, isRevocation, isWork, workOf } from './requests.js'
import type { ClientRecord } from './result.js'
import { afterRefusal, canBeOtherWorkers, canBeQueue, type Judges, judgeExit, shownBy, sideBySide } from './rule.js'

/** Longest pause in a queue while the Core is busy. A client that polls every half second is no queue. */
const BUSY_GAP_MS = 400

/** Most requests over one connection after a 406. Sending the same request again cannot help. */
const BLIND_REPEATS = 10

/** The judges of the rules on trouble, and on the end of the client. */
export const TROUBLE_JUDGES: Judges = {
  patience({ requests }) {
    const given = requests.filter(({ abandoned }) => abandoned)
    const logons = requests.filter(isLogon)
    const early = logons.filter(({ atMs }, index) => logons.slice(0, index).some(before => endMs(before) > atMs))
    return (
      shownBy(given, 'a request given up before its answer') ??
      shownBy(early, 'another logon while one was not yet answered')
    )
  },
  retry(record) {
    const { requests, met, eventAfter, end } = record
    const how = end.kind === 'exit' ? `, and exit code ${end.code}` : ''
    const [cut] = requests.filter(({ number }) => met.includes(number))
    if (cut !== undefined) {
      const later = requests.filter(({ number }) => number > cut.number)
      if (later.some(request => workOf(request) === workOf(cut))) return undefined
      const then = later.some(isWork) ? 'other requests, but not that one again' : 'no such request again'
      return { got: `${then}${how}`, requests: [cut.number] }
    }
    if (eventAfter === null || requests.some(({ number }) => number > eventAfter)) return 'skipped'
    const isFine = end.kind !== 'exit' || end.code === 0
    return isFine ? 'skipped' : { got: `no request over a new connection${how}`, requests: [eventAfter] }
  },
  'retry-after'({ requests, met }) {
    if (met.length === 0) return 'skipped'
    const refused = requests.filter(({ number }) => met.includes(number))
    const early = afterRefusal(refused)
    const isOpen = canBeQueue(refused, requests, BUSY_GAP_MS) || canBeOtherWorkers(refused, requests, BUSY_GAP_MS)
    const others = isOpen ? ', or requests that had waited for a connection' : ''
    return shownBy(early, `${count(early.length, 'request')} before that time${others}`, isOpen)
  },
  'no-blind-retry'({ requests, met }) {
    if (met.length === 0) return 'skipped'
    const refused = requests.filter(({ number }) => met.includes(number))
    const again = afterRefusal(refused)
    const many = again.length > BLIND_REPEATS * sideBySide(refused) ? again : []
    return (
      shownBy(again.filter(isLogon), 'another logon after a 406') ??
      shownBy(many, `${count(again.length, 'request')} after a 406`)
    )
  },
  timeout({ requests, met, end: { kind } }) {
    const held = requests.filter(({ number }) => met.includes(number))
    if (held.length === 0 || kind === 'timeout' || kind === 'interrupted') return 'skipped'
    const [seconds] = held.map(({ durationMs }) => Math.round((durationMs ?? 0) / 1000))
    return shownBy(kind === 'hang' ? held : [], `still waiting after ${seconds} s, when it was killed`)
  },
  certificate({ requests, met, scenario, unused }) {
    const sent = scenario === 'untrusted-certificate' ? requests : requests.filter(({ number }) => met.includes(number))
    const got = `${numbered(sent.length, 'a request', `${sent.length} requests`)} after it took another certificate`
    return shownBy(sent, got) ?? (unused.untrusted > 0 ? undefined : 'skipped')
  },
  'whole-answers': ({ met, end }) =>
    met.length === 0
      ? 'skipped'
      : judgeExit(end, code => code !== 0, {
          got: 'it ended with exit code 0, though no answer had come whole',
          requests: [...met],
        }),
  exit: record => (atMissingPaths(record).length > 0 ? 'skipped' : judgeExit(record.end, code => code === 0)),
  'exit-refused'({ scenario, requests, met, end, unused }) {
    const isBusy = scenario === 'too-many-requests' || scenario === 'unavailable'
    const last = Math.max(0, ...met)
    if (isBusy && requests.some(request => request.number > last && isAccepted(request))) return 'skipped'
    // The client may have done all its work earlier, or over older connections.
    const isRefused = requests.some(request => met.includes(request.number) && !isRevocation(request))
    const isWrong = scenario === 'wrong-password' && requests.length > 0
    if (!isRefused && !isWrong && unused.untrusted === 0) return 'skipped'
    return judgeExit(end, code => code !== 0)
  },
}

/** Returns the requests for paths that the mock Core does not have, where the client cannot do its work. */
export function atMissingPaths({ requests }: ClientRecord): RecordedRequest[] {
  return requests.filter(({ status, token }) => status === 404 && token?.state === 'valid')
}
