/** A run in memory: the same engine and the same mock Core, without a network between them. */
import { once } from 'node:events'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { RunResult } from '../dist/result.js'
import { memoryConnection } from '../tools/memory-connection.js'
import { long } from './support/long.js'
import { type InMemory, type MemoryRun, runInMemory } from './support/memory-run.js'
import { outcomes, specsOf } from './support/suite-run.js'

const test = suite('memory')
const inMemory = (ids: string[], options: MemoryRun = {}) => runInMemory(specsOf(...ids), options)

const failed = (result: RunResult) => result.specs.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id)

test('the five behaviours of the reference are judged in memory, with an hour of idleness', async () => {
  const ids = ['access-with-token', 'host-missing-access', 'revocation-rejects', 'idle-expires', 'idle-still-valid']
  let core: InMemory['core'] | undefined
  const result = await inMemory(ids, {
    before: made => {
      core = made.core
    },
  })
  assert.is(result.verdict, 'conformant', result.reason)
  for (const id of ids) assert.is(outcomes(result)[id], 'passed', id)
  assert.is(result.tokens.left, 0)
  assert.is(core?.state().tokens.live, 0)
  assert.is(core?.state().tokens.issued, result.tokens.issued)
  assert.is(result.time, 'virtual')
})

test('a token that was dead at birth is blamed on its own logon, and on none after it', async () => {
  const ids = ['logon-spares-others', 'logon-refused-spares-tokens', 'access-two-tokens']
  const { specs, requirements } = await inMemory(ids, { defect: 'logon+used-here→gets-a-dead-token' })
  const ends = specs.map(({ id, outcome, message = '' }) => [
    id,
    outcome,
    /a fresh token is rejected right/.test(message),
  ])
  assert.equal(ends, [
    ['logon-spares-others', 'blocked', true],
    ['logon-refused-spares-tokens', 'blocked', true],
    ['access-two-tokens', 'failed', false],
  ])
  assert.is.not(requirements.find(({ id }) => id === 'LOGON-4')?.state, 'not met')
  const third = await inMemory(ids, { defect: 'logon-every-third-ends-oldest' })
  assert.equal(failed(third), ['logon-spares-others'], 'a token that was accepted once was not dead at birth')
})

long(test)('where a spec shows that logons end tokens of others, those that died beside it accuse nobody', async () => {
  const stirring = [
    'variations-logons-spare-others',
    'variations-others-reset-nothing',
    'idle-use-resets',
    'idle-expires',
  ]
  const result = await inMemory(['idle-head-resets', 'idle-elsewhere-resets', ...stirring], {
    defect: 'logon+origin→ends-the-last-used',
  })
  assert.equal(failed(result), ['variations-logons-spare-others'])
  const { outcome, firstTry } = result.specs.find(({ id }) => id === 'idle-head-resets') ?? {}
  assert.match(firstTry ?? '', /got 401 Unauthorized/, 'it was disturbed, or this test shows nothing')
  assert.is(outcome, 'passed', 'with nothing else under way it passes')
})

test('where a token ends after less in another spec, what was tried beside it accuses nobody', async () => {
  const ids = ['access-token-lasts', 'variations-host-shapes']
  const result = await inMemory(ids, { defect: 'access-token-usable-five-times' })
  assert.equal(failed(result), ['access-token-lasts'])
  const { outcome, message } = result.specs.find(({ id }) => id === 'variations-host-shapes') ?? {}
  assert.is(outcome, 'inconclusive')
  assert.match(message ?? '', /^a token is rejected here after less \(access-token-lasts\), so this shows nothing: /)
  assert.is.not(result.requirements.find(({ id }) => id === 'HOST-2')?.state, 'not met')
  const alone = await inMemory(['access-token-lasts', 'host-missing-spares-connection-http11'], {
    defect: 'host-missing-get-ends-token',
  })
  assert.equal(failed(alone), ['host-missing-spares-connection-http11'], 'and what no other spec explains does')
})

test('what needs TLS is left out with its reason', async () => {
  const [record] = (await inMemory(['connections-resumed-no-token'])).specs
  assert.is(record?.outcome, 'skipped')
  assert.match(record?.message ?? '', /TLS session/)
})

test('a Core with room for one connection is one in memory too', async () => {
  const result = await inMemory(['access-with-token', 'revocation-other-connection'], {
    dialect: { limits: { connections: { count: 1 } } },
  })
  assert.is(outcomes(result)['access-with-token'], 'passed')
})

test('revocations in every form need room for one token only, right credentials in every form for two', async () => {
  for (const [tokens, id] of [[1, 'variations-revocations'] as const, [2, 'variations-right-credentials'] as const]) {
    const { specs } = await inMemory([id], { dialect: { limits: { tokens } } })
    assert.equal([specs[0]?.outcome, specs[0]?.message], ['passed', undefined], id)
  }
})

test('a late spec that waits looks when its token is the only one that is left, where there is room for it meanwhile', async () => {
  const ids = ['idle-expires-alone', 'idle-expires', 'idle-use-resets', 'idle-own-use-only']
  const end = async (options?: MemoryRun) => {
    const { specs } = await inMemory(ids, options)
    for (const { id, outcome } of specs) assert.ok(/passed|failed|skipped/.test(outcome), `${id} ${outcome}`)
    const { outcome, exchanges, message } = specs.find(({ id }) => id === 'idle-expires-alone') as RunResult['specs'][0]
    const lastMs = (of: typeof specs) => Math.max(...of.flatMap(each => each.exchanges.map(({ atMs }) => atMs)))
    const others = specs.filter(({ id }) => id !== 'idle-expires-alone')
    return { outcome, message, isLast: exchanges.length > 0 && (exchanges.at(-1)?.atMs ?? 0) > lastMs(others) }
  }
  assert.equal(await end(), { outcome: 'passed', message: undefined, isLast: true })
  const { outcome, isLast } = await end({ defect: 'idle-lone-token-never-expires' })
  assert.equal([outcome, isLast], ['failed', true])
  assert.match((await end({ dialect: { limits: { tokens: 2 } } })).message ?? '', /little room for tokens/)
})

test('bytes come in order, an end is an end, and a reset an error', async () => {
  const [client, server] = memoryConnection()
  server.setEncoding('utf8').on('data', chunk => server.write(`${chunk}!`))
  const told: string[] = []
  client.setEncoding('utf8').on('data', text => told.push(String(text)))
  client.write('one')
  client.write('two')
  client.end()
  await once(client, 'close')
  assert.is(told.join(''), 'one!two!')

  const [other, peer] = memoryConnection()
  const error = once(other, 'error')
  peer.resetAndDestroy()
  assert.is(((await error)[0] as NodeJS.ErrnoException).code, 'ECONNRESET')
  assert.ok(other.destroyed)
  const [idle, gone] = memoryConnection()
  gone.resetAndDestroy()
  await new Promise(resolve => idle.once('close', resolve))
})

test.run()
