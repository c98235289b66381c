/** Accusations: Cores that break one requirement each, and the states of all requirements in the result. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { coreOf, requirementsOf } from '../dist/fleet/core.js'
import { patternsOf } from '../dist/fleet/patterns.js'
import type { RunResult } from '../dist/result.js'
import { schemaErrors } from '../dist/suite/schema.js'
import { accusedBy, runOn as runAndCheck } from './support/checked-run.js'
import { type CoreRequest, type Reaction, ScriptedCore, USERS } from './support/scripted-core.js'
import { QUICK, recordOf, specsOf } from './support/suite-run.js'

const test = suite('who is accused of what')

const runOn = (core: ScriptedCore, ...ids: string[]) => runAndCheck(core, { specs: specsOf(...ids), left: true })
const state = ({ requirements = [] }: RunResult, id: string) => requirements.find(each => each.id === id)?.state
const missed = (result: RunResult, id: string) => recordOf(result, id).steps.find(({ outcome }) => outcome === 'miss')

test('a step that tests says what it accuses, what was seen and what that means; the rest of the spec accuses nobody', async () => {
  class Lenient extends ScriptedCore {
    override accepts(token: string, request: CoreRequest): boolean {
      const ends = (text: string) => text.slice(0, 8) + text.slice(-8)
      const known = [...this.sessions.keys()].findLast(each => ends(each) === ends(token))
      return super.accepts(known ?? token, request)
    }
  }
  const result = await runOn(new Lenient(), 'access-token-changed', 'access-with-token', 'access-after-rejection')
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
  class Any extends ScriptedCore {
    override accepts(token: string, request: CoreRequest): boolean {
      return super.accepts(token, request) || (!this.sessions.has(token) && token.length === 64)
    }
  }
  const result = await runOn(new Any(), 'access-unknown-token', 'access-after-rejection', 'access-with-token')
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

  class HeadOpen extends ScriptedCore {
    override accepts(token: string, request: CoreRequest): boolean {
      return super.accepts(token, request) || request.method === 'HEAD'
    }
  }
  const quick = { specs: specsOf('variations-requests'), configuration: QUICK, left: true }
  const result = await runAndCheck(new HeadOpen(), quick)
  const headers = /^Anybody who asks with HEAD sees what is there, and its headers, though not what it holds/
  assert.match(missed(result, 'variations-requests')?.consequence ?? '', headers)
  // A fleet says no more.
  const told = (...results: RunResult[]) => {
    const cores = results.map((each, index) => coreOf(each, { name: `lab-${index}` }))
    return patternsOf({ cores, requirements: requirementsOf(result) })[0]?.consequence ?? ''
  }
  assert.match(told(result), headers)
  // Where another Core, or another spec, saw the worst, that is what is told.
  class Open extends ScriptedCore {
    override accepts(): boolean {
      return true
    }
  }
  assert.match(told(result, await runOn(new Open(), 'access-unknown-token')), /^Anybody who reaches the Core/)
})

test('a bystander that dies accuses the requirement of its spec, also when it dies a moment later', async () => {
  for (const afterMs of [0, 400]) {
    class Reaching extends ScriptedCore {
      private readonly endsMs: number[] = []
      override refusal(request: CoreRequest): Reaction {
        if (this.isRevocation(request)) this.endsMs.push(request.atMs + afterMs)
        return super.refusal(request)
      }
      override react(request: CoreRequest): Reaction | Promise<Reaction> {
        while ((this.endsMs[0] ?? Number.POSITIVE_INFINITY) <= request.atMs) this.endNewest()
        return super.react(request)
      }
      private endNewest(): void {
        this.endsMs.shift()
        const last = [...this.sessions.values()].filter(({ revoked }) => !revoked).at(-1)
        if (last) last.revoked = true
      }
    }
    const result = await runOn(new Reaching(), 'revocation-without-token')
    assert.is(recordOf(result, 'revocation-without-token').outcome, 'failed', `after ${afterMs} ms`)
    assert.is(
      missed(result, 'revocation-without-token')?.seen,
      'a token that the request does not carry is ended: the newest',
    )
    assert.is(state(result, 'REVOKE-2'), 'not met')
  }
})

test('on a Core that leaves others alone bystanders accuse nobody', async () => {
  const core = new ScriptedCore()
  const result = await runOn(core, 'revocation-without-token', 'logon-wrong-password', 'host-missing-issues-nothing')
  assert.equal(
    result.specs.map(({ outcome }) => outcome),
    ['passed', 'passed', 'passed'],
  )
  assert.equal(
    ['REVOKE-2', 'LOGON-2', 'LOGON-4', 'HOST-2'].map(id => state(result, id)),
    ['met', 'met', 'met', 'met'],
  )
  assert.ok(core.requests.some(({ path }) => path === USERS))
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
