/** CTRF, Markdown, GitHub, badge and TAP: what readers of each format make of them, also of hostile results. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { validate } from 'ctrf'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { marked } from 'marked'
import { Parser } from 'tap-parser'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { renderBadge } from '../dist/report/badge.js'
import { renderCtrf } from '../dist/report/ctrf.js'
import { annotations, writeSummary } from '../dist/report/github.js'
import { fence } from '../dist/report/inert.js'
import { renderMarkdown } from '../dist/report/run/render.js'
import { renderTap } from '../dist/report/tap.js'
import { writeReports } from '../dist/report/write-reports.js'
import { OUTCOMES, type RunResult } from '../dist/result.js'
import { HOSTILE, hostileRun } from './fixtures/results/hostile.js'
import { exchange, result, spec, step } from './fixtures/results/results.js'
import * as samples from './fixtures/results/samples.js'
import { makeFolder } from './support/folder.js'
import { assertInert } from './support/inert.js'
import { long } from './support/long.js'
import { checkMarkdown } from './support/report-checks.js'
import { reporters } from './support/reporters.js'

const test = suite('report formats')

const everyOutcome = () => OUTCOMES.map(outcome => spec({ id: `the-${outcome}`, title: `Of ${outcome}`, outcome }))

/** Texts that look like syntax in one of the formats. */
const TRAPS: Record<string, string> = {
  ...HOSTILE,
  html: '<script>alert(1)</script><img src=x onerror=alert(1)><!-- --></details>',
  markdown: '# h\n\n- l\n\n[link](https://evil.example) ![img](x) **b** `c` | d | ~~s~~ <https://evil.example>',
  address: 'https://evil.example www.evil.example evil@evil.example @everyone $x^2$ 1. one',
  command: '::error::pwned\n::set-output name=a::b\n##[error]pwned\n%0A::warning::x',
  fences: '```\n````\n~~~\n<b>bold</b>\n`````',
  yaml: "...\n---\n- &a *a !!js/function 'x': [1, {}]\nkey: | \n ok 1 - no\n",
  tap: 'x # SKIP not\nnot ok 99 - no\nBail out! no\n1..0\npragma +strict\n\\# TODO \\\\#',
}

interface Point {
  ok: boolean
  name: string
  skip?: string | boolean
  diag?: Record<string, unknown>
}

function parseTap(text: string) {
  const points: Point[] = []
  const extras: string[] = []
  const comments: string[] = []
  const parser = new Parser()
  parser.on('comment', (line: string) => comments.push(line))
  parser.on('assert', (point: Point) => points.push(point))
  parser.on('extra', (line: string) => extras.push(line))
  const bails: unknown[] = []
  parser.on('bailout', (reason: unknown) => bails.push(reason))
  parser.end(text)
  assert.ok(parser.results)
  return { points, extras, comments, bails, results: parser.results }
}

test('label, firmware and certificate of the target stand in every format that tells of the run', () => {
  const { target: bare } = samples.failing
  const target = { ...bare, label: 'rack 7', firmware: '10.4.1-rc2' }
  const run = { ...samples.failing, target }
  const { environment } = JSON.parse(renderCtrf(run)).results
  assert.equal([environment.appName, environment.appVersion], ['rack 7', '10.4.1-rc2'])
  assert.equal([environment.extra['target.url'], environment.extra.profile], [bare.url, 'full'])
  assert.is(JSON.parse(renderCtrf(samples.failing)).results.environment.appName, bare.url)
  assert.match(
    renderMarkdown(run),
    /^\| target \| rack 7, https\\:\/\/10\.0\.0\.5 \|\n\| firmware \| 10\\?\.4\.1-rc2 \|\n\| certificate \| AB:/m,
  )
  assert.not.match(renderMarkdown(samples.failing), /firmware/)
  const { comments } = parseTap(renderTap(run))
  for (const told of ['target.label: rack 7', 'target.firmware: 10.4.1-rc2', 'dialect.rejected.status: 401'])
    assert.ok(comments.includes(`# ${told}\n`), comments.join(''))
})

test('CTRF: each outcome has its status, with the right counts', () => {
  const { results } = JSON.parse(renderCtrf(result(everyOutcome())))
  const statuses = results.tests.map((each: { rawStatus: string; status: string }) => [each.rawStatus, each.status])
  assert.equal(Object.fromEntries(statuses), {
    passed: 'passed',
    failed: 'failed',
    'unexpected pass': 'failed',
    'known failure': 'skipped',
    observed: 'passed',
    skipped: 'skipped',
    blocked: 'other',
    inconclusive: 'other',
    pending: 'pending',
  })
  const { tests, passed, failed, skipped, pending, other, extra, start, stop } = results.summary
  assert.equal([tests, passed, failed, skipped, pending, other], [9, 2, 2, 2, 1, 2])
  assert.is(extra.verdict, 'nonconformant')
  assert.is(stop - start, 4130)
  const of = (outcome: string) => results.tests.find((each: { rawStatus: string }) => each.rawStatus === outcome)
  assert.match(of('observed').stdout.join('\n'), /^Why it was observed\.\n/)
  assert.is(of('failed').message, 'Why it was failed.')
  assert.match(of('failed').trace, /REVOKE-1 .*\n[\s\S]*expected: rejected/)
})

test('CTRF: what no spec tells is a test; times are times', () => {
  const { results } = JSON.parse(renderCtrf(result([], { verdict: 'untestable', reason: 'Nothing answered.' })))
  const [{ status, message }, ...others] = results.tests
  assert.equal([results.summary.tests, status, message, others], [1, 'other', 'Nothing answered.', []])
  const odd = [Number.NaN, Number.POSITIVE_INFINITY, -5, 1.5].map(durationMs =>
    spec({ durationMs, atMs: durationMs, line: -1 }),
  )
  assert.ok(validate(JSON.parse(renderCtrf(result(odd, { startedAt: 'no date', durationMs: Number.NaN })))).valid)
})

/** Outcomes that are red, and outcomes that are skipped, in a format that knows only these two. */
const RED = ['failed', 'unexpected pass', 'blocked', 'inconclusive']
const SKIPPED = ['known failure', 'skipped', 'pending']

test('TAP: version 14, taken by a parser in strict mode, with the right counts', () => {
  const tap = renderTap(result(everyOutcome())).replace('TAP version 14\n', 'TAP version 14\npragma +strict\n')
  const { points, results, extras } = parseTap(tap)
  assert.equal(extras, [])
  assert.equal(
    points.map(({ ok, name, skip, diag }) => [name, ok, Boolean(skip), diag?.outcome]),
    OUTCOMES.map(outcome => [
      `Of ${outcome}`,
      !RED.includes(outcome),
      SKIPPED.includes(outcome),
      ['passed', ...SKIPPED].includes(outcome) ? undefined : outcome,
    ]),
  )
  const skipOf = (outcome: string) => points.find(({ name }) => name === `Of ${outcome}`)?.skip
  assert.is(skipOf('skipped'), 'Why it was skipped.')
  assert.is(skipOf('pending'), 'pending: Why it was pending.')
  assert.match(String(points[1]?.diag?.evidence), /expected: rejected: 401/)
  assert.equal([results.count, results.fail, results.skip], [9, 4, 3])
  assert.not(parseTap(renderTap(result([], { verdict: 'untestable' }))).results.ok)
  assert.ok(parseTap(renderTap(result([spec()]))).results.ok)
})

long(test)('TAP: hostile text stays within its test', () => {
  for (const [name, text] of Object.entries(TRAPS)) {
    const tap = renderTap(hostileRun(text))
    assertInert(tap)
    const { points, extras, bails, results } = parseTap(tap)
    assert.equal([extras, bails, points.length], [[], [], OUTCOMES.length], name)
    const red = OUTCOMES.filter((_, at) => !points[at]?.ok)
    assert.equal(red.sort(), [...RED].sort(), name)
    assert.equal([results.fail, results.skip, results.todo], [4, 3, 0], name)
    assert.is(typeof points[1]?.diag?.evidence, 'string', name)
  }
})

test('Markdown: says what a release note needs', () => {
  const markdown = renderMarkdown(samples.failing)
  assert.match(markdown, /^# ❌ Nonconformant\n/)
  assert.match(
    markdown,
    /### ✗ REVOKE-1: The token is revoked; further \/api requests with it are prevented\. \(Endpoints, 2\. Revoke a token\)/,
  )
  assert.match(markdown, /- expected: rejected: 401/)
  const html = marked.parse(renderMarkdown(result(everyOutcome())), { gfm: true, async: false })
  const titles = ['What failed', 'What this run does not tell', 'Known failures', 'Facts observed']
  for (const text of [...titles, 'Why it was pending.']) assert.ok(html.includes(text), text)
  const visits = [{ fromAt: '2026-11-21T14:05:10.000Z', untilAt: null }]
  const pending = renderMarkdown(result([spec()], { verdict: 'pending', visits }))
  assert.match(pending, /^- 2026-11-21 14:05:10 UTC or later: `core-conformance resume`$/m)
})

test('Markdown: hostile text is text', () => {
  for (const [name, text] of Object.entries(TRAPS)) {
    const markdown = renderMarkdown(hostileRun(text))
    checkMarkdown(markdown)
    // Code mentions nobody.
    assert.not.match(markdown.replace(/^(`{3,})text\n[\s\S]*?^\1$/gm, ''), /@everyone/)
    const rows = markdown.split('\n').filter(line => line.startsWith('- ~ '))
    assert.is(rows.length, 1, name)
  }
})

/** The steps of a spec that fails for a cause of its own. */
const failedFor = (n: number) => [step({ outcome: 'miss', expected: `word ${'x'.repeat(n + 1)}`, got: '200 OK' })]

long(test)('Markdown: shorter where there is less room, never longer', () => {
  const exchanges = Array.from({ length: 20 }, (_, atMs) => exchange({ atMs }))
  const failed = (n: number) => spec({ title: `No ${n}`, outcome: 'failed', exchanges, steps: failedFor(n) })
  const many = result(Array.from({ length: 400 }, (_, n) => failed(n)))
  const whole = renderMarkdown(many)
  let last = Buffer.byteLength(whole)
  assert.ok(last > 1024 * 1024)
  for (const room of [1024 * 1024, 20_000, 2_000, 600, 10, 0]) {
    const bytes = Buffer.byteLength(renderMarkdown(many, room))
    assert.ok(bytes <= room && bytes <= last, String(room))
    last = bytes
  }
  assert.match(renderMarkdown(many, 20_000), /380 more causes are left out here/)
  assert.match(renderMarkdown(many, 600), /Nonconformant/)
})

function commandOf(line: string) {
  const found = /^\s*::(\w+)(?: (.*?))?::(.*)$/.exec(line)
  if (!found) return undefined
  const [, level, properties = '', data = ''] = found
  const plain = (text: string) => text.replaceAll('%0D', '\r').replaceAll('%0A', '\n')
  const value = (text: string) => plain(text).replaceAll('%3A', ':').replaceAll('%2C', ',').replaceAll('%25', '%')
  const pairs = properties
    .split(',')
    .map(pair => [pair.slice(0, pair.indexOf('=')), value(pair.slice(pair.indexOf('=') + 1))])
  return { level, properties: Object.fromEntries(pairs), message: plain(data).replaceAll('%25', '%') }
}

test('GitHub: an annotation for each failure, with its place', () => {
  const own = { file: 'specs/a,b.yaml', line: 7, isOwn: true as const }
  const failed = spec({ ...own, title: 'a: b, 100 %', outcome: 'failed', message: 'x\ny: 50 %, z' })
  const lines = annotations(result([spec(), failed, spec({ outcome: 'inconclusive' })])).split('\n')
  assert.is(lines.length, 3)
  const { level, properties, message } = commandOf(lines[0] ?? '') ?? {}
  assert.equal([level, properties], ['error', { file: 'specs/a,b.yaml', line: '7', title: 'a: b, 100 %' }])
  assert.match(message ?? '', /^x y: 50 %, z\nREVOKE-1: [\s\S]*\n {2}expected: rejected/)
  assert.match(lines[0] ?? '', /^::error file=specs\/a%2Cb\.yaml,line=7,title=a%3A b%2C 100 %25::x y: 50 %25, z%0A/)
  assert.is(commandOf(lines[1] ?? '')?.level, 'warning')
  assert.is(annotations(result([spec()])), '')
  const levelOf = (run: RunResult) => commandOf(annotations(run).trim())?.level
  assert.is(levelOf(result([], { verdict: 'untestable' })), 'error')
  assert.is(levelOf(result([spec({ outcome: 'pending' })], { verdict: 'pending' })), 'notice')
})

test('GitHub: ten at the most, and the last says how many more', () => {
  const specs = Array.from({ length: 25 }, (_, n) => spec({ outcome: 'failed', steps: failedFor(n) }))
  const lines = annotations(result(specs)).trim().split('\n')
  assert.is(lines.length, 10)
  assert.is(commandOf(lines[9] ?? '')?.properties.title, '16 more causes')
})

test('GitHub: what could not be tested is told once for each reason, and what to do about an untestable run', () => {
  const blocked = (title: string, message: string) => spec({ title, outcome: 'blocked', message })
  const refused = Array.from({ length: 30 }, (_, n) => blocked(`spec ${n}`, 'the credentials were refused'))
  const run = result([...refused, blocked('another', 'it waited')], {
    verdict: 'untestable',
    reason: 'the credentials were refused',
    advice: 'check CORE_USERNAME and CORE_PASSWORD',
  })
  const [error, many, one, ...none] = annotations(run).trim().split('\n').map(commandOf)
  assert.equal(none, [])
  assert.equal([error?.level, error?.properties.title], ['error', 'The run is untestable'])
  assert.match(error?.message ?? '', /Next: check CORE_USERNAME/)
  assert.equal([many?.level, many?.properties.title], ['warning', '30 specs could not be tested'])
  assert.match(many?.message ?? '', /^the credentials were refused\n- spec 0\n- spec 1\n/)
  assert.equal([one?.level, one?.properties.title], ['warning', 'another'])
})

test('GitHub: hostile text makes no command of its own', () => {
  for (const [name, text] of Object.entries(TRAPS)) {
    const lines = annotations(hostileRun(text))
    assertInert(lines)
    const commands = lines.trimEnd().split('\n').map(commandOf)
    const levels = commands.map(command => command?.level)
    assert.equal(levels, ['error', 'error', 'error', 'warning', 'notice', 'notice'], name)
    const keys = commands.flatMap(command => Object.keys(command?.properties ?? {}))
    assert.equal([...new Set(keys)], ['title'], name)
  }
  const { open, close } = fence('abc')
  assert.equal([open, close], ['::stop-commands::abc\n', '::abc::\n'])
})

test('GitHub: the summary is appended, and never longer than GitHub takes', async () => {
  const folder = makeFolder()
  const file = join(folder, 'summary.md')
  writeFileSync(file, 'before\n')
  await writeSummary(samples.conformant, file)
  assert.is(readFileSync(file, 'utf8'), `before\n${renderMarkdown(samples.conformant)}`)
  writeFileSync(file, 'x'.repeat(1024 * 1024 - 700))
  await writeSummary(samples.conformant, file)
  const { length } = readFileSync(file)
  assert.ok(length <= 1024 * 1024 && length > 1024 * 1024 - 700)
  const told: string[] = []
  const github = { summaryFile: undefined, command: (text: string) => told.push(text) }
  await writeReports(samples.failing, { outDir: folder, reporters: reporters('github'), github })
  assert.equal(told, [annotations(samples.failing)])
  await writeReports(samples.failing, { outDir: folder, reporters: reporters('json'), github })
  assert.is(told.length, 1, 'only when asked for')
})

test('a badge is an SVG that says the verdict', () => {
  const says = (run: RunResult) => {
    const svg = renderBadge(run)
    assert.is(XMLValidator.validate(svg), true)
    return String(new XMLParser().parse(svg).svg.title)
  }
  assert.is(says(result([spec()])), 'Core API: conformant')
  const quick = result([spec()], { configuration: { ...result([]).configuration, profile: 'quick' } })
  assert.is(says(quick), 'Core API: conformant, 1 of 2 specs judged, quick profile')
  const failed = result([spec({ outcome: 'failed' }), spec({ outcome: 'unexpected pass' })])
  assert.is(says(failed), 'Core API: 1 spec failed')
  assert.is(says(result([], { verdict: 'untestable' })), 'Core API: untestable')
  assert.is(says(result([spec()], { verdict: 'pending' })), 'Core API: pending')
})

test.run()
