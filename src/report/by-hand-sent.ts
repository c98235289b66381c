/** Says which exchanges of a step show what it is about, for the script that repeats a failure by hand. */
import { isDeepStrictEqual } from 'node:util'
import { isSafe } from '../ground/methods.js'
import type { ExchangeRecord, RequestRecord, SpecRecord, StepRecord } from '../result.js'
import { hosts } from './shell.js'

/** The families whose variations are all made of a token, and the ways of others to write one. */
const OF_TOKEN = /\bof token-(characters|boundaries|lookalikes)\b/
/** The variations that are about the TLS of the connection, or about bytes that curl writes itself. */
const OF_CONNECTION = /\bTLS\b|\bbehind the colons\b|\ban empty line before it\b|\bwith extensions and a trailer\b/
const AS_BASIC = /\bBasic, as the (password|user name)\b/

/**
 * Whether a shell can send what an exchange of a step sent. What a generator made of a token or of the password does not stand in the
 * result: the command line repeats that.
 */
export function isMakeable({ expected = '' }: StepRecord, { variation, request }: ExchangeRecord): boolean {
  if (variation === undefined) return true
  return (
    !OF_TOKEN.test(expected) &&
    !OF_CONNECTION.test(variation) &&
    !AS_BASIC.test(variation) &&
    !request.body?.includes('[made of the password]')
  )
}

/**
 * Returns the exchanges that show what a step is about; the last one decides. With variations, it is one that missed and that a shell
 * can make. Where a step sends a request many times, all of them until the miss count.
 */
export function tellingOf(spec: SpecRecord, step: StepRecord): ExchangeRecord[] {
  const at = (index: number) => spec.exchanges[index] ?? []
  const own = step.exchanges.flatMap(at)
  // If the step sends a request behind a good one, the good one is the first exchange.
  if (/right behind/.test(step.text)) return own.slice(1, 2)
  const missed = (step.missed ?? []).flatMap(at)
  const varied = (step.missed === undefined ? own : missed).filter(
    ({ variation }) => variation !== undefined && step.got?.includes(`${variation} (`),
  )
  const made = varied.find(exchange => isMakeable(step, exchange)) ?? varied[0]
  if (made !== undefined) return [made]
  const [first] = missed
  // A step that did not miss shows only its own request, not the looks after it.
  if (first === undefined) {
    const other = own.findIndex(({ request }) => !isDeepStrictEqual(request, own[0]?.request))
    return own.slice(0, other < 0 ? own.length : other)
  }
  return own.slice(0, own.indexOf(first) + 1)
}

/**
 * Returns the request of the step before, to send it once more on the connection of the deciding one: a Core may take something from
 * one request of a connection to the next. Only a request that has no effect, right before.
 */
export function frontOf({ steps, exchanges }: SpecRecord, step: StepRecord): RequestRecord | undefined {
  const before = steps[steps.indexOf(step) - 1]
  const [index, ...others] = before?.exchanges ?? []
  const request = exchanges[index ?? -1]?.request
  const isApart = [before, step].some(each => each?.text.includes('new connection'))
  if (request === undefined || others.length > 0 || isApart || before?.outcome !== 'ok') return undefined
  return isSafe(request.method) && request.body === undefined && hosts(request) === 1 ? request : undefined
}

export function isResumed({ text }: StepRecord): boolean {
  return text.includes('resumes the TLS session')
}

/** Returns how long the spec waited at a step, from the exchange before to the one after; whole seconds, at least one. */
export function secondsAfter({ steps, exchanges }: SpecRecord, step: StepRecord): number {
  const at = steps.indexOf(step)
  const before = steps
    .slice(0, at)
    .flatMap(each => each.exchanges)
    .at(-1)
  const after = steps.slice(at + 1).flatMap(each => each.exchanges)[0]
  const [from, to] = [before, after].map(index => (index === undefined ? undefined : exchanges[index]?.atMs))
  return from === undefined || to === undefined ? 1 : Math.max(1, Math.ceil((to - from) / 1000))
}
