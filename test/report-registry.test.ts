/** Checks every reporter of the registry, and that no other code asks for one by name. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DIFF_REPORTERS } from '../dist/diff/report/reporters.js'
import { FLEET_DIFF_REPORTERS, FLEET_REPORTERS } from '../dist/report/fleet/reporters.js'
import { filesOf, onPipe, placeOf, type Reporter } from '../dist/report/reporter.js'
import { defaultReporters, REPORTERS } from '../dist/report/reporters.js'
import { writeReports } from '../dist/report/write-reports.js'
import type { RunResult } from '../dist/result.js'
import { inFolder } from './cli-support.js'
import { everything, hostile } from './fixtures/results/pages.js'
import * as samples from './fixtures/results/samples.js'
import { assertInert } from './support/inert.js'
import { checkOutput, checkReport } from './support/report-checks.js'
import { reporters } from './support/reporters.js'

const test = suite('the registry of reporters')
const ROOT = join(import.meta.dirname, '..')
/** Every registry: of runs, of fleets, and of differences between them. */
const LISTS: readonly (readonly Reporter<never>[])[] = [
  REPORTERS,
  DIFF_REPORTERS,
  FLEET_REPORTERS,
  FLEET_DIFF_REPORTERS,
]
const PLAIN = { columns: 80, color: false }

/** Freezes a result: every change throws. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) frozen(inner)
  return Object.freeze(value)
}
/** Each verdict has words of its own; the other two hold everything that a report can show. */
const RUNS: RunResult[] = [samples.interrupted, samples.untestable, hostile, everything].map(frozen)

test('each has a name, says what it is for, and goes somewhere', () => {
  for (const list of LISTS) {
    const names = list.map(({ name }) => name)
    assert.equal([...new Set(names)], names)
    assert.equal([...new Set(filesOf(list))], filesOf(list))
    for (const { name, about, file, stream } of list) {
      assert.match(name, /^[a-z]+$/, 'a name has no slash, which makes a path')
      assert.ok(about.length > 10 && !/[.,]$/.test(about), name)
      assert.ok(file ?? stream, name)
    }
  }
})

for (const reporter of REPORTERS) {
  const { name, file, stream, render } = reporter

  test(`${name}: every result becomes a valid and inert text, twice the same, and stays as it was`, async () => {
    for (const run of RUNS) {
      const text = await render(run, PLAIN)
      // The hostile one is large: to make it once is enough.
      if (run !== hostile) assert.is(await render(run, PLAIN), text)
      assert.ok(text === '' ? stream === 'commands' : text.endsWith('\n'))
      if (file !== undefined) await checkReport(file, text, run)
      else checkOutput(stream === 'commands' ? text : text.replace(/^ *::/gm, ''), '')
      if (!file?.endsWith('.json')) assertInert(text.replaceAll('\u200b', ''))
    }
  })
}

test('the defaults: of a run, of one in GitHub Actions, of report', () => {
  assert.equal(defaultReporters('run', false), ['console', 'junit', 'json', 'html'])
  assert.equal(defaultReporters('run', true), ['console', 'junit', 'json', 'html', 'github'])
  assert.equal(defaultReporters('report', true), ['console', 'junit', 'html'])
})

test('of several for a pipe the first has it, and the others write their files', () =>
  inFolder(async folder => {
    const [tap] = reporters('tap')
    assert.ok(tap)
    const other: Reporter<RunResult> = {
      name: 'other',
      about: '',
      file: 'o.txt',
      stream: 'pipe',
      render: async () => 'o\n',
    }
    assert.is(onPipe([other, tap]), other)
    assert.is(onPipe([other, tap, ...reporters('console')]), undefined)
    const piped: string[] = []
    const { paths } = await writeReports(samples.conformant, {
      outDir: folder,
      reporters: [other, tap],
      pipe: text => piped.push(text),
    })
    assert.equal([piped, paths], [['o\n'], [join(folder, 'tap.txt')]])
  }))

test('docs/reporters.md shows what the registry says, and the README what is made by default', () => {
  const page = readFileSync(join(ROOT, 'docs', 'reporters.md'), 'utf8')
  const cells = [...page.matchAll(/^\| `(\w+)` *\| (.*?) *\| (.*?) *\|$/gm)].map(([, ...row]) => row)
  const code = (place: string) => place.replace(/\w+\.\w+/g, '`$&`')
  assert.equal(
    cells,
    REPORTERS.map(reporter => [reporter.name, code(placeOf(reporter)), reporter.about]),
  )
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
  for (const { name, file, stream, byDefault } of REPORTERS) {
    // The README lists the default reports; docs/reporters.md lists all of them.
    if (stream === 'terminal' || !byDefault) continue
    const row = readme.split('\n').find(line => line.startsWith('| ') && line.split('|')[2]?.trim() === `\`${name}\``)
    assert.ok(row, `the README has no row of ${name}`)
    if (file !== undefined) assert.ok(row?.includes(`\`reports/${file}\``), `the README does not name ${file}`)
  }
})

test('nothing outside of the registries asks for a reporter by its name', () => {
  const names = [...new Set(LISTS.flat().map(({ name }) => name))].join('|')
  const asks = new RegExp(`reporters?\\b[^\\n]*['"](?:${names})['"]|['"](?:${names})['"][^\\n]*\\breporters?\\b`, 'i')
  const folder = join(ROOT, 'src')
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(path => /\.tsx?$/.test(path) && !/^report\/(reporters|fleet\/reporters)\.ts$/.test(path))
    .filter(path => asks.test(readFileSync(join(folder, path), 'utf8')))
  assert.equal(found, [])
  assert.match("if (reporters.includes('tap'))", asks)
})

test.run()
