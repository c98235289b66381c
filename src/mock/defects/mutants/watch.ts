/**
 * What a mutant knows of the requests to its mock Core: each with its connection and its token, and what an honest device would
 * have answered. The triggers read it.
 */
import type { Socket } from 'node:net'
import { bearerToken } from '../../bearer.js'
import { type ApiRequest, headerValues, isApiPath, pathOf, queryOf, type RequestHead } from '../../messages.js'
import { isJsonContent, parseLogonBody } from '../../parse-logon.js'
import { LOGON_PATH } from '../../routes.js'
import type { TokenRecord } from '../../tokens.js'
import type { Subject, Tell } from '../defect.js'
import { isLogon, isRevocation, replace } from '../tools.js'
import { type ConnectionLife, carriedBy, type Kind, kindOf, type Moment, type Past, type TokenLife } from './moment.js'

/** Number of requests that are remembered of a connection and of the device; a defect counts to a hundred. */
const REMEMBERED = 128

/** Watches a device. Create it before a fault is installed, and attach it after that, so that it sees what the fault does. */
export class Watch {
  /** What became of all requests, the latest first. */
  readonly past: Past[] = []
  /** Each issued token, oldest first. */
  readonly tokens: TokenLife[] = []
  /** Number of requests so far of which the same became, and of logons with the right credentials. */
  readonly counts = new Map<Kind | 'right', number>()
  /** When tokens end that are to end later. */
  readonly endsMs = new WeakMap<TokenRecord, number>()
  /** The lifetimes of tokens that have another one, as a part of the right one. */
  readonly lifetimes = new WeakMap<TokenRecord, number>()
  readonly #byText = new Map<string, TokenLife>()
  readonly #connections = new WeakMap<object, ConnectionLife>()
  readonly #sockets = new Set<Socket>()
  /** The pieces that came on each connection since its last request. */
  readonly #pieces = new WeakMap<object, number>()
  readonly #moments = new WeakMap<object, Moment>()
  readonly #underWay = new Set<Moment>()
  readonly #listeners: ((moment: Moment, kind: Kind) => void)[] = []
  #answering: Moment | undefined
  #lastMs = 0
  /** When the last logon was. */
  lastLogonMs = Number.NEGATIVE_INFINITY
  #opened = 0
  #revoked = 0

  constructor(
    readonly subject: Subject,
    readonly tell: Tell = () => {},
    /** How long a request takes, in milliseconds: within one process, none would come while another is answered. */
    readonly takesMs = 0,
  ) {}

  /** Returns the request that its connection carries now. */
  momentOf({ connection }: RequestHead): Moment {
    const moment = this.#moments.get(connection)
    if (moment === undefined) throw new Error('no request has come on this connection')
    return moment
  }

  /** The request that the device answers now. */
  get answering(): Moment {
    if (this.#answering === undefined) throw new Error('no request is answered now')
    return this.#answering
  }

  /** Calls back after each request, when it is known what became of it, before it is one of the past. */
  after(listener: (moment: Moment, kind: Kind) => void): void {
    this.#listeners.push(listener)
  }

  /** Tells whether a token is valid by the reference. */
  isValid({ revokedMs, lastUsedMs }: TokenLife): boolean {
    return revokedMs === undefined && this.subject.clock.nowMs() < lastUsedMs + this.subject.idleLifetimeMs
  }

  /** Returns the tokens that are valid by the reference, oldest first. */
  valid(): TokenLife[] {
    return this.tokens.filter(life => this.isValid(life))
  }

  /** Returns the number of a connection that has carried a request. */
  numberOf(connection: object): number {
    return this.#connections.get(connection)?.number ?? 0
  }

  /** Counts the open connections that have carried a request. */
  openConnections(): number {
    for (const socket of this.#sockets) if (socket.destroyed) this.#sockets.delete(socket)
    return this.#sockets.size
  }

  /** Begins to watch. */
  attach(): void {
    const { device, tokens, clock, idleLifetimeMs, onConnection } = this.subject
    onConnection(socket => {
      // Before the parser, which calls the device as soon as a head is whole.
      socket.prependListener('data', () => this.#pieces.set(socket, this.#piecesOf(socket) + 1))
    })
    replace(device, 'holdMs', holdMs => head => {
      this.#begin(head)
      return Math.max(holdMs(head), this.takesMs)
    })
    replace(device, 'screen', screen => head => {
      if (this.#moments.get(head.connection)?.head !== head) this.#begin(head)
      return screen(head)
    })
    replace(device, 'answer', answer => request => {
      const moment = this.momentOf(request)
      this.#whole(moment, request)
      this.#answering = moment
      return answer(request)
    })
    replace(device, 'route', route => (path, visit) => {
      if (path !== LOGON_PATH || visit.request.method !== 'POST') this.momentOf(visit.request).isGranted = true
      return route(path, visit)
    })
    replace(device, 'admit', admit => request => {
      const response = admit(request)
      this.momentOf(request).isGranted = response.status < 300
      return response
    })
    replace(device, 'finish', finish => (head, response) => {
      const finished = finish(head, response)
      this.#end(this.momentOf(head), finished.status)
      return finished
    })
    replace(tokens, 'state', state => record => {
      if ((this.endsMs.get(record) ?? Number.POSITIVE_INFINITY) <= clock.nowMs()) record.revoked = true
      return state(record)
    })
    replace(tokens, 'isExpired', isExpired => record => {
      const part = this.lifetimes.get(record)
      return part === undefined ? isExpired(record) : clock.nowMs() >= record.lastUsedMs + part * idleLifetimeMs
    })
    replace(tokens, 'issue', issue => () => {
      const bornBeside = this.valid().length
      const text = issue()
      const record = tokens.find(text)
      if (record !== undefined) this.#born(text, record, bornBeside)
      return text
    })
  }

  #begin(head: RequestHead): void {
    const nowMs = this.subject.clock.nowMs()
    const { connection: socket, target } = head
    const opened = { number: this.#opened + 1, openedMs: nowMs, lastMs: nowMs, past: [] }
    const connection = this.#connections.get(socket) ?? opened
    if (connection === opened) this.#opened += 1
    this.#connections.set(socket, connection)
    this.#sockets.add(socket as Socket)
    const presented = bearerToken(head.headers)
    const token = presented === undefined ? undefined : this.#byText.get(presented)
    const moment: Moment = {
      head,
      path: pathOf(target),
      query: queryOf(target),
      nowMs,
      quietSinceMs: this.#lastMs,
      connection,
      presented,
      token,
      isValid: token !== undefined && this.isValid(token),
      idleMs: token === undefined ? 0 : nowMs - token.lastUsedMs,
      notedMs: token?.record.lastUsedMs ?? nowMs,
      isBare: headerValues(head.headers, 'host').length === 0,
      pieces: { head: this.#piecesOf(socket), body: 0, chunks: 0 },
      beside: [],
      isGranted: false,
    }
    for (const other of this.#underWay) {
      if ((other.head.connection as Socket).destroyed) this.#underWay.delete(other)
      else {
        other.beside.push(moment)
        moment.beside.push(other)
      }
    }
    this.#lastMs = nowMs
    this.#underWay.add(moment)
    this.#moments.set(socket, moment)
  }

  #whole(moment: Moment, request: ApiRequest): void {
    const { username, password, clock } = this.subject
    moment.pieces.body = this.#piecesOf(request.connection) - moment.pieces.head
    moment.pieces.chunks = headerValues(request.headers, 'transfer-encoding').length ? request.parts : 0
    moment.body = Buffer.from(request.body).toString('latin1')
    moment.nowMs = clock.nowMs()
    moment.isValid = moment.token !== undefined && this.isValid(moment.token)
    if (!isLogon(request)) return
    const body = isJsonContent(request.headers) ? parseLogonBody(request.body) : undefined
    const isRight = body?.username === username && body.password === password
    moment.credentials = body === undefined ? 'malformed' : isRight ? 'right' : 'wrong'
  }

  #end(moment: Moment, status: number): void {
    const { head, connection, token, isValid, body } = moment
    this.#underWay.delete(moment)
    const kind = kindOf(moment)
    const carried = carriedBy(moment)
    if (this.#isWrong(moment, status)) this.tell('shown')
    for (const listener of this.#listeners) listener(moment, kind)
    if (token !== undefined) {
      if (isValid && !moment.isBare) {
        token.uses += 1
        token.lastUsedMs = moment.nowMs
        if (isRevocation(head)) {
          this.#revoked += 1
          Object.assign(token, { revokedMs: moment.nowMs, revokedAs: this.#revoked, revokedOn: head.connection })
        }
      } else if (!isValid) token.looks += 1
    }
    if (token !== undefined) token.lastOn = head.connection
    const logon = isLogon(head) ? body : undefined
    const unnotedMs = moment.nowMs - moment.notedMs
    const asked = { kind, method: head.method, status, token, carried, atMs: moment.nowMs }
    const past: Past = { ...asked, body: logon, unnotedMs, on: connection }
    const counted = moment.credentials === 'right' ? ([kind, 'right'] as const) : [kind]
    for (const each of counted) this.counts.set(each, (this.counts.get(each) ?? 0) + 1)
    for (const list of [this.past, connection.past]) {
      list.unshift(past)
      list.splice(REMEMBERED)
    }
    connection.lastMs = moment.nowMs
    this.#pieces.delete(head.connection)
    this.#answering = undefined
  }

  #piecesOf(connection: object): number {
    return this.#pieces.get(connection) ?? 0
  }

  /** Tells whether an honest device would have answered otherwise, as far as the reference says how. */
  #isWrong({ head, path, isBare, isValid, isGranted, credentials }: Moment, status: number): boolean {
    if (isBare) return status !== 406
    if (isLogon(head)) return isGranted !== (credentials === 'right')
    return isApiPath(path) && !path.endsWith('/access_mode') && isGranted !== isValid
  }

  #born(text: string, record: TokenRecord, bornBeside: number): void {
    const nowMs = this.subject.clock.nowMs()
    const { connection } = this.answering.head
    const bornAfter = this.past[0]?.kind
    const life = { text, record, issuedMs: nowMs, lastUsedMs: nowMs, uses: 0, looks: 0, bornBeside, bornAfter }
    this.lastLogonMs = nowMs
    this.tokens.push({ ...life, bornOn: connection, lastOn: connection })
    this.#byText.set(text, this.tokens.at(-1) as TokenLife)
  }
}
