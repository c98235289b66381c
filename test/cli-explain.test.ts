/** Checks the output of `explain`, and that its quotations stand in the reference. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { CAUSES } from '../dist/run/judge/causes.js'
import { loadSpecs } from '../dist/runner/choose-specs.js'
import { cli, inFolder } from './cli-support.js'
import { PACKAGE } from './support/docs.js'

const test = suite('explain')

const explained = (...ids: string[]) =>
  inFolder(async folder => {
    const { code, stdout, stderr } = await cli(['explain', ...ids], { cwd: folder })
    return { code, stdout, stderr }
  })

test('a cause: what is looked for, what it explains, and whether it breaks a requirement', async () => {
  const { code, stdout } = await explained('restart', 'logon-limit')
  assert.is(code, 0)
  assert.match(stdout, /^restart: the Core was restarted, or its clock was set\n/)
  assert.match(
    stdout,
    /accuses nobody\n\n {2}looked for: no token that was issued before a moment is accepted after it/,
  )
  assert.match(stdout, /\nlogon-limit: this Core limits logons\n/)
  assert.match(stdout, /predicts: tokens that are issued now live on, and no token from before is accepted again/)
  const fault = await explained('logon-ends-tokens')
  assert.match(fault.stdout, /a cause: it breaks LOGON-4, which is then in doubt/)
  const { stderr } = await explained('lockout')
  assert.match(stderr, /no cause 'lockout'; did you mean 'lock-out'\?/)
})

test('what a misspelt word may mean: an area, a spec, or specs with that word', async () => {
  const area = 'core-conformance list --only revocation shows its specs'
  for (const [word, help] of [
    ['revokation', `did you mean 'revocation'? That is an area: ${area}`],
    ['revocation', `explain takes one spec or requirement; ${area}`],
    ['revocation-rejcts', "did you mean 'revocation-rejects'?"],
    ['wrong-password', "did you mean 'logon-wrong-password' or "],
    ['qqq', 'see the specs with core-conformance list, and the requirements with core-conformance list --requirements'],
  ] as const) {
    const { code, stderr } = await explained(word)
    assert.is(code, 2)
    assert.ok(stderr.includes(help), stderr)
  }
})

test('every cause can be explained, and accuses a requirement of the ledger or none', async () => {
  const { requirements } = await loadSpecs([])
  const names = CAUSES.map(({ name }) => name)
  assert.is(new Set(names).size, names.length)
  const { stdout } = await explained(...names)
  for (const { name, accuses } of CAUSES) {
    assert.match(stdout, new RegExp(`^${name}: `, 'm'))
    assert.ok(accuses === undefined || requirements.get(accuses)?.level !== 'observe', name)
  }
})

test('a spec: what is sent, in which order, what for, and by which sentence of the reference', async () => {
  const { code, stdout } = await explained('revocation-rejects')
  assert.is(code, 0)
  assert.match(stdout, /^revocation-rejects: a revoked token is rejected, and stays so\n/)
  assert.match(
    stdout,
    /the reference, "States and transitions" \(docs\/reference\.md\): Effect: the token is revoked; further/,
  )
  const order = [
    '1. log on and get token a  [prepares]',
    '2. GET /api/v0/cores/self/users with token a  [prepares]',
    '3. DELETE /api/v0/logon with token a  [control]',
    '4. GET /api/v0/cores/self/users with token a on a new connection  [tests REVOKE-1]',
    'expected: it is refused, as a request without a token is',
    'else: a revoked token is still accepted',
  ].map(text => stdout.indexOf(text))
  assert.ok(
    order.every((at, index) => at > (order[index - 1] ?? 0)),
    order.join(),
  )
  assert.match(
    stdout,
    /\nRun it on the mock Core: core-conformance run --only revocation-rejects mock\nAgainst your Core: {7}core-conformance run --only revocation-rejects URL\n$/,
  )
})

test('a requirement, in any case: what it states, what a miss means, which specs test it', async () => {
  const { stdout } = await explained('revoke-1', 'TRANSPORT-1')
  assert.match(stdout, /^REVOKE-1: DELETE/)
  assert.match(stdout, /where it is not met: A log-off ends nothing/)
  assert.match(stdout, /Tested by \d+ specs\n {2}\S+: /)
  assert.match(stdout, /TRANSPORT-1: [\s\S]*excluded from testing: every request/)
  const open = await explained('REVOKE-1', 'HOST-1')
  assert.match(open.stdout, /with access control off: it can only be observed\. What a revocation prevents/)
  assert.match(open.stdout, /with access control off: it holds there too\. The reference states it for all requests/)
})

test('a spec for access control off: how it is run', async () => {
  const { stdout } = await explained('open-behind')
  assert.match(stdout, /2\. GET \/api\/v0\/cores\/self\/users right behind a request without a token/)
  assert.match(stdout, /core-conformance run --only open-behind --access-control off mock\n/)
})

test('every spec and every requirement can be explained', async () => {
  const { specs, requirements } = await loadSpecs([])
  const ids = [...specs.map(({ id }) => id), ...requirements.keys()]
  const { code, stdout } = await explained(...ids)
  assert.is(code, 0)
  for (const id of ids) assert.ok(stdout.includes(`${id}: `), id)
  assert.not.match(stdout, /undefined|\[object/)
})

test('each sentence that the ledger quotes stands in the reference, and what is demanded has one', async () => {
  const words = (text: string) => text.replace(/\s+/g, ' ').trim()
  const reference = words(readFileSync(join(PACKAGE, 'docs', 'reference.md'), 'utf8'))
  const { requirements } = await loadSpecs([])
  for (const { id, level = 'must', quote } of requirements.values()) {
    if (level === 'must') assert.ok(quote, id)
    if (quote !== undefined) assert.ok(reference.includes(words(quote)), `${id}: ${quote}`)
  }
})

test.run()
