/** An open Core that is tested as one that demands tokens: every report gives one cause. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { failedSinceOpen, failuresOf, OPEN_CORE } from '../dist/report/causes.js'
import { annotations } from '../dist/report/github.js'
import { renderHtml } from '../dist/report/html/page.js'
import { renderJunit } from '../dist/report/junit.js'
import { renderConsole, renderMarkdown } from '../dist/report/run/render.js'
import type { RunResult } from '../dist/result.js'
import { result, spec, step } from './fixtures/results/results.js'
import { runInMemory } from './support/memory-run.js'
import { SPECS } from './support/suite-run.js'

const test = suite('an open Core')

const ONLY = SPECS.filter(({ id }) => /^(?:access-.*|revocation-rejects|host-missing-access-http11)$/.test(id))

test('each report says it once, and what to do', async () => {
  const ran = await runInMemory(ONLY, { accessControl: 'off', configuration: { profile: 'quick' } })
  const failed = ran.specs.filter(({ outcome }) => outcome === 'failed')
  assert.ok(failed.length > 6)
  assert.equal(failuresOf(ran).length, 1)
  const times = (text: string, part: string) => text.split(part).length - 1
  const console = renderConsole(ran, { columns: Number.POSITIVE_INFINITY, color: false })
  assert.is(times(console, OPEN_CORE), 1)
  assert.is(times(console, '    seen  '), 1)
  assert.match(console, new RegExp(`also +${failed.length - 1} specs more that expect a refusal`))
  assert.not.match(console, /^What could not be judged/m)
  const markdown = renderMarkdown(ran).replaceAll('\\', '')
  assert.is(times(markdown, `→ **${OPEN_CORE}**`), 1)
  assert.is(times(markdown, '\n### ✗'), 1)
  const errors = annotations(ran)
    .split('\n')
    .filter(line => line.startsWith('::error'))
  assert.is(errors.length, 1)
  assert.ok(errors[0]?.includes(OPEN_CORE))
  assert.is(times(annotations(ran), 'as a fresh token gets'), 0, 'what is blocked for it is no warning')
  assert.ok(renderHtml(ran).includes('--access-control off'))
  // Every case of JUnit keeps its outcome: readers count them.
  assert.is(times(renderJunit(ran), '<failure '), failed.length)
  assert.is(times(renderJunit(ran), `Next: ${OPEN_CORE}`), failed.length)
})

test('a Core that refuses some, or refuses by words alone, is no open one', () => {
  const letIn = (id: string) => {
    const miss = step({ outcome: 'miss', expected: 'rejected: 401', got: '200 OK, as a fresh token gets' })
    return spec({ id, title: id, outcome: 'failed', steps: [miss] })
  }
  const of = (statuses: Partial<RunResult['dialect']>) => {
    const plain = result([letIn('a'), letIn('b')])
    return failedSinceOpen({ ...plain, dialect: { ...plain.dialect, refused: [], ...statuses } }).length
  }
  assert.is(of({ rejectedStatus: 200, unknownTokenStatus: 200 }), 2)
  assert.is(of({ rejectedStatus: 401, unknownTokenStatus: 200 }), 0)
  assert.is(of({ rejectedStatus: 200, unknownTokenStatus: 401 }), 0)
  assert.is(of({ rejectedStatus: null, unknownTokenStatus: null }), 0)
})

test.run()
