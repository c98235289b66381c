/** The parts of the defects of bystanders: a trigger that ends tokens, and the choice of the tokens that end. */
import { type ApiRequest, pathOf } from '../messages.js'
import { LOGON_PATH } from '../routes.js'
import type { TokenRecord } from '../tokens.js'
import type { Subject } from './defect.js'
import { endLater, isRevocation, issuedTokens, liveRecords, replace } from './tools.js'

/** Delay in milliseconds: longer than the next request takes, shorter than the second look of a careful client. */
export const LATE_MS = 500

/** Chooses the tokens that end from the valid ones, which are sorted oldest first. */
export type Choose = (live: readonly TokenRecord[]) => readonly TokenRecord[]

/** Chooses the newest token. */
export const newest: Choose = live => live.slice(-1)
/** Chooses the oldest token. */
export const oldest: Choose = live => live.slice(0, 1)
/** Chooses the newest token but one; none if only one is valid. */
export const nextNewest: Choose = live => live.slice(-2, -1)
/** Chooses all tokens. */
export const every: Choose = live => live
/** Chooses the token that was used last; of several used at the same moment, the oldest. */
export const justUsed: Choose = live => [...live].sort((a, b) => b.lastUsedMs - a.lastUsedMs).slice(0, 1)
/** Chooses the token that was unused for the longest time. */
export const leastUsed: Choose = live => [...live].sort((a, b) => a.lastUsedMs - b.lastUsedMs).slice(0, 1)

/** Chooses another token each time. The order looks random but is the same in each run (Knuth's multiplicative hash). */
export function byChance(): Choose {
  let draw = 0
  return live => {
    const hash = Math.imul(++draw, 2_654_435_761) >>> 0
    return live.slice(hash % live.length).slice(0, 1)
  }
}

/** Chooses only while at least `count` tokens are valid. */
export function whileLive(count: number, choose: Choose): Choose {
  return live => (live.length >= count ? choose(live) : [])
}

/** Calls `effect` for each request of one kind. */
export type Trigger = (subject: Subject, effect: () => void) => void

/** Triggers on a rejected DELETE with a token of a kind: none, never issued, expired or revoked. */
export function deleteWith(kind: 'none' | 'unknown' | 'expired' | 'revoked'): Trigger {
  return (subject, effect) =>
    onRejected(subject, (request, presented) => {
      if (isRevocation(request) && stateOf(subject, presented) === kind) effect()
    })
}

/** Triggers on a DELETE with a text like an issued token: the same length, and the same first or second half. */
export const deleteWithChanged: Trigger = (subject, effect) => {
  const issued = issuedTokens(subject)
  onRejected(subject, (request, presented) => {
    if (!isRevocation(request) || presented === undefined || stateOf(subject, presented) !== 'unknown') return
    const half = presented.length >> 1
    const resembles = (token: string) =>
      token.length === presented.length &&
      (token.startsWith(presented.slice(0, half)) || token.endsWith(presented.slice(half)))
    if (issued.some(resembles)) effect()
  })
}

/** Triggers on a rejected GET with a token of a kind: none or never issued. */
export function getWith(kind: 'none' | 'unknown'): Trigger {
  return (subject, effect) =>
    onRejected(subject, (request, presented) => {
      if (request.method === 'GET' && stateOf(subject, presented) === kind) effect()
    })
}

/** Triggers on a request without Host, of one method. */
export function withoutHost(method: 'GET' | 'POST' | 'DELETE'): Trigger {
  return ({ device }, effect) =>
    replace(device, 'screen', screen => head => {
      const refusal = screen(head)
      const isOne = method === 'GET' || pathOf(head.target) === LOGON_PATH
      if (isOne && head.method === method && device.isHostMissing(head)) effect()
      return refusal
    })
}

/** Triggers on a logon with wrong credentials. */
export const wrongLogon: Trigger = ({ device }, effect) =>
  replace(device, 'refuse', refuse => request => {
    effect()
    return refuse(request)
  })

/** Triggers on a logon with right credentials, before the token is issued. */
export const rightLogon: Trigger = ({ device }, effect) =>
  replace(device, 'admit', admit => request => {
    effect()
    return admit(request)
  })

/** Triggers on an effective revocation, before its effect. */
export const revocation: Trigger = ({ tokens }, effect) =>
  replace(tokens, 'revoke', revoke => token => {
    effect()
    revoke(token)
  })

/** Ends the chosen tokens on each trigger, at once or later. */
export function ends(trigger: Trigger, choose: Choose, delayMs = 0): (subject: Subject) => void {
  return subject => {
    const end = endLater(subject)
    trigger(subject, () => end(choose(liveRecords(subject)), delayMs))
  }
}

/** Lets a revocation end further tokens beside its own. `choose` gets all valid tokens and the position of the own token. */
export function alsoEnds(
  choose: (live: readonly TokenRecord[], own: number) => readonly TokenRecord[],
  delayMs = 0,
): (subject: Subject) => void {
  return subject => {
    const end = endLater(subject)
    replace(subject.tokens, 'revoke', revoke => token => {
      const live = liveRecords(subject)
      const record = subject.tokens.find(token)
      const own = record === undefined ? -1 : live.indexOf(record)
      end(choose(live, own), delayMs)
      revoke(token)
    })
  }
}

/** Passes on only every n-th trigger. */
export function everyNth(count: number, trigger: Trigger): Trigger {
  return (subject, effect) => {
    let seen = 0
    trigger(subject, () => {
      if (++seen % count === 0) effect()
    })
  }
}

/** Calls `tell` for each request that is rejected for its token. */
function onRejected({ device }: Subject, tell: (request: ApiRequest, presented: string | undefined) => void): void {
  replace(device, 'reject', reject => (path, request, presented) => {
    const response = reject(path, request, presented)
    tell(request, presented)
    return response
  })
}

/** Returns the state of a presented token. */
function stateOf({ tokens }: Subject, presented: string | undefined) {
  if (presented === undefined) return 'none'
  const record = tokens.find(presented)
  return record === undefined ? 'unknown' : tokens.state(record)
}
