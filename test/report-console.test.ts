import { stripVTControlCharacters } from 'node:util'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { renderHtml } from '../dist/report/html/page.js'
import { renderConsole, renderMarkdown } from '../dist/report/run/render.js'
import { displayWidth } from '../dist/report/wrap.js'
import { writtenText } from '../dist/report/write-reports.js'
import { OUTCOMES, type RunResult, type StepRecord } from '../dist/result.js'
import { HOSTILE, hostileRun } from './fixtures/results/hostile.js'
import { result, type SpecChange, spec, step } from './fixtures/results/results.js'
import * as samples from './fixtures/results/samples.js'
import { assertInert } from './support/inert.js'

const plain = (run: RunResult, columns = 80) => renderConsole(run, { columns, color: false })
const verbose = (run: RunResult, columns = 80) => renderConsole(run, { columns, color: false, verbose: true })

const hostile = (text: string) => hostileRun(text, ['failed', 'observed', 'skipped', 'blocked'])

test('no line is wider than the columns or ends with a space, no two lines are blank, the last ends', () => {
  for (const columns of [40, 120]) {
    for (const run of [...Object.values(samples), ...(columns === 40 ? Object.values(HOSTILE).map(hostile) : [])]) {
      for (const text of [plain(run, columns), verbose(run, columns)]) {
        for (const line of text.split('\n')) assert.ok(displayWidth(line) <= columns, `${columns}: ${line}`)
        assert.not.match(text, / \n/)
        assert.not.match(text, /\n\n\n/)
        assert.match(text, /[^\n]\n$/)
      }
    }
  }
})

test('without colour there is no escape, and hostile text is inert either way', () => {
  for (const [name, text] of Object.entries(HOSTILE)) {
    const run = hostile(text)
    assertInert(plain(run), name)
    assert.not.match(plain(run), /\t/, name)
    const coloured = renderConsole(run, { columns: 80, color: true })
    // Only colours were added: nothing that moves a cursor.
    assert.is(stripVTControlCharacters(coloured), plain(run), name)
    for (const sequence of coloured.split('\u001b').slice(1)) assert.match(sequence, /^\[\d+m/, name)
  }
})

test('each outcome has a mark of its own, with title and requirement', () => {
  const text = verbose(result(OUTCOMES.map(outcome => spec({ title: `it ${outcome}`, outcome }))))
  const marks = [...text.matchAll(/^(\S) it (.*?) \(REVOKE-1\)/gm)].map(([, mark, outcome]) => `${mark} ${outcome}`)
  const all = '✓ passed, ✗ failed, + unexpected pass, ~ known failure, • observed, – skipped, ! blocked, ? inconclusive'
  assert.is(marks.join(', '), `${all}, … pending`)
})

test('a failure shows requirement, statement, section, step, expected, got, and place below the tree', () => {
  const text = verbose(samples.failing)
  assert.match(text, /\n✗ A request without Host is answered 406 \(HOST-1\)\n/)
  assert.match(
    text,
    `✗ HOST-1: A request without the HTTP Host header is answered 406 (Not
  Acceptable). (Errors)
    did       GET /api/v0/cores/self/users with token a, without Host
    expected  406 (Not Acceptable)
    got       400 Bad Request, 0 bytes
    spec      A request without Host is answered 406 (missing-host),
              specs/host.yaml:114
    rerun     core-conformance run --target https://10.0.0.5 --only \\
              missing-host --out reports/rerun/missing-host
    by hand   reports/reproduce/missing-host.sh
`,
  )
})

/** Makes a spec that saw something which is not to be. */
const saw = (id: string, change: Partial<StepRecord> = {}, more: SpecChange = {}) =>
  spec({
    id,
    title: `${id} holds`,
    outcome: 'failed',
    steps: [step({ outcome: 'miss', expected: 'rejected: 401', got: '200 OK', seen: `${id} opens`, ...change })],
    ...more,
  })

test('what was seen and what it means for clients stand first, and once for all specs of one cause', () => {
  const mute = { seen: 'the request got no answer', consequence: 'Nobody knows.', got: 'no response within 2 s' }
  const specs = [saw('head', { consequence: 'It leaks.' }), saw('get', { consequence: 'It leaks more.' })]
  const text = plain(result([...specs, saw('mute', mute)]), 100)
  const [, below = ''] = text.split('What failed\n\n')
  assert.is(below.split('The token is revoked; further').length, 2, 'the statement stands once')
  assert.match(below, /seen {9}head opens \(2 specs\)\n {4}for clients {2}It leaks\.\n {4}did /)
  assert.match(below, /also {9}get opens \(get\)\n/)
  assert.not.match(below, /It leaks more/)
  assert.match(below, /seen {9}the request got no answer\n {4}for clients {2}Nobody knows\.\n/)
  assert.match(below, /\n {2}failed +REVOKE-1 \(3 specs\)\n/)
})

test('of the specs of one cause, the one that shows what the requirement as a whole means speaks for all', () => {
  const requirements = [{ id: 'X-1', text: 'It holds.', section: 'Y', consequence: 'All is lost.' }]
  const small = saw('small', { consequence: 'A little.' }, { requirements })
  const great = saw('great', { consequence: 'All is lost.' }, { requirements })
  assert.match(
    plain(result([small, great])),
    /seen {9}great opens \(2 specs\)\n {4}for clients {2}All is lost\.\n[\s\S]*also {9}small opens \(small\)\n/,
  )
})

test('of several that show it, one of the area that most of them are of speaks for all', () => {
  const of = (id: string, area: string) => saw(id, { seen: 'it opens' }, { area })
  const specs = [of('odd', 'connections'), of('usual', 'revocation'), of('other', 'revocation')]
  assert.match(plain(result(specs)), /spec {6}.* \(usual\),/)
})

test('one that was seen again speaks before one that was seen once: its line to repeat it shows the failure', () => {
  const once = saw('once', {}, { seenOnce: true })
  assert.match(plain(result([once, saw('again', { seen: 'once opens' }, { area: 'other' })])), /spec {6}.* \(again\),/)
  assert.match(plain(result([once])), /spec {6}.* \(once\),/)
})

test('a failure without a missed step shows why', () => {
  const text = plain(result([spec({ outcome: 'failed', message: 'It leaked a token.', steps: [] })]))
  assert.match(text, /\n {4}why {4}It leaked a token\.\n/)
})

test('what happened to the Core, and what is in doubt, stand with the verdict', () => {
  const events = [{ kind: 'a restart', text: 'all 14 tokens died', fromMs: 3200, untilMs: 3400, specs: ['a'] }]
  const doubts = [{ requirement: 'ACCESS-1', text: 'it answers alike' }]
  assert.match(
    plain(result([spec()], { events, doubts }), 120),
    /\n {2}\? all 14 tokens died \(1 spec concerned\)\n {2}\? ACCESS-1 is in doubt: it answers alike\n {2}2 specs: {2}✓ 1 passed {2}– 1 not selected\n/,
  )
})

test('a reason that several areas share is told once, below the tree', () => {
  const blocked = (id: string, area: string, message: string) =>
    spec({ id, area, title: `Of ${id}`, outcome: 'blocked', message })
  const [room, other] = ['no room for tokens', 'another']
  const text = plain(result([blocked('a', 'one', room), blocked('b', 'two', room), blocked('c', 'two', other)]))
  assert.is(text.split('no room for tokens').length, 2)
  assert.match(text, /\n! 2 blocked: no room for tokens \(a, b\)\n/)
  assert.match(text, /\n! 1 blocked: Of c \(c\): another\n/)
})

test('a huge answer takes a few lines', () => {
  const got = `200 OK ${'0123456789 '.repeat(100_000)}`
  const text = plain(result([spec({ outcome: 'failed', steps: [step({ outcome: 'miss', expected: '401', got })] })]))
  assert.ok(text.split('\n').length < 35)
  assert.match(text, /…\n/)
})

test('a run that judged nothing is not a wall of skips', () => {
  const text = plain(samples.untestable)
  assert.match(text, /^– 12 skipped: the survey could not log on\n\n! Untestable\n/)
  assert.ok(text.split('\n').length < 15)
  // The reason stands once, with the verdict; what would have been left out anyway does not matter.
  const reason = 'nothing is listening'
  const blocked = spec({ outcome: 'blocked', message: reason })
  const away = result([blocked, { ...blocked, id: 'b' }, spec({ id: 'c', outcome: 'skipped', message: 'too long' })], {
    verdict: 'untestable',
    reason,
    advice: 'start it',
  })
  for (const told of [plain(away), verbose(away, 80)])
    assert.match(
      told,
      /^! Untestable\n {2}nothing is listening\n {2}→ start it\n\n {2}\d+ specs: {2}– 1 skipped {2}! 2 blocked( {2}– 1 not selected)?\n/,
    )
  assert.not.match(renderMarkdown(away), /What could not be tested/)
  assert.not.match(renderHtml(away), /What this run does not tell/)
})

test('the list of reports breaks between paths on a terminal, and never for a program', () => {
  const paths = ['reports/junit.xml', 'reports/result.json', 'reports/report.html', 'reports/badge.svg', 'reports/x.md']
  assert.is(
    writtenText(paths, 80),
    'Reports: reports/junit.xml, reports/result.json, reports/report.html,\nreports/badge.svg, reports/x.md\n',
  )
  assert.is(writtenText(paths), `Reports: ${paths.join(', ')}\n`)
})

test('a spec without requirements is a line without ids', () => {
  const run = result([spec({ title: 'theirs', requirements: [] })])
  assert.match(verbose(run, 80), /^revocation\n\n✓ theirs\n\n/)
})

test('areas stand in the order of the specs, each once', () => {
  const text = verbose(result([spec({ area: 'b' }), spec({ area: 'a' }), spec({ area: 'b' })]))
  assert.equal(text.match(/^\w$/gm), ['b', 'a'])
})

test('the summary says verdict, reason, advice, counts, target, time, tokens, notices', () => {
  const text = plain({ ...samples.interrupted, notices: ['first notice', 'second notice'] })
  assert.is(
    text.slice(text.indexOf('? Incomplete')),
    `? Incomplete
  the run was interrupted (Ctrl-C) with 4 of 12 specs to go.
  → core-conformance resume goes on where it stopped.

  13 specs:  ✓ 7 passed  • 1 observed  – 4 skipped  – 1 not selected

  requirements  3 of 6 tested: 3 met; 0 of 1 open point observed
  target        https://10.0.0.5
  time          2025-03-01 14:05 UTC, 12 min 34 s
  suite         core-conformance 0.1.0, full profile
  tokens        2 of 9 may still be live on the Core, until idle for 1 h
  note          first notice
  note          second notice
`,
  )
})

test('virtual time and the embedded mock are said so', () => {
  const text = plain(samples.conformant, 120)
  assert.match(text, /\n {2}time +\S+ \S+ UTC, 812 ms real, 1 h 54 min virtual: the mock Core's clock was advanced\n/)
  assert.match(text, /\n {2}target +https:\/\/127\.0\.0\.1:43117 \(embedded mock Core\)\n/)
  assert.not.match(text, /\n {2}tokens/)
})

test('the summary names what was broken, a few of many', () => {
  const specs = Array.from({ length: 8 }, (_, index) => spec({ requirements: [`X-${index}`], outcome: 'failed' }))
  assert.match(
    plain(result(specs), 120),
    /\n {2}failed {8}X-7 \(1 spec\), X-6 \(1 spec\), X-5 \(1 spec\), X-4 \(1 spec\), X-3 \(1 spec\) and 3 more\n/,
  )
})

test('what is piped is broken nowhere: every sentence stands on a line', () => {
  const reason = `${'a long reason '.repeat(30)}ends.`
  const text = plain(result([spec({ outcome: 'failed' })], { reason }), Number.POSITIVE_INFINITY)
  assert.ok(text.includes(`\n  ${reason}\n`))
  assert.match(
    text,
    /\n {4}rerun {5}core-conformance run --target https:\/\/10\.0\.0\.5 --only revoked-token-is-refused --out \S+\n/,
  )
})

test('a command line that has no room on one line can be copied all the same', () => {
  const text = plain(result([spec({ outcome: 'failed' })]), 60)
  const [, lines = ''] = /rerun {5}([\s\S]*?)\n +by hand/.exec(text) ?? []
  assert.ok(lines.includes(' \\\n'))
  assert.is(
    lines.replace(/ \\\n +/g, ' '),
    'core-conformance run --target https://10.0.0.5 --only revoked-token-is-refused --out reports/rerun/revoked-token-is-refused',
  )
})

test('specs fold into a line per area with what was left out below, and unfold where everything is asked for', () => {
  const run = result([
    spec({ area: 'one', title: 'first' }),
    spec({ area: 'one', title: 'second', outcome: 'observed' }),
    spec({ area: 'three', title: 'third', outcome: 'skipped', message: 'needs an hour' }),
    spec({ area: 'three', title: 'fourth', outcome: 'skipped', message: 'needs an hour' }),
    spec({ area: 'three', title: 'fifth', outcome: 'known failure', message: 'we know' }),
  ])
  assert.match(
    plain(run),
    /^✓ one {4}1 passed, 1 observed\n~ three {2}1 known failure, 2 skipped\n– 2 skipped: needs an hour\n\nKnown failures\n\n~ 1 known failure: fifth \(\S+\): REVOKE-1: we know\n\n✓ Conformant with 1 known failure\n/,
  )
  for (const title of ['first', 'second', 'third', 'fourth', 'fifth'])
    assert.ok(verbose(run).includes(` ${title} (REVOKE-1)`), title)
})

test('a conformant run fits on a screen of 24 lines, with what the command says around it', () => {
  const areas = ['access', 'connections', 'host', 'idle', 'logon', 'observe', 'revocation', 'variations']
  const specs = areas.flatMap(area => [spec({ area, id: `${area}-1` }), spec({ area, id: `${area}-2` })])
  const skipped = (id: string) => spec({ id, area: 'access', outcome: 'skipped', message: `why ${id}` })
  const text = plain(result([...specs, skipped('x'), skipped('y')]))
  // The plan, the reports, the contract, its left-out interactions, the exploration, and the prompt.
  const around = 6
  assert.ok(text.trimEnd().split('\n').length + around <= 24, text)
})

test('columns that are no number count as 80, and very wide ones as 120', () => {
  const text = plain(samples.failing, 80)
  assert.is(plain(samples.failing, Number.NaN), text)
  assert.is(plain(samples.failing, 0), text)
  assert.is(plain(samples.failing, 400), plain(samples.failing, 120))
})

test.run()
