/** Does exchanges that fail in many ways, in a process of its own. A test checks that they print nothing. */
import type { WireRequest } from '../../dist/core/exchange.js'
import { Transport } from '../../dist/core/transport.js'
import { testCertificate } from './certificate.js'
import { type Answer, rawServer, reply } from './raw-server.js'

const answers: Answer[] = [
  socket => socket.end(reply('401 Unauthorized', '{"password":"Geheim-1234"}')),
  socket => socket.end(reply('200 OK', 'no JSON', ['Content-Type: application/json'])),
  socket => socket.end('NONSENSE\r\n\r\n'),
  socket => socket.destroy(),
  () => {},
  socket => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc'),
  socket => socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
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
for (const answer of answers) {
  const server = await rawServer({ certificate, answer })
  const now = () => performance.now()
  const target = { url: server.url, trust: { kind: 'insecure' as const } }
  const transport = await Transport.create({ target, deadlineMs: 300, now })
  await transport.exchange(request)
  exchanges++
  await server.close()
  if (exchanges < answers.length) continue
  // The server there is closed now.
  await transport.exchange(request)
  exchanges++
}
process.stdout.write(`exchanges: ${exchanges}\n`)
