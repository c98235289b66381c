/** Does one exchange of each kind of end, with a long deadline. This process must then end by itself at once. */
import type { WireRequest } from '../../dist/core/exchange.js'
import { Transport } from '../../dist/core/transport.js'
import { testCertificate } from './certificate.js'
import { type Answer, rawServer, reply } from './raw-server.js'

const answers: Answer[] = [
  socket => socket.write(reply('200 OK', 'and the connection stays open')),
  socket => socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
  socket => socket.destroy(),
  socket => socket.end('NONSENSE\r\n\r\n'),
]
const request: WireRequest = { method: 'GET', path: '/', headers: [], httpVersion: '1.1', omitHost: false }

const certificate = await testCertificate()
for (const answer of answers) {
  const server = await rawServer({ certificate, answer })
  const target = { url: server.url, trust: { kind: 'insecure' as const } }
  const transport = await Transport.create({ target, deadlineMs: 60_000, now: () => performance.now() })
  await transport.exchange(request)
  await server.close()
}
