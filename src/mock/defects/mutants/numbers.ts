/**
 * What a request must be, in words: a number (`live>=3`, `logon-count%3=2`), or the requests that came right before, the latest
 * last (`[use:own logon*2]`).
 */
import type { Moment, Past, TokenLife } from './moment.js'
import type { Watch } from './watch.js'

/** Tells whether a request is so. */
export type Is = (moment: Moment, watch: Watch) => boolean

/** Times in lifetimes; with `-ms` behind the name, in milliseconds. */
const TIMES: Record<string, (moment: Moment, watch: Watch) => number | undefined> = {
  /** Since the device noted a use of the token, and since it was used by the reference. */
  idle: ({ nowMs, notedMs }) => nowMs - notedMs,
  unused: ({ idleMs }) => idleMs,
  age: ({ nowMs, token }) => token && nowMs - token.issuedMs,
  /** Since the token ended, and since a token was issued. */
  ended: ({ nowMs, token }, { subject }) =>
    token && nowMs - (token.revokedMs ?? token.lastUsedMs + subject.idleLifetimeMs),
  issued: ({ nowMs }, { lastLogonMs }) => nowMs - lastLogonMs,
  /** Without any request, and without one on the connection. */
  quiet: ({ nowMs, quietSinceMs }) => nowMs - quietSinceMs,
  rested: ({ nowMs, connection }) => nowMs - connection.lastMs,
  open: ({ nowMs, connection }) => nowMs - connection.openedMs,
}

/** Other numbers; `of` is what stands before `-count`, `-run` (in a row), `-here` (on the connection) or both. */
const NUMBERS: Record<string, (moment: Moment, watch: Watch, of: string) => number | undefined> = {
  live: (_, watch) => watch.valid().length,
  nth: ({ connection }) => connection.past.length + 1,
  connection: ({ connection }) => connection.number,
  headers: ({ head }) => head.headers.length,
  target: ({ head }) => head.target.length,
  uses: ({ token }) => token?.uses,
  looks: ({ token }) => token?.looks,
  token: ({ token }) => token && (token.record.number ?? 0),
  'born-beside': ({ token }) => token?.bornBeside,
  deletes: ({ token }, { past }) => past.filter(each => each.token === token && each.method === 'DELETE').length,
  'revocations-since': ({ token }, { tokens }) =>
    tokens.filter(({ revokedAs = 0 }) => token?.revokedAs && revokedAs > token.revokedAs).length,
  'own-run': ({ token }, { past }) => runOf(past, each => each.kind === 'use' && each.token === token),
  /** Earlier uses of its token after half or a tenth of the lifetime. */
  'late-uses': (moment, watch) => usesAfter(0.5, moment, watch),
  'rested-uses': (moment, watch) => usesAfter(0.1, moment, watch),
  count: (_, { counts }, of) => [...counts].find(([kind]) => kind.replace(' ', '-') === of)?.[1] ?? 0,
  run: (_, { past }, of) => runOf(past, each => isOf(each, of)),
  'run-here': ({ connection }, _, of) => runOf(connection.past, each => isOf(each, of)),
  here: ({ connection }, _, of) => connection.past.filter(each => isOf(each, of)).length,
}

function usesAfter(lifetimes: number, { token }: Moment, { past, subject }: Watch): number {
  return past.filter(
    each => each.token === token && each.kind === 'use' && each.unnotedMs >= lifetimes * subject.idleLifetimeMs,
  ).length
}

function runOf(past: readonly Past[], is: (past: Past) => boolean): number {
  const end = past.findIndex(each => !is(each))
  return end < 0 ? past.length : end
}

/** Tells whether an earlier request was of a kind: what became of it, why it was refused, its status or method; several with dots. */
function isOf({ kind, carried, method, status }: Past, words: string): boolean {
  const isDead = carried === 'revoked' || carried === 'expired'
  const kinds = [
    kind.replace(' ', '-'),
    method,
    `${status}`,
    ...(kind === 'refusal' ? [carried, isDead && 'dead'] : []),
  ]
  return words.split('.').every(word => kinds.includes(word))
}

/** Makes a test of its words; undefined where they say none. */
export function testOf(words: string): Is | undefined {
  if (words.startsWith('[')) return after(words.slice(1, -1))
  const [, name = '', sign = '', limit, rest = 0] = /^([\w-]+)(>=|>|<|=|%)([\d.]+)(?:=(\d+))?$/.exec(words) ?? []
  const number = numberOf(name)
  const compare: Record<string, (value: number) => boolean> = {
    '>=': value => value >= Number(limit),
    '>': value => value > Number(limit),
    '<': value => value < Number(limit),
    '=': value => value === Number(limit),
    '%': value => value % Number(limit) === Number(rest),
  }
  return number && ((moment, watch) => compare[sign]?.(number(moment, watch) ?? Number.NaN) ?? false)
}

function numberOf(name: string): ((moment: Moment, watch: Watch) => number | undefined) | undefined {
  const [, of = '', count = name] = /^(.+?)-(count|run-here|run|here)$/.exec(name) ?? []
  const number = NUMBERS[name] ?? NUMBERS[count]
  if (number) return (moment, watch) => number(moment, watch, of)
  const [, time = '', ms] = /^(.+?)(-ms)?$/.exec(name) ?? []
  const timeMs = TIMES[time]
  if (ms) return timeMs
  return timeMs && ((moment, watch) => (timeMs(moment, watch) ?? Number.NaN) / watch.subject.idleLifetimeMs)
}

/** Tells whether certain requests came right before. Those with the same letter had the same token; `own` is that of the request. */
function after(words: string): Is {
  const steps = words.split(' ').flatMap(step => {
    const [one = '', times = 1] = step.split('*')
    return Array<string[]>(Number(times)).fill(one.split(':'))
  })
  steps.reverse()
  return ({ token }, { past }) => {
    const tokens = new Map<string, TokenLife | undefined>([['own', token]])
    return steps.every(([of = '', name], index) => {
      const each = past[index]
      if (each === undefined || !isOf(each, of)) return false
      if (name === undefined) return true
      if (!tokens.has(name) && ![...tokens.values()].includes(each.token)) tokens.set(name, each.token)
      return each.token !== undefined && tokens.get(name) === each.token
    })
  }
}
