/** The Core as the provider of a contract: sets up provider states. */
import { randomBytes } from 'node:crypto'
import type { Answers } from '../../core/answers.js'
import type { Exchange, WireRequest } from '../../core/exchange.js'
import { summary } from '../../core/exchange.js'
import { type Session, withToken } from '../../core/session.js'
import { neverIssued, type Token } from '../../core/token.js'
import { isFields, parseJson } from '../../ground/json.js'
import { LOGON_PATH } from '../reference.js'
import type { IncomingRequest, Placeholders } from './gateway.js'
import { isBearer, type Situation } from './situation.js'

/** A state could not be set up, so the interaction is not verified. */
export class StateError extends Error {}

/** The requests of the reference. */
export interface CoreRequests {
  logon: (credentials: Credentials) => WireRequest
  revoke: () => WireRequest
  probe: () => WireRequest
}

/** Name and password of a user. */
export interface Credentials {
  username: string
  password: string
}

/** Makes the requests of the reference, ready to be sent. */
export function coreRequests(probePath: string): CoreRequests {
  const json: WireRequest['headers'] = [['Accept', 'application/json']]
  const rest = { httpVersion: '1.1' as const, omitHost: false }
  return {
    logon: ({ username, password }) => ({
      method: 'POST',
      path: LOGON_PATH,
      headers: [...json, ['Content-Type', 'application/json']],
      body: JSON.stringify({ username, password }),
      ...rest,
    }),
    revoke: () => ({ method: 'DELETE', path: LOGON_PATH, headers: [], ...rest }),
    probe: () => ({ method: 'GET', path: probePath, headers: json, ...rest }),
  }
}

/** The parts of a {@link Provider}. */
export interface ProviderOptions {
  session: Session
  requests: CoreRequests
  credentials: Credentials
  /** The Core's answers to the probe; undefined with access control off. */
  answers: Answers | undefined
  placeholders: Placeholders
}

/** The token and the credentials that replace those of one interaction. */
export interface Prepared {
  /** Undefined: the token as written. */
  token: string | undefined
  /** Undefined: the credentials as written. */
  credentials: Credentials | undefined
  /** Whether its logon should be refused, and counts as a wrong attempt. */
  refused: boolean
  /** The tokens issued for it. */
  issued: Token[]
}

/** Sets up provider states on one Core, and puts their values into the requests of the Verifier. */
export class Provider {
  private expired: Token | undefined

  constructor(private readonly options: ProviderOptions) {}

  /**
   * Issues a token and checks that it opens the API: otherwise its later rejection would prove nothing.
   * @param exchanges gets the exchanges of this call
   * @throws StateError
   */
  async mint(label: string, exchanges: Exchange[]): Promise<Token> {
    const { session, requests, credentials, answers } = this.options
    const logon = await session.exchange(requests.logon(credentials))
    exchanges.push(logon)
    const token = session.take(logon, label)
    if (!token) throw new StateError(`no token was issued for it: ${summary(logon)}`)
    session.loggedOn()
    const used = await session.exchange(withToken(requests.probe(), token.value))
    exchanges.push(used)
    if (!answers?.accepts(used))
      throw new StateError(`a token that was issued for it was not accepted: ${summary(used)}`)
    token.used(used, true)
    return token
  }

  /** Issues the token that all interactions about an expired token share. From then on it must stay unused. */
  async mintForExpiry(exchanges: Exchange[]): Promise<Token> {
    this.expired ??= await this.mint('token that expires', exchanges)
    return this.expired
  }

  /**
   * Sets up the state of an interaction.
   * @throws StateError where that fails
   */
  async prepare({ token, credentials }: Situation, exchanges: Exchange[]): Promise<Prepared> {
    const { session } = this.options
    const prepared: Prepared = {
      token: undefined,
      credentials: undefined,
      refused: credentials !== 'right',
      issued: [],
    }
    if (credentials === 'right') prepared.credentials = this.options.credentials
    if (credentials === 'wrong')
      prepared.credentials = { ...this.options.credentials, password: randomBytes(12).toString('hex') }
    if (credentials === 'unknown user')
      prepared.credentials = { ...this.options.credentials, username: `nobody-${randomBytes(6).toString('hex')}` }
    if (token === 'as written') return prepared
    if (token === 'expired') {
      if (!this.expired) throw new StateError('no token has expired')
      return { ...prepared, token: this.expired.value }
    }
    const minted = await this.mint('token', exchanges)
    prepared.issued.push(minted)
    if (token === 'valid') return { ...prepared, token: minted.value }
    if (token === 'never issued') {
      const made = neverIssued(minted.value)
      session.hide(made, 'token that was never issued')
      return { ...prepared, token: made }
    }
    const revocation = await session.exchange(withToken(this.options.requests.revoke(), minted.value))
    exchanges.push(revocation)
    if (session.answers.effectOf(revocation) !== 'accepted')
      throw new StateError(`the revocation was answered ${summary(revocation)}`)
    minted.revoked()
    return { ...prepared, token: minted.value }
  }

  /** Sends a request of the Verifier to the Core, with the prepared values in place of its examples. */
  async send(request: WireRequest, prepared: Prepared, exchanges: Exchange[]): Promise<Exchange> {
    const { session } = this.options
    const isLogon = isLogonRequest(request)
    const filled = this.fill(request, prepared, isLogon)
    const exchange =
      isLogon && prepared.refused ? await session.wrongLogon(filled, exchanges) : await session.exchange(filled)
    exchanges.push(exchange)
    if (isLogon) this.noteLogon(exchange, prepared)
    // Some clients send their old token with a logon. The answer says nothing about that token.
    else
      for (const token of session.tokens) {
        if (token.value === prepared.token) this.noteUse(token, filled, exchange)
      }
    return exchange
  }

  /** Revokes the tokens issued for an interaction. */
  async release({ issued }: Prepared, exchanges: Exchange[]): Promise<void> {
    await this.options.session.giveBack(issued, exchanges)
  }

  /** Notes the effect of a request on its token. The token is revoked later unless it is certainly dead. */
  private noteUse(token: Token, { method, path }: WireRequest, exchange: Exchange): void {
    const { answers, session } = this.options
    if (method === 'DELETE' && pathOnly(path) === LOGON_PATH && session.answers.effectOf(exchange) === 'accepted')
      token.revoked()
    else if (answers?.accepts(exchange)) token.accepted()
    else if (answers?.rejects(exchange)) token.rejected()
  }

  private noteLogon(exchange: Exchange, prepared: Prepared): void {
    const { session } = this.options
    const token = session.take(exchange, 'token')
    if (token) prepared.issued.push(token)
    if (token && !prepared.refused) session.loggedOn()
  }

  private fill(request: WireRequest, prepared: Prepared, isLogon: boolean): WireRequest {
    const { placeholders } = this.options
    const real = prepared.credentials ?? this.options.credentials
    const swap = (text: string, encode: (secret: string) => string = String) =>
      text
        .replaceAll(placeholders.token, () => prepared.token ?? placeholders.token)
        .replaceAll(placeholders.username, () => encode(real.username))
        .replaceAll(placeholders.password, () => encode(real.password))
    const headers = request.headers.map(([name, value]): [string, string] => {
      const isLiteral = isBearer(name, value) && !value.includes(placeholders.token) && prepared.token !== undefined
      return [name, isLiteral ? value.replace(/ .*$/s, () => ` ${prepared.token}`) : swap(value)]
    })
    if ([placeholders.password, placeholders.token].some(secret => request.path.includes(secret)))
      throw new StateError(
        'a generator of the contract puts the password or a token into the URL, where everybody on the way writes it down',
      )
    const path = swap(request.path, encodeURIComponent)
    if (request.body === undefined) return { ...request, path, headers }
    const body = swap(request.body, inJson)
    const isReplaced = isLogon && prepared.credentials !== undefined
    return { ...request, path, headers, body: isReplaced ? withCredentials(body, real) : body }
  }
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function isLogonRequest({ method, path }: IncomingRequest): boolean {
  return method === 'POST' && pathOnly(path) === LOGON_PATH
}

function pathOnly(path: string): string {
  return path.split('?', 1)[0] ?? path
}

/** Replaces the credentials in the body of a logon. Fields that are missing stay missing. */
function withCredentials(body: string, credentials: Credentials): string {
  const fields = parseJson(body)
  if (!isFields(fields)) return body
  for (const field of ['username', 'password'] as const) {
    if (typeof fields[field] === 'string') fields[field] = credentials[field]
  }
  return JSON.stringify(fields)
}
