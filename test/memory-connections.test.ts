/** What a Core does for what came before on a connection is told from limits, and accused; what it does at a logon is not booked on later ones. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { RunResult } from '../dist/result.js'
import { runInMemory } from './support/memory-run.js'
import { QUICK, SPECS, specsOf } from './support/suite-run.js'

const test = suite('connections in memory')
const LOGONS = specsOf('logon-issues-token', 'logon-tokens-distinct', 'logon-repeated', 'logon-spares-others')

const notMet = ({ requirements }: RunResult) =>
  requirements.flatMap(({ id, state }) => (state === 'not met' ? [id] : []))
const ofKind = ({ specs }: RunResult, outcome: string) =>
  specs.flatMap(spec => (spec.outcome === outcome ? [spec.id] : []))

for (const defect of ['logon+used-here→refused', 'logon+used-here→gets-no-token'])
  test(`${defect}: LOGON-1 is not met, and no limit is told`, async () => {
    const result = await runInMemory(LOGONS, { configuration: QUICK, defect })
    assert.equal(notMet(result), ['LOGON-1'])
    assert.equal(result.notices, [])
    assert.equal(ofKind(result, 'skipped'), [], 'nothing is left out for want of room')
    const repeated = result.specs.find(({ id }) => id === 'logon-repeated')
    assert.match(repeated?.message ?? '', /sent again at once on a new connection, the same logon got one/)
  })

test('a token that is dead at birth accuses its logon, and not the logons after it', async () => {
  const all = SPECS.filter(({ area, level, isForFull }) => area === 'logon' && level === 'must' && !isForFull)
  const result = await runInMemory(all, { configuration: QUICK, defect: 'logon+after-logon→gets-a-dead-token' })
  assert.equal(notMet(result), ['LOGON-1'])
  assert.equal(ofKind(result, 'failed'), ['logon-repeated', 'logon-at-once'])
})

for (const defect of ['use+after-406-here→refused', 'use+refused-logon-here→refused'])
  test(`${defect}: ACCESS-2 is not met`, async () => {
    const result = await runInMemory(specsOf('connections-any-past', 'access-token-lasts'), { defect })
    assert.equal(notMet(result), ['ACCESS-2'])
  })

test.run()
