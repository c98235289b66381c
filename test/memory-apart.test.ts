/** Specs with bystanders that lost one to another spec are tried once more together, and only those that did it alone. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { accusedBy } from './support/checked-run.js'
import { runInMemory } from './support/memory-run.js'
import { outcomes, QUICK, recordOf, specsOf } from './support/suite-run.js'

const test = suite('memory apart')

/** None of them revokes before it has looked at its bystanders. */
const WATCHERS = [
  'access-refused-spares-tokens',
  'logon-get-issues-nothing',
  'logon-missing-password',
  'logon-no-body',
  'logon-wrong-username',
  'logon-with-token-spares-it',
  'revocation-unknown-token',
  'revocation-without-token',
]
const REVOKES = 'revocation-spares-others'
/** How long a spec waits for late effects, in milliseconds. */
const MOMENT_MS = 1000

test('where a revocation ends all tokens, those that only lost theirs wait for late effects together', async () => {
  const result = await runInMemory(specsOf(...WATCHERS, REVOKES), {
    defect: 'revoke-ends-all-tokens',
    configuration: QUICK,
  })
  assert.equal(outcomes(result), {
    ...Object.fromEntries(WATCHERS.map(id => [id, 'passed'])),
    [REVOKES]: 'failed',
  })
  const [first] = WATCHERS
  assert.match(recordOf(result, first as string).firstTry ?? '', /token|bystander|ended/)
  const times = result.specs.flatMap(({ exchanges = [] }) => exchanges.map(({ atMs }) => atMs))
  const tookMs = Math.max(...times) - Math.min(...times)
  assert.ok(tookMs < WATCHERS.length * MOMENT_MS, `${tookMs} ms`)
})

test('a spec that ends the tokens of others a moment later is found among those that lost theirs', async () => {
  const others = WATCHERS.filter(id => !/^logon-(missing|wrong|no-body)/.test(id))
  const result = await runInMemory(specsOf(...others, 'logon-wrong-password'), {
    defect: 'logon-refusal-ends-oldest-late',
    configuration: QUICK,
  })
  const failed = Object.entries(outcomes(result)).filter(([, outcome]) => outcome !== 'passed')
  // The oldest may be a bystander of another spec in both tries. Then what repeats is accused.
  const [[id, outcome] = []] = failed
  assert.is(failed.length, 1)
  assert.is(outcome, 'failed')
  assert.ok(id === 'logon-wrong-password' || id === 'found-logon-4-again', id)
  assert.equal(accusedBy(result, id), ['LOGON-4'])
})

test.run()
