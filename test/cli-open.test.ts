/** Runs with access control off: what is accepted without a token, in which form, on which connection, at which moment. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { controlVariablesOf } from '../tools/mock-variables.js'
import { cli, resultIn, withMock } from './cli-support.js'
import { long } from './support/long.js'

const test = suite('with access control off')

/** Runs on a mock Core with access control off; `env` takes the place of the user's own variables. */
const runOn = (options: Parameters<typeof withMock>[0], code: number, args: string[], env = {}) =>
  withMock({ ...options, accessControl: 'off' }, async (core, folder, variables) => {
    const own = { ...variables, ...controlVariablesOf(core), ...env }
    const { stdout } = await cli(['run', '--access-control', 'off', ...args], { cwd: folder, env: own, code })
    const result = resultIn(folder)
    const { tokens } = core.state()
    const notMet = result.requirements.filter(({ state }) => state === 'not met').map(({ id }) => id)
    const told = stdout.replace(/\s+/g, ' ')
    const record = (id: string) => ({ message: '', ...result.specs.find(spec => spec.id === id) })
    return { told, result, notMet, tokens, record }
  })

long(test)('an open Core is conformant, every spec for it runs, and no token stays', async () => {
  const { result, tokens } = await runOn({}, 0, [])
  const open = result.specs.filter(({ area }) => area === 'open')
  assert.equal([...new Set(open.map(({ outcome }) => outcome))].sort(), ['observed', 'passed'])
  assert.equal([tokens.live, result.tokens.left], [0, 0])
  assert.is(result.facts['open-access.status'], 200)
})

test('the report says what a run does not test with access control off, and why', async () => {
  const { told, result } = await runOn({}, 0, ['--only', 'open-while-token-lives,open-host-missing'])
  assert.match(told, /so they were not tested: ACCESS-1, ACCESS-3, LOGON-3, LOGON-4, HOST-2, IDLE-2/)
  assert.match(told, /so they can only be observed: ACCESS-2, LOGON-1, LOGON-2, REVOKE-1, REVOKE-2/)
  const standing = (id: string) => result.requirements.find(requirement => requirement.id === id)
  assert.is(standing('OPEN-1')?.state, 'met so far')
  assert.is(standing('ACCESS-1')?.state, 'not testable')
  assert.match(standing('HOST-2')?.reason ?? '', /none shows whether/)
})

for (const [defect, spec, requirement] of [
  ['open-http10-needs-token', 'open-shapes', 'OPEN-1'],
  ['open-resumed-session-needs-token', 'open-resumed', 'OPEN-1'],
  ['open-needs-token-while-two-live', 'open-while-token-lives', 'OPEN-1'],
  ['open-host-missing-served', 'open-host-missing', 'HOST-1'],
] as const)
  test(`${spec} sees ${defect}`, async () => {
    const { notMet } = await runOn({ defect }, 1, ['--only', spec])
    assert.equal(notMet, [requirement])
  })

test('a form that an open Core does not take accuses nobody, and is told', async () => {
  const { record } = await runOn({ dialect: { queries: 'refused' } }, 0, ['--only', 'open-shapes-beside-token'])
  const { steps = [] } = record('open-shapes-beside-token')
  assert.match(
    steps.map(({ got }) => got).join('\n'),
    /which asks for no token, so they show nothing: with a query, with a query of 300 characters, HEAD with/,
  )
})

test('a probe that is answered with an error that asks for no token tests nothing, and accuses nobody', async () => {
  const absent = await runOn({ dialect: { answers: { users: { status: 404 } } } }, 3, ['--only', 'access-open'])
  assert.match(absent.told, /is answered 404, which does not show whether a token is needed/)
  assert.match(absent.told, /--probe-path/)
  const args = ['--only', 'access-open,open-while-token-lives']
  const forbidden = await runOn({ dialect: { answers: { users: { status: 403 } } } }, 3, args)
  assert.match(forbidden.told, /is answered 403, with a token too, which does not show/)
  assert.is(forbidden.tokens.live, 0)
})

test('where no form of a family is taken, the spec is skipped', async () => {
  const { record } = await runOn({ dialect: { queries: 'refused' } }, 0, ['--only', 'open-queries,access-open'])
  assert.is(record('open-queries').outcome, 'skipped')
  assert.match(record('open-queries').message, /takes no variation of request-queries/)
})

test('specs that log on are skipped where the logon of an open Core gives no token, or nobody gave credentials', async () => {
  const args = ['--only', 'open-while-token-lives,access-open']
  const refused = await runOn({}, 0, args, { CORE_PASSWORD: 'another' })
  assert.match(refused.record('open-while-token-lives').message, /the logon of this open Core gives no token \(401\)/)
  const silent = await runOn({}, 0, args, { CORE_USERNAME: '', CORE_PASSWORD: '' })
  assert.match(silent.record('open-while-token-lives').message, /no logon was answered: .*--username/)
})

test.run()
