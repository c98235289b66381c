import type { MockCore, RecordedRequest } from '../mock/index.js'
import { isLogon, isWork } from './requests.js'
import type { ClientRecord, ScenarioName } from './result.js'

/** What happens to a client, and what it must do for that to happen. */
export interface Scenario {
  name: ScenarioName
  title: string
  /** What the Core does once, right after the first authenticated request that it accepted. */
  event?: (core: MockCore) => void
  /** Before the client starts. */
  prepare?: (core: MockCore, delayMs: number) => void
  /** Whether the client is told a password that is not the Core's. */
  wrongPassword?: boolean
  /** Why the record of a client is not enough to judge it by; undefined when it is. */
  lacks(record: ClientRecord): string | undefined
}

/** How many answers are late in the scenario `slow`: logon, work and revocation of a small client. */
const SLOW_ANSWERS = 5

/** Far enough beyond the hour for every dialect of the mock Core. */
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
    lacks: workAfterEvent,
  },
  {
    name: 'token-revoked',
    title: 'after the first accepted request, the token is revoked by somebody else',
    event: core => core.revokeTokens(),
    lacks: workAfterEvent,
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
    title: 'after the first accepted request, the Core restarts: tokens are forgotten, connections are cut',
    event: core => void core.restart(),
    lacks: workAfterEvent,
  },
]

function isAccepted(request: RecordedRequest): boolean {
  return isWork(request) && request.token?.state === 'valid'
}

function few(requests: readonly RecordedRequest[], atLeast: number, what: string): string | undefined {
  const made = requests.length === 0 ? 'none' : `only ${requests.length}`
  return requests.length < atLeast ? `it takes ${atLeast} ${what} to judge it, and it made ${made}` : undefined
}

function workAfterEvent({ requests, eventAfter }: ClientRecord): string | undefined {
  if (eventAfter === null) return 'it made no authenticated request that was accepted'
  const after = requests.filter(request => request.number > eventAfter && isWork(request))
  return after.length === 0 ? 'it made no authenticated request after that' : undefined
}
