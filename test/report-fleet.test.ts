/** The reports of a fleet: each failed requirement with an example that can be repeated, and no text of a Core acts. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { coreOf, requirementsOf } from '../dist/fleet/core.js'
import { failuresOf } from '../dist/report/causes.js'
import type { FleetSource } from '../dist/report/fleet/blocks.js'
import { FLEET_REPORTERS } from '../dist/report/fleet/reporters.js'
import type { RunResult } from '../dist/result.js'
import { hostile } from './fixtures/results/pages.js'
import { fleet as fleetOf } from './fixtures/results/results.js'
import { conformant, failing } from './fixtures/results/samples.js'
import { assertInert } from './support/inert.js'

const test = suite('the reports of a fleet')

/** Makes a fleet of these runs, by the names of their Cores, and counts how often each result is read. */
function fleetWith(runs: Record<string, RunResult>): FleetSource & { readings: Record<string, number> } {
  const readings: Record<string, number> = {}
  const cores = Object.entries(runs).map(([name, run]) => coreOf(run, { name }))
  const fleet = fleetOf(cores, requirementsOf(Object.values(runs)[0] ?? conformant))
  const resultOf = async ({ name }: { name: string }) => {
    readings[name] = (readings[name] ?? 0) + 1
    return runs[name]
  }
  return { fleet, resultOf, resumeCommand: 'core-conformance resume', readings }
}

/** The failing sample on a Core that the user named. */
const named = (name: string): RunResult => ({
  ...failing,
  target: { ...failing.target, label: name, flags: { target: name, config: 'lab.yaml', username: 'admin' } },
})

for (const about of ['at a terminal', 'for release notes']) {
  const [reporter] = FLEET_REPORTERS.filter(({ stream, file }) =>
    about === 'at a terminal' ? stream === 'terminal' : file === 'report.md',
  )

  test(`${about}: each failed requirement has what was expected, what came, and the line that repeats it`, async () => {
    assert.ok(reporter)
    const source = fleetWith({ 'lab-1': conformant, 'lab-2': named('lab-2'), 'lab-3': named('lab-3') })
    const text = await reporter.render(source, { columns: 80, color: false })
    const flat = text
      .replaceAll(/ \\\n\s+/g, ' ')
      .replaceAll(/\n +(?=\S)/g, ' ')
      .replaceAll('\\_', '_')
    const failures = failuresOf(failing).filter(({ requirement }) => requirement)
    assert.ok(failures.length > 1)
    for (const { causes } of failures) {
      const [first] = causes[0]?.specs ?? []
      assert.ok(first)
      const line = `core-conformance run --target lab-2 --config lab.yaml --username admin --only ${first.id}`
      assert.ok(flat.includes(line), `${line}\nis not in\n${text}`)
    }
    assert.match(flat, /expected:? +rejected: 401/)
    assert.match(flat, /got:? +200 OK, 31 bytes/)
    assert.match(flat, /such as:? +lab-2/)
    assert.is(flat.split('the password is taken from CORE_PASSWORD').length, 2, 'said once')
    assert.equal(source.readings, { 'lab-2': 1 }, 'one result tells of all requirements that its Core fails')
    if (reporter.stream === 'terminal') for (const line of text.split('\n')) assert.ok(line.length <= 80, line)
  })

  test(`${about}: without the result of a Core there is no example, and all else is told`, async () => {
    assert.ok(reporter)
    const source = fleetWith({ 'lab-1': named('lab-1') })
    const text = await reporter.render({ ...source, resultOf: async () => undefined }, { columns: 80, color: false })
    assert.not.match(text, /core-conformance run|To rerun/)
    assert.match(text, /lab-1/)
  })
}

test('no text of a Core acts in any report of a fleet', async () => {
  const source = fleetWith({ 'lab-1': hostile, 'lab-2': failing })
  for (const { name, file, render } of FLEET_REPORTERS) {
    if (file?.endsWith('.json')) continue
    const text = await render(source, { columns: 80, color: true })
    assert.ok(text.length > 0, name)
    // Colours are ours.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for
    assertInert(text.replaceAll(/\u001b\[\d+m/g, '').replaceAll('\u200b', ''))
  }
})

test.run()
