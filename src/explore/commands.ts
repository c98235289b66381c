/** Turns each command into actions, in the state that its sequence has reached. Over 250 lines, since it is one table. */

import { type Action, at, useOf } from './action.js'
import { type CommandName, type Drawn, SLOW_MOODS } from './draw.js'
import { MANGLED } from './lower.js'
import { type Range, rangeOf } from './ranges.js'
import { type Limits, Writer } from './writer.js'

/** What stands in Authorization while a token is elsewhere; undefined: there is none. */
const BESIDE = [
  undefined,
  undefined,
  'Bearer ',
  'Bearer 00000000000000000000000000000000',
  'Basic bm9ib2R5Om5vdGhpbmc=',
] as const
const WAITS = ['20%', '40%', '60%', '80%', 'within lifetime'] as const
/** How long a connection and the Core rest, in percent of the lifetime: of one of 8 s, nearly half a second at least. */
const RESTS = [6, 6, 6, 6, 12, 12, 55] as const

/**
 * Turns drawn commands into actions that can be played one after another. Commands that are not possible are left out.
 */
export function actionsOf(drawn: Drawn, limits: Limits): Action[] {
  const { commands, mood } = drawn
  const writer = new Writer(limits, SLOW_MOODS.includes(mood))
  // Begin with one to three tokens, so that there is something to lose.
  for (let begun = 0; begun < 1 + ((commands[0]?.pick ?? 0) % 3); begun++) writer.logon()
  // What follows then comes in a resumed TLS session.
  if (limits.features.resumed && (commands[0]?.other ?? 0) % 3 === 0) {
    const token = writer.newest
    if (token !== undefined) writer.do({ send: 'probe', token, connection: 'resumed' })
  }
  for (const command of commands) {
    if (writer.actions.length >= limits.requests) break
    writer.form = command.form
    writer.isFormed = mood === 'rows' || mood === 'late'
    if (mood === 'late' && command.pick % 3 !== 0) writer.rest(at(RESTS, command.other) ?? 0)
    WRITERS[command.name](writer, command.pick, command.other)
    // What must be refused comes after each kind of request, and each kind of request after it.
    if (mood === 'rows' || (mood === 'late' && command.pick % 2 === 0)) sendOdd(writer, ODD, command.other)
  }
  writer.lookAtAll()
  return writer.actions
}

/** Keeps the connection open during every other wait, so that what comes next does so on a rested one. */
function onItsConnection(pick: number): { connection?: 'kept' } {
  return pick % 2 === 0 ? { connection: 'kept' } : {}
}

/** Most requests beside another one. */
const MOST_AT_ONCE = 3

/** What must be refused in place of a token, or beside it. */
const ODD: readonly Range[] = ['look-alike', 'constant', 'place']

/** Commands that may stir the timers of tokens that they do not use. */
const STIRS: readonly CommandName[] = [
  'logon',
  'use',
  'revoke',
  'revoke a look-alike',
  'in another place',
  'wrong logon',
  'no token',
  'unknown token',
  'revoke in vain',
  'look at a dead token',
  'log on in other words',
  'in other words',
  'look-alike',
  'without Host, in other words',
]

/** A Core may look elsewhere because there is no token where it belongs, or none that is good. */
function beside(pick: number): Partial<Action> {
  const value = at(BESIDE, pick >> 2)
  return value === undefined ? {} : { headers: { Authorization: value } }
}

/**
 * Sends what must be refused in place of a token, or beside it: of all of these kinds what meets most for the first time.
 * @param token the token that it is made of
 */
function sendOdd(
  writer: Writer,
  ranges: readonly Range[],
  pick: number,
  token = writer.live(pick) ?? writer.logon(),
): void {
  const varied = writer.variation(ranges, pick >> 1)
  if (token === undefined || !varied) return
  const range = rangeOf(varied.action)
  const carried = range === 'constant' ? {} : { token, ...(range === 'place' && beside(pick)) }
  writer.do({ ...varied.action, ...carried }, varied.value)
}

type Write = (writer: Writer, pick: number, other: number) => void

const WRITERS: Record<CommandName, Write> = {
  logon: (writer, pick) => void writer.logon(writer.limits.features.http10 && pick % 8 === 0 ? { http: '1.0' } : {}),
  use(writer, pick, other) {
    const token = writer.live(pick) ?? writer.logon()
    if (token !== undefined) writer.do({ ...useOf(writer.limits.features, other), token })
  },
  'use often'(writer, pick, other) {
    const token = writer.live(pick) ?? writer.logon()
    if (token !== undefined) writer.repeat(4 + (other % 9), { send: 'probe', token })
    writer.tempt(pick)
  },
  'look at a dead token'(writer, pick, other) {
    const token = writer.dead(pick)
    if (token !== undefined) writer.do({ ...useOf(writer.limits.features, other), token })
  },
  'look often'(writer, pick, other) {
    const token = writer.dead(pick)
    if (token !== undefined) writer.repeat(3 + (other % 7), { send: 'probe', token })
  },
  revoke(writer, pick, other) {
    const token = writer.live(pick)
    if (token === undefined || !writer.do({ send: 'revoke', token })) return
    // Now and then something else comes right after it.
    if (other % 3 > 0) writer.do({ send: 'probe', token })
    if (other % 3 > 1) writer.look(other >> 2)
  },
  rest: writer => writer.rest(RESTS[0]),
  'revoke in vain'(writer, pick, other) {
    const token = other % 2 === 0 ? writer.dead(pick) : 'unknown'
    writer.do(token === undefined ? { send: 'revoke' } : { send: 'revoke', token })
  },
  'no token': (writer, pick) => void writer.do(useOf(writer.limits.features, pick)),
  'unknown token'(writer, pick, other) {
    const change = at(MANGLED, other)
    const like = other % 2 === 0 ? writer.live(pick) : writer.dead(pick)
    const token = like === undefined || change === undefined ? 'unknown' : { like, change }
    writer.do({ send: 'probe', token })
  },
  'be refused often': (writer, pick, other) =>
    writer.repeat(3 + (other % 8), { send: 'probe', ...(pick % 2 === 0 && { token: 'unknown' }) }),
  'look-alike': (writer, pick, other) =>
    sendOdd(writer, ['look-alike'], other, pick % 4 > 0 ? undefined : writer.dead(pick >> 2)),
  'in other words'(writer, pick, other) {
    const token = pick % 6 === 0 ? writer.dead(pick >> 1) : undefined
    const constant = pick % 6 > 1 ? writer.variation(['constant'], other) : undefined
    if (constant) writer.do(constant.action, constant.value)
    else writer.do({ send: 'probe', ...(token !== undefined && { token }) })
  },
  'log on in other words'(writer, pick, other) {
    const varied = writer.variation(['right'], other)
    const { form } = writer
    // The Core may have no room for a further token: then it takes that of the revoked one.
    const token = writer.live(pick) ?? writer.logon()
    if (!varied || token === undefined || !writer.do({ send: 'revoke', token })) return
    writer.form = form
    writer.do({ ...varied.action, ...writer.carried(other) }, varied.value)
    writer.look(pick)
  },
  'revoke in other words'(writer, pick) {
    const token = writer.dead(pick) ?? writer.live(pick)
    if (token !== undefined) writer.do({ send: 'revoke', token, expect: 'revoked', assumed: true })
  },
  'revoke a look-alike'(writer, pick, other) {
    const varied = writer.variation([pick % 2 === 0 ? 'look-alike' : 'place'], other)
    const token = writer.live(pick >> 1) ?? writer.logon()
    // Another path, or a body, would make it another request.
    const { path, body } = { ...varied?.value.listed, ...varied?.value.made }
    if (!varied || token === undefined || path?.includes('?') === false || body !== undefined) return
    writer.do({ ...varied.action, send: 'revoke', token }, varied.value)
    writer.do({ send: 'probe', token })
  },
  'look around'(writer) {
    for (const token of writer.some('issued', 'revoked', 'expired')) writer.do({ send: 'probe', token })
  },
  'behind another'(writer, pick, other) {
    const behind = writer.limits.features.behind ? (writer.live(pick) ?? writer.logon()) : undefined
    const token = [writer.dead(other), 'unknown', writer.other(behind, other), undefined][other % 4]
    // On a connection that is open.
    if (behind === undefined || !writer.do({ send: 'probe', token: behind, connection: 'kept' })) return
    const without = pick % 3 === 0 && { without: ['Host'] }
    writer.do({ send: pick % 5 === 0 ? 'revoke' : 'probe', ...(token && { token }), ...without, behind })
    writer.look(other)
  },
  'use late'(writer, pick, other) {
    const token = writer.live(pick) ?? writer.logon()
    const [first, second] = [at(WAITS, 2 + (pick % 3)), at(WAITS, 2 + (other % 3))]
    if (token === undefined || !first || !second || !writer.do({ wait: { token, unused: first } })) return
    for (const each of writer.some('issued')) writer.do({ send: 'probe', token: each })
    if (writer.do({ wait: { token, unused: second } })) writer.lookAtAll()
  },
  'in another place': (writer, _, other) => sendOdd(writer, ['place'], other),
  'without Host, in other words'(writer, _, other) {
    const varied = writer.variation(['bare'], other)
    if (varied) writer.do(varied.action, varied.value)
  },
  'wrong logon'(writer, pick, other) {
    const varied = writer.credentials(pick % 4 === 0 ? 'malformed' : 'wrong', other)
    if (!varied) return
    writer.restForRefusal()
    writer.do({ ...varied.action, ...writer.carried(pick) }, varied.value)
    writer.look(pick >> 1)
  },
  'without Host'(writer, pick, other) {
    const token = other % 2 === 0 ? writer.live(pick) : writer.dead(pick)
    const carried = token === undefined ? {} : { token }
    const without = ['Host']
    if (other % 5 === 0) writer.do({ send: 'logon', without })
    else writer.repeat(1 + (pick % 2), { send: other % 3 === 0 ? 'revoke' : 'probe', ...carried, without })
    writer.look(other >> 2)
  },
  wait(writer, pick, other) {
    const token = writer.live(pick) ?? writer.logon()
    const unused = at(WAITS, other)
    if (
      token !== undefined &&
      unused !== undefined &&
      writer.do({ wait: { token, unused, ...onItsConnection(other >> 3) } })
    )
      writer.do({ send: 'probe', token })
  },
  'let expire'(writer, pick, other) {
    const token = writer.live(pick) ?? writer.logon()
    if (token !== undefined && writer.do({ wait: { token, unused: 'past lifetime', ...onItsConnection(other) } }))
      writer.do({ send: 'probe', token })
  },
  'age and expire'(writer, pick, other) {
    const token = writer.newest ?? writer.logon()
    if (token === undefined || !writer.do({ wait: { token, unused: at(WAITS, pick) ?? '60%' } })) return
    // Of what none of this uses, the timer runs on.
    for (let turn = 0; turn < 1 + (pick % 5); turn++) {
      const act = at(STIRS, other + turn * 5)
      if (act) WRITERS[act](writer, pick >> turn, other >> turn)
    }
    const { idlest } = writer
    if (idlest !== undefined && writer.do({ wait: { token: idlest, unused: 'past lifetime' } }))
      writer.do({ send: 'probe', token: idlest })
  },
  'revoke several'(writer, pick, other) {
    for (let turn = 0; turn < 2 + (pick % 2); turn++) {
      const token = (other % 3 === 0 ? writer.newest : undefined) ?? writer.live(other * 2 + 1) ?? writer.logon()
      if (token === undefined || !writer.do({ send: 'revoke', token })) return
      if (other % 2 === 0) writer.do({ send: 'probe', token })
    }
    writer.look(other >> 1)
  },
  later: writer => void writer.do({ later: true }),
  burst(writer, pick, other) {
    writer.form = undefined
    const beside = { beside: true } as const
    const token = writer.live(pick)
    const another = writer.live(pick + 1)
    if (token === undefined || other % 4 === 0) {
      writer.logon()
      writer.logon(beside)
      if (other % 3 === 0) writer.logon(beside)
    } else if (other % 4 === 1) {
      writer.do({ send: 'revoke', token })
      if (another !== token && another !== undefined) writer.do({ send: 'probe', token: another, ...beside })
      else writer.logon(beside)
      writer.do({ send: 'probe', ...beside })
      writer.do({ send: 'probe', token })
    } else if (other % 4 === 2) {
      writer.do({ send: 'probe', token })
      writer.do({ send: 'probe', ...beside })
      writer.do({ send: 'probe', token: another ?? token, ...beside })
    } else {
      writer.logon()
      writer.do({ send: 'probe', token, ...beside })
      writer.do({ send: 'probe', token: 'unknown', ...beside })
    }
  },
  'several at once'(writer, pick, other) {
    writer.form = undefined
    const first = writer.plain(pick)
    const more = first && writer.do(first) ? 1 + (pick % MOST_AT_ONCE) : 0
    for (let turn = 0; turn < more; turn++) {
      const another = writer.plain(other >> turn)
      if (another) writer.do({ ...another, beside: true })
    }
    writer.look(pick)
  },
  'log on in a row'(writer, pick, other) {
    for (let turn = 0; turn < 3 + (pick % 4); turn++) writer.logon()
    writer.tempt(other)
  },
  'use in turn'(writer, pick, other) {
    const one = writer.live(pick) ?? writer.logon()
    const two = writer.other(one, pick) ?? writer.logon()
    if (one === undefined || two === undefined) return
    for (let turn = 0; turn < 4 + (other % 4); turn++) writer.do({ send: 'probe', token: turn % 2 === 0 ? one : two })
    writer.tempt(other >> 2)
  },
  again: (writer, pick) => writer.again(1 + (pick % 3)),
  churn(writer, pick, other) {
    for (let turn = 0; turn < 2 + (pick % 6); turn++) {
      const token = writer.logon()
      if (token === undefined) return
      if ((other + turn) % 3 === 0) writer.do({ send: 'probe', token })
      writer.do({ send: 'revoke', token })
    }
  },
}
