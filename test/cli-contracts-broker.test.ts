/** Contracts of a broker, verified and published by the product as users meet it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { listen } from '../dist/ground/listen.js'
import { assertSecretless, cli, inFolder, withCore } from './cli-support.js'
import { BrokerStandIn } from './support/broker.js'
import { inProject, PACKAGE, shell } from './support/docs.js'
import { pactOf } from './support/foreign-contract.js'
import { long } from './support/long.js'

const test = suite('contracts of a broker')

const TOKEN = 'Kanari-Broker-1'

/** Makes a contract of one interaction. A correct Core keeps it with status 200, and no Core with another status. */
const contractOf = (consumer: string, status = 200, more: object = {}) =>
  pactOf(
    { method: 'GET', path: '/api/v0/cores/self/users', headers: { Authorization: 'Bearer x' } },
    { status, ...more },
    { consumer, description: 'users', providerStates: [{ name: 'a valid token' }] },
  )

/** Calls back with a broker that demands a token, and the variables that name it. */
async function withBroker(use: (broker: BrokerStandIn, env: Record<string, string>) => Promise<void>): Promise<void> {
  const broker = await BrokerStandIn.start(`Bearer ${TOKEN}`)
  try {
    await use(broker, { CORE_BROKER: broker.url, PACT_BROKER_TOKEN: TOKEN })
  } finally {
    await broker.close()
  }
}

/** Verifies, to end with this exit code. */
const verify = (code: number, folder: string, env: Record<string, string>, ...args: string[]) =>
  cli(['contracts', 'verify', ...args], { cwd: folder, env, code })

long(test)('what the broker selects is verified, and each result is published where its contract says', () =>
  withBroker((broker, access) =>
    withCore({}, async (core, folder) => {
      broker.hold(contractOf('good'))
      broker.hold(contractOf('bad', 299))
      broker.hold(contractOf('newcomer', 298), { pending: true })
      const args = ['--publish', '--version', '4.2', '--branch', 'feat/x', '--selector', 'main,deployed consumer=good']
      const { stdout, stderr } = await verify(1, folder, { ...core.env, ...access }, ...args)
      assert.match(stdout, /good-core\n\n✓ users[\s\S]*bad-core\n\n✗ users[\s\S]*newcomer-core\n\n– users/)
      assert.match(stdout, /1 of 3 interactions does not hold/)
      assert.match(stdout, /Published: good-core holds on core 4\.2\nPublished: bad-core does not hold on core 4\.2\n/)
      assert.equal(broker.bodies('POST', /for-verification$/), [
        {
          consumerVersionSelectors: [{ mainBranch: true }, { deployed: true, consumer: 'good' }],
          providerVersionBranch: 'feat/x',
          includePendingStatus: true,
        },
      ])
      assert.is(broker.bodies('PUT', /^\/pacticipants\/core\/branches\/feat%2Fx\/versions\/4\.2$/).length, 1)
      const published = broker.held.map(({ consumer, results }) => [consumer, [...results]])
      assert.equal(
        published, // A pending interaction breaks nothing here, and the broker learns that it does not hold.
        [
          ['good', [['4.2', true]]],
          ['bad', [['4.2', false]]],
          ['newcomer', [['4.2', false]]],
        ],
      )
      const [good] = broker.bodies('POST', /good.*verification-results$/) as [
        { testResults: object[]; verifiedBy: object },
      ]
      assert.equal(good.testResults, [
        {
          interactionId: 'interaction-id-0',
          interactionDescription: 'users, given a valid token',
          success: true,
          mismatches: [],
        },
      ])
      assert.is(core.live.size, 0)
      assertSecretless([stdout, stderr, JSON.stringify(broker.sent.map(({ body }) => body))], [...core.secrets, TOKEN])
    }),
  ),
)

test('what could not be judged is published neither as kept nor as broken', () =>
  withBroker((broker, access) =>
    withCore({}, async (core, folder) => {
      broker.hold(contractOf('puzzle').replace('a valid token', 'the moon is full'))
      const { stdout, stderr } = await verify(3, folder, { ...core.env, ...access }, '--publish', '--version', '1')
      assert.match(
        stdout,
        /unknown\s+provider\s+state\s+'the\s+moon\s+is\s+full';\s+say\s+what\s+it\s+means\s+with\s+--state/,
      )
      assert.match(stdout, /\? Incomplete\n {2}1 of 1 interactions? could not be verified\n/)
      assert.match(stderr, /puzzle-core: no result was published: 1 interaction of it could not be judged/)
      assert.equal(broker.bodies('POST', /verification-results/), [])
    }),
  ))

test('a URL is fetched: with credentials from the broker that is named, without them from anywhere else', () =>
  withBroker((broker, access) =>
    withCore({}, async (core, folder) => {
      const other = await BrokerStandIn.start()
      try {
        const [ours, theirs] = [broker.hold(contractOf('ours')), other.hold(contractOf('theirs'))]
        const both = await verify(0, folder, { ...core.env, ...access }, ours, theirs)
        assert.match(both.stdout, /ours-core\n\n✓[\s\S]*theirs-core\n\n✓/)
        const shown = other.sent.map(({ authorization }) => authorization)
        assert.equal(shown, [undefined])
        const { CORE_BROKER: _, ...rest } = access
        const refused = await verify(3, folder, { ...core.env, ...rest }, ours)
        assert.match(refused.stderr, /: 401; set PACT_BROKER_TOKEN, or .*, which go to the address of --broker only/)
      } finally {
        await other.close()
      }
    }),
  ))

test('a broker that leads elsewhere, refuses, is none or selects nothing: exit 3, and no credentials go there', () =>
  withBroker(async (broker, access) => {
    const strange: (string | undefined)[] = []
    const elsewhere = createServer(({ headers }, response) => {
      strange.push(headers.authorization)
      response.end('{}')
    })
    const { port, close } = await listen(elsewhere, 0, 'port')
    const there = `http://127.0.0.1:${port}`
    await inFolder(async folder => {
      const told = async (env: Record<string, string>, ...args: string[]) => {
        const { stderr, stdout } = await verify(3, folder, { ...access, ...env }, ...args)
        assert.is(stdout, '', stderr)
        assert.not.match(stderr, TOKEN)
        return stderr
      }
      assert.match(await told({ PACT_BROKER_TOKEN: 'wrong' }), /GET http:\S+\/: 401; set PACT_BROKER_TOKEN/)
      assert.match(
        await told({}, '--provider', 'stranger'),
        /the broker selects no contract of 'stranger', so nothing was verified/,
      )
      broker.instead.set('GET /', there)
      assert.match(await told({}), /: 302 leads elsewhere, and is not followed/)
      broker.instead.set('GET /', 500)
      assert.match(await told({}), /GET http:\S+\/: 500\n/)
      const none = await told({ CORE_BROKER: there, PACT_BROKER_TOKEN: '' })
      assert.match(none, /has no link pb:provider-pacts-for-verification: give --broker the base URL of a Pact broker/)
      assert.match(await told({ CORE_BROKER: 'http://127.0.0.1:1' }), /: (nothing is listening there|bad port)/)
    })
    await close()
    assert.equal(strange, [undefined])
  }))

test('headers of the connection are judged as the Core sent them, not as the gateway sends its own', () =>
  withCore({}, async (core, folder) => {
    writeFileSync(join(folder, 'a.json'), contractOf('a', 200, { headers: { 'Keep-Alive': 'kanari=1' } }))
    writeFileSync(join(folder, 'b.json'), contractOf('b', 200, { headers: { 'Content-Encoding': 'kanari' } }))
    const { stdout } = await verify(1, folder, core.env, 'a.json', 'b.json')
    assert.match(stdout, /header Keep-Alive/i)
    assert.match(stdout, /header Content-Encoding/i)
    assert.not.match(stdout, /As-Answered/i)
  }))

test('a token that does not fit is told by its length and alphabet', () =>
  withCore({}, async (core, folder) => {
    const headers = { 'Content-Type': 'application/json' }
    const body = { username: 'u', password: 'p' }
    const matchingRules = { body: { '$.session.token': { matchers: [{ match: 'regex', regex: '^[0-9a-f]{64}$' }] } } }
    const contract = pactOf(
      { method: 'POST', path: '/api/v0/logon', headers: { ...headers, Accept: 'application/json' }, body },
      { status: 200, headers, body: { session: { token: 'ab12' } }, matchingRules },
      { providerStates: [{ name: 'right credentials' }] },
    )
    writeFileSync(join(folder, 'a.json'), contract)
    const { stdout } = await verify(1, folder, core.env, 'a.json')
    assert.match(
      stdout,
      /body at \$\.session\.token\n {4}expected +a match of '?\^\[0-9a-f\]\{64\}\$'?\n {4}got +a token of 37 characters, base64url\n/,
    )
    assertSecretless([stdout, readFileSync(join(folder, 'reports/contracts.junit.xml'), 'utf8')], core.secrets)
  }))

test('what holds on a mock Core is published of no version: a target is demanded', () =>
  withBroker((broker, access) =>
    inFolder(async folder => {
      broker.hold(contractOf('web-app'))
      const args = ['--publish', '--version', '4.2.1']
      const control = { CORE_CONTROL_URL: 'http://127.0.0.1:9', CORE_CONTROL_KEY: 'key' }
      const clock = { CORE_URL: 'https://127.0.0.1:9', CORE_USERNAME: 'a', CORE_PASSWORD: 'b', ...control }
      for (const [env, given, told] of [
        [{}, args, /^core-conformance: --publish needs a Core: name it with --target or CORE_URL; /],
        [{ CORE_PUBLISH: '1', CORE_PROVIDER_VERSION: '1', CORE_URL: 'mock' }, [], /^\S+ CORE_PUBLISH needs a Core/],
        [clock, args, /--publish and CORE_CONTROL_URL exclude each other: a Core whose clock is advanced is a mock/],
      ] as const) {
        const { stdout, stderr } = await verify(2, folder, { ...access, ...env }, ...given)
        assert.is(stdout, '', stderr)
        assert.match(stderr, told)
      }
      assert.equal(broker.sent, [], 'nothing is asked of the broker, and nothing told')
    }),
  ))

long(test)('the template of a gate: published, verified, deployable, deployed', () =>
  withBroker((broker, { PACT_BROKER_TOKEN = '' }) =>
    inProject({}, async (folder, env) => {
      // A Core whose clock is advanced is a mock Core, of which nothing is published.
      const { CORE_CONTROL_URL: _, ...core } = env
      const all: Record<string, string> = { ...core, PACT_BROKER_BASE_URL: broker.url, PACT_BROKER_TOKEN }
      const script = join(PACKAGE, 'templates', 'contracts-gate.sh')
      const gate = (step: string, given = all) => shell(`sh ${script} ${step}`, folder, given)
      writeFileSync(join(folder, 'web-app-core.json'), contractOf('web-app'))
      const published = await gate('publish web-app 1.4.0 main web-app-core.json')
      assert.equal([published.code, published.output], [0, 'published: web-app-core.json as web-app 1.4.0\n'])
      const before = await gate('can-i-deploy core 4.2.1 production')
      assert.equal([before.code, before.output], [1, 'no: not verified\n'])
      const {
        CORE_URL: _url,
        CORE_USERNAME: _name,
        CORE_PASSWORD: _password,
        CORE_FINGERPRINT: _pin,
        ...nameless
      } = all
      const without = await gate('verify 4.2.1 main', nameless)
      assert.is(without.code, 2, without.output)
      assert.match(without.output, /^core-conformance: --publish needs a Core: /)
      assert.equal([...(broker.held[0]?.results ?? [])], [])
      const verified = await gate('verify 4.2.1 main')
      assert.is(verified.code, 0, verified.output)
      assert.match(verified.output, /Published: web-app-core holds on core 4\.2\.1\n$/)
      assert.is((await gate('can-i-deploy core 4.2.1 production')).code, 0)
      assert.is((await gate('record-deployment core 4.2.1 production')).code, 0)
      assert.equal(broker.deployed, ['core 4.2.1'])
      assert.is((await gate('record-deployment core 4.2.1 elsewhere')).code, 1)
      assert.equal([...new Set(broker.sent.map(({ authorization }) => authorization))], [`Bearer ${TOKEN}`])
      const other = await shell(`PACT_BROKER_TOKEN=wrong sh ${script} can-i-deploy core 1 production`, folder, all)
      assert.is.not(other.code, 0)
    }),
  ),
)

test.run()
