/** The states that the engine gives to requirements. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { QUICK } from '../dist/engine/applicable.js'
import { withOpenMoments } from '../dist/engine/excuses.js'
import { withStates } from '../dist/engine/requirements.js'
import { accused } from '../dist/result/accused.js'
import type { LedgerEntry, Outcome, SpecRecord, StepRecord } from '../dist/result.js'
import { requirement, spec } from './fixtures/results/results.js'

const test = suite('states of requirements')

const step = (outcome: StepRecord['outcome'], ...requirements: string[]): StepRecord => ({
  text: 'a step',
  kind: requirements.length > 0 ? 'check' : 'control',
  outcome,
  exchanges: [],
  ...(requirements.length > 0 && { requirements }),
})

/** Makes a spec of A-1 and B-1 with these steps. */
const both = (id: string, outcome: Outcome, ...steps: StepRecord[]) =>
  spec({ id, outcome, steps, requirements: ['A-1', 'B-1'] })

const entry = (id: string, change: Partial<LedgerEntry> = {}): LedgerEntry => ({
  ...requirement(id),
  level: 'must',
  specs: [],
  ...change,
})

function states(specs: SpecRecord[], { only = [] as string[], doubts = [] as string[], ledger = ['A-1', 'B-1'] } = {}) {
  const judged = { specs, doubts: doubts.map(id => ({ requirement: id, text: 'odd' })), only, cutShort: 'the end' }
  return withStates(
    ledger.map(id => entry(id, { specs: ['one', 'other'] })),
    judged,
  )
}

const said = (...args: Parameters<typeof states>) => states(...args).map(({ state }) => state)

test('a step that missed accuses what it tests, and nothing else', () => {
  const failed = both('one', 'failed', step('ok', 'A-1'), step('miss', 'B-1'), step('not run', 'A-1'))
  const passed = both('other', 'passed', step('ok', 'A-1'), step('ok', 'B-1'))
  const [a, b] = states([failed, passed])
  assert.is(b?.state, 'not met')
  assert.equal(b?.evidence, [{ spec: 'one', step: 1 }])
  assert.is(a?.state, 'met so far', 'a step that tests it did not run')
  assert.equal(a?.evidence, [])
  assert.equal(
    accused(failed).map(({ id }) => id),
    ['B-1'],
  )
})

test('what was tested before another requirement failed is met', () => {
  assert.equal(said([both('one', 'failed', step('ok', 'A-1'), step('miss', 'B-1'))]), ['met', 'not met'])
})

test('a control that missed accuses nothing', () => {
  assert.equal(said([both('one', 'blocked', step('ok', 'A-1'), step('miss'), step('not run', 'B-1'))]), [
    'not tested',
    'not tested',
  ])
})

test('a miss that bears no verdict puts in doubt; so does what the run says beside its specs', () => {
  const doubtful = both('one', 'inconclusive', step('ok', 'A-1'), step('miss', 'B-1'))
  const passed = both('other', 'passed', step('ok', 'A-1'), step('ok', 'B-1'))
  const [a, b] = states([doubtful, passed])
  assert.equal([a?.state, b?.state], ['met so far', 'in doubt'])
  assert.equal(b?.evidence, [{ spec: 'one', step: 1 }])
  const late = both('one', 'inconclusive', step('missed window', 'B-1'))
  assert.equal(said([late, passed]), ['met so far', 'met so far'], 'a window that was missed is no miss of the Core')
  assert.equal(said([passed], { doubts: ['A-1'] }), ['in doubt', 'met'])
  const failed = both('one', 'failed', step('miss', 'A-1'))
  assert.is(said([failed], { doubts: ['A-1'] })[0], 'not met', 'a failure says more than a doubt')
})

test('known failures, selections, and what is cut short', () => {
  const passed = both('other', 'passed', step('ok', 'A-1'), step('ok', 'B-1'))
  const known = both('one', 'known failure', step('miss', 'A-1'))
  assert.equal(said([known, passed]), ['known failure', 'met so far'])
  assert.equal(said([both('one', 'failed', step('miss', 'A-1')), known])[0], 'not met')
  assert.equal(said([passed], { only: ['other'] }), ['met so far', 'met so far'])
  for (const message of [QUICK, 'the end', 'the run was interrupted']) {
    const skipped = both('one', 'skipped')
    assert.equal(said([{ ...skipped, message, steps: [] }, passed]), ['met so far', 'met so far'], message)
  }
  assert.equal(said([{ ...both('one', 'skipped'), message: 'speaks no HTTP/1.0', steps: [] }, passed]), ['met', 'met'])
})

test('what is left open, what cannot be tested, and what no spec reached', () => {
  const ledger = [
    entry('A-1', { level: 'observe' }),
    entry('B-1', { level: 'excluded', reason: 'nobody can' }),
    entry('C-1', { level: 'observe' }),
    entry('D-1'),
  ]
  const seen = spec({ id: 'one', outcome: 'observed', requirements: ['A-1', 'B-1', 'D-1'] })
  const told = withStates(ledger, { specs: [seen], doubts: [], only: [], cutShort: '' })
  assert.equal(
    told.map(({ state }) => state),
    ['observed', 'not testable', 'not tested', 'not tested'],
  )
})

test('pins say nothing of the reference', () => {
  const pin = { ...both('one', 'failed', step('miss', 'A-1')), pin: { fact: 'a', was: 1, is: 2 } }
  assert.equal(said([pin]), ['not tested', 'not tested'])
})

test('what was let in once is no second cause where the API is open to whatever holds no token', () => {
  const one = (id: string, requirement: string, change: Partial<SpecRecord> = {}) => ({
    ...spec({ id, outcome: 'failed', steps: [step('miss', requirement)], requirements: [requirement] }),
    ...change,
  })
  const bare = one('access-without-token', 'ACCESS-1')
  const revoked = one('revocation-rejects', 'REVOKE-1', { seenOnce: true, message: 'let in' })
  const again = one('revocation-head', 'REVOKE-1')
  const outcomes = (...specs: SpecRecord[]) => withOpenMoments(specs).map(({ outcome }) => outcome)
  assert.equal(outcomes(bare, revoked), ['failed', 'inconclusive'])
  assert.match(withOpenMoments([bare, revoked])[1]?.message ?? '', /^let in; .*ACCESS-1, access-without-token/)
  assert.equal(outcomes(bare, revoked, again), ['failed', 'inconclusive', 'failed'], 'what was seen twice stays')
  assert.equal(outcomes(revoked, one('revocation-rejects', 'REVOKE-1')), ['failed', 'failed'], 'without another cause')
  assert.equal(outcomes({ ...bare, seenOnce: true }, revoked), ['failed', 'inconclusive'], 'the cause may be seen once')
})

test.run()
