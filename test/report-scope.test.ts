/** No report claims more about a Core than was tested, and a result whose specs contradict its verdict is refused. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { coreOf } from '../dist/fleet/core.js'
import type { Fleet } from '../dist/fleet/types.js'
import { renderBadge, renderFleetBadge } from '../dist/report/badge.js'
import { renderCtrf } from '../dist/report/ctrf.js'
import { fleetReport } from '../dist/report/fleet/blocks.js'
import { limitsOf } from '../dist/report/fleet/words.js'
import { annotations } from '../dist/report/github.js'
import { renderHtml } from '../dist/report/html/page.js'
import { renderJunit } from '../dist/report/junit.js'
import { renderConsole, renderMarkdown } from '../dist/report/run/render.js'
import { renderTap } from '../dist/report/tap.js'
import { renderTerminal } from '../dist/report/terminal.js'
import { scopeOf, verdictText, withLimits } from '../dist/result/scope.js'
import type { RunResult } from '../dist/result.js'
import { schemaErrors } from '../dist/suite/schema.js'
import { fleet as fleetOf, result, spec } from './fixtures/results/results.js'

const test = suite('the scope of a verdict')

type Configured = Partial<RunResult['configuration']>

/** Makes a run of two specs that passed, of a suite of three, with these settings. */
function run(configuration: Configured, change: Partial<RunResult> = {}): RunResult {
  const plain = result([spec({ id: 'a' }), spec({ id: 'b', title: 'another' })], change)
  return { ...plain, configuration: { ...plain.configuration, ...configuration } }
}

const { dialect } = result([])
const known = result([spec({ id: 'a' }), spec({ id: 'b', title: 'another', outcome: 'known failure' })])
const doubtful = run({}, { doubts: [{ requirement: 'USE-1', text: 'seen' }] })

const conditionsText = (of: Fleet) => limitsOf(of).join(', ')

const CASES: [told: string, of: RunResult][] = [
  ['2 of 3 specs judged', run({ only: ['a', 'b'] })],
  ['USE-1 in doubt', doubtful],
  ['USE-1 in doubt, 2 of 3 specs judged, quick profile', run({ profile: 'quick' }, { doubts: doubtful.doubts ?? [] })],
  ['2 of 3 specs judged, quick profile', run({ profile: 'quick' })],
  ['with 1 known failure', known],
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
  const part = run({ only: ['a'], idleLifetimeMs: 5000 })
  assert.is(verdictText(part), 'conformant, 2 of 3 specs judged, at a lifetime of 5 s')
  assert.is(verdictText(run({ idleLifetimeMs: 5000 })), 'conformant at a lifetime of 5 s')
})

const fleet = (runs: Record<string, RunResult>) =>
  fleetOf(Object.entries(runs).map(([name, of]) => coreOf(of, { name })))

test('a fleet says it in the same words, and of how many Cores', async () => {
  for (const [told, of] of CASES) {
    const all = fleet({ a: of, b: of })
    // Known failures are counted over all Cores.
    assert.is(conditionsText(all), told.replace('with 1 known failure', 'with 2 known failures'))
    assert.equal(schemaErrors('fleet', all), [])
    assert.is(conditionsText(fleet({ a: of, b: run({}) })), told.replaceAll(/(?=, |$)/g, ' (1 of 2 Cores)'))
    const console = renderTerminal(fleetReport({ fleet: all }), { columns: 200, color: false })
    assert.ok(console.includes(`${withLimits('Conformant', limitsOf(all))}\n`), console)
    assert.ok(renderFleetBadge(all).includes(withLimits('2 Cores conformant', limitsOf(all))), told)
  }
  const untested = run({ idleLifetimeMs: 5000 }, { verdict: 'untestable' })
  assert.is(conditionsText(fleet({ a: run({}), b: untested })), '', 'what tested nothing has no part of it')
  const some = fleet({ a: run({ only: ['a'] }), b: run({ only: ['a'], idleLifetimeMs: 5000 }), c: known })
  assert.is(
    conditionsText(some),
    '2 of 3 specs judged (2 of 3 Cores), with 1 known failure (1 of 3 Cores), at a lifetime of 5 s (1 of 3 Cores)',
  )
  const half = run({ only: ['a'] })
  half.specs.splice(1)
  assert.is(conditionsText(fleet({ a: half, b: run({ only: ['*'] }) })), '1 to 2 of 3 specs judged')
  const times = [5000, 6000, 7000, 8000].map((idleLifetimeMs, at) => [`core-${at}`, run({ idleLifetimeMs })])
  const three = [5, 6, 7].map(seconds => `at a lifetime of ${seconds} s`).join(', ')
  assert.is(conditionsText(fleet(Object.fromEntries(times))), `${three} and 1 more`)
  // A Core without a result has the settings only.
  const older = fleet({ a: run({ only: ['a'], profile: 'quick' }) })
  for (const core of older.cores) delete core.scope
  assert.is(conditionsText(older), 'a selection of the specs, quick profile')
  // Beside Cores of which a number is known, one without a result has none.
  const lost = fleet({ a: half, b: run({ only: ['*'] }), c: run({ only: ['a'] }) })
  for (const core of lost.cores.slice(2)) delete core.scope
  assert.is(conditionsText(lost), '1 to 2 of 3 specs judged')
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

test.run()
