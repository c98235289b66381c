/** The relay makes exactly the trouble that the tests of networks need. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Relay, type RelayTrouble, startRelay } from './support/relay.js'

/** Starts a server that sends its name, then echoes. */
async function back(name: string) {
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.write(name)
    socket.pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  return { port: (server.address() as AddressInfo).port, close }
}

async function withRelay(trouble: RelayTrouble, use: (relay: Relay) => Promise<void>): Promise<void> {
  const backs = [await back('A'), await back('B')]
  const relay = await startRelay(
    backs.map(({ port }) => port),
    trouble,
  )
  try {
    await use(relay)
  } finally {
    await relay.close()
    for (const { close } of backs) close()
  }
}

/** Returns the first bytes of a connection, or its failure. */
async function first({ port }: Relay): Promise<{ socket: Socket; said: string }> {
  const socket = connect(port, '127.0.0.1')
  const said = await new Promise<string>(resolve => {
    socket.once('data', chunk => resolve(String(chunk)))
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'))
    socket.once('close', () => resolve('closed'))
  })
  return { socket, said }
}

test('back ends in turn, bytes both ways', () =>
  withRelay({}, async relay => {
    const lines = [await first(relay), await first(relay), await first(relay)]
    assert.is(lines.map(({ said }) => said).join(''), 'ABA')
    const { socket } = lines[1] as { socket: Socket }
    socket.write('hello')
    const [echo] = await once(socket, 'data')
    assert.is(String(echo), 'hello')
    for (const { socket } of lines) socket.destroy()
  }))

test('a connection beyond the workers waits for one to end', () =>
  withRelay({ workers: 1 }, async relay => {
    const one = await first(relay)
    let isServed = false
    const two = first(relay).then(line => {
      isServed = true
      return line
    })
    await new Promise(resolve => setTimeout(resolve, 150))
    assert.not.ok(isServed)
    one.socket.destroy()
    assert.is((await two).said, 'B')
    assert.is(relay.figures.mostAtATime, 1)
    ;(await two).socket.destroy()
  }))

test('late after the first ones', () =>
  withRelay({ late: { ms: 200, free: 1 } }, async relay => {
    const lines = [await first(relay)]
    const startedMs = performance.now()
    lines.push(await first(relay))
    assert.ok(performance.now() - startedMs >= 199)
    for (const { socket } of lines) socket.destroy()
  }))

test('resets by seed: the same number for the same seed, none for 0 percent', async () => {
  const resets = async (percent: number, seed: number) => {
    let count = 0
    await withRelay({ reset: { percent, seed } }, async relay => {
      const lines = await Promise.all(Array.from({ length: 30 }, () => first(relay)))
      await new Promise(resolve => setTimeout(resolve, 300))
      count = relay.figures.resets
      for (const { socket } of lines) socket.destroy()
    })
    return count
  }
  const once = await resets(30, 5)
  assert.ok(once > 0 && once < 30)
  assert.is(await resets(30, 5), once)
  assert.is(await resets(0, 5), 0)
})

test('dead for a while: connections reset, or bytes held back and delivered later', async () => {
  await withRelay({ dead: { fromMs: 0, forMs: 400, how: 'refuse' } }, async relay => {
    assert.is((await first(relay)).said, 'ECONNRESET')
    await new Promise(resolve => setTimeout(resolve, 500))
    const { socket, said } = await first(relay)
    assert.match(said, /^[AB]$/)
    socket.destroy()
  })
  await withRelay({ dead: { fromMs: 0, forMs: 400, how: 'freeze' } }, async relay => {
    const startedMs = performance.now()
    const { socket, said } = await first(relay)
    assert.is(said, 'A')
    assert.ok(performance.now() - startedMs >= 350)
    socket.destroy()
  })
})

test.run()
