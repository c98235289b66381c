/** The JUnit report as others read it: by parsers that are not ours. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse as parseJunit2json, type TestSuites } from 'junit2json'
import { parse as parseTestResults } from 'test-results-parser'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { renderJunit } from '../dist/report/junit.js'
import { OUTCOMES, type RunResult } from '../dist/result.js'
import { HOSTILE } from './fixtures/results/hostile.js'
import { answered, result, spec, step } from './fixtures/results/results.js'
import * as samples from './fixtures/results/samples.js'
import { makeFolder } from './support/folder.js'
import { long } from './support/long.js'

const test = suite('readers of JUnit')
/** Makes a run with each outcome once, in two areas, with a text in every place. */
function mixed(text = 'Text', change: Partial<RunResult> = {}): RunResult {
  const steps = [step({ text, outcome: 'miss', expected: text, got: text })]
  return result(
    ['one', 'two'].flatMap(area =>
      OUTCOMES.map(outcome => spec({ area, title: `${outcome} ${text}`, outcome, steps, exchanges: [answered(text)] })),
    ),
    change,
  )
}

/** Number of elements of each kind. */
const EXPECTED = { tests: 2 * OUTCOMES.length, failures: 4, errors: 4, skipped: 6 }

long(test)('junit2json sees every case with its outcome', async () => {
  for (const text of ['Text', ...Object.values(HOSTILE)]) {
    const report = (await parseJunit2json(renderJunit(mixed(text)))) as TestSuites
    const { tests, failures, errors } = report
    assert.equal([tests, failures, errors], [EXPECTED.tests, EXPECTED.failures, EXPECTED.errors])
    const cases = report.testsuite?.flatMap(({ testcase = [] }) => testcase) ?? []
    assert.is(cases.length, EXPECTED.tests)
    const kinds = cases.map(each => (['failure', 'error', 'skipped'] as const).find(kind => each[kind]) ?? 'passed')
    const right = ['passed', 'failure', 'failure', 'skipped', 'passed', 'skipped', 'error', 'error', 'skipped']
    assert.equal(kinds, [...right, ...right])
    assert.is(report.testsuite?.length, 2)
    for (const { properties } of report.testsuite ?? [])
      assert.ok(properties?.some(({ name, value }) => name === 'verdict' && value === 'nonconformant'))
  }
})

test('test-results-parser sees the right counts, messages and places', () => {
  const folder = makeFolder()
  const read = (run: RunResult) => {
    const file = join(folder, 'junit.xml')
    writeFileSync(file, renderJunit(run))
    return parseTestResults({ type: 'junit', files: [file] })
  }
  const { total, passed, failed, errors, skipped, suites, status } = read(mixed())
  // This reader counts the tests that were not skipped.
  assert.equal([total, skipped], [EXPECTED.tests - EXPECTED.skipped, EXPECTED.skipped])
  assert.equal([passed, failed, errors, status], [4, EXPECTED.failures, EXPECTED.errors, 'FAIL'])
  assert.equal(
    suites[0]?.cases.map(({ name, status }) => [name, status]),
    OUTCOMES.map(outcome => [
      `${outcome} Text`,
      ['known failure', 'skipped', 'pending'].includes(outcome)
        ? 'SKIP'
        : ['passed', 'observed'].includes(outcome)
          ? 'PASS'
          : 'FAIL',
    ]),
  )
  assert.is(suites[0]?.cases[1]?.failure, 'Why it was failed.')
  const named = read(mixed('Text', { target: { url: 'https://10.0.0.5', kind: 'core', label: 'a "rack" & more' } }))
  for (const { metadata } of named.suites as { metadata: Record<string, unknown> }[])
    assert.equal([metadata['target.label'], metadata['target.url']], ['a "rack" & more', 'https://10.0.0.5'])
  assert.is(read(samples.conformant).status, 'PASS')
  for (const run of [samples.failing, samples.untestable, samples.interrupted]) assert.is(read(run).status, 'FAIL')
})

test('what a Core answers attaches no file, and sets no property', () => {
  const text = '[[ATTACHMENT|/etc/passwd]] [[PROPERTY|a=b]] [[PROPERTY|c]]x[[/PROPERTY]]'
  const xml = renderJunit(mixed(text))
  assert.not.match(xml, /\[\[(ATTACHMENT|\/?PROPERTY)/)
  assert.match(xml, /\[ \[ATTACHMENT\|\/etc\/passwd\]\]/)
})

test.run()
