/** The mock Core's treatment of connections beyond its limit, and the ways in which it hangs up. */
import { connect, type TLSSocket } from 'node:tls'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { loadDialect, type MockCore } from '../dist/mock/index.js'
import { bytesOf, withMockCore } from './support/mock-client.js'

const GET = bytesOf('GET', '/api/v0/cores/self/access_mode', { keep: true })

async function withDialect<T>(name: string, use: (core: MockCore) => Promise<T>): Promise<T> {
  const dialect = await loadDialect(new URL(`../contracts/dialects/${name}.yaml`, import.meta.url).pathname)
  return withMockCore({ dialect }, use)
}

/** A connection with a list of its events. */
class Line {
  readonly events: string[] = []
  readonly socket: TLSSocket
  #waiting: (() => void)[] = []

  constructor({ url, certificatePem }: MockCore) {
    this.socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', ca: certificatePem })
    this.socket.on('secureConnect', () => this.#note('secure'))
    this.socket.on('data', chunk => this.#note(String(chunk).slice(9, 12)))
    this.socket.on('error', (error: NodeJS.ErrnoException) => this.#note(error.code ?? error.message))
    this.socket.on('end', () => this.#note('end'))
    this.socket.on('close', () => this.#note('closed'))
  }

  #note(event: string): void {
    this.events.push(event)
    for (const wake of this.#waiting.splice(0)) wake()
  }

  async until(event: string): Promise<void> {
    while (!this.events.includes(event)) {
      await new Promise<void>(resolve => this.#waiting.push(resolve))
    }
  }
}

test('two connections are served; the third waits until one ends, unused ones too', () =>
  withDialect('limit-2-connections-waiting', async core => {
    const [first, second] = [new Line(core), new Line(core)]
    await Promise.all([first.until('secure'), second.until('secure')])
    const third = new Line(core)
    first.socket.write(GET)
    await first.until('200')
    await new Promise(resolve => setTimeout(resolve, 200))
    assert.equal(third.events, [], 'no handshake while it waits')
    second.socket.destroy()
    await third.until('secure')
    third.socket.write(GET)
    await third.until('200')
    assert.equal(first.events, ['secure', '200'])
  }))

test('what waits when the mock Core is closed ends too', () =>
  withDialect('limit-2-connections-waiting', async core => {
    const lines = [new Line(core), new Line(core)]
    await Promise.all(lines.map(line => line.until('secure')))
    const third = new Line(core)
    await new Promise<void>(resolve => third.socket.once('connect', () => resolve()))
    await core.close()
    await Promise.all([...lines, third].map(line => line.until('closed')))
  }))

test('eight connections are served; the ninth is closed at once, and there is room again when one ends', () =>
  withDialect('limit-8-connections-closed', async core => {
    const lines = Array.from({ length: 8 }, () => new Line(core))
    await Promise.all(lines.map(line => line.until('secure')))
    const ninth = new Line(core)
    await ninth.until('closed')
    assert.not.ok(ninth.events.includes('secure'))
    const gone = lines[3]
    gone?.socket.destroy()
    await gone?.until('closed')
    // The mock Core notices a moment later.
    for (;;) {
      const next = new Line(core)
      await Promise.race([next.until('secure'), next.until('closed')])
      if (next.events.includes('secure')) break
    }
  }))

test('an answer that ends its connection without a word: closed, or reset', async () => {
  for (const [name, how] of [
    ['connection-close-unannounced', 'end'],
    ['connection-reset', 'ECONNRESET'],
  ] as const) {
    await withDialect(name, async core => {
      const line = new Line(core)
      let text = ''
      line.socket.on('data', chunk => {
        text += chunk
      })
      await line.until('secure')
      line.socket.write(GET)
      await line.until('closed')
      assert.match(text, /^HTTP\/1\.1 200 OK\r\n[\s\S]*\{"access_mode":"protected"\}$/, 'the answer is whole')
      assert.match(text, /\r\nConnection: keep-alive\r\n/i)
      assert.ok(line.events.includes(how), line.events.join())
    })
  }
})

test.run()
