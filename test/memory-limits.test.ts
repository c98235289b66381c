/** Runs against Cores that limit in ways of their own: nobody is accused, all is judged, and the limit is told as it is. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Spec } from '../dist/suite/spec.js'
import { dialectOf, runInMemory } from './support/memory-run.js'
import { outcomes, QUICK, SUITE, specsOf } from './support/suite-run.js'

const test = suite('limits in memory')
const MANY = SUITE.specs.filter(({ level, area }) => level === 'must' && /^(access|revocation)$/.test(area))
const behind = (dialect: string, specs: Spec[]) => runInMemory(specs, { dialect, configuration: QUICK })

test('logons that have to come apart are refused in a way of their own, and accuse nobody', async () => {
  const ids = ['logon-tokens-distinct', 'logon-spares-others', 'logon-wrong-password', 'variations-logons']
  const result = await behind('limit-logons-apart-425', specsOf(...ids))
  assert.is(result.verdict, 'conformant', result.reason)
  for (const id of ids) assert.is(outcomes(result)[id], 'passed', id)
  assert.is(result.dialect.sessions, 'many')
  assert.not.match(result.notices.join('\n'), /room for/)
})

test('a rate that is counted anew every two seconds, and answered 403, accuses nobody (what is told of it: core-ban.test.ts)', async () => {
  const result = await behind('limit-24-requests-in-2-seconds-403', MANY)
  assert.is(result.verdict, 'conformant', result.reason)
  assert.is(result.tokens.left, 0)
})

for (const [status, as] of [
  [403, 'as tokens are'],
  [400, 'in a way of its own'],
] as const)
  test(`a request too many that is answered ${status}, ${as}, is known as one and accuses nobody`, async () => {
    const data = { status, headers: { 'Retry-After': null }, body: { message: 'Rate exceeded' } }
    const { answers } = await dialectOf('rejections-403')
    const limits = { requests: { count: 15, perMs: 1000, burst: 30 } }
    const dialect = { limits, answers: { ...answers, tooManyRequests: data } }
    const result = await runInMemory(MANY, { dialect, configuration: QUICK })
    assert.is(result.verdict, 'conformant', result.reason)
    assert.is(result.dialect.backEnds, null)
    assert.is(result.tokens.left, 0)
    const [, rate] = /takes (?:about|at least) ([\d.]+) requests a second/.exec(result.notices.join('\n')) ?? []
    assert.ok(Number(rate) >= 12 && Number(rate) <= 18, result.notices.join('\n'))
  })

test('a ban by a redirect is known as one', async () => {
  const result = await behind('ban-after-8-refusals-307', MANY)
  assert.is(result.verdict, 'conformant', result.reason)
  assert.match(result.notices.join('\n'), /serves nothing for about [12](\.\d)? s after \d+ (refusals|errors)/)
})

test('where logons take long, one at a time, nothing is left out for a lack of room', async () => {
  const lifetimeMs = 8000
  const waiting = ['expires', 'use-resets', 'early-use-resets', 'every-use-resets', 'own-use-only'].map(
    id => `idle-${id}`,
  )
  const result = await runInMemory(
    specsOf('logon-tokens-distinct', ...waiting, 'variations-wrong-credentials-spread'),
    {
      dialect: 'logon-one-at-a-time',
      configuration: { idleLifetimeMs: lifetimeMs, maxRefusedLogons: 150 },
      idleLifetimeMs: lifetimeMs,
    },
  )
  assert.not.match(JSON.stringify(result.specs), /little room/)
  assert.is(result.verdict, 'conformant', result.reason)
})

test('a token that was pushed out by newer ones is known as such, also where a good one would be answered 405', async () => {
  const dialect = { limits: { tokens: 20, beyond: 'revoke-oldest' as const } }
  const result = await runInMemory(
    SUITE.specs.filter(({ area }) => area === 'idle'),
    { dialect },
  )
  assert.is(outcomes(result)['idle-wrong-method-resets'], 'passed')
  assert.is(result.verdict, 'conformant', result.reason)
})

test.run()
