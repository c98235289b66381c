/**
 * What the fault of a mutant does, as rows: the requirement that it breaks, and the triggers that go with it. An effect that a
 * trigger makes honest (a limit, a path or method that the Core does not serve, a shape that the reference does not show) does
 * not go with that trigger. Those of weight 0 are for named defects only. Over 250 lines, since it is one table.
 */
import { type ApiResponse, isApiPath } from '../../messages.js'
import { LOGON_PATH } from '../../routes.js'
import { endAll, isLogon, liveRecords, replace } from '../tools.js'
import type { Kind, Moment, TokenLife } from './moment.js'
import { inWords } from './rows.js'
import { meant, REVOCATIONS_MEANT, type Standing, standingsOf } from './standings.js'
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
  /** How likely a fault does this, from 1; 0 for named defects only. */
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

/** Reads what an effect does, and what breaks by it: `gets-no-token 1: gets an answer without a token` and `LOGON-1 (LOGON-4)`. */
function says(words: string, broken: string) {
  const { id, weight, that: does } = inWords(words)
  const [requirements = [], mayAlso = []] = broken.split('(').map(ids => ids.match(/[A-Z]+-\d/g) ?? [])
  return { id, does, weight, requirements, mayAlso }
}

/** An effect of named defects only. */
function named(words: string, install: Effect['install']): Effect {
  return { ...says(words, ''), standings: [], takes: () => false, install }
}

/** Chooses the tokens that a request concerns. */
type Whom = (watch: Watch, moment: Moment, kind: Kind) => readonly TokenLife[]
const own: Whom = (_, { token }) => (token === undefined ? [] : [token])

/** Does something to tokens once such a request is answered. */
function toTokens(whom: Whom, act: (life: TokenLife, watch: Watch, moment: Moment) => void): Effect['install'] {
  return (watch, fires) =>
    watch.after((moment, kind) => {
      if (fires(moment)) for (const life of whom(watch, moment, kind)) act(life, watch, moment)
    })
}

/** Changes the answer to such a request, whatever it is. */
function toAnswer(change: Partial<ApiResponse>): Effect['install'] {
  return (watch, fires) =>
    replace(watch.subject.device, 'finish', finish => (head, response) => {
      return finish(head, fires(watch.momentOf(head)) ? { ...response, ...change } : response)
    })
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
  { standings: standingsOf('bare'), takes: trigger => ofToken(trigger) && isOfBare(trigger), weight: 6 },
  {
    standings: standingsOf('bare logon'),
    takes: trigger => ofLogon(trigger) && isOfBare(trigger) && trigger.group !== 'logon form',
    weight: 2,
  },
  {
    standings: standingsOf('bare revocation'),
    takes: trigger => ofRevocation(trigger) && isOfBare(trigger),
    weight: 2,
  },
]

const ACCESS: Effect[] = [
  letIn(12, standingsOf('none'), 'ACCESS-1 (ACCESS-3)'),
  letIn(5, standingsOf('unknown'), 'ACCESS-1'),
  letIn(6, standingsOf('lookalike'), 'ACCESS-1'),
  letIn(6, standingsOf('carrier'), 'ACCESS-3 (ACCESS-1)'),
  letIn(3, standingsOf('scheme'), 'ACCESS-1 ACCESS-3'),
  letIn(8, standingsOf('revoked'), 'REVOKE-1'),
  letIn(4, standingsOf('expired'), 'IDLE-1'),
  {
    ...says('refused 5: is refused', 'ACCESS-2 IDLE-3 (IDLE-2 LOGON-1 LOGON-4 REVOKE-2)'),
    standings: standingsOf('use'),
    takes: trigger => ofToken(trigger) && trigger.isPlain && !trigger.isLimitLike,
    install(watch, fires) {
      const isRefused = (moment: Moment) => isProtected(moment) && fires(moment)
      replace(watch.subject.device, 'useToken', useToken => (token, request) => {
        return !isRefused(watch.momentOf(request)) && useToken(token, request)
      })
    },
  },
]

/** Tells whether a request asks for what needs a token on every Core. */
function isProtected({ head, path, isBare }: Moment): boolean {
  return !isBare && isApiPath(path.toLowerCase()) && !path.endsWith('/access_mode') && head.method !== 'OPTIONS'
}

/** Tells so of one whose acceptance a client can see. */
function needsToken(moment: Moment): boolean {
  return isProtected(moment) && moment.path !== LOGON_PATH
}

/** Requests that must be refused for their token are accepted. */
function letIn(weight: number, of: readonly Standing[], broken: string): Effect {
  const isDead = of === standingsOf('revoked') || of === standingsOf('expired')
  const needsOther = [standingsOf('lookalike'), standingsOf('carrier'), standingsOf('scheme')].includes(of)
  return {
    ...says(`accepted ${weight}: is accepted`, broken),
    standings: of,
    needsWaiting: of === standingsOf('expired'),
    takes: trigger =>
      isServed(trigger) &&
      (ofUse(trigger) || (isDead && ofDead(trigger)) || (!needsOther && trigger.on === 'empty')) &&
      (of !== standingsOf('expired') || trigger.id !== 'revoked-elsewhere'),
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
  issued('gets-a-token 8: gets a token', standingsOf('wrong'), 'LOGON-2'),
  issued('gets-a-token 4: gets a token', standingsOf('malformed'), 'LOGON-3 (LOGON-2)'),
  holdsToken(),
  {
    ...says('gets-no-token 1: gets an answer without a token', 'LOGON-1'),
    standings: standingsOf('right'),
    takes: ofLogon,
    install(watch, fires) {
      replace(watch.subject.device, 'admit', admit => request => {
        const answer = admit(request)
        if (!fires(watch.momentOf(request))) return answer
        watch.tell('shown')
        return { ...answer, body: '{}' }
      })
    },
  },
  gets('gets-a-dead-token 2: gets a token that is refused', 'LOGON-1 ACCESS-2 (IDLE-3)', (issue, { subject }) => {
    const token = issue()
    const record = subject.tokens.find(token)
    if (record) record.revoked = true
    return token
  }),
  getsAgain(
    'gets-a-valid-token-again 2: gets a token that is already in use',
    'LOGON-1 (LOGON-4 REVOKE-2 IDLE-1)',
    (watch, { token, isValid }) => (isValid ? token : watch.valid().at(-1)),
  ),
  getsAgain(
    'gets-a-revoked-token-again 1: gets a token that was revoked before',
    'LOGON-1 REVOKE-1 (LOGON-4)',
    ({ tokens }) => tokens.findLast(({ revokedMs, record }) => revokedMs !== undefined && record.revoked),
  ),
  getsAgain('gets-the-newest-token-again 0: gets the newest token again', 'LOGON-1', ({ tokens }) => tokens.at(-1)),
  {
    ...says('refused 2: is refused', 'LOGON-1'),
    standings: standingsOf('right'),
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
function issued(words: string, of: readonly Standing[], broken: string): Effect {
  return {
    ...says(words, broken),
    standings: of,
    takes: trigger => ofLogon(trigger) || trigger.on === 'empty',
    install(watch, fires) {
      const { device } = watch.subject
      replace(device, 'logon', logon => visit => {
        return fires(watch.momentOf(visit.request)) ? device.admit(visit.request) : logon(visit)
      })
      // A fault may take another request for a logon.
      replace(device, 'answer', answer => request => {
        return !isLogon(request) && fires(watch.momentOf(request)) ? device.admit(request) : answer(request)
      })
    },
  }
}

/** A wrong logon is refused, and its answer holds a token. */
function holdsToken(): Effect {
  return {
    ...issued('refused-with-a-token 1: is refused, and gets a token all the same', standingsOf('wrong'), 'LOGON-2'),
    install(watch, fires) {
      const { device } = watch.subject
      replace(device, 'refuse', refuse => request => {
        const refusal = refuse(request)
        if (!fires(watch.momentOf(request))) return refusal
        watch.tell('shown')
        return { ...refusal, body: device.say('loggedOn', { bearer: device.issueToken() }).body ?? '' }
      })
    },
  }
}

/** A right logon gets another token than a new one. */
function gets(
  words: string,
  broken: string,
  make: (issue: () => string, watch: Watch, moment: Moment) => string,
): Effect {
  return {
    ...says(words, broken),
    standings: standingsOf('right'),
    takes: ofLogon,
    install: (watch, fires) =>
      replace(watch.subject.device, 'issueToken', issue => () => {
        const moment = watch.answering
        return fires(moment) ? make(issue, watch, moment) : issue()
      }),
  }
}

/** A right logon gets a token of before, valid from now on; a new one where there is none. */
function getsAgain(
  words: string,
  broken: string,
  choose: (watch: Watch, moment: Moment) => TokenLife | undefined,
): Effect {
  return gets(words, broken, (issue, watch, moment) => {
    const same = choose(watch, moment)
    if (same === undefined) return issue()
    watch.tell('shown')
    revive(same, watch)
    same.lastUsedMs = same.record.lastUsedMs
    // It may be forgotten.
    watch.subject.tokens.add(same.text, same.record)
    return same.text
  })
}

/** A path or method that the Core does not serve may be told before a missing Host. */
const isKnown = ({ group, id }: Trigger) =>
  (group !== 'path' && group !== 'method') || id === 'core-path' || id === 'head'

const HOST: Effect[] = BARE.map(bare => ({
  ...bare,
  takes: (trigger: Trigger) => bare.takes(trigger) && isKnown(trigger),
})).flatMap(({ weight, ...bare }): Effect[] => [
  {
    ...says(`served ${weight / 2}: is served`, 'HOST-1 HOST-2 (LOGON-4 REVOKE-2)'),
    ...bare,
    install(watch, fires) {
      replace(watch.subject.device, 'isHostMissing', isHostMissing => head => {
        return isHostMissing(head) && !fires(watch.momentOf(head))
      })
    },
  },
  ...[400, 403, 404, 421].map(status => ({
    ...says(`answered-${status} ${weight / 8}: is answered ${status}`, 'HOST-1'),
    ...bare,
    install: toAnswer({ status }),
  })),
])

/** What of a defect's answers is wrong, beside what they say. */
const SPOILED: Effect[] = [
  ...[200, 401, 500].map(status => named(`answered-${status} 0: is answered ${status}`, toAnswer({ status }))),
  named(
    'answered-as-created 0: is answered as if it had created something',
    toAnswer({ status: 201, headers: [['Content-Type', 'application/json']], body: '{"id":3}' }),
  ),
  named('cut-off 0: gets half of its answer', toAnswer({ delivery: { fate: 'cut' } })),
  named('dropped 0: gets no answer', toAnswer({ delivery: { fate: 'dropped' } })),
  named('never-answered 0: gets no answer for a minute', toAnswer({ delivery: { fate: 'dropped', delayMs: 60_000 } })),
]

/** A logon without Host is carried out, and answered as it should be. */
const CARRIED_OUT: Effect = {
  ...says('carried-out 0.5: is answered 406, with a token in the body if its credentials are right', 'HOST-2'),
  standings: standingsOf('bare logon'),
  takes: trigger => ofLogon(trigger) && isOfBare(trigger) && trigger.group !== 'logon form',
  install(watch, fires) {
    const { device } = watch.subject
    replace(device, 'screen', screen => head => {
      const refusal = screen(head)
      return refusal?.status === 406 && fires(watch.momentOf(head)) ? undefined : refusal
    })
    replace(device, 'answer', answer => request => {
      if (!watch.momentOf(request).isBare) return answer(request)
      const { status, body = '' } = answer(request)
      if (status < 300) watch.tell('shown')
      return { ...device.say('hostMissing'), ...(status < 300 && { body }) }
    })
  },
}

const INSTEAD = 'REVOKE-1 REVOKE-2'
const REVOCATION: Effect[] = [
  revocation('does-not-end-its-token 4: is answered as ever, and does not end its token', 'REVOKE-1', () => {}),
  revocation('ends-its-token-late 1: ends its token only after one more use', 'REVOKE-1', (watch, { token: own }) => {
    let left = 1
    watch.after(({ token, isGranted }) => {
      if (own !== undefined && token === own && isGranted && left-- === 0) end([own])
    })
  }),
  revocation('ends-the-newest-instead 1: ends the newest token instead', INSTEAD, (watch, moment) =>
    end(others(watch, moment).slice(-1)),
  ),
  revocation('ends-the-oldest-instead 1: ends the oldest token instead', INSTEAD, (watch, moment) =>
    end(others(watch, moment).slice(0, 1)),
  ),
  // Whichever it carries: honest where that is the one.
  revocation('ends-the-newest-only 0: ends the newest token only', INSTEAD, ({ subject }) =>
    endAll(liveRecords(subject).slice(-1)),
  ),
  revocation('ends-the-oldest-only 0: ends the oldest token only', INSTEAD, ({ subject }) =>
    endAll(liveRecords(subject).slice(0, 1)),
  ),
  notAllowed('refused 1: is refused', device => device.say('revokeRefused')),
  notAllowed('answered-405 0: is answered 405', device => device.say('methodNotAllowed', { allow: 'POST' })),
  notAllowed('answered-415 0: is answered 415', device => device.say('contentTypeRefused')),
]

/** A revocation is refused, which only an odd one may be. */
function notAllowed(words: string, say: (device: Watch['subject']['device']) => ApiResponse): Effect {
  return {
    ...revocation(`${words}, and does not end its token`, 'REVOKE-1', () => {}),
    takes: trigger => ofRevocation(trigger) && trigger.isPlain && !trigger.isLimitLike,
    install(watch, fires) {
      const { device } = watch.subject
      replace(device, 'revoke', revoke => visit => {
        return fires(watch.momentOf(visit.request)) ? say(device) : revoke(visit)
      })
    },
  }
}

/** A revocation has another effect than its own. */
function revocation(words: string, broken: string, act: (watch: Watch, moment: Moment) => void): Effect {
  return {
    ...says(words, `${broken} (IDLE-3 ACCESS-2)`),
    standings: standingsOf('revocation'),
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

const LIFETIMES: [words: string, broken: string, part: number][] = [
  ['halves-the-lifetime 0.6: gives its token half of the lifetime', 'IDLE-3 (IDLE-2)', 0.5],
  ['doubles-the-lifetime 0.6: gives its token twice the lifetime', 'IDLE-1', 2],
  ['ends-the-expiry 0.6: gives its token a life without an end', 'IDLE-1', Number.POSITIVE_INFINITY],
]
const IDLE: Effect[] = [
  {
    ...says('does-not-reset-the-timer 4: does not reset the idle timer of its token', 'IDLE-2 (IDLE-3)'),
    needsWaiting: true,
    standings: standingsOf('use'),
    takes: trigger => ofToken(trigger) && trigger.id !== 'used-a-moment-ago',
    install(watch, fires) {
      replace(watch.subject.device, 'useToken', useToken => (token, request) => {
        const moment = watch.momentOf(request)
        const isUsed = useToken(token, request)
        if (isUsed && moment.token && fires(moment)) moment.token.record.lastUsedMs = moment.notedMs
        return isUsed
      })
    },
  },
  {
    ...says('adds-a-lifetime 0.6: adds a lifetime to what is left of that of its token', 'IDLE-1'),
    needsWaiting: true,
    standings: standingsOf('use'),
    takes: ofToken,
    install: toTokens(own, ({ record }, { subject }, { notedMs }) => {
      record.lastUsedMs = notedMs + subject.idleLifetimeMs
    }),
  },
  ...[0.9, 1, 1.1, 1.5].map(part => named(`lifetime-${part} 0: gives its token ${part} lifetimes`, lifetime(part))),
  ...[
    { standings: standingsOf('use'), takes: ofToken },
    { standings: standingsOf('right'), takes: ofLogon },
  ].flatMap(common =>
    LIFETIMES.map(([words, broken, part]) => ({
      ...says(words, broken),
      ...common,
      needsWaiting: true,
      install: lifetime(part),
    })),
  ),
]

/** A good request changes the lifetime of its token for good. @param part of the right one */
function lifetime(part: number): Effect['install'] {
  const issued: Whom = (watch, moment, kind) => (kind === 'logon' ? watch.tokens.slice(-1) : own(watch, moment, kind))
  return toTokens(issued, ({ record }, { lifetimes }) => lifetimes.set(record, part))
}

/** A request that should leave other tokens alone: what is broken where it ends them, and what, too, where it makes dead ones valid. */
type Event = { standings: readonly Standing[]; takes: Effect['takes']; ends: string; revives: string; weight: number }

const EVENTS: Event[] = [
  { standings: standingsOf('refused logon'), takes: ofLogon, ends: 'LOGON-4', revives: 'LOGON-4', weight: 3 },
  {
    standings: standingsOf('right'),
    // A logon that ends others may be a limit, unless it does so in one shape only.
    takes: trigger => ofLogon(trigger) && inShape(trigger),
    ends: 'LOGON-4',
    revives: 'LOGON-4',
    weight: 2,
  },
  { standings: standingsOf('revocation'), takes: ofRevocation, ends: 'REVOKE-2', revives: 'REVOKE-2', weight: 2 },
  {
    standings: standingsOf('refused revocation'),
    takes: trigger => ofRevocation(trigger) && trigger.on !== 'token',
    ends: 'REVOKE-2',
    revives: 'REVOKE-2',
    weight: 2,
  },
  { standings: standingsOf('refusal'), takes: ofUse, ends: 'IDLE-3 ACCESS-2', revives: '', weight: 3 },
  { standings: standingsOf('use'), takes: ofToken, ends: 'IDLE-3 ACCESS-2', revives: '', weight: 2 },
  ...BARE.map(bare => ({ ...bare, ends: 'HOST-2', revives: 'HOST-2', weight: bare.weight / 5 })),
]

/** What such a request does to other tokens. */
interface Harm {
  /** With its weight as a part of the event's. */
  words: string
  breaks(event: Event): string
  needsWaiting?: boolean
  /** The tokens that it may do so to, in the order of their issue or of their end; absent: the other valid ones. */
  of?(watch: Watch): TokenLife[]
  act(life: TokenLife, watch: Watch): void
}

/** Longer than the next request takes, shorter than the second look of a careful client. */
const LATE_MS = 500
const endedBy = (watch: Watch, isRevoked: boolean) =>
  watch.tokens
    .filter(life => !watch.isValid(life) && isRevoked === (life.revokedMs !== undefined))
    .sort((a, b) => (a.revokedMs ?? a.lastUsedMs) - (b.revokedMs ?? b.lastUsedMs))
const HARMS: Harm[] = [
  {
    words: 'ends 1: ends, of the other valid tokens,',
    breaks: ({ ends }) => `${ends} (IDLE-3 ACCESS-2)`,
    act: life => end([life]),
  },
  {
    words: 'ends-late 0.2: ends half a second later, of the other valid tokens,',
    breaks: ({ ends }) => `${ends} (IDLE-3 ACCESS-2)`,
    act({ record }, { endsMs, subject: { clock } }) {
      const atMs = clock.nowMs() + LATE_MS
      endsMs.set(record, Math.min(atMs, endsMs.get(record) ?? atMs))
    },
  },
  {
    words: 'revives-revoked 0.4: makes valid again, of the revoked tokens,',
    breaks: ({ revives }) => `REVOKE-1 ${revives}`,
    of: watch => endedBy(watch, true),
    act: revive,
  },
  {
    words: 'revives-expired 0.2: makes valid again, of the expired tokens,',
    breaks: ({ revives }) => `IDLE-1 ${revives}`,
    needsWaiting: true,
    of: watch => endedBy(watch, false),
    act: revive,
  },
  {
    words: 'resets-the-timer-of 0.2: resets the idle timer of, among the other valid tokens,',
    breaks: ({ revives }) => `IDLE-1 (${revives})`,
    needsWaiting: true,
    act: resetTimer,
  },
  {
    words: 'halves-the-lifetime-of 0: halves the lifetime of, among the other valid tokens,',
    breaks: ({ ends }) => `IDLE-3 IDLE-2 (${ends})`,
    needsWaiting: true,
    act: ({ record }, { lifetimes }) => lifetimes.set(record, 0.5),
  },
]

const byUse = (of: TokenLife[]) => [...of].sort((a, b) => a.lastUsedMs - b.lastUsedMs)
const older = (of: TokenLife[], { token }: Moment) => of.filter(({ issuedMs }) => token && issuedMs < token.issuedMs)
const ANY = /^/
const ENDS = /^ends/
const NAMED_ONLY = /^$/
/** The tokens that such a request concerns, of those that it may, and the harms that are drawn with them. */
const WHOM: [
  id: string,
  name: string,
  drawnWith: RegExp,
  choose: (of: TokenLife[], m: Moment, w: Watch) => TokenLife[],
][] = [
  ['the-newest', 'the newest', ANY, of => of.slice(-1)],
  ['all', 'all', ANY, of => of],
  ['the-last-here', 'the last one on its connection', ANY, (of, { connection }) => latest(connection.past, of)],
  ['the-last', 'the one of the request before it', ANY, (of, _, { past }) => latest(past, of)],
  // Of those that have ended, nobody looks for the one that ended first.
  ['the-oldest', 'the oldest', /^(ends|resets)/, of => of.slice(0, 1)],
  ['the-last-used', 'the one used last', ENDS, of => byUse(of).slice(-1)],
  ['the-least-used', 'the one unused longest', ENDS, of => byUse(of).slice(0, 1)],
  ['the-next-newest', 'the newest but one', NAMED_ONLY, of => of.slice(-2, -1)],
  ['the-older', 'the older ones', NAMED_ONLY, older],
  ['the-newer', 'the newer ones', NAMED_ONLY, (of, moment) => of.slice(older(of, moment).length)],
  ['the-next-older', 'the next older one', NAMED_ONLY, (of, moment) => older(of, moment).slice(-1)],
  [
    'the-next-older-unused',
    'the next older one, if that was never used',
    NAMED_ONLY,
    (of, moment) => older(of, moment).filter(({ uses }, index, { length }) => index === length - 1 && uses === 0),
  ],
  // The order looks random, and is the same in each run (Knuth's multiplicative hash).
  [
    'any',
    'one by chance',
    NAMED_ONLY,
    (of, _, { counts }) => {
      const draw = [...counts.values()].reduce((sum, count) => sum + count, 1)
      const from = (Math.imul(draw, 2_654_435_761) >>> 8) % (of.length || 1)
      return of.slice(from, from + 1)
    },
  ],
]

function latest(past: readonly { token: TokenLife | undefined }[], of: readonly TokenLife[]): TokenLife[] {
  const found = past.find(({ token }) => token !== undefined && of.includes(token))?.token
  return found === undefined ? [] : [found]
}

/** Number of choices that are drawn. */
const DRAWN = WHOM.filter(([, , drawnWith]) => drawnWith !== NAMED_ONLY).length

const BYSTANDERS: Effect[] = EVENTS.flatMap(event =>
  HARMS.flatMap(({ words, breaks, act, of = others, needsWaiting = false }) => {
    const harm = inWords(words)
    return WHOM.map(([whom, name, drawnWith, choose]): Effect => {
      const weight = drawnWith.test(harm.id) && isTold(event, harm.id) ? (event.weight * harm.weight) / DRAWN : 0
      return {
        ...says(`${harm.id}-${whom} ${weight}: ${harm.that} ${name}`, breaks(event)),
        standings: event.standings,
        needsWaiting,
        takes: trigger => event.takes(trigger) && !(ENDS.test(harm.id) && trigger.isLimitLike),
        install: toTokens((watch, moment) => choose(of(watch, moment), moment, watch), act),
      }
    })
  }),
)

/** Leaves out what the reference does not show. */
function isTold({ standings: of }: Event, harm: string): boolean {
  return harm !== 'resets-the-timer-of' || !BARE.some(bare => bare.standings === of)
}

/** What a request does to a token that it almost carries, or carries in the wrong place. */
const MEANT: Effect[] = [
  {
    ...says('ends-the-token-meant 2: is refused, and ends that token', 'REVOKE-2 ACCESS-3 (IDLE-3 ACCESS-2)'),
    standings: REVOCATIONS_MEANT,
    takes: trigger => ofRevocation(trigger) && trigger.on !== 'token',
    install: toTokens(meant, life => end([life])),
  },
  {
    ...says(
      'resets-the-timer-of-the-token-meant 0.7: is refused, and resets the idle timer of that token',
      'IDLE-1 (ACCESS-3)',
    ),
    standings: [...standingsOf('lookalike'), ...standingsOf('carrier')],
    needsWaiting: true,
    takes: trigger => ofUse(trigger) && isServed(trigger),
    install: toTokens(meant, resetTimer),
  },
]

/** What a request does to its own token. */
const ENDS_OWN = 'ends-its-token 2: ends its own token'
const BROKEN_WITHOUT_HOST = 'HOST-2 (IDLE-3 ACCESS-2 REVOKE-2)'
const OWN: Effect[] = [
  toOwn(ENDS_OWN, 'IDLE-3 ACCESS-2', standingsOf('use'), ofToken, life => end([life])),
  toOwn(ENDS_OWN, BROKEN_WITHOUT_HOST, standingsOf('bare'), ofToken, life => end([life])),
  toOwn(ENDS_OWN, BROKEN_WITHOUT_HOST, standingsOf('bare revocation'), ofRevocation, life => end([life])),
  toOwn(
    'revives-its-token 2: makes its own token valid again',
    'REVOKE-1 IDLE-1',
    standingsOf('dead'),
    ofDeadUse,
    revive,
  ),
]

function toOwn(
  words: string,
  broken: string,
  of: readonly Standing[],
  takes: Effect['takes'],
  act: (life: TokenLife, watch: Watch) => void,
): Effect {
  return {
    ...says(words, broken),
    standings: of,
    takes: trigger => takes(trigger) && !trigger.isLimitLike,
    install: toTokens(own, act),
  }
}

/** What a Core with access control off does to a request without a token; it asks for one. */
const OPEN: Effect[] = [
  named('needs-a-token 0: needs a token', (watch, fires) => {
    const { device } = watch.subject
    replace(device, 'needsToken', needsToken => (path, request) => {
      const isOpen = device.routes[path]?.[request.method]?.open === true
      return needsToken(path, request) || (!isOpen && fires(watch.momentOf(request)))
    })
  }),
  named('forbidden 0: is answered 403', (watch, fires) => {
    const { device } = watch.subject
    replace(device, 'answer', answer => request => {
      const moment = watch.momentOf(request)
      const isForbidden = isApiPath(moment.path) && fires(moment)
      return isForbidden ? { ...device.say('tokenMissing'), status: 403, headers: [] } : answer(request)
    })
  }),
]

/** The valid tokens that a request neither carries nor has brought, and that are not ended yet. */
function others(watch: Watch, { token, head, nowMs }: Moment): TokenLife[] {
  const isBrought = ({ bornOn, issuedMs }: TokenLife) => bornOn === head.connection && issuedMs >= nowMs
  return watch.valid().filter(life => life !== token && !life.record.revoked && !isBrought(life))
}

function end(lives: readonly TokenLife[]): void {
  for (const { record } of lives) record.revoked = true
}

function resetTimer({ record }: TokenLife, { subject: { clock } }: Watch): void {
  record.lastUsedMs = clock.nowMs()
}

function revive(life: TokenLife, watch: Watch): void {
  life.record.revoked = false
  resetTimer(life, watch)
}

/** Every effect, also of named defects only. Some have the same id, and concern other requests. */
export const ALL_EFFECTS: readonly Effect[] = [
  ...ACCESS,
  ...OPEN,
  ...LOGON,
  ...HOST,
  ...SPOILED,
  CARRIED_OUT,
  ...REVOCATION,
  ...IDLE,
  ...BYSTANDERS,
  ...MEANT,
  ...OWN,
]

/** The effects of which mutants are made. */
export const EFFECTS: readonly Effect[] = ALL_EFFECTS.filter(({ weight }) => weight > 0)
