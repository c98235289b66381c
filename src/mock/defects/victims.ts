/** What sets off the end of tokens, and which tokens end: the parts that defects of bystanders are made of. */
import { type ApiRequest, pathOf } from '../messages.js'
import { LOGON_PATH } from '../routes.js'
import type { TokenRecord } from '../tokens.js'
import type { Subject } from './defect.js'
import { endLater, isRevocation, issuedTokens, liveRecords, replace } from './tools.js'

/** Long enough for the next request of a client, short enough for a client that looks once more a little later. */
export const LATE_MS = 500

/** Chooses the tokens that end, out of the valid ones, oldest first. */
export type Choose = (live: readonly TokenRecord[]) => readonly TokenRecord[]

/** The newest one. */
export const newest: Choose = live => live.slice(-1)
/** The oldest one. */
export const oldest: Choose = live => live.slice(0, 1)
/** The newest but one; none when there is one only. */
export const nextNewest: Choose = live => live.slice(-2, -1)
/** All of them. */
export const every: Choose = live => live
/** The one that was used last; of those used at the same moment, the oldest. */
export const justUsed: Choose = live => [...live].sort((a, b) => b.lastUsedMs - a.lastUsedMs).slice(0, 1)
/** The one that was unused for the longest time. */
export const leastUsed: Choose = live => [...live].sort((a, b) => a.lastUsedMs - b.lastUsedMs).slice(0, 1)

/** Another one each time, in an order that looks like chance and is the same in each run (Knuth's multiplicative hash). */
export function byChance(): Choose {
  let draw = 0
  return live => {
    const hash = Math.imul(++draw, 2_654_435_761) >>> 0
    return live.slice(hash % live.length).slice(0, 1)
  }
}

/** Chooses only while so many tokens are valid. */
export function whileLive(count: number, choose: Choose): Choose {
  return live => (live.length >= count ? choose(live) : [])
}

/** What a request did that is told by how it was answered. */
export type Trigger = (subject: Subject, effect: () => void) => void

/** A DELETE that is rejected, whose token is as told: none, never issued, like an issued one, or expired or revoked. */
export function deleteWith(kind: 'none' | 'unknown' | 'expired' | 'revoked'): Trigger {
  return (subject, effect) =>
    onRejected(subject, (request, presented) => {
      if (isRevocation(request) && stateOf(subject, presented) === kind) effect()
    })
}

/** A DELETE with a token that is all but an issued one: of the same length, with the same first half or second half. */
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

/** A GET that is rejected, with a token of that kind. */
export function getWith(kind: 'none' | 'unknown'): Trigger {
  return (subject, effect) =>
    onRejected(subject, (request, presented) => {
      if (request.method === 'GET' && stateOf(subject, presented) === kind) effect()
    })
}

/** A request without Host, of that method. */
export function withoutHost(method: 'GET' | 'POST' | 'DELETE'): Trigger {
  return ({ device }, effect) =>
    replace(device, 'screen', screen => head => {
      const refusal = screen(head)
      const isOne = method === 'GET' || pathOf(head.target) === LOGON_PATH
      if (isOne && head.method === method && device.isHostMissing(head)) effect()
      return refusal
    })
}

/** A logon with wrong credentials. */
export const wrongLogon: Trigger = ({ device }, effect) =>
  replace(device, 'refuse', refuse => request => {
    effect()
    return refuse(request)
  })

/** A logon with right credentials, before its token is issued. */
export const rightLogon: Trigger = ({ device }, effect) =>
  replace(device, 'admit', admit => request => {
    effect()
    return admit(request)
  })

/** A revocation that takes effect, before it does. */
export const revocation: Trigger = ({ tokens }, effect) =>
  replace(tokens, 'revoke', revoke => token => {
    effect()
    revoke(token)
  })

/** Lets what triggers end tokens, at once or later. */
export function ends(trigger: Trigger, choose: Choose, delayMs = 0): (subject: Subject) => void {
  return subject => {
    const end = endLater(subject)
    trigger(subject, () => end(choose(liveRecords(subject)), delayMs))
  }
}

/** Lets a revocation end more than its own token: those chosen of all, with the place of its own among them. */
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

/** Lets only every so many triggers count. */
export function everyNth(count: number, trigger: Trigger): Trigger {
  return (subject, effect) => {
    let seen = 0
    trigger(subject, () => {
      if (++seen % count === 0) effect()
    })
  }
}

/** Tells of each request that is rejected for its token. */
function onRejected({ device }: Subject, tell: (request: ApiRequest, presented: string | undefined) => void): void {
  replace(device, 'reject', reject => (path, request, presented) => {
    const response = reject(path, request, presented)
    tell(request, presented)
    return response
  })
}

/** What a presented token is. */
function stateOf({ tokens }: Subject, presented: string | undefined) {
  if (presented === undefined) return 'none'
  const record = tokens.find(presented)
  return record === undefined ? 'unknown' : tokens.state(record)
}
