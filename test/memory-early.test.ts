/** Specs that wait for more than a lifetime begin before the others, and run once more where their tokens do not live through those. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { RunResult } from '../dist/result.js'
import { type MemoryRun, runInMemory } from './support/memory-run.js'
import { outcomes, recordOf, specsOf } from './support/suite-run.js'

const test = suite('memory early')

const LONG = ['idle-use-resets-for-long', 'idle-stays-expired', 'revocation-lasts-longer']
/** Runs alone, and revokes. */
const ALONE = 'revocation-repeated'
/** Waits for one lifetime. */
const WAITS = 'idle-expires'

/** A lifetime as in a lab. */
const LIFETIME_MS = 8000

function run(ids: string[], options: MemoryRun = {}): Promise<RunResult> {
  const lifetime = { idleLifetimeMs: LIFETIME_MS }
  return runInMemory(specsOf(...ids), { ...lifetime, configuration: lifetime, ...options })
}

/** Returns when a spec sent its first request, and its last. */
function span(result: RunResult, id: string): [number, number] {
  const { exchanges = [] } = recordOf(result, id)
  return [exchanges[0]?.atMs ?? Number.NaN, exchanges.at(-1)?.atMs ?? Number.NaN]
}

test('what waits for two lifetimes begins before what runs alone, and others need not wait for it', async () => {
  const result = await run([...LONG, ALONE, WAITS])
  assert.equal(outcomes(result), Object.fromEntries([...LONG, ALONE, WAITS].map(id => [id, 'passed'])))
  const [alone] = span(result, ALONE)
  for (const id of LONG) {
    const [first, last] = span(result, id)
    assert.ok(first < alone && alone < last, id)
    assert.ok(last - first >= 2 * LIFETIME_MS, id)
  }
  const [, waited] = span(result, WAITS)
  assert.ok(waited - alone < 2 * LIFETIME_MS, 'it waited for the longest')
})

test('where a revocation ends all tokens, what lost its token to another spec runs once more, and passes', async () => {
  const result = await run([...LONG, ALONE], { defect: 'revoke-ends-all-tokens' })
  for (const id of LONG) assert.is(recordOf(result, id).outcome, 'passed', id)
  const [first] = span(result, 'idle-use-resets-for-long')
  const [, alone] = span(result, ALONE)
  assert.ok(first > alone, 'its first try stands in the result')
})

test('what wants no other token alive comes before all that hold theirs: a fault that shows only then is seen in a full run', async () => {
  const alone = 'revocation-of-the-only-token'
  const result = await run([...LONG, 'revocation-for-good', alone], {
    defect: 'never-issued+no-token-lives→accepted',
  })
  assert.is(recordOf(result, alone).outcome, 'failed')
  for (const id of LONG) assert.is(recordOf(result, id).outcome, 'passed', id)
})

test.run()
