import type { MockCore } from '../mock/index.js'
import { isAccepted, isLogon, isWork } from './requests.js'
import type { ClientRecord } from './result.js'
import * as trouble from './trouble.js'
import { BUSY_S, type Trouble, type TroubleContext } from './trouble.js'

/** One scenario: what happens to a client, and what the client must do to be judged. */
export interface Scenario {
  name: string
  title: string
  /** Runs once, right after the first authenticated request that the Core accepted. */
  event?: (core: MockCore) => void
  /** Makes the trouble that requests meet from that request on. */
  trouble?: (act: TroubleContext) => Trouble
  /** Runs before the client starts. */
  prepare?: (core: MockCore, delayMs: number) => void
  /** Whether the client gets a wrong password. */
  wrongPassword?: boolean
  /** Whether the client gets a certificate to trust that is not the Core's. */
  untrusted?: boolean
  /**
   * Returns why a record is not enough to judge the client; undefined when it is enough. Absent: the client must have worked
   * after the event, or met the trouble.
   */
  lacks?(record: ClientRecord): string | undefined
}

/** Number of late answers in the scenario `slow`: enough for logon, work and revocation of a small client. */
const SLOW_ANSWERS = 5

/** Time that the clock is advanced: beyond the idle lifetime of one hour, in every dialect of the mock Core. */
const PAST_LIFETIME = '70 min'

/** The scenarios, in the order in which they are run. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'normal',
    title: 'nothing happens',
    lacks: ({ requests }) => few(requests.filter(isAccepted), 2, 'authenticated requests that were accepted'),
  },
  {
    name: 'token-expires',
    title: 'after the first accepted request, more than an hour passes',
    event: core => core.advance(PAST_LIFETIME),
    trouble: trouble.deadToken,
  },
  {
    name: 'token-revoked',
    title: 'after the first accepted request, the token is revoked by somebody else',
    event: core => core.revokeTokens(),
    trouble: trouble.deadToken,
  },
  {
    name: 'wrong-password',
    title: 'the password is wrong',
    wrongPassword: true,
    lacks: ({ requests }) => few(requests.filter(isLogon), 1, 'logon'),
  },
  {
    name: 'slow',
    title: `the first ${SLOW_ANSWERS} answers take 2 seconds each`,
    prepare: (core, delayMs) => core.delayNext(SLOW_ANSWERS, delayMs),
    lacks: ({ requests }) => few(requests.filter(isAccepted), 1, 'authenticated request that was accepted'),
  },
  {
    name: 'restart',
    title:
      'after the first accepted request, the Core restarts: tokens are forgotten, each connection ends with its answer',
    event: core => core.forgetTokens(),
    trouble: trouble.restartBetween,
  },
  {
    name: 'restart-inside',
    title: 'the Core restarts inside the second GET: it is cut off without an answer, and tokens are forgotten',
    trouble: trouble.restartInside,
    lacks: record => troubleMet(record, 'authenticated GET'),
  },
  {
    name: 'too-many-requests',
    title: `after the first accepted request, requests are answered 429 with Retry-After: ${BUSY_S}, for so many seconds`,
    trouble: () => trouble.busy(429),
  },
  {
    name: 'unavailable',
    title: `after the first accepted request, requests are answered 503 with Retry-After: ${BUSY_S}, for so many seconds`,
    trouble: () => trouble.busy(503),
  },
  {
    name: 'not-acceptable',
    title: 'after the first accepted request, everything is answered 406',
    trouble: trouble.notAcceptable,
  },
  {
    name: 'truncated',
    title: 'after the first accepted request, every answer breaks off in the middle of its body',
    trouble: trouble.truncated,
  },
  {
    name: 'hang',
    title: 'the second authenticated request is never answered',
    trouble: trouble.hang,
  },
  {
    name: 'redirect',
    title: 'the second authenticated request is redirected to another host',
    trouble: trouble.redirect,
  },
  {
    name: 'untrusted-certificate',
    title: 'the Core presents another certificate than the one to trust',
    untrusted: true,
    lacks: ({ requests, unused }) =>
      requests.length === 0 && unused.untrusted === 0 ? 'it made no connection' : undefined,
  },
  {
    name: 'changed-certificate',
    title: 'after the first accepted request, the Core presents another certificate than the one to trust',
    trouble: trouble.changedCertificate,
    lacks: ({ requests, unused, met }) => {
      if (!requests.some(isAccepted)) return NOTHING_ACCEPTED
      return unused.untrusted === 0 && met.length === 0 ? 'it made no connection after that' : undefined
    },
  },
]

const NOTHING_ACCEPTED = 'it made no authenticated request that was accepted'

function few(requests: readonly unknown[], atLeast: number, what: string): string | undefined {
  const made = requests.length === 0 ? 'none' : `only ${requests.length}`
  return requests.length < atLeast ? `it takes ${atLeast} ${what} to judge it, and it made ${made}` : undefined
}

/** Returns why a record is not enough to judge the client in a scenario; undefined when it is enough. */
export function lackOf({ event, lacks }: Scenario, record: ClientRecord): string | undefined {
  if (lacks) return lacks(record)
  if (!event) return troubleMet(record)
  const { requests, eventAfter } = record
  if (eventAfter === null) return NOTHING_ACCEPTED
  const after = requests.filter(request => request.number > eventAfter && isWork(request))
  return after.length === 0 ? 'it made no authenticated request after that' : undefined
}

function troubleMet({ requests, met }: ClientRecord, what = 'authenticated request'): string | undefined {
  if (!requests.some(isAccepted)) return NOTHING_ACCEPTED
  return met.length === 0 ? `it made no other ${what}` : undefined
}
