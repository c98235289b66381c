/** Provider states served for other verifiers, as their users meet them: over HTTP, with Pact's own verifier. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { verify } from '../dist/pact/process/task-verify.js'
import { assertSecretless, Cli, cli, inFolder, PASSWORD, type ScriptedCore, withCore } from './cli-support.js'
import { makeFolder } from './support/folder.js'
import { long } from './support/long.js'

const test = suite('contracts states')

interface Served {
  core: ScriptedCore
  process: Cli
  states: string
  through: string
  ask(body: object | string): Promise<{ status: number; values: Record<string, string>; after: string | null }>
}

/** Serves the states of a scripted Core with a team's own words, then stops and checks its output. */
const served = (args: string[], use: (served: Served) => Promise<void>) =>
  withCore({}, async (core, folder) => {
    writeFileSync(
      join(folder, 'core-conformance.config.yaml'),
      `states:
  the user is logged on: [{ means: a valid token, gives: { sessionKey: token } }]
  a session: [{ params: { kind: dead }, means: a revoked token }]
`,
    )
    const child = new Cli(['contracts', 'states', '--json', ...args], { cwd: folder, env: core.env })
    const [line = ''] = await child.until(/^\{.*\}$/m)
    const { states, core: through } = JSON.parse(line) as { states: string; core: string }
    const ask = async (body: object | string) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      const response = await fetch(states, { method: 'POST', body: text })
      const values = (await response.json()) as Record<string, string>
      return { status: response.status, values, after: response.headers.get('retry-after') }
    }
    await use({ core, process: child, states, through, ask })
    child.child.kill('SIGTERM')
    const { code, stdout, stderr } = await child.ended
    assert.is(code, 0, stderr)
    assert.match(stderr, /tokens? (was|were) issued, (it is|all are) given back\.\n$/)
    assert.is(core.live.size, 0, 'every token is given back')
    assertSecretless([stdout, stderr], core.secrets)
  })

long(test)('each state brings what it says, in words of our own and of a team', () =>
  served(['--profile', 'quick'], async ({ core, ask, states, process }) => {
    const [token] = [(await ask({ state: 'a valid token', action: 'setup', params: {} })).values.token ?? '']
    assert.ok(core.live.has(token))
    const own = await ask({ state: 'The user is  logged on', params: {} })
    assert.equal([own.status, own.values.sessionKey, own.values.password], [200, own.values.token, PASSWORD])
    const dead = await ask({ state: 'a session', params: { kind: 'dead' } })
    assert.not.ok(core.live.has(dead.values.token ?? ''))
    assert.ok(core.tokens.includes(dead.values.token ?? ''))
    const wrong = await ask({ state: 'wrong credentials' })
    assert.is(wrong.values.username, 'anna')
    assert.is.not(wrong.values.password, PASSWORD)
    const never = await ask({ state: 'a token that was never issued' })
    assert.not.ok(core.tokens.includes(never.values.token ?? ''))
    const query = await fetch(`${states}?state=a+session&kind=dead&action=setup`, { method: 'POST' })
    assert.is(query.status, 200)
    assert.is((await ask({ action: 'teardown', state: 'a valid token' })).status, 200)
    assert.is(core.live.size, 0, 'teardown gives back')
    await process.until(/Whoever has these addresses gets live tokens, and the name and password of anna/)
    await process.until(/a valid token: gave password, token, username\n/)
  }),
)

long(test)('what cannot be brought about is refused with a sentence, and strangers get nothing', () =>
  served(['--profile', 'quick', '--max-refused-logons', '2'], async ({ ask, states, core }) => {
    const refused = async (body: object | string, told: RegExp) => {
      const { status, values } = await ask(body)
      assert.is(status, 400)
      assert.match(values.error ?? '', told)
    }
    await refused({ state: 'the moon is full' }, /^unknown provider state 'the moon is full'; say what it means/)
    await refused({ state: 'a session', params: { kind: 'other' } }, /no meaning of the provider state 'a session'/)
    await refused({ state: 'an expired token' }, /--profile quick leaves out what needs waiting/)
    await refused({ state: 'access control off' }, /needs a Core with access control off/)
    await refused({ state: 'a valid token', action: 'explode' }, /'explode' is no action/)
    await refused('[', /a state change is a JSON object/)
    for (const _ of [1, 2]) assert.is((await ask({ state: 'wrong credentials' })).status, 200)
    await refused({ state: 'wrong credentials' }, /the account might lock \(--max-refused-logons\)/)
    const { origin, port } = new URL(states)
    for (const path of ['/', '/states', '/0123456789abcdef0123456789abcdef/states', '/core/api/v0/cores/self/users'])
      assert.is((await fetch(`${origin}${path}`, { method: 'POST', body: '{"state":"a valid token"}' })).status, 404)
    assert.ok(Number(port) > 0 && new URL(states).hostname === '127.0.0.1')
    const { length } = core.tokens
    assert.ok(length < 10, 'no stranger was issued a token')
  }),
)

test('an expired token: until it has expired, the state is answered 503 with when to ask again', () =>
  served([], async ({ ask, process }) => {
    await process.until(/A token will have expired at 2\d{3}-/)
    const { status, after, values } = await ask({ state: 'an expired token' })
    assert.is(status, 503)
    assert.ok(Number(after) > 3600 && Number(after) < 3900, String(after))
    assert.match(values.error ?? '', /no token has expired yet: ask again after/)
  }))

/** Returns the expression for a value that a provider state supplies. */
const fromState = (name: string) => ['$', `{${name}}`].join('')
const USERS = '/api/v0/cores/self/users'

/** A contract as another tool writes it: words of its own, and tokens that are literal or supplied by the state. */
const CONTRACT = JSON.stringify({
  consumer: { name: 'stranger' },
  provider: { name: 'core' },
  interactions: [
    {
      type: 'Synchronous/HTTP',
      description: 'lists users',
      providerStates: [{ name: 'the user is logged on' }],
      request: {
        method: 'GET',
        path: USERS,
        headers: { Authorization: ['Bearer example'] },
        generators: {
          header: { Authorization: { type: 'ProviderState', expression: `Bearer ${fromState('sessionKey')}` } },
        },
      },
      response: { status: 200 },
    },
    {
      type: 'Synchronous/HTTP',
      description: 'is refused with a dead session',
      providerStates: [{ name: 'a session', params: { kind: 'dead' } }],
      request: { method: 'GET', path: USERS, headers: { Authorization: ['Bearer example'] } },
      response: { status: 401 },
    },
    {
      type: 'Synchronous/HTTP',
      description: 'logs on',
      providerStates: [{ name: 'right credentials' }],
      request: {
        method: 'POST',
        path: '/api/v0/logon',
        headers: { Accept: ['application/json'], 'Content-Type': ['application/json'] },
        body: { content: { username: 'u', password: 'p' }, contentType: 'application/json', encoded: false },
        generators: {
          body: {
            '$.username': { type: 'ProviderState', expression: fromState('username') },
            '$.password': { type: 'ProviderState', expression: fromState('password') },
          },
        },
      },
      response: { status: 200 },
    },
  ],
  metadata: { pactSpecification: { version: '4.0' } },
})

/** Runs Pact's own verifier as any tool does. */
async function foreign(contract: string, gatewayUrl: string, statesUrl: string) {
  const [before, folder] = [process.cwd(), makeFolder()]
  process.chdir(folder)
  try {
    const found = await verify({ type: 'verify', contract, gatewayUrl, statesUrl, timeoutMs: 20_000 })
    return JSON.parse(found) as { result: boolean }
  } finally {
    process.chdir(before)
  }
}

long(test)("Pact's own verifier: a contract with words of its own holds on a right Core, and not on another", () =>
  served(['--profile', 'quick'], async ({ core, states, through }) => {
    assert.is((await foreign(CONTRACT, through, states)).result, true)
    assert.is((await foreign(CONTRACT.replace('"status":401', '"status":200'), through, states)).result, false)
    assert.ok(core.tokens.length > 4)
  }),
)

test('a Core that cannot be used: exit 3, with advice', () =>
  inFolder(async folder => {
    const env = { CORE_URL: 'https://127.0.0.1:1', CORE_USERNAME: 'a', CORE_PASSWORD: PASSWORD, CORE_INSECURE: '1' }
    const { stdout, stderr } = await cli(['contracts', 'states'], { cwd: folder, env, code: 3 })
    assert.is(stdout, '')
    assert.match(stderr, /nothing is listening at 127\.0\.0\.1/)
  }))

test('a port in use: exit 3, which one and what to do, and every token is given back', () =>
  withCore({}, async (core, folder) => {
    const port = new URL(core.env.CORE_URL ?? '').port
    const args = ['contracts', 'states', '--profile', 'quick', '--port', port]
    const { code, stderr } = await cli(args, { cwd: folder, env: core.env })
    assert.equal([code, core.live.size], [3, 0])
    assert.is(
      stderr,
      `core-conformance: port ${port} on 127.0.0.1 is in use; choose another port, or 0 for a free one\n`,
    )
  }))

test.run()
