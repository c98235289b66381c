/** A Core that answers correctly for a while, then spoils its answers at random: see `mutations.ts`. */
import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import type { TestCertificate } from '../certificate.js'
import { type RawServer, rawServer } from '../raw-server.js'
import { MUTATIONS, whole } from './mutations.js'
import { Random } from './random.js'

/** The password. It holds every kind of character that encodings change, and occurs nowhere else. */
export const PASSWORD = 'Kanarienvogel "pw" &<ä>/1'
/** The beginning of every token, even of useless ones. */
export const CANARY = 'kanariT'

/** The behaviour of a hostile Core. */
export interface FuzzOptions {
  seed: number
  certificate: TestCertificate
  /** Number of correct answers at the start, so that the survey may succeed. */
  honest: number
  /** The share of later answers that are spoilt, from 0 to 1. */
  rate: number
}

type Headers = [name: string, value: string][]
const JSON_TYPE: Headers = [['Content-Type', 'application/json']]

/** A running hostile Core, with the server that its answers point to as a trap. */
export class FuzzCore {
  requests = 0
  spoilt = 0
  /** Number of requests that a client sent elsewhere because this Core said so. */
  trapped = 0
  readonly byName = new Map<string, number>()
  private readonly live = new Set<string>()
  private readonly random: Random
  private server: RawServer | undefined
  private readonly trap = createServer(socket => {
    this.trapped++
    socket.destroy()
  })

  constructor(private readonly options: FuzzOptions) {
    this.random = new Random(options.seed)
  }

  get url(): URL {
    return this.server?.url ?? new URL('https://127.0.0.1')
  }

  async start(): Promise<this> {
    await new Promise<void>(resolve => this.trap.listen(0, '127.0.0.1', resolve))
    this.server = await rawServer({
      certificate: this.options.certificate,
      answer: (socket, request) => {
        socket.on('error', () => {})
        this.requests++
        const { status, headers, body } = this.right(request)
        const isSpoilt = this.requests > this.options.honest && this.random.next() < this.options.rate
        if (!isSpoilt) return void socket.end(whole(status, headers, body, 'OK'))
        const name = this.random.pick(Object.keys(MUTATIONS))
        // A Core that never answers only tests patience, so that mutation is rare.
        const chosen = name === 'timing:never' && this.random.next() < 0.9 ? 'status:other' : name
        this.spoilt++
        this.byName.set(chosen, (this.byName.get(chosen) ?? 0) + 1)
        const { port } = this.trap.address() as AddressInfo
        const trapUrl = `http://127.0.0.1:${port}/trap`
        const { random } = this
        void MUTATIONS[chosen]?.({
          socket,
          request,
          status,
          headers,
          body,
          random,
          trapUrl,
          canary: () => this.token(),
        })
      },
    })
    return this
  }

  async close(): Promise<void> {
    await this.server?.close()
    await new Promise(resolve => this.trap.close(resolve))
  }

  private token(): string {
    // Not from the seed: a secret never repeats.
    return `${CANARY}${randomBytes(13).toString('hex')}`
  }

  private right(request: string): { status: number; headers: Headers; body: string } {
    const [head = '', body = ''] = request.split('\r\n\r\n')
    const [method, path = ''] = head.split(' ')
    const say = (status: number, value?: unknown) => ({
      status,
      headers: value === undefined ? [] : JSON_TYPE,
      body: value === undefined ? '' : JSON.stringify(value),
    })
    if (!/^host: *\S/im.test(head)) return say(406, { error: 'host' })
    if (method === 'POST' && path === '/api/v0/logon') {
      // The bytes were read as Latin-1.
      const sent = Buffer.from(body, 'latin1').toString()
      if (!sent.includes(JSON.stringify(PASSWORD)) || !sent.includes('"admin"'))
        return say(401, { error: 'credentials' })
      const token = this.token()
      this.live.add(token)
      return say(200, { bearer: token })
    }
    const token = /^authorization: bearer +(\S+)$/im.exec(head)?.[1] ?? ''
    if (!this.live.has(token)) return say(401, { error: 'token' })
    if (method === 'DELETE' && path === '/api/v0/logon') {
      this.live.delete(token)
      return say(204)
    }
    return path.startsWith('/api/v0/cores/self') ? say(200, [{ name: 'admin' }]) : say(404, { error: 'not found' })
  }
}
