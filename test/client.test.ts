/** Clients of every kind, as commands of their own, judged by their requests on the wire. */
import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RULES } from '../dist/client/judge-client.js'
import type { ClientResult } from '../dist/client/result.js'
import { runClient } from '../dist/client/run-client.js'
import { SCENARIOS } from '../dist/client/scenarios.js'
import { FAULTS } from './support/client-faults.js'
import { makeFolder } from './support/folder.js'
import { long } from './support/long.js'
import { needs } from './support/skip.js'

const test = suite('clients')
const pathOf = (name: string) => fileURLToPath(new URL(`fixtures/clients/${name}`, import.meta.url))
const ALL = SCENARIOS.map(({ name }) => name)
// The clients wait 3 s instead of 30 for the answer that never comes; busy machines were seen to take 2 s for a start.
const env = { PATH: process.env.PATH ?? '', PYTHONDONTWRITEBYTECODE: '1', CLIENT_TIMEOUT_MS: '3000' }

function clientOf(
  command: string[],
  names: readonly string[] = ALL,
  timeoutMs = 40_000,
  ignore: readonly string[] = [],
): Promise<ClientResult> {
  const scenarios = SCENARIOS.filter(({ name }) => names.includes(name))
  return runClient({ command, scenarios, env, timeoutMs, slowMs: 300, hangMs: 9_000, ignore })
}

const node = (fault: string[], names?: readonly string[]) =>
  clientOf([process.execPath, pathOf('client.mjs'), ...fault], names)

function failures({ scenarios }: ClientResult): Record<string, string[]> {
  return Object.fromEntries(
    scenarios.flatMap(({ scenario, judgements }) => {
      const failed = judgements.filter(({ outcome }) => outcome === 'failed').map(({ rule }) => rule)
      return failed.length === 0 ? [] : [[scenario, failed]]
    }),
  )
}

const outcomes = ({ scenarios }: ClientResult) => scenarios.map(({ outcome }) => outcome)

long(test)('a right client passes everywhere', async () => {
  const result = await node([])
  assert.equal(failures(result), {})
  assert.equal(
    outcomes(result),
    ALL.map(() => 'passed'),
  )
  assert.is(result.verdict, 'conformant')
  assert.equal(
    result.scenarios.map(({ record }) => record.eventAfter),
    [null, 2, 2, null, null, 2, 3, null, null, null, null, null, null, null, null],
  )
  // A contract needs every exchange, whole.
  const [first] = result.scenarios[0]?.record.requests ?? []
  assert.equal([first?.method, first?.status, first?.issued], ['POST', 201, 1])
  assert.ok(JSON.parse(first?.responseBody ?? '').token)
})

/** The rules that a fault was seen by. The short tests have one fault for each rule. */
const seen = new Set<string>()
for (const [fault, scenario, rules] of FAULTS) {
  const isFirst = rules.some(rule => !seen.has(rule))
  for (const rule of rules) seen.add(rule)
  const every = isFirst ? test : long(test)
  every(`${fault} fails in ${scenario}, by ${rules.join(', ')}`, async () => {
    const result = await node([fault], [scenario])
    const failed = failures(result)[scenario] ?? []
    // Whether an abandoned logon was answered depends on the machine.
    const sure = fault === 'impatient' ? ['patience'] : rules
    assert.equal(
      sure.filter(rule => !failed.includes(rule)),
      [],
      failed.join(),
    )
    assert.equal(
      failed.filter(rule => !rules.includes(rule)),
      [],
    )
    assert.is(result.verdict, 'nonconformant')
  })
}

test('rules name scenarios and rules that there are', () => {
  const known = [...SCENARIOS.map(({ name }) => name), ...RULES.map(({ id }) => id)]
  const named = RULES.flatMap(({ scenarios = [], unless = [] }) => [...scenarios, ...unless])
  assert.equal(
    named.filter(name => !known.includes(name)),
    [],
  )
})

test('every rule is failed by some client here', () => {
  assert.equal(
    RULES.map(({ id }) => id).filter(id => !seen.has(id)),
    [],
  )
})

test('a finding tells what was expected, what was done instead, and where', async () => {
  const { scenarios } = await node(['raw-json'], ['normal'])
  const found = scenarios[0]?.judgements.find(({ rule }) => rule === 'logon-body')
  assert.is(found?.level, 'must')
  assert.match(found?.got ?? '', /not JSON .*escaped/)
  assert.equal(found?.requests, [1])
})

test('a client may wait for as long as Retry-After says, and go on', async () => {
  const { verdict, scenarios } = await node(['waits'], ['too-many-requests'])
  assert.is(verdict, 'conformant')
  assert.ok((scenarios[0]?.record.requests.filter(({ status }) => status === 200).length ?? 0) >= 4)
})

long(test)(
  'ten workers with one renewal are no loop, over ten sockets and over one; a storm and a loop are told',
  async () => {
    const workers = (...args: string[]) =>
      clientOf([process.execPath, pathOf('workers.mjs'), ...args], ['token-revoked'])
    assert.equal(failures(await workers('10')), {})
    const queued = await workers('1')
    assert.equal(failures(queued), {})
    // Over one socket a queue looks like a loop, so the rule does not pass either.
    const open = queued.scenarios[0]?.judgements.find(({ rule }) => rule === 'no-loop')
    assert.is(open?.outcome, 'open')
    assert.match(open?.got ?? '', /waited for a connection/)
    assert.equal(failures(await workers('10', 'storm'))['token-revoked'], ['few-logons', 'revokes'])
    // They end before any of them has renewed its token.
    for (const sockets of ['10', '1'])
      assert.ok(failures(await workers(sockets, 'loops'))['token-revoked']?.includes('no-loop'))
  },
)

test('ten workers who give up in their turn are no loop, and what came over a connection from before is no trust', async () => {
  const command = [process.execPath, pathOf('workers.mjs'), '3']
  const result = await clientOf(command, ['too-many-requests', 'not-acceptable', 'changed-certificate'])
  assert.equal(failures(result), {})
  // Seven of them waited for a connection, or asked again; the record cannot tell which.
  const open = result.scenarios[0]?.judgements.find(({ rule }) => rule === 'retry-after')
  assert.is(open?.outcome, 'open')
})

test('a client whose work was done before it met what is in store is not told that it ended with 0', async () => {
  const command = [process.execPath, pathOf('client.mjs'), 'one-request']
  const { scenarios } = await clientOf(command, ['not-acceptable'])
  const [told] = scenarios.flatMap(({ judgements }) => judgements.filter(({ rule }) => rule === 'exit-refused'))
  assert.is(told?.outcome, 'skipped')
})

long(test)('a restart cuts at a stated moment: what is cut off is one request, which is to be sent again', async () => {
  for (const [fault, failed] of [
    [[], {}],
    [['no-retry'], { 'restart-inside': ['retry'] }],
  ] as const) {
    const result = await clientOf([process.execPath, pathOf('fetch.mjs'), ...fault], ['restart', 'restart-inside'])
    assert.equal(failures(result), failed)
    const [between, inside] = result.scenarios.map(({ record }) => record)
    assert.equal(
      between?.requests.filter(({ status }) => status === null),
      [],
    )
    assert.is(inside?.requests.filter(({ status }) => status === null).length, 1)
    const first = between?.requests.find(({ number }) => number === between.eventAfter)
    assert.ok(between?.requests.every(({ number, connection }) => number <= 2 || connection !== first?.connection))
  }
})

test('what may have been done is not to be sent again, and an answer without a body can break off too', async () => {
  const routes = [
    { method: 'GET', path: '/api/v0/streams', answer: { status: 204 } },
    { method: 'POST', path: '/api/v0/streams', answer: { status: 201 } },
    { method: 'DELETE', path: '/api/v0/streams/{id}', answer: { status: 204 } },
  ]
  const scenarios = SCENARIOS.filter(({ name }) => ['restart-inside', 'truncated'].includes(name))
  const command = [process.execPath, pathOf('writes.mjs')]
  const result = await runClient({ command, scenarios, env, timeoutMs: 40_000, routes })
  assert.equal(failures(result), {})
  assert.equal(outcomes(result), ['passed', 'passed'])
  const [{ requests, met } = { requests: [], met: [] }] = result.scenarios.map(({ record }) => record)
  assert.equal(
    met.map(number => requests.find(request => request.number === number)?.method),
    ['GET'],
  )
})

long(test)('an answer breaks off so that a client can see it, however the Core frames its answers', async () => {
  for (const framing of ['chunked', 'close'] as const) {
    const scenarios = SCENARIOS.filter(({ name }) => name === 'truncated')
    const command = [process.execPath, pathOf('fetch.mjs')]
    const result = await runClient({ command, scenarios, env, timeoutMs: 40_000, dialect: { delivery: { framing } } })
    assert.equal(outcomes(result), ['passed'], framing)
  }
})

/** Runs a client that refuses the certificate, and checks that it passes for that. */
async function refusesCertificate(args: string[]) {
  const result = await clientOf([process.execPath, ...args], ['untrusted-certificate'])
  const [first] = result.scenarios
  assert.equal([result.verdict, first?.message], ['conformant', undefined], args.join(' '))
  assert.ok((first?.record.unused.untrusted ?? 0) > 0)
}

test('a client that refuses the certificate is judged alike in both versions of TLS', async () => {
  // In TLS 1.2 the handshake is over for the Core before the client looks at the certificate.
  for (const version of ['--tls-max-v1.2', '--tls-max-v1.3']) await refusesCertificate([version, pathOf('client.mjs')])
})

test('a client that has ended before its connection is seen has made one all the same', async () => {
  const script = `const { port } = new URL(process.env.CORE_URL)
    setTimeout(() => require('net').connect(port, '127.0.0.1', () => process.exit(1)), 500)`
  // The client connects and ends while this process is busy.
  setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000), 200)
  await refusesCertificate(['-e', script])
})

test('a rule is left out by name, and said to be', async () => {
  const of = [process.execPath, pathOf('client.mjs'), 'cookie']
  const result = await clientOf(of, ['normal'], undefined, ['token-elsewhere'])
  assert.is(result.verdict, 'conformant')
  assert.equal(result.ignored, ['token-elsewhere'])
  const left = result.scenarios[0]?.judgements.filter(({ outcome }) => outcome === 'ignored').map(({ rule }) => rule)
  assert.equal(left, ['token-elsewhere'])
})

long(test)('a client that did too little is not judged to be right', async () => {
  const of = async (command: string[], name: string, timeoutMs?: number) => {
    const { verdict, scenarios } = await clientOf(command, [name], timeoutMs)
    assert.is(verdict, 'incomplete')
    return `${scenarios[0]?.message}; ${scenarios[0]?.advice}`
  }
  const script = [process.execPath, pathOf('client.mjs')]
  assert.match(
    await of([...script, 'one-request'], 'normal'),
    /it takes 2 authenticated requests that were accepted to judge it, and it made only 1; let.* at least 3/,
  )
  assert.match(await of([...script, 'one-request'], 'token-expires'), /no authenticated request after that; let/)
  assert.match(
    await of([...script, 'idle'], 'wrong-password'),
    /it sent nothing; let it take the address from CORE_URL/,
  )
  assert.match(await of([...script, 'exits', '7'], 'normal'), /sent nothing \(it ended with exit code 7\)/)
  assert.match(await of([...script, 'distrusts'], 'restart'), /does not trust the Core; let it trust .* CORE_CA_FILE/)
  assert.match(await of([...script, 'never-ends'], 'normal', 1500), /had not ended after [\d.]+ s, and was killed/)
  // Killed in the middle of a handshake, it did not refuse the certificate.
  const silent = 'const { hostname, port } = new URL(process.env.CORE_URL); net.connect(port, hostname)'
  assert.match(
    await of([process.execPath, '-e', silent], 'normal', 1500),
    /had not ended after [\d.]+ s, and was killed/,
  )
  assert.match(await of(['./no-such-program'], 'slow'), /could not be started: there is no command/)
})

const has = (program: string, ...args: string[]) => spawnSync(program, args).status === 0
const python = has('python3', '--version')
const inPython = needs(test, python, 'there is no python3')

long(inPython)(
  'clients in Python: a right one passes everywhere, three broken ones fail for their reason',
  async () => {
    const of = (name: string, names?: readonly string[]) => clientOf(['python3', pathOf(name)], names)
    const right = await of('client.py', [
      'normal',
      'token-expires',
      'restart-inside',
      'truncated',
      'changed-certificate',
    ])
    assert.equal(failures(right), {})
    assert.is(right.verdict, 'conformant')
    const looping = await of('loops.py', ['token-expires', 'restart'])
    const loop = ['renewal', 'no-loop']
    assert.equal(failures(looping), { 'token-expires': loop, restart: loop })
    assert.ok(looping.scenarios.every(({ record }) => record.requests.length < 100))
    assert.equal(failures(await of('logs_on_each_time.py', ['normal'])), { normal: ['few-logons', 'revokes'] })
    assert.equal(failures(await of('tells_password.py', ['normal'])), { normal: ['password-elsewhere'] })
  },
)

/**
 * Correct clients of other libraries. Each takes its trust in the mock Core from its environment. tools/clients.ts runs more.
 */
const OTHERS: [name: string, command: string[], isThere: () => boolean][] = [
  ['requests', ['python3', pathOf('requests_client.py')], () => has('python3', '-c', 'import requests')],
  ['curl', ['bash', pathOf('curl.sh')], () => has('curl', '--version') && has('bash', '--version')],
]

for (const [name, command, isThere] of OTHERS) {
  const withIt = needs(test, isThere(), `${name} is not on this machine`)
  withIt(`a client on ${name} trusts the mock Core without being told where the certificate is`, async () => {
    const folder = makeFolder()
    const scenarios = SCENARIOS.filter(({ name }) => name === 'restart-inside')
    const own = { ...env, HOME: folder, GOCACHE: join(tmpdir(), 'core-conformance-go'), CLIENT_TIMEOUT_MS: '30000' }
    const result = await runClient({ command, scenarios, env: own, timeoutMs: 180_000 })
    assert.equal(failures(result), {})
    assert.is(result.verdict, 'conformant', result.scenarios[0]?.message)
  })
}

test.run()
