/** Logons that must be refused: a few at once, the others half a minute apart while specs wait, and none after a sign of a lock. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ConfigurationRecord, RunResult } from '../dist/result.js'
import { accusedBy, assertFailed } from './support/checked-run.js'
import { long } from './support/long.js'
import { CREDENTIALS, type MemoryRun, runInMemory } from './support/memory-run.js'
import { recordOf, specsOf } from './support/suite-run.js'

const test = suite('refused logons in memory')
const [AT_ONCE, SPREAD] = ['variations-wrong-credentials', 'variations-wrong-credentials-spread'] as const

interface Logon {
  isRight: boolean
  /** On the clock of the mock Core, in seconds. */
  at: number
  status: number | null
}

/** Runs specs, and returns the result with all logons that came, in their order. */
async function sent(ids: readonly string[], configuration: Partial<ConfigurationRecord> = {}, options: MemoryRun = {}) {
  const logons: Logon[] = []
  const result = await runInMemory(specsOf(...ids), {
    ...options,
    configuration: { maxRefusedLogons: 150, ...configuration },
    answered: ({ method, path, body, status }, { reached }) => {
      if (path !== '/api/v0/logon' || method === 'DELETE') return
      logons.push({ isRight: body === JSON.stringify(CREDENTIALS), at: reached.clock.now() / 1000, status })
    },
  })
  return { result, logons, wrong: logons.filter(({ isRight }) => !isRight) }
}

/** What the steps over a family came to. */
const told = (result: RunResult, id: string) => recordOf(result, id).steps.map(({ got }) => got ?? '')

long(test)(
  'the first forty come at once, the others half a minute apart, with a good one between any two',
  async () => {
    const { result, logons, wrong } = await sent([AT_ONCE, SPREAD, 'idle-still-valid'])
    assert.is(result.verdict, 'conformant', result.reason)
    assert.is(result.refusedLogons, wrong.length)
    const at = wrong.map(each => each.at)
    const late = at.slice(40).map((each, index) => each - (at[39 + index] ?? 0))
    assert.ok(late.length > 90, String(late.length))
    assert.ok(Math.min(...late) >= 29.9, `${Math.min(...late)} s`)
    assert.ok((at.at(-1) ?? 0) < 3600, 'within the hour')
    assert.not.ok(logons.some(({ isRight }, index) => !isRight && logons[index + 1]?.isRight === false))
    assert.match(told(result, AT_ONCE)[4] ?? '', /^none of 7 did otherwise; /)
    assert.match(told(result, AT_ONCE)[5] ?? '', /^none of 33 did otherwise; .*; \d+ of \d+ not sent: /)
    const [malformed = '', further = ''] = told(result, SPREAD)
    assert.match(malformed, /^none of 24 did otherwise; \d+ of \d+ variations .* were judged$/)
    assert.match(further, /^none of \d+ did otherwise/)
  },
)

test('the budget bounds all of them, and what is left out is told', async () => {
  const { result, wrong } = await sent([AT_ONCE, SPREAD], { maxRefusedLogons: 77 })
  assert.is(wrong.length, 40 + 25)
  assert.match(
    told(result, SPREAD)[1] ?? '',
    /^none of 1 did otherwise; .*; \d+ of \d+ not sent: .* \(the budget of refused/,
  )
  const few = await sent([AT_ONCE, SPREAD], { maxRefusedLogons: 40 })
  assert.is(few.wrong.length, 28)
  assert.is(recordOf(few.result, SPREAD).outcome, 'skipped')
})

const explorer = { explore: async () => {}, exploration: undefined, leftOut() {} }

test('of those at once, six are kept to explore, where the run explores', async () => {
  assert.is((await sent([AT_ONCE], {}, { explorer })).wrong.length, 40 - 6)
})

long(test)('so is a quarter of those that are spread', async () => {
  const ids = [AT_ONCE, SPREAD, 'access-without-token-http11']
  const shared = await sent(ids, {}, { explorer })
  assert.is(shared.wrong.length, 40 - 6 + 98 - 24)
  assert.match(told(shared.result, SPREAD)[1] ?? '', /not sent: .* \(the other refused logons are kept to explore\)$/)
  // After a failure nothing is explored.
  const failed = await sent(ids, {}, { explorer, defect: 'access-no-token-accepted' })
  assert.is(failed.result.verdict, 'nonconformant')
  assert.is(failed.wrong.length, 40 - 6 + 98)
})

const PENALTY = { count: 50, perMs: 3_600_000, forMs: 900_000 }
for (const [declare, what, limits] of [
  [test, 'locks an account for its failures of an hour', { wrongLogons: PENALTY }],
  [long(test), 'bans its client for refusals of an hour', { refusals: PENALTY }],
] as const)
  declare(`a Core that ${what} gets no further wrong logon, and is not accused`, async () => {
    const { result, logons, wrong } = await sent([AT_ONCE, SPREAD], {}, { dialect: { limits } })
    const sign = logons.findIndex(({ isRight, status }) => status === 429 || (isRight && status !== 201))
    assert.ok(sign > 0)
    assert.ok(logons.length - sign <= 2, `${logons.length - sign} logons from the first sign on`)
    // Those that are malformed do not count on this Core.
    assert.ok(result.refusedLogons >= 50 && result.refusedLogons < 100, String(result.refusedLogons))
    assert.is(result.refusedLogons, wrong.filter(({ status }) => status !== 429).length)
    assert.is(recordOf(result, SPREAD).outcome, 'passed')
    assert.is(result.specs.filter(({ outcome }) => outcome === 'failed').length, 0)
    assert.match(
      told(result, SPREAD)[1] ?? '',
      /^none of \d+ did otherwise; .*; \d+ of \d+ not sent: .*the account might lock\)$/,
    )
  })

long(test)(
  'a Core whose tokens live for seconds gets nearly as many, closer together; one whose tokens live for minutes does not',
  async () => {
    const countOn = async (idleLifetimeMs: number) => (await sent([AT_ONCE, SPREAD], { idleLifetimeMs })).wrong.length
    const [seconds, minutes] = [await countOn(20_000), await countOn(300_000)]
    // On a busy machine some no longer fit.
    assert.ok(seconds > 100, String(seconds))
    assert.ok(minutes > 40 && minutes < 60, String(minutes))
  },
)

test('where logons end the tokens of others, none is spread over the waits of these', async () => {
  const { result, wrong } = await sent(
    [AT_ONCE, SPREAD],
    {},
    { dialect: { limits: { tokens: 1, beyond: 'revoke-oldest' } } },
  )
  assert.is(wrong.length, 40)
  assert.match(recordOf(result, SPREAD).message ?? '', /^logons affect the tokens of others/)
})

for (const [defect, requirement, name] of [
  ['logon-password-in-base64-accepted', 'LOGON-2', 'the password in base64'],
  ['logon-username-array-accepted', 'LOGON-3', 'the user name in an array'],
] as const)
  long(test)(`a wrong pair that only the later ones hold is found, and blamed on what it breaks: ${name}`, async () => {
    const { result } = await sent([AT_ONCE, SPREAD], {}, { defect })
    assertFailed(result, [SPREAD])
    assert.match(recordOf(result, SPREAD).message ?? '', new RegExp(name))
    assert.equal(accusedBy(result, SPREAD), [requirement])
  })

test.run()
