/** Contracts verified by the product as users meet it. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { XMLValidator } from 'fast-xml-parser'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { listen } from '../dist/ground/listen.js'
import { startMockCore } from '../dist/mock/index.js'
import {
  assertSecretless,
  Cli,
  type CoreReply,
  cli,
  inFolder,
  makeFolder,
  PASSWORD,
  type Script,
  ScriptedCore,
  withCore,
} from './cli-support.js'
import { pactOf } from './support/foreign-contract.js'
import { long } from './support/long.js'

const test = suite('contracts verify')

const SPECS =
  'access-with-token,access-without-token*,logon-issues-token,logon-wrong-password,revocation-rejects,idle-expires'
const fixture = (name: string) =>
  fileURLToPath(new URL(`fixtures/contracts/${name}-literal-tokens.json`, import.meta.url))
/** The meanings of the words of the fixtures. */
const STATES = [
  '--state',
  'the user exists=right credentials,the user is logged on=a valid token',
  '--state',
  'the Core is up=nothing,the token was revoked, by its user=a revoked token',
]

/** Verifies, to end with this exit code. */
async function verify(code: number, folder: string, args: string[], env: Record<string, string> = {}) {
  const ended = await cli(['contracts', 'verify', ...args], { cwd: folder, env, code })
  const junit = readFileSync(join(folder, 'reports/contracts.junit.xml'), 'utf8')
  assert.is(XMLValidator.validate(junit), true)
  assert.not.ok((ended.stdout + ended.stderr + junit).includes('\u001b'))
  return { ...ended, junit }
}

/** The result of a run of the unchanged scripted Core, and its contract; made once. */
let resultFile = ''
let contract = ''
/** The same contract, with pinned statuses. */
let pinned = ''
test.before(async () => {
  const folder = makeFolder()
  const core = await new ScriptedCore({ lifetimeMs: 1000 }).start()
  // Demands exactly what was seen, so that each departure shows.
  const strict = ['--fields', 'all', '--strict-token']
  const args = ['run', '--only', SPECS, '--consumer', 'app', '--idle-lifetime', '1s', ...strict]
  await cli(args, { cwd: folder, env: core.env, code: 0 })
  await core.stop()
  resultFile = join(folder, 'reports/result.json')
  contract = join(folder, 'contracts/app-core.json')
  const pin = ['contracts', 'generate', '--consumer', 'pinned', '--pin-statuses', ...strict]
  await cli(pin, { cwd: folder, code: 0 })
  pinned = join(folder, 'contracts/pinned-core.json')
})

test('on a Core of the user, with one real wait for what is about expiry; no token stays, no secret shows', () =>
  withCore({ lifetimeMs: 1000 }, async (core, folder) => {
    const env = {
      ...core.env,
      CORE_IDLE_LIFETIME: '1s',
      LOG_LEVEL: 'trace',
      RUST_LOG: 'trace',
      PACT_LOG_LEVEL: 'trace',
      HTTP_PROXY: 'http://127.0.0.1:1',
      http_proxy: 'http://127.0.0.1:1',
    }
    // The same contract under another name: two interactions wait together.
    writeFileSync(join(folder, 'b-core.json'), readFileSync(contract))
    const { stdout, stderr, junit } = await verify(0, folder, [contract, 'b-core.json'], env)
    assert.match(stdout, /^app-core\n\n✓ a logon, given right credentials\n/)
    assert.match(stdout, /\n✓ Verified\n {2}14 interactions verified, all hold\n/)
    assert.match(stdout, /\nReport: reports\/contracts\.junit\.xml\n$/)
    assert.match(junit, /tests="14" failures="0" errors="0" skipped="0"/)
    const expired =
      /<testcase name="a request for the users, given an expired token" classname="core-conformance\.app-core"/
    assert.match(junit, expired)
    assert.match(junit, / file="b-core\.json" line="\d+"/)
    assert.is(core.live.size, 0)
    assertSecretless([stdout, stderr, junit], core.secrets)
  }))

/** Departs from the contract in several ways at once. */
const departs: NonNullable<Script['answer']> = ({ method, headers }, body, right) => {
  // Nothing is revoked.
  if (method === 'DELETE' && headers.host) return { status: 204 }
  const reply: CoreReply = right()
  if (method === 'GET' && reply.status === 200) return { ...reply, body: '[{"name":7},{"id":1}]' }
  if (method !== 'POST') return reply
  if (reply.status === 200)
    return { status: 201, body: String(reply.body).replace('{"session":{"token":', '{"data":{"bearer":') }
  const wrong = { status: 200, body: '{"session":{"token":"kanari-token-of-nobody-0123456789abc"}}' }
  return body.includes('password') ? wrong : reply
}

test('broken: exit 1, with what was expected and what came; and the tokens are still asked back', () => {
  const deleted: string[] = []
  const answer: Script['answer'] = (request, body, right) => {
    if (request.method === 'DELETE') deleted.push(request.headers.authorization ?? '')
    return departs(request, body, right)
  }
  return withCore({ answer }, async (core, folder) => {
    const { stdout, stderr, junit } = await verify(1, folder, [pinned, '--profile', 'quick'], core.env)
    for (const pattern of [
      /✗ a logon, given right credentials\n {4}did +status\n {4}expected +200\n {4}got +201\n/,
      / {4}did +body\n {4}expected +the fields session\n {4}got +the fields data\n/,
      /did +body at \$\[0\]\.name\n {4}expected +the same type as 'text' \(String\)\n {4}got +7\n/,
      /did +body at \$\[1\]\n {4}expected +the fields name\n {4}got +the fields id\n/,
      /✗ a logon, given wrong credentials\n {4}did +status\n {4}expected +401\n {4}got +200\n/,
      /✗ a request for the users, given a revoked token\n {4}did +status\n {4}expected +401/,
      /– a request for the users, given an expired token: skipped: it is\s+about an\s+expired\s+token, which --profile quick\s+leaves out/,
      /✗ Broken\n {2}4 of 7 interactions do not hold\n/,
    ])
      assert.match(stdout, pattern)
    assert.match(junit, /failures="4" errors="0" skipped="1"/)
    assertSecretless([stdout, stderr, junit], [...core.secrets, 'kanari-token-of-nobody'])
    for (const token of core.tokens) assert.ok(deleted.includes(`Bearer ${token}`), token)
  })
})

test('a number is no text: a token that became one breaks the contract', () => {
  const NUMBER = '123456789012345'
  let token = ''
  const answer: Script['answer'] = (request, _body, right) => {
    if (request.token === NUMBER) request.token = token
    const reply = right()
    const body = String(reply.body)
    token = /kanari-token-[0-9a-f]+/.exec(body)?.[0] ?? token
    return request.method === 'POST' ? { ...reply, body: body.replace(`"${token}"`, NUMBER) } : reply
  }
  return withCore({ answer }, async (core, folder) => {
    const args = ['generate', '--from', resultFile, '--consumer', 'lax', '--interactions', 'logon,users']
    await cli(['contracts', ...args], { cwd: folder, code: 0 })
    const { stdout } = await verify(1, folder, ['contracts/lax-core.json'], core.env)
    assert.match(
      stdout,
      /✗ a logon, given right credentials\n {4}did +body at \$\.session\.token\n {4}expected .*same type/,
    )
    assert.match(stdout, /✓ a request for the users, given a valid token/)
    assertSecretless([stdout], [NUMBER])
  })
})

test('a revocation that fails leaves open what a revoked token gets', () => {
  const answer: Script['answer'] = ({ method, headers }, _body, right) =>
    method === 'DELETE' && headers.host ? { status: 503 } : right()
  return withCore({ answer }, async (core, folder) => {
    // A revocation is an interaction, too.
    const { stdout } = await verify(1, folder, [contract, '--profile', 'quick'], core.env)
    const told = stdout.replace(/\s+/g, ' ')
    assert.match(
      told,
      /! a request for the users, given a revoked token: blocked: its provider state could not be brought about: DELETE \/api\/v0\/logon with token a: 503/,
    )
    assert.match(told, /tokens could not be revoked/)
  })
})

test('a Core that refuses everything keeps no contract: a rejection needs a control', () => {
  let logons = 0
  const answer: Script['answer'] = ({ method }, _body, right) => {
    if (method === 'POST') logons++
    // The survey gets correct answers; after it nothing opens the API.
    return method === 'GET' && logons > 2 ? { status: 401, body: '{}' } : right()
  }
  return withCore({ answer }, async (core, folder) => {
    const { stdout } = await verify(3, folder, [contract, '--profile', 'quick'], core.env)
    const told = stdout.replace(/\s+/g, ' ')
    assert.match(told, /! a request for the users, given a revoked token/)
    assert.match(
      told,
      /could not be brought about: GET \/api\/v0\/cores\/self\/users with token a: expected [^;]*; got 401/,
    )
    assert.is(core.live.size, 0)
  })
})

test('contracts of other tools, in which tokens are literal examples', () =>
  withCore({ lifetimeMs: 1000 }, async (core, folder) => {
    const env = { ...core.env, CORE_IDLE_LIFETIME: '1s' }
    // Its dialect differs from the mock's: exactly the differences are found.
    const { stdout, junit } = await verify(1, folder, [fixture('v2'), fixture('v3'), fixture('v4'), ...STATES], env)
    const failures = [...junit.matchAll(/<testcase name="([^"]*)"[^>]*>\s*<failure message="([^"]*)"/g)]
    const told = failures.map(([, name, message]) => `${name}: ${message}`)
    assert.equal(told, [
      'logging on, given the user exists: status: expected 201, got 200; body: expected the fields token, got the fields session',
      'listing users, given the user is logged on: body at $[0]: expected the fields id, got the fields name',
    ])
    assert.is(core.live.size, 0)
    assertSecretless([stdout, junit], core.secrets)
  }))

long(test)('the consumer test of a stranger, with words, parameters and names of its own', () =>
  inFolder(async folder => {
    const path = (name: string) => fileURLToPath(new URL(`fixtures/contracts/${name}`, import.meta.url))
    const env = { ...process.env, PACT_DO_NOT_TRACK: 'true' }
    // On a busy machine, Pact's server may not have noted a request yet that it has answered.
    for (let tries = 3; ; tries--) {
      try {
        execFileSync(process.execPath, [path('stranger.mjs'), folder], { env })
        break
      } catch (error) {
        if (tries === 1) throw error
      }
    }
    copyFileSync(path('stranger.config.yaml'), join(folder, 'core-conformance.config.yaml'))
    const held = await verify(0, folder, ['ops-dashboard-core.json'])
    assert.match(held.stdout, /✓ list the users after sign-out, given a session \(alive: false\)/)
    assert.match(held.stdout, /4 interactions verified, all hold/)
    const dialect = { answers: { loggedOn: { status: 200, body: { data: { token: '{bearer}' } } } } }
    const core = await startMockCore({ username: 'admin', password: PASSWORD, dialect })
    const reached = { CORE_URL: core.url, CORE_USERNAME: 'admin', CORE_PASSWORD: PASSWORD, CORE_INSECURE: '1' }
    const other = await verify(1, folder, ['ops-dashboard-core.json'], reached).finally(() => core.close())
    assert.match(other.stdout, /✗ sign in, given an operator exists/)
    assert.match(other.stdout, /3 passed/)
  }),
)

test('a literal token is replaced where it is to be good, and only there', () => {
  const seen: string[] = []
  const answer: Script['answer'] = ({ method, headers }, body, right) => {
    seen.push(`${method} ${headers.authorization ?? ''} ${body}${headers['accept-encoding'] ?? ''}`)
    return right()
  }
  return withCore({ answer }, async (core, folder) => {
    await verify(1, folder, [fixture('v2'), ...STATES, '--profile', 'quick'], core.env)
    // The interaction that expects a 401 and names no state is sent as written.
    assert.is(seen.filter(line => line.startsWith('GET Bearer abc123')).length, 1)
    assert.not.ok(seen.some(line => /s3cret|gzip|placeholder/.test(line)))
    assert.ok(seen.some(line => line.startsWith('POST') && line.includes(JSON.stringify(PASSWORD))))
  })
})

test('what needs another access control could not be verified', () =>
  inFolder(async folder => {
    const args = ['run', '--access-control', 'off', '--only', 'access-open', '--consumer', 'open']
    await cli(args, { cwd: folder, code: 0 })
    const on = await verify(3, folder, ['contracts/open-core.json'])
    assert.match(on.stdout, /it\s+needs\s+a\s+Core\s+with\s+access\s+control\s+off\s+\(--access-control\)/)
    await verify(0, folder, ['contracts/open-core.json', '--access-control', 'off'])
  }))

test('a Core that is out of reach, or refuses the credentials: exit 3, with advice', () =>
  inFolder(async folder => {
    const core = await new ScriptedCore({}).start()
    const { env } = core
    const refused = await verify(3, folder, [contract], { ...env, CORE_PASSWORD: 'another' })
    assert.match(
      refused.stdout,
      /! Untestable\n {2}the credentials were refused: 401 Unauthorized\n {2}→ check CORE_USERNAME and CORE_PASSWORD\n/,
    )
    await core.stop()
    const gone = await verify(3, folder, [contract], env)
    assert.match(gone.stdout, /nothing is listening at 127\.0\.0\.1/)
    assert.match(gone.junit, /errors="7"/)
  }))

test('a Core that stops to answer: not verified, and the rest is', () => {
  const answer: Script['answer'] = ({ method, headers }, _body, right) =>
    method === 'GET' && headers.authorization === 'Bearer abc123' ? 'hang' : right()
  return withCore({ answer }, async (core, folder) => {
    const args = [fixture('v2'), ...STATES, '--profile', 'quick', '--deadline', '500ms']
    const { stdout } = await verify(1, folder, args, core.env)
    assert.match(
      stdout,
      /! listing users with a token of yesterday, with no state told: blocked:\s+the\s+Core\s+did not\s+answer: no response within 0\.5 s/,
    )
    assert.is(core.live.size, 0)
  })
})

long(test)('Ctrl-C during the wait: exit 3, and every token is revoked', () =>
  withCore({}, async (core, folder) => {
    const run = new Cli(['contracts', 'verify', contract], { cwd: folder, env: core.env })
    await run.until(/Waiting: /)
    assert.ok(core.live.size > 0)
    run.child.kill('SIGINT')
    const { code, stdout } = await run.ended
    assert.is(code, 3)
    assert.match(stdout, /\? Incomplete\n {2}the verification was interrupted\n/)
    assert.is(core.live.size, 0)
  }),
)

test('files that are no contracts: exit 2, before anything is sent', () =>
  withCore({}, async (core, folder) => {
    const refused = async (...files: string[]) => {
      const { code, stderr, stdout } = await cli(['contracts', 'verify', ...files], { cwd: folder, env: core.env })
      assert.equal([code, stdout], [2, ''])
      return stderr
    }
    assert.match(await refused(), /which contracts\? Name files or URLs, or a broker with --broker/)
    assert.match(await refused('gone.json'), /gone\.json cannot be read: there is no such file/)
    writeFileSync(join(folder, 'x.json'), '{')
    assert.match(await refused(contract, 'x.json'), /x\.json is no contract that can be verified: it is not JSON/)
    writeFileSync(join(folder, 'x.json'), '{"$schema":"https://json-schema.org/draft/2020-12/schema"}')
    assert.match(
      await refused('x.json'),
      /x\.json is a JSON Schema, and no contract: left out\n.*none of the files is a contract/,
    )
    assert.match(await refused(contract, contract), /is named twice/)
    assert.is(core.requests.length, 0)
  }))

// ---- Harmful Cores and contracts ---------------------------------------------------------------------------------

const USERS = '/api/v0/cores/self/users'
const LIST = { method: 'GET', path: USERS, headers: { Authorization: 'Bearer x' } }
const TOKEN_GENERATORS = (expression: string) => ({ path: { type: 'ProviderState', expression } })

test('a Core that answers 307: it is the Core that is judged, nobody is followed, and nothing tells the key', async () => {
  const got: string[] = []
  const elsewhere = createServer((request, response) => {
    got.push(`${request.url} ${request.rawHeaders.join()}`)
    response.setHeader('Content-Type', 'application/json').end('[{"name":"anna"}]')
  })
  const { port, close } = await listen(elsewhere, 0, 'port')
  const Location = `http://127.0.0.1:${port}/stolen`
  // The suite's own requests carry Accept; the requests of these contracts do not.
  const answer: Script['answer'] = ({ method, headers }, _body, right) =>
    method === 'GET' && !headers.accept ? { status: 307, headers: { Location }, body: '' } : right()
  await withCore({ answer }, async (core, folder) => {
    writeFileSync(join(folder, 'a.json'), pactOf(LIST, { status: 200 }))
    writeFileSync(join(folder, 'b.json'), pactOf(LIST, { status: 307, headers: { Location } }))
    const states = { providerStates: [{ name: 'a valid token' }] }
    writeFileSync(join(folder, 'c.json'), pactOf(LIST, { status: 307, headers: { Location: '/else' } }, states))
    const { stdout } = await verify(1, folder, ['a.json', 'b.json', 'c.json'], core.env)
    assert.match(stdout, /a\n\n✗ one\n[\s\S]*307[\s\S]*b\n\n✓ one\n[\s\S]*c\n\n✗ one/)
    assert.match(stdout, /header Location/)
    assert.equal(got, [])
  })
  await close()
})

test('what fails once, and holds when it is tried again, breaks no contract', () => {
  let asked = 0
  const answer: Script['answer'] = ({ method, headers }, _body, right) =>
    method === 'GET' && !headers.accept && headers.authorization && ++asked === 1 ? { status: 404 } : right()
  return withCore({ answer }, async (core, folder) => {
    writeFileSync(join(folder, 'a.json'), pactOf(LIST, { status: 200 }))
    await verify(0, folder, ['a.json'], core.env)
    assert.is(asked, 2)
    assert.is(core.live.size, 0)
  })
})

test('a large answer is passed on whole', async () => {
  const large = JSON.stringify({ name: 'anna', pad: 'x'.repeat(2 * 1024 * 1024), last: true })
  const answer: Script['answer'] = ({ method, headers }, _body, right) =>
    method === 'GET' && !headers.accept ? { status: 200, body: large } : right()
  await withCore({ answer }, async (core, folder) => {
    const response = {
      status: 200,
      headers: { 'Content-Type': 'application/json' },
      body: { name: 'anna', last: true },
    }
    writeFileSync(join(folder, 'a.json'), pactOf(LIST, response))
    await verify(0, folder, ['a.json'], core.env)
  })
})

test('no generator puts a credential into a URL, or the gateway into a request', () => {
  const asked: string[] = []
  const answer: Script['answer'] = (request, body, right) => {
    asked.push(`${request.path} ${JSON.stringify(request.headers)} ${body}`)
    return right()
  }
  return withCore({ answer }, async (core, folder) => {
    const request = { ...LIST, path: `${USERS}/x` }
    const states = { providerStates: [{ name: 'a valid token' }] }
    for (const [name, expression] of Object.entries({ password: 'password', token: 'token' })) {
      const generators = TOKEN_GENERATORS(`/api/\${${expression}}`)
      writeFileSync(join(folder, `${name}.json`), pactOf({ ...request, generators }, { status: 200 }, states))
    }
    const { stdout } = await verify(3, folder, ['password.json', 'token.json'], core.env)
    assert.is(stdout.match(/puts\s+the\s+password\s+or\s+a\s+token\s+into\s+the\s+URL/g)?.length, 2, stdout)
    assert.not.ok(asked.some(line => line.split(' ')[0]?.includes('placeholder') || /^\S*kanari/i.test(line)))
  })
})

test('contracts that are deep, huge, a pipe, or want plugins: exit 2, and nothing is sent', () =>
  withCore({}, async (core, folder) => {
    const one = JSON.parse(pactOf({ method: 'GET', path: '/' }, { status: 200 })) as { interactions: object[] }
    const texts = {
      'deep.json': `{"consumer":${'['.repeat(90_000)}${']'.repeat(90_000)}}`,
      'many.json': JSON.stringify({ ...one, interactions: Array.from({ length: 1001 }, () => one.interactions[0]) }),
      'plugins.json': JSON.stringify({ ...one, metadata: { plugins: [{ name: 'x' }] } }),
      'bomb.json': pactOf(
        { method: 'GET', path: '/', generators: { header: { X: { type: 'Regex', regex: '(a{1000}){1000}' } } } },
        { status: 200 },
      ),
      'huge.json': `${JSON.stringify(one)}${' '.repeat(5_100_000)}`,
    }
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text)
    execFileSync('mkfifo', [join(folder, 'pipe.json')])
    symlinkSync('loop.json', join(folder, 'loop.json'))
    const messages = {
      'deep.json': /nested more than 100 levels deep/,
      'many.json': /it has 1001 interactions/,
      'plugins.json': /needs plugins of Pact/,
      'bomb.json': /a generator in it would make a text of more than 100000 characters/,
      'huge.json': /is larger than 5 MB/,
      'pipe.json': /is a pipe \(FIFO\), and not a file/,
      'loop.json': /cannot be read: it is a link to itself/,
    }
    for (const [name, message] of Object.entries(messages)) {
      const { stderr } = await cli(['contracts', 'verify', name], { cwd: folder, env: core.env, code: 2 })
      assert.match(stderr, message)
    }
    assert.is(core.requests.length, 0)
  }))

test.run()
