/** Clients of every kind, as commands of their own, judged by what they do on the wire. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ClientResult, ScenarioName } from '../dist/client/result.js'
import { RULES } from '../dist/client/rules.js'
import { runClient } from '../dist/client/run.js'
import { SCENARIOS } from '../dist/client/scenarios.js'

const test = suite('clients')
const pathOf = (name: string) => fileURLToPath(new URL(`fixtures/clients/${name}`, import.meta.url))
const ALL = SCENARIOS.map(({ name }) => name)
const env = { PATH: process.env.PATH ?? '', PYTHONDONTWRITEBYTECODE: '1' }

function clientOf(command: string[], names: readonly ScenarioName[] = ALL, timeoutMs = 20_000): Promise<ClientResult> {
  const scenarios = SCENARIOS.filter(({ name }) => names.includes(name))
  return runClient({ command, scenarios, env, timeoutMs, slowMs: 300 })
}

const node = (fault: string[], names?: readonly ScenarioName[]) =>
  clientOf([process.execPath, pathOf('client.mjs'), ...fault], names)

/** The rules that failed, by scenario. */
function failures({ scenarios }: ClientResult): Record<string, string[]> {
  return Object.fromEntries(
    scenarios.flatMap(({ scenario, judgements }) => {
      const failed = judgements.filter(({ outcome }) => outcome === 'failed').map(({ rule }) => rule)
      return failed.length === 0 ? [] : [[scenario, failed]]
    }),
  )
}

const outcomes = ({ scenarios }: ClientResult) => scenarios.map(({ outcome }) => outcome)

test('a right client passes everywhere', async () => {
  const result = await node([])
  assert.equal(failures(result), {})
  assert.equal(
    outcomes(result),
    ALL.map(() => 'passed'),
  )
  assert.is(result.verdict, 'conformant')
  assert.equal(
    result.scenarios.map(({ record }) => record.eventAfter),
    [null, 2, 2, null, null, 2],
  )
  // What a contract is made of: every exchange, whole.
  const [first] = result.scenarios[0]?.record.requests ?? []
  assert.equal([first?.method, first?.status, first?.issued], ['POST', 201, 1])
  assert.ok(JSON.parse(first?.responseBody ?? '').token)
})

/** What a fault of client.mjs is to be caught by: in one scenario, exactly these rules. */
const FAULTS: [fault: string, scenario: ScenarioName, rules: string[]][] = [
  ['no-host', 'normal', ['host']],
  ['no-accept', 'normal', ['logon-headers']],
  ['raw-json', 'normal', ['logon-body', 'exit']],
  ['no-username', 'normal', ['logon-body', 'exit']],
  ['no-bearer', 'normal', ['bearer', 'few-logons', 'revokes', 'exit']],
  ['lower-case', 'normal', ['bearer']],
  ['mangled', 'normal', ['bearer', 'few-logons', 'revokes', 'exit']],
  ['delete-body', 'normal', ['revocation-body']],
  ['basic', 'normal', ['password-elsewhere']],
  ['password-in-path', 'normal', ['password-elsewhere']],
  ['leaves-token', 'normal', ['revokes']],
  ['gives-up', 'token-expires', ['renewal', 'exit']],
  ['gives-up', 'token-revoked', ['renewal', 'exit']],
  ['gives-up', 'restart', ['renewal', 'exit']],
  ['forgets-work', 'token-expires', ['renewal']],
  ['hammers', 'wrong-password', ['few-attempts']],
  ['hides-failure', 'wrong-password', ['exit-refused']],
  ['impatient', 'slow', ['few-logons', 'patience', 'revokes', 'exit']],
]

for (const [fault, scenario, rules] of FAULTS) {
  test(`${fault} fails in ${scenario}, by ${rules.join(', ')}`, async () => {
    const result = await node([fault], [scenario])
    const failed = failures(result)[scenario] ?? []
    // Whether a logon that was given up had been answered is for the machine to decide.
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

test('every rule is failed by some client here', () => {
  const caught = new Set([...FAULTS.flatMap(([, , rules]) => rules), 'no-loop'])
  assert.equal(
    RULES.map(({ id }) => id).filter(id => !caught.has(id)),
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

test('a client that did too little is not judged to be right', async () => {
  const of = async (command: string[], name: ScenarioName, timeoutMs?: number) => {
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
  assert.match(await of([...script, 'never-ends'], 'normal', 1500), /had not ended after \d s, and was killed/)
  assert.match(await of(['./no-such-program'], 'slow'), /could not be started: there is no command/)
})

const python = spawnSync('python3', ['--version']).status === 0
if (!python) process.stdout.write('skipped: clients in Python, since there is no python3\n')

test('clients in Python: a right one passes everywhere, three broken ones fail for their reason', async () => {
  if (!python) return
  const of = (name: string, names?: readonly ScenarioName[]) => clientOf(['python3', pathOf(name)], names)
  const right = await of('client.py')
  assert.equal(failures(right), {})
  assert.is(right.verdict, 'conformant')
  const looping = await of('loops.py', ['normal', 'token-expires', 'token-revoked', 'restart'])
  const loop = ['renewal', 'no-loop']
  assert.equal(failures(looping), { 'token-expires': loop, 'token-revoked': loop, restart: loop })
  assert.ok(looping.scenarios.every(({ record }) => record.requests.length < 100))
  assert.equal(failures(await of('logs_on_each_time.py', ['normal'])), { normal: ['few-logons', 'revokes'] })
  assert.equal(failures(await of('tells_password.py', ['normal'])), { normal: ['password-elsewhere'] })
})

test.run()
