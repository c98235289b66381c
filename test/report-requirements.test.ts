import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { QUICK } from '../dist/engine/applicable.js'
import { coverageText, standings } from '../dist/report/requirements.js'
import { renderMarkdown } from '../dist/report/run/render.js'
import type { RunResult } from '../dist/result.js'
import { result, spec } from './fixtures/results/results.js'
import * as samples from './fixtures/results/samples.js'

const test = suite('what a run says of each requirement')

const state = (run: RunResult, id: string) => standings(run).find(({ requirement }) => requirement.id === id)

/** Returns the state of REVOKE-1 after specs with these changes. */
const after = (...changes: Parameters<typeof spec>[0][]) =>
  state(result(changes.map((change, index) => spec({ id: `spec-${index}`, ...change }))), 'REVOKE-1')?.state

test('met, or not, or as far as it was tested', () => {
  assert.is(after({}), 'met')
  assert.is(after({}, { outcome: 'skipped', message: 'it does not apply' }), 'met')
  assert.is(after({}, { outcome: 'unexpected pass' }), 'met')
  for (const outcome of ['inconclusive', 'blocked', 'pending'] as const) {
    assert.is(after({}, { outcome }), 'met so far', outcome)
    assert.is(after({ outcome }), 'not tested', outcome)
  }
  assert.is(after({}, { outcome: 'failed' }), 'not met')
  assert.is(after({}, { outcome: 'known failure' }), 'known failure')
  assert.is(after({ outcome: 'known failure' }, { outcome: 'failed' }), 'not met')
  assert.is(after({ outcome: 'observed' }), 'observed')
  assert.is(after({ outcome: 'skipped' }), 'not tested')
  assert.is(after({}, { outcome: 'observed' }), 'met', 'what only observes judges nothing')
  assert.is(after(), 'not tested')
})

test('what a run skipped because it ended early, or was a quick one, is open', () => {
  const cut = spec({ id: 'cut', outcome: 'skipped', message: 'the run was interrupted' })
  const run = result([spec(), cut], { verdict: 'incomplete', reason: 'the run was interrupted' })
  assert.is(state(run, 'REVOKE-1')?.state, 'met so far')
  assert.is(after({}, { outcome: 'skipped', message: QUICK }), 'met so far')
})

const states = (run: RunResult) => ['REVOKE-1', 'USE-1'].map(id => state(run, id)?.state)

test('what the result says of a requirement is what is told', () => {
  const run = result([spec({ outcome: 'failed' })])
  for (const each of run.requirements) Object.assign(each, { state: 'in doubt', evidence: [] })
  assert.equal(states(run), ['in doubt', 'in doubt'])
})

test('what was not selected is counted, with the reason', () => {
  const run = result([spec()])
  const [requirement] = run.requirements.filter(({ id }) => id === 'REVOKE-1')
  requirement?.specs.push('another', 'a-third')
  const told = () => state(run, 'REVOKE-1')
  assert.is(told()?.unselected, 2)
  assert.is(told()?.state, 'met', 'what only measures is no part of it')
  assert.equal(told()?.reasons, ['2 specs left out: measuring needs run --measure-lifetime'])
  run.configuration.only = ['revocation', 'host*']
  assert.equal(told()?.reasons, ['2 specs not selected: only revocation, host* was'])
})

test('why nothing is known of a requirement is told once for each reason', () => {
  const skipped = (id: string, message: string) => spec({ id, outcome: 'skipped', message })
  const run = result([skipped('a', 'it waits'), skipped('b', 'it does not apply'), skipped('c', 'it waits')])
  const told = state(run, 'REVOKE-1')
  assert.equal(told?.reasons, ['2 specs skipped: it waits', '1 spec skipped: it does not apply'])
})

test('the figures of a run, also in Markdown', () => {
  const text = (run: RunResult) => coverageText(standings(run))
  assert.is(text(samples.conformant), '6 of 6 tested: 6 met; 0 of 1 open point observed')
  assert.is(text(samples.failing), '5 of 6 tested: 2 not met, 2 met so far, 1 met; 0 of 1 open point observed')
  assert.is(text(samples.untestable), '0 of 6 tested; 0 of 1 open point observed')
  assert.match(
    renderMarkdown(samples.conformant),
    /\| requirements \| 6 of 6 tested: 6 met; 0 of 1 open point observed \|/,
  )
})

test.run()
