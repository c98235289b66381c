/** Accusations: Cores that break one requirement each, and the states of all requirements in the result. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { coreOf, requirementsOf } from '../dist/fleet/core.js'
import { patternsOf } from '../dist/fleet/patterns.js'
import type { RunResult } from '../dist/result.js'
import { schemaErrors } from '../dist/suite/schema.js'
import { accusedBy, runOn as runAndCheck } from './support/checked-run.js'
import { runInMemory } from './support/memory-run.js'
import { type CoreRequest, type Reaction, ScriptedCore } from './support/scripted-core.js'
import { QUICK, recordOf, specsOf } from './support/suite-run.js'

const test = suite('who is accused of what')

const runOn = (core: ScriptedCore, ...ids: string[]) => runAndCheck(core, { specs: specsOf(...ids), left: true })
const state = ({ requirements = [] }: RunResult, id: string) => requirements.find(each => each.id === id)?.state
const missed = (result: RunResult, id: string) => recordOf(result, id).steps.find(({ outcome }) => outcome === 'miss')

test('a step that tests says what it accuses, what was seen and what that means; the rest of the spec accuses nobody', async () => {
  const specs = specsOf('access-token-changed', 'access-with-token', 'access-after-rejection')
  const result = await runInMemory(specs, { defect: 'access-second-half-ignored' })
  assert.equal(schemaErrors('result', result), [])
  assert.is(recordOf(result, 'access-token-changed').outcome, 'failed')
  assert.equal(accusedBy(result, 'access-token-changed'), ['ACCESS-1'])
  const step = missed(result, 'access-token-changed')
  assert.equal([step?.kind, step?.requirements], ['check', ['ACCESS-1']])
  assert.is(step?.seen, 'a token with a character in the middle changed is accepted')
  assert.match(step?.consequence ?? '', /^A text that was never issued passes for a token/)
  assert.equal(
    recordOf(result, 'access-token-changed').steps.map(({ kind }) => kind),
    ['given', 'given', 'check', 'control'],
  )
  assert.is(state(result, 'ACCESS-1'), 'not met')
  assert.is(state(result, 'ACCESS-2'), 'met')
})

test('a control that misses blocks: a made-up token that opens the API is no fault of what a valid one gets', async () => {
  const specs = specsOf('access-unknown-token', 'access-after-rejection', 'access-with-token')
  const result = await runInMemory(specs, { defect: 'access-well-formed-token-accepted' })
  assert.is(recordOf(result, 'access-unknown-token').outcome, 'failed')
  assert.is(recordOf(result, 'access-after-rejection').outcome, 'blocked')
  assert.is(missed(result, 'access-after-rejection')?.kind, 'control')
  assert.is(missed(result, 'access-after-rejection')?.seen, undefined)
  assert.equal([state(result, 'ACCESS-1'), state(result, 'ACCESS-2')], ['not met', 'met so far'])
})

test('the worst that a requirement could mean is not said of what was not seen', async () => {
  class Broken extends ScriptedCore {
    reaction: Reaction = { status: 500, body: 'oops' }
    override refusal(request: CoreRequest): Reaction {
      return request.method === 'HEAD' ? this.reaction : super.refusal(request)
    }
  }
  const core = new Broken()
  const odd = recordOf(await runOn(core, 'access-head-without-token'), 'access-head-without-token')
  assert.is(odd.outcome, 'blocked', 'what was turned away accuses nobody')
  assert.match(
    odd.message ?? '',
    /500 Internal Server Error \(at try 3\): the request was turned away, which says nothing/,
  )

  const quick = { configuration: QUICK, defect: 'access-head-needs-no-token' }
  const result = await runInMemory(specsOf('variations-requests'), quick)
  const headers = /^Anybody who asks with HEAD sees what is there, and its headers, though not what it holds/
  assert.match(missed(result, 'variations-requests')?.consequence ?? '', headers)
  // A fleet says no more.
  const told = (...results: RunResult[]) => {
    const cores = results.map((each, index) => coreOf(each, { name: `lab-${index}` }))
    return patternsOf({ cores, requirements: requirementsOf(result) })[0]?.consequence ?? ''
  }
  assert.match(told(result), headers)
  // Where another Core, or another spec, saw the worst, that is what is told.
  const open = await runInMemory(specsOf('access-unknown-token'), { defect: 'access-any-token-accepted' })
  assert.match(told(result, open), /^Anybody who reaches the Core/)
})

test('on a Core that leaves others alone bystanders accuse nobody', async () => {
  const result = await runInMemory(
    specsOf('revocation-without-token', 'logon-wrong-password', 'host-missing-issues-nothing'),
  )
  assert.equal(
    result.specs.map(({ outcome }) => outcome),
    ['passed', 'passed', 'passed'],
  )
  assert.equal(
    ['REVOKE-2', 'LOGON-2', 'LOGON-4', 'HOST-2'].map(id => state(result, id)),
    ['met', 'met', 'met', 'met'],
  )
})

test('a revoked token that is let in once accuses all the same, and the record says that it was once', async () => {
  class Once extends ScriptedCore {
    private isOver = false
    override accepts(token: string, request: CoreRequest): boolean {
      const isAccepted = super.accepts(token, request)
      if (isAccepted || this.isOver || !this.sessions.get(token)?.revoked) return isAccepted
      this.isOver = true
      return true
    }
  }
  const result = await runOn(new Once(), 'revocation-rejects')
  const record = recordOf(result, 'revocation-rejects')
  assert.equal(schemaErrors('result', result), [])
  assert.equal([record.outcome, record.seenOnce], ['failed', true], record.message)
  assert.is(state(result, 'REVOKE-1'), 'not met')
})

test.run()
