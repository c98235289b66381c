/** That no report says more of a Core than was tested, and that a result whose specs do not bear its verdict is refused. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { renderBadge } from '../dist/report/badge.js'
import { renderConsole } from '../dist/report/console.js'
import { renderCtrf } from '../dist/report/ctrf.js'
import { annotations } from '../dist/report/github.js'
import { renderHtml } from '../dist/report/html/render.js'
import { renderJunit } from '../dist/report/junit.js'
import { renderMarkdown } from '../dist/report/markdown.js'
import { readResult } from '../dist/report/read.js'
import { scopeOf, verdictText } from '../dist/report/scope.js'
import { renderTap } from '../dist/report/tap.js'
import type { RunResult } from '../dist/result.js'
import { result, spec } from './fixtures/results/results.js'
import * as samples from './fixtures/results/samples.js'

const test = suite('the scope of a verdict')

type Configured = Partial<RunResult['configuration']>

/** Two specs that passed, of a suite of three, run as these settings say. */
function run(configuration: Configured, change: Partial<RunResult> = {}): RunResult {
  const plain = result([spec({ id: 'a' }), spec({ id: 'b', title: 'another' })], change)
  return { ...plain, configuration: { ...plain.configuration, ...configuration } }
}

const { dialect } = result([])
const CASES: [told: string, of: RunResult][] = [
  ['2 of 3 specs', run({ only: ['a', 'b'] })],
  ['2 of 3 specs, quick profile', run({ profile: 'quick' })],
  ['with 1 known failure', result([spec({ id: 'a' }), spec({ id: 'b', title: 'another', outcome: 'known failure' })])],
  ['at a lifetime of 5 s', run({ idleLifetimeMs: 5000 })],
  ['with a tolerance of 12.5 %', run({ idleTolerance: 0.125 })],
  ['with access control off', run({ accessControl: 'off' })],
  ['the probe /api/x answers 404', run({ probePath: '/api/x' }, { dialect: { ...dialect, acceptedStatus: 404 } })],
]

test('what was not as the reference has it is said, and nothing where all was', () => {
  assert.equal(scopeOf(run({})), [])
  assert.is(verdictText(run({})), 'conformant')
  const untested = run({ only: ['a'] }, { verdict: 'untestable' })
  assert.is(verdictText(untested), 'untestable', 'what tested nothing has no part of it')
  for (const [told, of] of CASES) assert.is(scopeOf(of).join(', '), told)
  assert.is(verdictText(run({ only: ['a'], idleLifetimeMs: 5000 })), 'conformant, 2 of 3 specs, at a lifetime of 5 s')
  assert.is(verdictText(run({ idleLifetimeMs: 5000 })), 'conformant at a lifetime of 5 s')
})

test('every report says it beside the verdict', () => {
  for (const [told, of] of CASES) {
    const reports: Record<string, string> = {
      console: renderConsole(of, { columns: 120, color: false }),
      badge: renderBadge(of),
      markdown: renderMarkdown(of).replaceAll('\\', ''),
      junit: renderJunit(of),
      tap: renderTap(of),
      ctrf: renderCtrf(of),
      html: renderHtml(of),
    }
    for (const [name, text] of Object.entries(reports)) assert.ok(text.includes(told), `${name}: ${told}`)
    const [, headline = ''] = /^(✓ Conformant.*)$/m.exec(reports.console ?? '') ?? []
    assert.ok(headline.endsWith(told), headline)
    assert.match(reports.markdown ?? '', new RegExp(`^# ✅ Conformant,? ${told.replaceAll('.', '\\.')}\\n`))
    assert.ok(reports.junit?.includes(`<property name="verdict.scope" value="${told}"/>`))
    const { target } = of
    assert.ok(annotations({ ...of, target, verdict: 'pending' }).includes(`The run is pending`))
  }
})

async function refusal(change: (run: RunResult) => RunResult, of: RunResult): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'core-conformance-scope-'))
  try {
    const file = join(folder, 'result.json')
    writeFileSync(file, JSON.stringify(change(of)))
    return await readResult(file).then(
      () => '',
      (error: unknown) => String(error),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('a result whose verdict its specs do not bear is refused, and says what is wrong', async () => {
  const { failing, conformant, interrupted, untestable, quick } = samples
  for (const sample of [failing, conformant, interrupted, untestable, quick])
    assert.is(await refusal(each => each, sample), '', sample.verdict)
  const verdict = (word: RunResult['verdict']) => (of: RunResult) => ({ ...of, verdict: word })
  assert.match(
    await refusal(verdict('conformant'), failing),
    /it says conformant, and \d specs? of it failed; run again$/,
  )
  assert.match(await refusal(verdict('incomplete'), failing), /it says incomplete, and \d specs? of it failed/)
  assert.match(await refusal(verdict('nonconformant'), conformant), /it says nonconformant, and no spec of it failed/)
  assert.match(await refusal(verdict('pending'), conformant), /it says pending, and no spec of it waits/)
  const blocked = result([spec(), spec({ id: 'b', title: 'b', outcome: 'blocked' })])
  assert.match(await refusal(verdict('conformant'), blocked), /1 spec of it could not be judged/)
  assert.match(await refusal(verdict('conformant'), result([spec({ outcome: 'skipped' })])), /no spec of it passed/)
  // What was painted over in the counts, too.
  const painted = (of: RunResult): RunResult => ({
    ...of,
    verdict: 'conformant',
    counts: { ...of.counts, failed: 0, passed: of.specs.length },
  })
  assert.match(await refusal(painted, failing), /it counts \d+ passed, and its specs are \d+/)
})

test.run()
