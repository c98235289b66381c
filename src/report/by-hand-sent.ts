/** Says which exchanges of a step show what it is about, for the script that repeats a failure by hand. */
import { isDeepStrictEqual } from 'node:util'
import { isSafe } from '../ground/methods.js'
import type { ExchangeRecord, RequestRecord, SpecRecord, StepRecord } from '../result.js'
import { hosts, variableOf } from './shell.js'
import { type Varied, variedBy } from './shell-varied.js'

/** Says how a shell makes what the variation of an exchange was made of; see {@link variedBy}. */
export function variationOf(step: StepRecord, { variation, request }: ExchangeRecord): Varied | undefined | false {
  if (variation === undefined) return undefined
  const token = variableOf(/with token ([a-z0-9-]+)/.exec(step.text)?.[1] ?? '')
  return variedBy(variation, token, request.body?.includes(OF_PASSWORD) === true, step.expected ?? '')
}

const OF_PASSWORD = '[made of the password]'

/** Puts what the script makes into a request. */
export function variedIn(request: RequestRecord, varied: Varied | undefined): RequestRecord {
  if (varied === undefined) return request
  const { header } = varied
  if (header === undefined)
    return { ...request, body: request.body?.replace(/\[(made of the )?password\]/, '[varied]') ?? '' }
  const headers = request.headers.map(([name, value]): [string, string] =>
    name.toLowerCase() === 'authorization' ? [name, header] : [name, value],
  )
  return { ...request, headers }
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
  const made = varied.find(exchange => variationOf(step, exchange) !== false) ?? varied[0]
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

export function isWait({ text }: StepRecord): boolean {
  return text.startsWith('wait until') || text === 'a moment later'
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
