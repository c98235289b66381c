/** Makes the requests of a step that ranges over a family. Over 250 lines, since what a row departs by is put together in one place. */
import type { Exchange, WireRequest } from '../core/exchange.js'
import { withToken } from '../core/give-back.js'
import { NotSent } from '../core/not-sent.js'
import type { Token } from '../core/token.js'
import { makeAll } from '../suite/families/generators.js'
import type { Made } from '../suite/families/made.js'
import { OWN_PATH, spelled, type Variation, type Varying } from '../suite/family.js'
import { requestOf } from '../suite/roles.js'
import type { SendStep } from '../suite/spec.js'
import { UNKNOWN_TOKEN } from '../suite/step-words.js'
import { makeRequest, pathOnly } from './requests.js'
import { leaveSpecial } from './special-connections.js'
import { combine, OK, type StepResult } from './step-result.js'
import { isCarrier, type Value } from './steps/row-values.js'
import { sendAs } from './steps/send-as.js'
import type { SpecTalk } from './steps/spec-talk.js'
import { rest } from './steps/wait-step.js'

/** One variation, or a row of several, ready to send. */
export interface Ready {
  name: string
  step: SendStep
  request: WireRequest
  /** The step's own token, where the variation keeps it in its header. */
  token: Token | undefined
  /** The request that is sent before, on the same connection; absent for none. */
  before?: WireRequest
  /** Whether the connection rests behind it. */
  isRested?: boolean
  /** What it departs by. */
  values: readonly Value[]
}

/** Makes the requests of a step with `each` from the present tokens of its spec, and sends them. */
export class Variations {
  private ownRequest: WireRequest | undefined

  constructor(
    readonly step: SendStep,
    readonly talk: SpecTalk,
  ) {}

  /** The request as the step has it. */
  get own(): WireRequest {
    this.ownRequest ??= makeRequest(this.talk.context.parts, this.step.request, this.step, name => this.valueOf(name))
    return this.ownRequest
  }

  /** Returns the variations in their order, without those that this Core is known not to understand. */
  ready(): Ready[] {
    const { each } = this.step
    if (!each) return []
    const all = this.valuesOf(each)
    const some = each.only ? all.filter(({ name }) => each.only?.includes(name)) : all
    return some.map(value => this.row([value]))
  }

  /** Returns the values of a family, or of a dimension. */
  valuesOf({ made, variations }: Varying): Value[] {
    const http10 = this.talk.context.dialect.http10 === true
    const isSpoken = ({ http }: Variation) => http !== '1.0' || http10
    return [
      ...this.made(made)
        .filter(isSpoken)
        .map(each => ({ name: each.name, made: each })),
      ...variations.filter(isSpoken).map(each => ({ name: each.name, listed: each })),
    ]
  }

  /**
   * Returns values with these names, made from the present tokens; undefined where one of them cannot be made of those: two equal
   * characters that are swapped are the token itself.
   */
  anew(values: readonly Value[]): Value[] | undefined {
    const { each } = this.step
    const made = each && values.some(value => value.made) ? this.valuesOf(each) : []
    const found = values.map(value => (value.made ? made.find(({ name }) => name === value.name) : value))
    return found.every(value => value !== undefined) ? found : undefined
  }

  /** Returns the request that departs from the step's by all of these values. */
  row(values: readonly Value[]): Ready {
    const { each: _, spares: __, bracket, ...own } = this.step
    const made = values.flatMap(value => value.made ?? [])
    const variation = merged(values.flatMap(({ listed }) => listed ?? []))
    const { token: text, headers, path: written, without = [], more = 0, after, ...others } = variation
    const ownPath = pathOnly(this.own.path)
    const path = written?.replace(OWN_PATH, ownPath)
    // Those of other variations count: a server that takes a hundred header fields takes each row then.
    const missing = Math.max(0, more - Object.values(headers ?? {}).flat().length)
    const fillers = Object.fromEntries(Array.from({ length: missing }, (_, index) => [`X-Filler-${index + 1}`, '1']))
    const behind = others.pipelined && (bracket ?? this.step.token?.name)
    const departed: SendStep = {
      ...own,
      // On a connection of its own, since it ends it: the kept one goes on, and what came on it counts for further requests.
      ...(endsConnection(variation) && { connection: 'new' as const }),
      ...(others.method !== undefined && { method: others.method }),
      ...(others.http !== undefined && { http: others.http }),
      ...(others.connection !== undefined && { connection: others.connection }),
      ...(others.body !== undefined && { body: others.body }),
      ...(others.chunked && { isChunked: true as const }),
      ...(behind !== undefined && { behind }),
      without: [...own.without, ...without],
      headers: { ...own.headers, ...fillers, ...headers },
      ...(path !== undefined && { path }),
    }
    const { parts } = this.talk.context
    const listed = makeRequest(parts, own.request, departed, token => this.valueOf(token))
    const { path: from, body, method, http, connection }: Made = Object.assign({}, ...made)
    const fields = made.flatMap(each => Object.entries(each.headers ?? {}))
    const isReplaced = (header: string) => fields.some(([name]) => name.toLowerCase() === header.toLowerCase())
    const request: WireRequest = {
      ...listed,
      headers: [...listed.headers.filter(([header]) => !isReplaced(header)), ...fields],
      ...(method !== undefined && { method }),
      ...(http && { httpVersion: http }),
      ...(from !== undefined && { path: path === undefined ? from : listed.path.replace(ownPath, from) }),
      ...(body !== undefined && { body }),
      ...(others.trailer && {
        trailer: Object.entries(others.trailer).map(([field, text]) => [field, this.filled(text)]),
      }),
      ...(others.chunked === 'extended' && { chunks: others.chunked }),
      ...(others.lines && { lines: others.lines }),
      ...(others.pieces && { inPieces: others.pieces === true ? ('moments' as const) : others.pieces }),
    }
    if (others.json && request.body !== undefined) request.body = spelled(request.body, others.json)
    const value =
      made.find(each => each.token !== undefined)?.token ?? (text === undefined ? undefined : this.filled(text))
    const isOwn = values.some(isCarrier)
    const { talk } = this
    const { token: ref } = this.step
    const { token: _ref, ...plain } = departed
    const step = {
      ...(isOwn ? plain : departed),
      ...(body !== undefined && { body }),
      ...(http && { http }),
      ...(connection && { connection }),
    }
    const isKnown = ref !== undefined && (ref.name === UNKNOWN_TOKEN || talk.named.has(ref.name))
    const carried = value ?? (isKnown && !isOwn ? talk.valueOf(ref) : undefined)
    return {
      name: rowName(values),
      values,
      step,
      request: arranged(carried === undefined ? request : withToken(request, carried), variation),
      token: isOwn || !ref || ref.change ? undefined : talk.named.get(ref.name),
      ...(after && { before: this.before(after, request), isRested: after.rest === true }),
    }
  }

  /**
   * Sends a variation, and judges it.
   * @throws NotSent where this Core does not wait for the rest of a head, which says nothing of the request
   */
  async put(
    { step, request, token, name, before, isRested }: Ready,
    on = this.talk,
  ): Promise<{ result: StepResult; exchange: Exchange }> {
    leaveSpecial(on.lease)
    if (before) {
      const isNew = before.breaksOff !== undefined
      ;(await on.exchange(before, { isNew })).variation = `before ${name}`
      if (isRested) await rest(on, REST_MS)
    }
    const { result, results, exchange } = await sendAs(on, step, request, token, this.own)
    const { response, error } = exchange
    exchange.variation = name
    if (request.inPieces === 'pause' && (response?.status === TIMED_OUT || error?.kind === 'closed'))
      throw new NotSent('this Core does not wait for the rest of a head that comes with a pause')
    return { result: result ?? combine(results) ?? OK, exchange }
  }

  /** Makes the request that is sent before another one: a good one has its query too, so that a cache may hold the answer. */
  private before(
    { token: text, cut, rest: _, ...others }: NonNullable<Variation['after']>,
    { path }: WireRequest,
  ): WireRequest {
    const { parts } = this.talk.context
    const departure = { ...others, ...(cut && { breaksOff: cut }) }
    const request = makeRequest(parts, requestOf(parts.requests, 'probe'), departure, token => this.valueOf(token))
    if (text === undefined) return request
    const isSame = this.step.role === 'probe' && !cut && !others.method && pathOnly(path) === pathOnly(request.path)
    return withToken(isSame ? { ...request, path } : request, this.filled(text))
  }

  private made(names: Parameters<typeof makeAll>[0]): Made[] {
    const { context, named } = this.talk
    const { variables } = context.parts
    const token = named.get(this.step.token?.name ?? this.step.bracket ?? '')
    const own = this.own
    const made = makeAll(names, {
      token: token?.value ?? '',
      place: token?.number ?? 0,
      username: variables.username ?? '',
      password: variables.password ?? '',
      path: pathOnly(own.path),
      authority: variables.authority ?? '',
      cookies: token ? this.cookiesOf(token) : [],
    })
    // A made-up token that was issued by chance is no variation.
    const isIssued = ({ token: value }: Made) => context.session.tokens.some(each => each.value === value)
    const others = made.filter(each => !isIssued(each))
    for (const secret of others.flatMap(({ secrets = [] }) => secrets))
      context.session.hide(secret, 'made of the password')
    return others
  }

  private filled(text: string): string {
    const { parts } = this.talk.context
    const request = makeRequest(parts, this.step.request, { headers: { X: text } }, token => this.valueOf(token))
    return request.headers.find(([name]) => name === 'X')?.[1] ?? text
  }

  private valueOf(name: string): string {
    return this.talk.named.get(name)?.value ?? ''
  }

  /** Returns the cookies that the logon of a token set, each as `name=value`. */
  private cookiesOf({ issued }: Token): string[] {
    const logon = this.talk.exchanges.find(({ sentAt }) => sentAt === issued.sentAt)
    const set = logon?.response?.headers.filter(([name]) => name.toLowerCase() === 'set-cookie') ?? []
    return set.map(([, value]) => value.split(';', 1)[0]?.trim() ?? '').filter(Boolean)
  }
}

/** Long enough for a server to take the connection for an idle one, and shorter than any closes it after. */
const REST_MS = 450

/** RFC 9110 15.5.9: the request was not whole in the time that a server waits for it. */
const TIMED_OUT = 408

/** Whether no request can follow on the connection. */
function endsConnection({ http, headers = {} }: Variation): boolean {
  const [connection] = Object.entries(headers).flatMap(([name, value]) => (/^connection$/i.test(name) ? [value] : []))
  return connection === 'close' || (http === '1.0' && connection === undefined)
}

/** Names what a request departs by: `HTTP/1.0 and a query`. */
export function rowName(values: readonly Value[]): string {
  return values.map(({ name }) => name).join(values.length === 2 ? ' and ' : ', ') || 'in its plain form'
}

/** Joins variations that do not clash. The path of each is written around that of those before it, and queries come last. */
function merged(all: readonly Variation[]): Variation {
  const whole: Variation = Object.assign({ name: '' }, ...all)
  const query = `${OWN_PATH}?`
  const paths = all.flatMap(({ path }) => path ?? [])
  const target = paths
    .filter(path => !path.startsWith(query))
    .reduce((before, path) => path.replace(OWN_PATH, before), OWN_PATH)
  const queries = paths.flatMap(path => (path.startsWith(query) ? path.slice(query.length) : []))
  const path = queries.length ? `${target}?${queries.join('&')}` : target
  const headers = Object.assign({}, ...all.map(each => each.headers ?? {}))
  const without = all.flatMap(each => each.without ?? [])
  return { ...whole, headers, without, ...(paths.length && { path }) }
}

/** Puts the header fields of a request in the order and the spelling that a variation has: before Authorization, not even Host stands. */
function arranged(request: WireRequest, { authorization, names }: Variation): WireRequest {
  const isFirst = ([name]: [string, string]) => authorization === 'first' && name.toLowerCase() === 'authorization'
  const headers = [...request.headers.filter(isFirst), ...request.headers.filter(each => !isFirst(each))]
  return { ...request, headers, ...(names && { names }), ...(authorization && { isHostLate: true }) }
}
