/**
 * Small Cores, in memory or over real HTTPS. A test scripts their conduct by overriding a method; the project's mock Core is not
 * involved. They record the tokens that they issued, and the tokens that the client asked to revoke.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer as createPlainServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ConnectError } from '../../dist/core/connect.js'
import { memoryConnection } from '../../tools/memory-connection.js'
import { type TestCertificate, testCertificate } from './certificate.js'

/** The certificate of all Cores of a file, once there is one. */
let certificate: Promise<TestCertificate> | undefined

/** The path of the logon, as the reference states it. */
export const LOGON = '/api/v0/logon'
/** The path of the reference's authenticated request. */
export const USERS = '/api/v0/cores/self/users'

/** A request as a Core received it. */
export interface CoreRequest {
  method: string
  /** With the query. */
  path: string
  httpVersion: string
  headers: IncomingMessage['headers']
  hasHost: boolean
  body: string
  /** The text after `Bearer `. */
  token: string | undefined
  /** The time it was received, on the clock of the Core. */
  atMs: number
  /** The number of its connection, counted from 1. */
  connection: number
}

/** An answer of a Core. */
export interface CoreReply {
  status: number
  headers?: Record<string, string | string[]>
  /** A text is sent as it is, any other value as JSON. */
  body?: unknown
  /** Delay before it is sent, in milliseconds. */
  afterMs?: number
}

/** `hang`: never answered; `drop`: the connection is closed. */
export type Reaction = CoreReply | 'hang' | 'drop'

/** The state of an issued token. */
export interface Session {
  usedAtMs: number
  revoked: boolean
}

/** A Core that follows the reference. A test overrides a method to change one rule. */
export class ScriptedCore {
  /** Whether it listens on a port, with TLS. Otherwise it is reached within this process, and shares a clock that leaps. */
  readonly isOnWire: boolean = false
  /** How long it waits for the head of a request, in milliseconds; 0: without end. */
  readonly headersTimeout: number = 0
  /** Whether Node itself answers 400 to HTTP/1.1 without Host. */
  requireHostHeader = false
  leaptMs = 0
  readonly username: string = 'admin'
  readonly password: string = 'Geheim-1234'
  idleMs = 3_600_000
  readonly sessions = new Map<string, Session>()
  readonly requests: CoreRequest[] = []
  /** Tokens that the client asked to revoke, with Host, even where the Core refused or ignored it. */
  readonly askedBack = new Set<string>()
  wrongLogons = 0
  private readonly sockets = new Set<Socket>()
  private server: Server | undefined
  private connections = 0
  url = new URL('https://127.0.0.1')
  fingerprint = ''

  /** Starts: on a port of 127.0.0.1, by default a free one, where it is on the wire. */
  async start(port = 0): Promise<this> {
    const { headersTimeout, requireHostHeader } = this
    const times = {
      keepAliveTimeout: 60_000,
      headersTimeout,
      ...(headersTimeout > 0 && { connectionsCheckingInterval: 20 }),
    }
    const options = { requireHostHeader, ...times }
    const numbers = new WeakMap<object, number>()
    const serve = (request: IncomingMessage, response: ServerResponse) =>
      void this.handle(request, response, numbers.get(request.socket) ?? 0)
    const opened = (socket: Socket) => {
      numbers.set(socket, ++this.connections)
      socket.on('error', () => {})
    }
    const keep = (socket: Socket) => {
      this.sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => this.sockets.delete(socket))
    }
    if (!this.isOnWire) {
      this.server = createPlainServer(options, serve).on('connection', keep).on('connection', opened)
      return this
    }
    certificate ??= testCertificate()
    const { cert, key, fingerprint } = await certificate
    const server = createServer({ cert, key, ...options }, serve)
    server.on('secureConnection', opened)
    server.on('connection', keep)
    server.on('tlsClientError', () => {})
    this.server = server
    this.fingerprint = fingerprint
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    this.url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`)
    return this
  }

  /** Makes a connection within this process; absent where it is on the wire. */
  get connect(): (() => Promise<Socket>) | undefined {
    if (this.isOnWire) return undefined
    return async () => {
      if (!this.server) throw new ConnectError('connect', 'connect ECONNREFUSED', '')
      const [client, server] = memoryConnection()
      this.server.emit('connection', server)
      return client
    }
  }

  /** Ends at once: cuts all connections, and refuses new ones. */
  async stop(): Promise<void> {
    const { server } = this
    this.server = undefined
    for (const socket of this.sockets) socket.destroy()
    if (server?.listening) await new Promise(resolve => server.close(resolve))
  }

  /** Returns the issued tokens that nobody asked to revoke. */
  get left(): string[] {
    return [...this.sessions.keys()].filter(token => !this.askedBack.has(token))
  }

  /** The clock of the Core, in milliseconds. */
  now(): number {
    return performance.now() + this.leaptMs
  }

  private async handle(message: IncomingMessage, response: ServerResponse, connection: number): Promise<void> {
    const atMs = this.now()
    let body = ''
    message.setEncoding('utf8')
    for await (const chunk of message) body += chunk
    const { method = '', url: path = '', httpVersion, headers } = message
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1]
    const hasHost = message.rawHeaders.some((name, index) => index % 2 === 0 && name.toLowerCase() === 'host')
    const request = { method, path, httpVersion, headers, hasHost, body, token, atMs, connection }
    this.requests.push(request)
    if (this.isRevocation(request) && hasHost && token !== undefined) this.askedBack.add(token)
    const reaction = await this.react(request)
    if (reaction === 'drop') message.socket.destroy()
    if (typeof reaction === 'string') return
    if (reaction.afterMs) await sleep(reaction.afterMs)
    const text =
      reaction.body === undefined || typeof reaction.body === 'string' ? reaction.body : JSON.stringify(reaction.body)
    response.writeHead(reaction.status, reaction.headers)
    response.end(text)
  }

  react(request: CoreRequest): Reaction | Promise<Reaction> {
    if (!request.hasHost) return this.withoutHost(request)
    if (request.method === 'POST' && request.path === LOGON) return this.logon(request)
    const { token } = request
    const valid = token !== undefined && this.accepts(token, request)
    if (valid) this.use(token, request)
    if (!valid) return this.refusal(request)
    if (this.isRevocation(request)) return this.revoke(token, request)
    return this.answer(request)
  }

  isRevocation({ method, path }: CoreRequest): boolean {
    return method === 'DELETE' && path === LOGON
  }

  withoutHost(_request: CoreRequest): Reaction {
    return { status: 406, body: { code: 406, message: 'Not Acceptable' } }
  }

  logon(request: CoreRequest): Reaction | Promise<Reaction> {
    if (this.credentialsFit(request)) return this.issued(this.issue(request), request)
    this.wrongLogons++
    return this.refusal(request)
  }

  /** Tells whether the credentials in the body of a logon are right. */
  credentialsFit({ body }: CoreRequest): boolean {
    try {
      const { username, password } = JSON.parse(body) as { username?: unknown; password?: unknown }
      return username === this.username && password === this.password
    } catch {
      return false
    }
  }

  newToken(): string {
    return randomBytes(32).toString('hex')
  }

  issue(request: CoreRequest): string {
    const token = this.newToken()
    this.sessions.set(token, { usedAtMs: request.atMs, revoked: false })
    this.askedBack.delete(token)
    return token
  }

  /** Answers right credentials with their token. */
  issued(token: string, _request: CoreRequest): Reaction {
    return { status: 201, body: { token } }
  }

  accepts(token: string, request: CoreRequest): boolean {
    const session = this.sessions.get(token)
    return session !== undefined && !session.revoked && request.atMs - session.usedAtMs < this.idleMs
  }

  use(token: string, request: CoreRequest): void {
    const session = this.sessions.get(token)
    if (session) session.usedAtMs = request.atMs
  }

  revoke(token: string, _request: CoreRequest): Reaction {
    const session = this.sessions.get(token)
    if (session) session.revoked = true
    return { status: 204 }
  }

  /** Answers a request without a valid token, and a logon with wrong credentials. */
  refusal(_request: CoreRequest): Reaction {
    return { status: 401, body: { code: 401, message: 'Unauthorized' } }
  }

  answer({ method, path }: CoreRequest): Reaction {
    if (method !== 'GET' && method !== 'HEAD') return { status: 405 }
    if (path === USERS || path.startsWith(`${USERS}?`)) return { status: 200, body: [{ id: 1, name: this.username }] }
    if (path === '/api/v0/cores/self') return { status: 200, body: { name: 'scripted' } }
    return { status: 404 }
  }
}

/** A Core that listens on a port, with TLS. */
export class WireCore extends ScriptedCore {
  override readonly isOnWire = true
}

/** A Core that answers some requests in a way of its own. */
export class OddCore extends ScriptedCore {
  /** @param instead the answer in place of the right one; undefined: the right one */
  constructor(private readonly instead: (request: CoreRequest) => Reaction | undefined) {
    super()
  }

  override react(request: CoreRequest) {
    return this.instead(request) ?? super.react(request)
  }
}

/** A Core that takes only some of the tokens that it has issued, or only now and then. */
export class ChoosyCore extends ScriptedCore {
  constructor(private readonly takes: (token: string, request: CoreRequest, core: ScriptedCore) => boolean) {
    super()
  }

  override accepts(token: string, request: CoreRequest): boolean {
    return this.takes(token, request, this) && super.accepts(token, request)
  }
}

/** A Core that refuses each token at its first use. */
export class ShyCore extends ScriptedCore {
  private readonly met = new Set<string>()

  override accepts(token: string, request: CoreRequest): boolean {
    const isKnown = this.met.has(token)
    this.met.add(token)
    return isKnown && super.accepts(token, request)
  }
}

/** Lets a test use a Core, and stops it in any case. */
export async function withCore<C extends ScriptedCore>(core: C, use: (core: C) => Promise<void>): Promise<void> {
  await core.start()
  try {
    await use(core)
  } finally {
    await core.stop()
  }
}
