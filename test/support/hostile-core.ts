/** A Core that follows the reference, but fills all other parts of its answers with secrets and traps. */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import { testCertificate } from './certificate.js'
import { isLogonOfAnna, type RawServer, rawServer, reset } from './raw-server.js'

/** The password. It holds every kind of character that encodings change; its words occur nowhere else. */
export const PASSWORD = `Kanarienvogel<&>"'%\\/ §ä€ pw+=?~Vogelbauer`
/**
 * Texts that no report may show in any form: the words of the password, and the beginning of every token. Long ones, since six letters in any
 * case were met in the sealed part of a journal, by chance.
 */
export const TRACES = ['Kanarienvogel', 'Vogelbauer', 'zeisignest']

/** Texts that look like syntax in one of the formats. */
export const TRAP = [
  '\n::error file=x::pwned\n##[error]pwned\n::stop-commands::x',
  ']]> --> </script><script>alert(1)</script><img src=x onerror=alert(1)><!-- </details>',
  '\n...\nnot ok 99 - pwned\nBail out! pwned\n1..0\n',
  '\n# pwned\n| a | b |\n|---|---|\n```\n````\n[x](https://evil.example) @everyone https://evil.example ![i](x)',
  '\u001b[2J\u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007\u009b31m',
  '\0\u0001\b\u000b\u007f\u0085\ufffe\uffff\u{1ffff}\u202eniamod\u202c\u2066\u200b\ufeff\u2028',
  '[[ATTACHMENT|/etc/passwd]] [[PROPERTY|a=b]] {{ secrets.X }} {{7*7}} $(touch pwned) %0A::error::pwned',
].join(' ')

/** Broken UTF-8: a lone continuation, a cut sequence, an encoded surrogate, an overlong slash. */
const BROKEN = Buffer.from([0x80, 0x20, 0xe2, 0x82, 0x20, 0xed, 0xa0, 0x80, 0x20, 0xc0, 0xaf, 0xff, 0xfe])

/** The deviations of such a Core from the reference; each may change while it runs. */
export interface Nature {
  rejection: number
  revokes: boolean
  /** Whether logons succeed. */
  admits: boolean
  lifetimeMs: number
  /** Interval, in requests, at which an answer breaks off in the middle of a token, after the first 60 requests; 0: never. */
  breaksOff: number
  /** Called before each answer, with the number of requests so far. */
  onRequest(count: number): void
}

/** A running Core of this kind, on a free port of 127.0.0.1. */
export class HostileCore {
  readonly nature: Nature = {
    rejection: 401,
    revokes: true,
    admits: true,
    lifetimeMs: 3_600_000,
    breaksOff: 0,
    onRequest: () => {},
  }
  readonly issued: string[] = []
  requests = 0
  private replies = 0
  private readonly live = new Map<string, number>()
  private readonly seen: string[] = []

  private constructor(
    private readonly server: RawServer,
    private readonly fingerprint: string,
  ) {}

  static async start(): Promise<HostileCore> {
    const certificate = await testCertificate()
    let core: HostileCore | undefined
    const server = await rawServer({ certificate, answer: (socket, request) => core?.answer(socket, request) })
    core = new HostileCore(server, certificate.fingerprint)
    return core
  }

  get liveTokens(): number {
    return this.live.size
  }

  /** Returns the environment of a user who runs against it. */
  get env(): Record<string, string> {
    return {
      CORE_URL: this.server.url.origin,
      CORE_USERNAME: 'anna',
      CORE_PASSWORD: PASSWORD,
      CORE_FINGERPRINT: this.fingerprint,
    }
  }

  get secrets(): string[] {
    return [PASSWORD, ...this.issued]
  }

  /** Forgets everything: no run knows the tokens of another. */
  forget(): void {
    this.issued.length = 0
    this.seen.length = 0
  }

  /** Resets its connections and refuses new ones from now on. */
  async crash(): Promise<void> {
    await this.server.close()
  }

  close(): Promise<void> {
    return this.server.close()
  }

  private answer(socket: TLSSocket, request: string): void {
    this.requests++
    this.nature.onRequest(this.requests)
    const [head = '', body = ''] = request.split(/\r\n\r\n([\s\S]*)/)
    const [, method = ''] = /^(\S+) /.exec(head) ?? []
    const field = (name: string) => new RegExp(`^${name}: *(.*)$`, 'im').exec(head)?.[1]?.trim()
    const text = Buffer.from(body, 'latin1').toString()
    this.seen.push(`${field('authorization') ?? ''} ${text}`)
    if (field('host') === undefined) return void this.reply(socket, '406 Not Acceptable')
    const token = /^Bearer (.+)$/i.exec(field('authorization') ?? '')?.[1] ?? ''
    if (method === 'POST') return void this.logon(socket, text)
    const usedAt = this.live.get(token)
    if (usedAt === undefined || performance.now() - usedAt > this.nature.lifetimeMs) {
      this.live.delete(token)
      return void this.reply(socket, `${this.nature.rejection} No ${token}`)
    }
    this.live.set(token, performance.now())
    if (method === 'DELETE' && this.nature.revokes) this.live.delete(token)
    if (method === 'DELETE') return void this.send(socket, '204 Gone', this.headers(), Buffer.alloc(0))
    this.reply(socket, '200 OK')
  }

  private logon(socket: TLSSocket, text: string): void {
    if (!this.nature.admits || !isLogonOfAnna(text, PASSWORD))
      return void this.reply(socket, `${this.nature.rejection} Refused`)
    const token = `zeisignest/+.~${randomBytes(16).toString('hex')}==`
    this.live.set(token, performance.now())
    this.issued.push(token)
    // JSON, since a client must find its token; the fields beside it are traps.
    const body = Buffer.from(JSON.stringify({ session: { token }, 'odd </script> field': TRAP }))
    this.send(socket, '201 Created', this.headers(), body)
  }

  /** Writes everything it knows, in every encoding; now and then a megabyte of it, or half of it. */
  private reply(socket: TLSSocket, status: string): void {
    const secrets = [PASSWORD, ...this.issued.slice(-2), this.seen.at(-1) ?? '']
    const told = Buffer.concat([Buffer.from(`${TRAP}\n${secrets.flatMap(formsOf).join(' ')}\n`), BROKEN])
    if (++this.replies % 20 === 0) {
      const [last = ''] = this.issued.slice(-1)
      return void this.send(
        socket,
        status,
        this.headers(),
        Buffer.from(last.repeat(1 + (1024 * 1024) / Math.max(1, last.length))),
      )
    }
    const { breaksOff } = this.nature
    if (breaksOff > 0 && this.requests > 60 && this.requests % breaksOff === 0) {
      const part = Buffer.from(`{"last":"${this.issued.at(-1)?.slice(0, 10) ?? ''}`)
      return void this.send(socket, status, this.headers(), part, 4096)
    }
    this.send(socket, status, this.headers(), told)
  }

  private headers(): string[] {
    const [last = ''] = this.issued.slice(-1)
    return [
      `X-Last: ${last}`,
      `X-Password: ${encodeURIComponent(PASSWORD)}`,
      `X-Basic: ${Buffer.from(`anna:${PASSWORD}`).toString('base64')}`,
      `Set-Cookie: session=${last}; note="</script>]]>--><b>|\`x\`::error::pwned"`,
      'X-Latin: caf\u00e9 \u0080 \u009b31m',
      'Content-Type: text/html; charset="</script>"',
    ]
  }

  private send(socket: TLSSocket, status: string, headers: string[], body: Buffer, announced = body.length): void {
    const lines = [
      `HTTP/1.1 ${status}`,
      ...headers,
      ...(status.startsWith('204') ? [] : [`Content-Length: ${announced}`]),
    ]
    socket.write(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body]))
    if (announced > body.length) void sleep(5).then(() => reset(socket))
  }
}

/** Returns a secret in the encodings in which services echo their input. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const html = (text: string, quote: string, apostrophe: string) =>
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', quote)
      .replaceAll("'", apostrophe)
  return [
    secret,
    encodeURIComponent(secret),
    encodeURIComponent(secret).replace(/%../g, code => code.toLowerCase()),
    encodeURI(secret),
    new URLSearchParams({ secret }).toString(),
    JSON.stringify(secret),
    JSON.stringify({ received: JSON.stringify({ password: secret }) }),
    JSON.stringify(secret).replaceAll('/', '\\/'),
    html(secret, '&quot;', '&#39;'),
    html(secret, '&#34;', '&#39;'),
    html(secret, '&quot;', '&#x27;'),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    Buffer.from(`anna:${secret}`).toString('base64'),
    Buffer.from(`{"password":"${secret}"}`).toString('base64'),
    bytes.toString('hex'),
  ]
}
