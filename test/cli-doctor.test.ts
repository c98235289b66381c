/** `doctor`, as a user meets it: processes, TLS sockets, files. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:https'
import { createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { listen } from '../dist/ground/listen.js'
import type { MockCore, MockCoreOptions } from '../dist/index.js'
import { assertSecretless, Cli, cli, inFolder, PASSWORD, withMock } from './cli-support.js'
import { testCertificate } from './support/certificate.js'
import { long } from './support/long.js'
import { type Reaction, WireCore, withCore } from './support/scripted-core.js'

const test = suite('doctor')
const FILE = 'core-conformance.config.yaml'

/** What a user has set, who names the Core in the command. */
const env: Record<string, string> = { CORE_USERNAME: 'anna', CORE_PASSWORD: PASSWORD }
const withAnna = (options: MockCoreOptions, use: (core: MockCore, folder: string) => Promise<void>) =>
  withMock({ username: 'anna', password: PASSWORD, ...options }, use)

/** Returns the checks in the output by their names: the mark of each, and its whole text. */
function checksIn(stdout: string): Map<string, string> {
  const found = new Map<string, string>()
  let last = ''
  for (const line of stdout.split('\n')) {
    const [, mark = '', what = '', text = ''] = /^([✓•!✗–]) (.{16})(.*)$/u.exec(line) ?? []
    const isMore = last !== '' && /^ {18}\S/.test(line)
    if (mark) found.set(what.trim(), `${mark} ${text}`)
    else if (isMore) found.set(last, `${found.get(last)} ${line.trim()}`)
    last = mark ? what.trim() : isMore ? last : ''
  }
  return found
}

const checkIn = (stdout: string, what: string) => checksIn(stdout).get(what) ?? ''

const logons = (core: MockCore) => core.requests.filter(({ method }) => method === 'POST').length

long(test)(
  'a certificate that nobody compared gets no password and no pin; what fits is written, and a run takes it',
  () =>
    withAnna({}, async (core, folder) => {
      const first = await cli(['doctor', core.url, '--write', '--name', 'lab-1'], { cwd: folder, env, code: 3 })
      assert.is(
        [...checksIn(first.stdout)].map(([what, check]) => `${check[0]} ${what}`).join(),
        '✓ Node,✓ address,✓ TLS,✓ certificate,! trust,✓ clock,✓ access control,✓ connections,– credentials',
      )
      assert.match(checkIn(first.stdout, 'TLS'), /^✓ it takes TLSv1\.3, TLSv1\.2/)
      assert.match(
        checkIn(first.stdout, 'trust'),
        /it is self-signed → pass --fingerprint with it, --ca-file, or --insecure, once you/,
      )
      assert.match(checkIn(first.stdout, 'connections'), /8 of 8/)
      assert.match(checkIn(first.stdout, 'credentials'), /it would get the password/)
      assert.is(logons(core), 0)
      const file = readFileSync(join(folder, FILE), 'utf8')
      assert.match(file, /nobody has compared it\. Read the SHA-256/)
      assert.ok(file.includes(`\n    # fingerprint: ${core.certificateFingerprint}\n`), file)
      const told = first.stdout.replace(/\s+/g, ' ')
      assert.match(told, /Written: core-conformance\.config\.yaml, with the SHA-256 of its certificate as a comment\./)
      assert.match(
        told,
        /Next: read the SHA-256 of the certificate at the Core itself, .*doctor lab-1 --write --fingerprint/,
      )
      assert.not.match(first.stdout, /core-conformance run/)
      // Written again, it is told once.
      await cli(['doctor', 'lab-1', '--write', '--username', 'anna'], { cwd: folder, env })
      assert.is(readFileSync(join(folder, FILE), 'utf8'), file)
      const args = ['doctor', 'lab-1', '--write', '--fingerprint', core.certificateFingerprint]
      const second = await cli(args, { cwd: folder, env, code: 0 })
      assert.match(second.stdout, /\nNext: core-conformance run lab-1\n/)
      const pinned = readFileSync(join(folder, FILE), 'utf8')
      assert.ok(pinned.includes(`\n    fingerprint: ${core.certificateFingerprint}\n`), pinned)
      assert.not.match(pinned, /compared|# fingerprint/)
      // A certificate that is not the pinned one leaves the pin as it is.
      writeFileSync(
        join(folder, FILE),
        pinned.replace(/fingerprint: .*/, `fingerprint: ${Array(32).fill('AA').join(':')}`),
      )
      await cli(['doctor', 'lab-1', '--write'], { cwd: folder, env, code: 3 })
      assert.match(readFileSync(join(folder, FILE), 'utf8'), /\n {4}fingerprint: AA:AA:(.|\n)*\n {4}# fingerprint: /)
      writeFileSync(join(folder, FILE), pinned)
      assert.match(
        checkIn(second.stdout, 'credentials'),
        /^✓ anna logs on \(201\), and its token opens \/api\/v0\/cores\/self\/users \(200\)/,
      )
      assert.match(checkIn(second.stdout, 'token'), /^✓ it stands at \/token: 64 characters/)
      assert.match(checkIn(second.stdout, 'latency'), /ms on a new connection/)
      assert.match(checkIn(second.stdout, 'tokens'), /given back/)
      assert.match(second.stdout, /\nIt can be tested from here\.\n/)
      assert.is(core.state().tokens.live, 0)
      await cli(['run', 'lab-1', '--only', 'access-with-token', '--quiet'], { cwd: folder, env, code: 0 })
      const tokens = core.requests.flatMap(
        ({ headers }) => /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? [],
      )
      assert.ok(tokens.length > 0)
      assertSecretless([first.stdout, second.stdout, file], [PASSWORD, ...new Set(tokens)])
    }),
)

test('credentials that are refused are tried once, and those that are missing are named', () =>
  withAnna({}, async (core, folder) => {
    const trust = ['--fingerprint', core.certificateFingerprint]
    const wrong = await cli(['doctor', core.url, ...trust], { cwd: folder, env: { ...env, CORE_PASSWORD: 'wrong' } })
    assert.is(wrong.code, 3)
    const refused = /^✗ .*the credentials were refused: 401 .* → check CORE_USERNAME and CORE_PASSWORD/
    assert.match(checkIn(wrong.stdout, 'credentials'), refused)
    assert.is(logons(core), 1)
    const { CORE_PASSWORD: _none, ...nameOnly } = env
    const missing = await cli(['doctor', core.url, ...trust], { cwd: folder, env: nameOnly, code: 3 })
    assert.match(checkIn(missing.stdout, 'credentials'), /no password \(CORE_PASSWORD\) was given/)
    assert.match(missing.stdout, /It cannot be said yet whether it can be tested/)
    assert.is(logons(core), 1)
  }))

test('a Core that refuses by a success, or by closing the connection, is not taken for an open or a dead one', async () => {
  for (const [dialect, seen] of [
    ['rejections-200', /^✓ on: it refuses a request without a token by .*body/],
    ['rejections-hang-up', /^✓ on: it refuses a request without a token by a closed connection$/],
  ] as const) {
    const file = new URL(`../contracts/dialects/${dialect}.yaml`, import.meta.url)
    await withAnna({ dialect: fileURLToPath(file) }, async (core, folder) => {
      const trust = ['--fingerprint', core.certificateFingerprint]
      const { stdout } = await cli(['doctor', core.url, ...trust], { cwd: folder, env, code: 0 })
      assert.match(checkIn(stdout, 'access control'), seen)
    })
  }
})

test('a Core that puts every request off for an hour is told so, and is no error of the program', async () => {
  class Reluctant extends WireCore {
    override react(): Reaction {
      return { status: 429, headers: { 'Retry-After': '3600' } }
    }
  }
  await withCore(new Reluctant(), core =>
    inFolder(async folder => {
      const { stdout, stderr } = await cli(['doctor', core.url.origin, '--insecure'], { cwd: folder, env, code: 3 })
      assert.is(stderr, '')
      assert.match(checkIn(stdout, 'answers'), /^✗ .*the Core asks to slow down/)
    }),
  )
})

long(test)('an open Core, and one of two connections: each gets the setting that fits', async () => {
  await withAnna({ accessControl: 'off' }, async (core, folder) => {
    const { stdout } = await cli(['doctor', core.url, '--insecure', '--write'], { cwd: folder, env, code: 0 })
    assert.match(checkIn(stdout, 'access control'), /^! /)
    assert.match(readFileSync(join(folder, FILE), 'utf8'), /access-control: off\n/)
    assert.match(stdout, /with the settings below/)
  })
  await inFolder(async folder => {
    const mock = new Cli(['mock', '--connections', '2', '--json'], { cwd: folder, env })
    const [, url = ''] = await mock.until(/"url":"([^"]+)"/)
    const { stdout } = await cli(['doctor', url, '--insecure'], { cwd: folder, env })
    mock.child.kill()
    await mock.ended
    assert.match(checkIn(stdout, 'connections'), /^! it answers on 2 of 8 at a time → .*--concurrency 2/)
    assert.match(stdout, /^ {6}concurrency: 2$/m)
  })
})

test('a file that is there keeps what else stands in it', () =>
  withAnna({}, async (core, folder) => {
    const before = `# our lab\ndefaults:\n  username: anna # as everywhere\ntargets:\n  lab-1:\n    url: ${core.url}\n    insecure: true # for now\n    firmware: "4.1"\n  lab-2: { url: https://10.0.0.6 }\n`
    writeFileSync(join(folder, FILE), before)
    const args = ['doctor', 'lab-1', '--write', '--fingerprint', core.certificateFingerprint]
    const { CORE_PASSWORD: _none, ...nameOnly } = env
    const missing = await cli(args, { cwd: folder, env: nameOnly })
    assert.match(missing.stdout, /\nNext: set CORE_PASSWORD, then: core-conformance doctor lab-1\n/)
    writeFileSync(join(folder, FILE), before)
    const { stdout } = await cli(args, { cwd: folder, env, code: 0 })
    assert.match(stdout, /^Updated: the target lab-1 in core-conformance\.config\.yaml\.$/m)
    const after = readFileSync(join(folder, FILE), 'utf8')
    for (const kept of ['# our lab', 'anna # as everywhere', 'firmware: "4.1"', 'lab-2: { url: https://10.0.0.6 }'])
      assert.ok(after.includes(kept), after)
    assert.ok(after.includes(`fingerprint: ${core.certificateFingerprint}`))
    assert.not.match(after, /insecure/)
    writeFileSync(join(folder, FILE), 'targets: 5\n')
    await cli(['doctor', core.url, '--write', '--insecure'], { cwd: folder, env, code: 2 })
    assert.is(readFileSync(join(folder, FILE), 'utf8'), 'targets: 5\n')
  }))

test('nobody there, plain HTTP, a server that never answers', () =>
  inFolder(async folder => {
    const gone = await listen(createTcpServer(), 0, 'port')
    await gone.close()
    const page = createHttpServer((_request, response) => response.end('no Core'))
    const plain = await listen(page, 0, 'port')
    const silent = await listen(createTcpServer(), 0, 'port')
    try {
      for (const [port, pattern] of [
        [gone.port, /✗ address +nothing is listening at 127\.0\.0\.1:\d+\n +→ check that the Core is up/],
        [plain.port, /✗ TLS +no TLS with 127\.0\.0\.1:\d+: what answers there speaks\s+no\s+TLS,/],
        [silent.port, /✗ TLS +the TLS handshake was not finished within 1 s/],
      ] as const) {
        const args = ['doctor', `https://127.0.0.1:${port}`, '--deadline', '1s', '--write']
        const { stdout } = await cli(args, { cwd: folder, code: 3 })
        assert.match(stdout, pattern)
        assert.match(stdout, /It cannot be tested from here as it is\./)
      }
      const { stderr } = await cli(['doctor'], { cwd: folder, code: 2 })
      assert.match(stderr, /which Core\? Give its base URL/)
      assert.not(existsSync(join(folder, FILE)))
    } finally {
      await plain.close()
      await silent.close()
    }
  }))

long(test)('Ctrl-C: what is left is not looked at, and no token stays', () =>
  withAnna({}, async (core, folder) => {
    core.delayNext(100, 400)
    const running = new Cli(['doctor', core.url, '--insecure'], { cwd: folder, env })
    for (;;) {
      await new Promise(resolve => setTimeout(resolve, 20))
      if (core.state().tokens.issued > 0) break
      assert.is(running.child.exitCode, null)
    }
    running.child.kill('SIGINT')
    const { stderr, stdout } = await running.ends(3)
    assert.match(stderr, /Interrupted: revoking tokens.*\n.*: interrupted, before all was looked at\n/)
    assert.not.match(stdout, /can be tested/)
    assert.is(core.state().tokens.live, 0)
  }),
)

test('a clock that is off, an old version of TLS, something that is no Core', () =>
  inFolder(async folder => {
    const { cert, key } = await testCertificate()
    const server = createServer({ cert, key, maxVersion: 'TLSv1.2' }, (_request, response) => {
      response.sendDate = false
      response.writeHead(404, { date: new Date(Date.now() - 3_600_000).toUTCString() }).end('not found')
    })
    const { port, close } = await listen(server, 0, 'port')
    try {
      const args = ['doctor', `https://127.0.0.1:${port}`, '--insecure', '--username', 'anna']
      const { stdout } = await cli(args, { cwd: folder, env: { CORE_PASSWORD: PASSWORD }, code: 3 })
      assert.match(
        checkIn(stdout, 'clock'),
        /^• its clock is 3[56]\d\d seconds behind that of this machine → no verdict/,
      )
      assert.match(checkIn(stdout, 'TLS'), /^✓ it takes TLSv1\.2$/)
      assert.match(checkIn(stdout, 'credentials'), /^✗ .*the logon was refused: 404/)
    } finally {
      await close()
    }
  }))

test('a page in the place of a Core is told as one, and an answer that does not end is none', () =>
  inFolder(async folder => {
    const { cert, key } = await testCertificate()
    let isCut = false
    const server = createServer({ cert, key }, (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html', ...(isCut && { 'Content-Length': 99 }) })
      if (isCut) response.write('<', () => response.destroy())
      else response.end('<h1>Welcome!</h1>')
    })
    const { port, close } = await listen(server, 0, 'port')
    try {
      const look = async () => {
        const args = ['doctor', `https://127.0.0.1:${port}`, '--insecure', '--username', 'anna']
        const { code, stdout } = await cli(args, { cwd: folder, env: { CORE_PASSWORD: PASSWORD } })
        return { code, access: checkIn(stdout, 'access control') }
      }
      const page = await look()
      assert.match(page.access, /200 OK, a page \(text\/html\) → check that a Core is there; if so, turn/)
      isCut = true
      const { code, access } = await look()
      assert.is(code, 3)
      assert.match(access, /^✗ no whole answer without a token: 200 OK, but the connection ended in the/)
    } finally {
      await close()
    }
  }))

test.run()
