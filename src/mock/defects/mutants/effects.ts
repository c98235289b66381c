/**
 * What the fault of a mutant does, as rows: the requirement that it breaks, and the triggers that go with it. An effect that a
 * trigger makes honest (a limit, a path or method that the Core does not serve, a shape that the reference does not show) does
 * not go with that trigger. Over 250 lines, since it is one table.
 */
import { isApiPath } from '../../messages.js'
import { LOGON_PATH } from '../../routes.js'
import type { TokenRecord } from '../../tokens.js'
import { makeValid, replace } from '../tools.js'
import type { Moment, TokenLife } from './moment.js'
import type { Standing } from './standings.js'
import * as standings from './standings.js'
import type { Trigger } from './triggers.js'
import type { Watch } from './watch.js'

/** Tells whether a request has the triggers of a mutant, and that it had them. */
export type Fires = (moment: Moment) => boolean

/** One thing that a fault does. */
export interface Effect {
  /** Lower-case words with hyphens. */
  id: string
  /** The rest of a sentence about a request: `is accepted`. */
  does: string
  /** How likely a fault does this, from 1. */
  weight: number
  /** The ids of the requirements that a client sees broken. */
  requirements: readonly string[]
  /** The ids of those that may be accused as a consequence. */
  mayAlso: readonly string[]
  /** The requests that it concerns, one of which is a part of the mutant. */
  standings: readonly Standing[]
  /** Whether it shows only after a wait. */
  needsWaiting?: boolean
  /** Whether a trigger goes with it, so that the reference is contradicted and a client can see that. */
  takes(trigger: Trigger): boolean
  /** Gives the fault to the device of a watch. */
  install(watch: Watch, fires: Fires): void
}

const isServed = ({ id }: Trigger) => id !== 'options' && id !== 'unknown-path'
const ofUse = ({ on }: Trigger) => on === 'any' || on === 'other'
const ofToken = ({ on }: Trigger) => on === 'any' || on === 'other' || on === 'token'
/** A body or another path would make it another request. */
const ofRevocation = ({ on, id }: Trigger) =>
  (on === 'any' || on === 'token') && id !== 'chunked' && id !== 'expect-continue'
const ofLogon = ({ on, id }: Trigger) => (on === 'any' || on === 'logon') && id !== 'content-length-0'
const ofDeadUse = (trigger: Trigger) => ofUse(trigger) || ofDead(trigger)
const inShape = ({ group }: Trigger) => ['header fields', 'body', 'version', 'logon form'].includes(group)
/** What the life of an ended token still tells. */
const ofDead = ({ on, dimension }: Trigger) =>
  on === 'dead' || ['place of the token', 'text', 'birth', 'uses'].includes(dimension)
/** The requests without Host, and the triggers that each can have: its body is not read, and the target may name the host. */
const isOfBare = ({ id, dimension }: Trigger) =>
  id !== 'host-late' && id !== 'absolute-form' && dimension !== 'field Host'
const BARE: { standings: readonly Standing[]; takes: Effect['takes']; weight: number }[] = [
  { standings: standings.BARE, takes: trigger => ofToken(trigger) && isOfBare(trigger), weight: 6 },
  {
    standings: standings.BARE_LOGON,
    takes: trigger => ofLogon(trigger) && isOfBare(trigger) && trigger.group !== 'logon form',
    weight: 2,
  },
  { standings: standings.BARE_REVOCATION, takes: trigger => ofRevocation(trigger) && isOfBare(trigger), weight: 2 },
]

const ACCESS: Effect[] = [
  letIn(12, standings.NONE, ['ACCESS-1'], ['ACCESS-3']),
  letIn(5, standings.UNKNOWN, ['ACCESS-1']),
  letIn(6, standings.LOOKALIKES, ['ACCESS-1']),
  letIn(6, standings.CARRIERS, ['ACCESS-3'], ['ACCESS-1']),
  letIn(8, standings.REVOKED, ['REVOKE-1']),
  letIn(4, standings.EXPIRED, ['IDLE-1']),
  {
    id: 'refused',
    does: 'is refused',
    weight: 5,
    requirements: ['ACCESS-2', 'IDLE-3'],
    mayAlso: ['IDLE-2', 'LOGON-1', 'LOGON-4', 'REVOKE-2'],
    standings: standings.USE,
    takes: trigger => ofToken(trigger) && trigger.isPlain && !trigger.isLimitLike,
    install(watch, fires) {
      const isRefused = (moment: Moment) => needsToken(moment) && moment.isValid && fires(moment)
      replace(watch.subject.device, 'useToken', useToken => (token, request) => {
        return !isRefused(watch.momentOf(request)) && useToken(token, request)
      })
    },
  },
]

/** Tells whether a request asks for what needs a token on every Core. */
function needsToken({ head, path, isBare }: Moment): boolean {
  const isPublic = path === LOGON_PATH || path.endsWith('/access_mode') || head.method === 'OPTIONS'
  return !isBare && isApiPath(path) && !isPublic
}

/** Requests that must be refused for their token are accepted. */
function letIn(weight: number, of: readonly Standing[], requirements: string[], mayAlso: string[] = []): Effect {
  const isDead = of === standings.REVOKED || of === standings.EXPIRED
  const needsOther = of === standings.LOOKALIKES || of === standings.CARRIERS
  return {
    id: 'accepted',
    does: 'is accepted',
    weight,
    requirements,
    mayAlso,
    standings: of,
    needsWaiting: of === standings.EXPIRED,
    takes: trigger =>
      isServed(trigger) && (ofUse(trigger) || (isDead && ofDead(trigger)) || (!needsOther && trigger.on === 'empty')),
    install(watch, fires) {
      const { device } = watch.subject
      replace(device, 'answer', answer => request => {
        const moment = watch.momentOf(request)
        if (!needsToken(moment) || moment.isValid || !fires(moment)) return answer(request)
        if (device.routes[moment.path]?.[request.method])
          return device.route(moment.path, { request, token: undefined })
        // What the Core does not serve under this name it serves all the same, so that a client sees it let in.
        moment.isGranted = true
        return device.say('users')
      })
    },
  }
}

const LOGON: Effect[] = [
  issued(8, standings.WRONG, ['LOGON-2'], []),
  issued(4, standings.MALFORMED, ['LOGON-3'], ['LOGON-2']),
  {
    id: 'gets-a-dead-token',
    does: 'gets a token that is refused',
    weight: 2,
    requirements: ['LOGON-1', 'ACCESS-2'],
    mayAlso: ['IDLE-3'],
    standings: standings.RIGHT,
    takes: ofLogon,
    install: (watch, fires) =>
      issue(watch, fires, issue => {
        const token = issue()
        const record = watch.subject.tokens.find(token)
        if (record) record.revoked = true
        return token
      }),
  },
  {
    id: 'gets-a-valid-token-again',
    does: 'gets a token that is already in use',
    weight: 2,
    requirements: ['LOGON-1'],
    mayAlso: ['LOGON-4', 'REVOKE-2', 'IDLE-1'],
    standings: standings.RIGHT,
    takes: ofLogon,
    install: (watch, fires) =>
      issue(watch, fires, (issue, { token, isValid }) => {
        const same = isValid ? token : watch.valid().at(-1)
        if (same === undefined) return issue()
        watch.tell('shown')
        same.lastUsedMs = watch.subject.clock.nowMs()
        makeValid(watch.subject, same.text)
        const record = watch.subject.tokens.find(same.text)
        if (record) same.record = record
        return same.text
      }),
  },
  {
    id: 'gets-a-revoked-token-again',
    does: 'gets a token that was revoked before',
    weight: 1,
    requirements: ['LOGON-1', 'REVOKE-1'],
    mayAlso: ['LOGON-4'],
    standings: standings.RIGHT,
    takes: ofLogon,
    install: (watch, fires) =>
      issue(watch, fires, issue => {
        const same = watch.tokens.findLast(({ revokedMs }) => revokedMs !== undefined)
        if (same === undefined) return issue()
        watch.tell('shown')
        revive(same, watch)
        return same.text
      }),
  },
  {
    id: 'refused',
    does: 'is refused',
    weight: 2,
    requirements: ['LOGON-1'],
    mayAlso: [],
    standings: standings.RIGHT,
    // After other logons it may be a limit of their rate, after refusals a ban.
    takes: trigger =>
      ofLogon(trigger) && trigger.isPlain && !trigger.isLimitLike && !/refus|logon|logged/.test(trigger.id),
    install(watch, fires) {
      const { device } = watch.subject
      replace(device, 'admit', admit => request => {
        return fires(watch.momentOf(request)) ? device.refuse(request) : admit(request)
      })
    },
  },
]

/** A token is issued for credentials that are wrong. */
function issued(weight: number, of: readonly Standing[], requirements: string[], mayAlso: string[]): Effect {
  return {
    id: 'gets-a-token',
    does: 'gets a token',
    weight,
    requirements,
    mayAlso,
    standings: of,
    takes: trigger => ofLogon(trigger) || trigger.on === 'empty',
    install(watch, fires) {
      const { device } = watch.subject
      replace(device, 'logon', logon => visit => {
        return fires(watch.momentOf(visit.request)) ? device.admit(visit.request) : logon(visit)
      })
    },
  }
}

function issue(watch: Watch, fires: Fires, make: (issue: () => string, moment: Moment) => string): void {
  replace(watch.subject.device, 'issueToken', issueToken => () => {
    const moment = watch.answering
    return fires(moment) ? make(issueToken, moment) : issueToken()
  })
}

/** A path or method that the Core does not serve may be told before a missing Host. */
const isKnown = ({ group, id }: Trigger) =>
  (group !== 'path' && group !== 'method') || id === 'core-path' || id === 'head'

const HOST: Effect[] = BARE.flatMap(({ standings: of, takes, weight }): Effect[] => [
  {
    id: 'served',
    does: 'is served',
    weight: weight / 2,
    requirements: ['HOST-1', 'HOST-2'],
    mayAlso: ['LOGON-4', 'REVOKE-2'],
    standings: of,
    takes: trigger => takes(trigger) && isKnown(trigger),
    install(watch, fires) {
      replace(watch.subject.device, 'isHostMissing', isHostMissing => head => {
        return isHostMissing(head) && !fires(watch.momentOf(head))
      })
    },
  },
  ...[400, 403, 404, 421].map(
    (status): Effect => ({
      id: `answered-${status}`,
      does: `is answered ${status}`,
      weight: weight / 8,
      requirements: ['HOST-1'],
      mayAlso: [],
      standings: of,
      takes: trigger => takes(trigger) && isKnown(trigger),
      install(watch, fires) {
        replace(watch.subject.device, 'screen', screen => head => {
          const response = screen(head)
          const moment = watch.momentOf(head)
          return response && moment.isBare && fires(moment) ? { ...response, status } : response
        })
      },
    }),
  ),
])

const REVOCATION: Effect[] = [
  revocation('does-not-end-its-token', 'is answered as ever, and does not end its token', 4, ['REVOKE-1'], () => {}),
  revocation(
    'ends-its-token-late',
    'ends its token only after one more use',
    1,
    ['REVOKE-1'],
    (watch, { token: own }) => {
      let left = 1
      watch.after(({ token, isGranted }) => {
        if (own !== undefined && token === own && isGranted && left-- === 0) end([own])
      })
    },
  ),
  revocation('ends-the-newest-instead', 'ends the newest token instead', 1, ['REVOKE-1', 'REVOKE-2'], (watch, moment) =>
    end(others(watch, moment).slice(-1)),
  ),
  revocation('ends-the-oldest-instead', 'ends the oldest token instead', 1, ['REVOKE-1', 'REVOKE-2'], (watch, moment) =>
    end(others(watch, moment).slice(0, 1)),
  ),
]

function revocation(
  id: string,
  does: string,
  weight: number,
  requirements: string[],
  act: (watch: Watch, moment: Moment) => void,
): Effect {
  return {
    id,
    does,
    weight,
    requirements,
    mayAlso: ['IDLE-3', 'ACCESS-2'],
    standings: standings.REVOCATION,
    takes: ofRevocation,
    install(watch, fires) {
      const { device } = watch.subject
      replace(device, 'revoke', revoke => visit => {
        const moment = watch.momentOf(visit.request)
        if (moment.token === undefined || !fires(moment)) return revoke(visit)
        act(watch, moment)
        return device.say('revoked')
      })
    },
  }
}

const IDLE: Effect[] = [
  {
    id: 'does-not-reset-the-timer',
    needsWaiting: true,
    does: 'does not reset the idle timer of its token',
    weight: 4,
    requirements: ['IDLE-2'],
    mayAlso: ['IDLE-3'],
    standings: standings.USE,
    takes: trigger => ofToken(trigger) && trigger.id !== 'used-a-moment-ago',
    install(watch, fires) {
      replace(watch.subject.device, 'useToken', useToken => (token, request) => {
        const moment = watch.momentOf(request)
        const beforeMs = moment.token?.record.lastUsedMs
        const isUsed = useToken(token, request)
        if (isUsed && moment.token && beforeMs !== undefined && fires(moment)) moment.token.record.lastUsedMs = beforeMs
        return isUsed
      })
    },
  },
  ...[
    { of: standings.USE, takes: ofToken },
    { of: standings.RIGHT, takes: ofLogon },
  ].flatMap(({ of, takes }) => [
    lifetime('halves-the-lifetime', 'gives its token half of the lifetime', 0.5, ['IDLE-3'], ['IDLE-2'], of, takes),
    lifetime('doubles-the-lifetime', 'gives its token twice the lifetime', 2, ['IDLE-1'], [], of, takes),
    lifetime(
      'ends-the-expiry',
      'gives its token a life without an end',
      Number.POSITIVE_INFINITY,
      ['IDLE-1'],
      [],
      of,
      takes,
    ),
  ]),
]

/** A good request changes the lifetime of its token for good. */
function lifetime(
  id: string,
  does: string,
  factor: number,
  requirements: string[],
  mayAlso: string[],
  of: readonly Standing[],
  takes: Effect['takes'],
): Effect {
  return {
    id,
    does,
    weight: 0.6,
    requirements,
    mayAlso,
    standings: of,
    needsWaiting: true,
    takes,
    install(watch, fires) {
      const { tokens, clock, idleLifetimeMs } = watch.subject
      const changed = new WeakSet<TokenRecord>()
      watch.after((moment, kind) => {
        const life = kind === 'logon' ? watch.tokens.at(-1) : kind === 'use' ? moment.token : undefined
        if (life && fires(moment)) changed.add(life.record)
      })
      replace(tokens, 'isExpired', isExpired => record => {
        return changed.has(record) ? clock.nowMs() >= record.lastUsedMs + factor * idleLifetimeMs : isExpired(record)
      })
    },
  }
}

/** A request that should leave other tokens alone. */
interface Event {
  standings: readonly Standing[]
  takes: Effect['takes']
  /** What is broken where it ends others. */
  ends: readonly string[]
  /** What is broken too where it makes dead ones valid. */
  revives: readonly string[]
  weight: number
}

const EVENTS: Event[] = [
  { standings: standings.REFUSED_LOGON, takes: ofLogon, ends: ['LOGON-4'], revives: ['LOGON-4'], weight: 3 },
  {
    standings: standings.RIGHT,
    // A logon that ends others may be a limit, unless it does so in one shape only.
    takes: trigger => ofLogon(trigger) && inShape(trigger),
    ends: ['LOGON-4'],
    revives: ['LOGON-4'],
    weight: 2,
  },
  { standings: standings.REVOCATION, takes: ofRevocation, ends: ['REVOKE-2'], revives: ['REVOKE-2'], weight: 2 },
  {
    standings: standings.REFUSED_REVOCATION,
    takes: trigger => ofRevocation(trigger) && trigger.on !== 'token',
    ends: ['REVOKE-2'],
    revives: ['REVOKE-2'],
    weight: 2,
  },
  { standings: standings.REFUSAL, takes: ofUse, ends: ['IDLE-3', 'ACCESS-2'], revives: [], weight: 3 },
  { standings: standings.USE, takes: ofToken, ends: ['IDLE-3', 'ACCESS-2'], revives: [], weight: 2 },
  ...BARE.map(bare => ({ ...bare, ends: ['HOST-2'], revives: ['HOST-2'], weight: bare.weight / 5 })),
]

/** What such a request does to other tokens. */
interface Harm {
  id: string
  does: string
  /** How likely it is, as a part of the event's weight. */
  part: number
  requirements(event: Event): readonly string[]
  mayAlso(event: Event): readonly string[]
  takes(trigger: Trigger): boolean
  /** The tokens that it may do so to, in the order of their issue or of their end. */
  of(watch: Watch, moment: Moment): TokenLife[]
  needsWaiting: boolean
  act(life: TokenLife, watch: Watch): void
}

const endedBy = (watch: Watch, isRevoked: boolean) =>
  watch.tokens
    .filter(life => !watch.isValid(life) && isRevoked === (life.revokedMs !== undefined))
    .sort((a, b) => (a.revokedMs ?? a.lastUsedMs) - (b.revokedMs ?? b.lastUsedMs))
const HARMS: Harm[] = [
  {
    id: 'ends',
    does: 'ends, of the other valid tokens,',
    part: 1,
    requirements: ({ ends }) => ends,
    mayAlso: () => ['IDLE-3', 'ACCESS-2'],
    takes: trigger => !trigger.isLimitLike,
    of: others,
    needsWaiting: false,
    act: life => end([life]),
  },
  {
    id: 'revives-revoked',
    does: 'makes valid again, of the revoked tokens,',
    part: 0.4,
    requirements: ({ revives }) => ['REVOKE-1', ...revives],
    mayAlso: () => [],
    takes: () => true,
    of: watch => endedBy(watch, true),
    needsWaiting: false,
    act: revive,
  },
  {
    id: 'revives-expired',
    does: 'makes valid again, of the expired tokens,',
    part: 0.2,
    requirements: ({ revives }) => ['IDLE-1', ...revives],
    mayAlso: () => [],
    takes: () => true,
    of: watch => endedBy(watch, false),
    needsWaiting: true,
    act: revive,
  },
  {
    id: 'resets-the-timer-of',
    does: 'resets the idle timer of, among the other valid tokens,',
    part: 0.2,
    requirements: () => ['IDLE-1'],
    mayAlso: ({ revives }) => revives,
    takes: () => true,
    of: others,
    needsWaiting: true,
    act({ record }, { subject }) {
      record.lastUsedMs = subject.clock.nowMs()
    },
  },
]

/** The tokens that such a request concerns, of those that it may. */
const WHOM: { id: string; name: string; choose(moment: Moment, watch: Watch, of: TokenLife[]): TokenLife[] }[] = [
  { id: 'the-newest', name: 'the newest', choose: (_m, _w, of) => of.slice(-1) },
  { id: 'all', name: 'all', choose: (_m, _w, of) => of },
  {
    id: 'the-last-here',
    name: 'the last one on its connection',
    choose: ({ connection }, _, of) => latest(connection.past, of),
  },
  { id: 'the-last', name: 'the one of the request before it', choose: (_, { past }, of) => latest(past, of) },
  { id: 'the-oldest', name: 'the oldest', choose: (_m, _w, of) => of.slice(0, 1) },
]

function latest(past: readonly { token: TokenLife | undefined }[], of: readonly TokenLife[]): TokenLife[] {
  const found = past.find(({ token }) => token !== undefined && of.includes(token))?.token
  return found === undefined ? [] : [found]
}

const BYSTANDERS: Effect[] = EVENTS.flatMap(event =>
  HARMS.flatMap(harm =>
    WHOM.filter(({ id }) => isTold(event, harm.id, id)).map(
      ({ id, name, choose }): Effect => ({
        id: `${harm.id}-${id}`,
        does: `${harm.does} ${name}`,
        weight: (event.weight * harm.part) / WHOM.length,
        requirements: harm.requirements(event),
        mayAlso: harm.mayAlso(event),
        standings: event.standings,
        needsWaiting: harm.needsWaiting,
        takes: trigger => event.takes(trigger) && harm.takes(trigger),
        install: (watch, fires) =>
          watch.after(moment => {
            if (fires(moment)) for (const life of choose(moment, watch, harm.of(watch, moment))) harm.act(life, watch)
          }),
      }),
    ),
  ),
)

/** Leaves out what the reference does not show, and what nobody looks for: the token again that ended first. */
function isTold({ standings: of }: Event, harm: string, whom: string): boolean {
  if (harm === 'resets-the-timer-of') return !BARE.some(bare => bare.standings === of)
  return harm === 'ends' || whom !== 'the-oldest'
}

/** What a request does to a token that it almost carries, or carries in the wrong place. */
const MEANT: Effect[] = [
  {
    id: 'ends-the-token-meant',
    does: 'is refused, and ends that token',
    weight: 2,
    requirements: ['REVOKE-2', 'ACCESS-3'],
    mayAlso: ['IDLE-3', 'ACCESS-2'],
    standings: standings.REVOCATIONS_MEANT,
    takes: trigger => ofRevocation(trigger) && trigger.on !== 'token',
    install: (watch, fires) =>
      watch.after(moment => {
        if (fires(moment)) end(standings.meant(moment, watch))
      }),
  },
  {
    id: 'resets-the-timer-of-the-token-meant',
    does: 'is refused, and resets the idle timer of that token',
    weight: 0.7,
    requirements: ['IDLE-1'],
    mayAlso: ['ACCESS-3'],
    standings: [...standings.LOOKALIKES, ...standings.CARRIERS],
    needsWaiting: true,
    takes: trigger => ofUse(trigger) && isServed(trigger),
    install: (watch, fires) =>
      watch.after(moment => {
        if (!fires(moment)) return
        for (const { record } of standings.meant(moment, watch)) record.lastUsedMs = watch.subject.clock.nowMs()
      }),
  },
]

/** What a request does to its own token. */
const OWN: Effect[] = [
  own('ends-its-token', 'ends its own token', 2, standings.USE, ['IDLE-3', 'ACCESS-2'], ofToken, life => end([life])),
  own('ends-its-token', 'ends its own token', 2, standings.BARE, ['HOST-2'], ofToken, life => end([life])),
  own('ends-its-token', 'ends its own token', 2, standings.BARE_REVOCATION, ['HOST-2'], ofRevocation, life =>
    end([life]),
  ),
  own(
    'revives-its-token',
    'makes its own token valid again',
    2,
    standings.DEAD,
    ['REVOKE-1', 'IDLE-1'],
    ofDeadUse,
    revive,
  ),
]

function own(
  id: string,
  does: string,
  weight: number,
  of: readonly Standing[],
  requirements: string[],
  takes: Effect['takes'],
  act: (life: TokenLife, watch: Watch) => void,
): Effect {
  return {
    id,
    does,
    weight,
    requirements,
    mayAlso: requirements.includes('HOST-2') ? ['IDLE-3', 'ACCESS-2', 'REVOKE-2'] : [],
    standings: of,
    takes: trigger => takes(trigger) && !trigger.isLimitLike,
    install: (watch, fires) =>
      watch.after(moment => {
        if (moment.token && fires(moment)) act(moment.token, watch)
      }),
  }
}

/** The valid tokens that a request neither carries nor has brought. */
function others(watch: Watch, { token, head, nowMs }: Moment): TokenLife[] {
  return watch.valid().filter(life => life !== token && !(life.bornOn === head.connection && life.issuedMs >= nowMs))
}

function end(lives: readonly TokenLife[]): void {
  for (const { record } of lives) record.revoked = true
}

function revive({ record }: TokenLife, { subject: { clock } }: Watch): void {
  record.revoked = false
  record.lastUsedMs = clock.nowMs()
}

/** Every effect. Some have the same id, and concern other requests. */
export const EFFECTS: readonly Effect[] = [
  ...ACCESS,
  ...LOGON,
  ...HOST,
  ...REVOCATION,
  ...IDLE,
  ...BYSTANDERS,
  ...MEANT,
  ...OWN,
]
