/** Does exchanges that end in many ways, in a process of its own. A test checks that they print nothing, and keep nothing alive. */
import type { WireRequest } from '../../dist/core/exchange.js'
import { Transport } from '../../dist/core/transport.js'
import { testCertificate } from './certificate.js'
import { type Answer, rawServer, reply } from './raw-server.js'

/** Where an end comes before the deadline: what forgets its timer keeps the process alive as long. */
const LONG_MS = 60_000
const SHORT_MS = 300
const answers: [answer: Answer, deadlineMs: number][] = [
  [socket => socket.write(reply('200 OK', 'and the connection stays open')), LONG_MS],
  [socket => socket.end(reply('401 Unauthorized', '{"password":"Geheim-1234"}')), LONG_MS],
  [socket => socket.end(reply('200 OK', 'no JSON', ['Content-Type: application/json'])), LONG_MS],
  [socket => socket.end('NONSENSE\r\n\r\n'), LONG_MS],
  [socket => socket.destroy(), LONG_MS],
  [() => {}, SHORT_MS],
  [socket => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc'), SHORT_MS],
  [socket => socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'), LONG_MS],
]
const request: WireRequest = {
  method: 'POST',
  path: '/api/v0/logon?secret=Geheim-1234',
  headers: [['Authorization', 'Bearer Geheim-1234']],
  body: '{"password":"Geheim-1234"}',
  httpVersion: '1.1',
  omitHost: false,
}

const certificate = await testCertificate()
let exchanges = 0
for (const [answer, deadlineMs] of answers) {
  const server = await rawServer({ certificate, answer })
  const now = () => performance.now()
  const target = { url: server.url, trust: { kind: 'insecure' as const } }
  const transport = await Transport.create({ target, deadlineMs, now })
  await transport.exchange(request)
  exchanges++
  await server.close()
  if (exchanges < answers.length) continue
  // The server there is closed now.
  await transport.exchange(request)
  exchanges++
}
process.stdout.write(`exchanges: ${exchanges}\n`)
