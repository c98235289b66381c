import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fieldsOf } from '../dist/diff/compare-facts.js'
import { diffOf, exitCodeOf } from '../dist/diff/diff.js'
import { diffReport } from '../dist/diff/report/blocks.js'
import { renderDiffHtml } from '../dist/diff/report/reporters.js'
import { RULES } from '../dist/diff/rules.js'
import type { Comparison, Diff, Difference } from '../dist/diff/types.js'
import { renderMarkdown } from '../dist/report/markdown.js'
import type { ConsoleOptions } from '../dist/report/reporter.js'
import { renderTerminal } from '../dist/report/terminal.js'
import type { Facts, RequirementState, RunResult, SpecRecord } from '../dist/result.js'
import { schemaErrors } from '../dist/suite/schema.js'
import { result, spec, step } from './fixtures/results/results.js'
import { conformant } from './fixtures/results/samples.js'

const test = suite('diff')

const renderDiffConsole = (diff: Diff, options: ConsoleOptions) =>
  renderTerminal(diffReport(diff, options.quiet), options)
const renderDiffMarkdown = (diff: Diff) => renderMarkdown(diffReport(diff))

/** Compares runs, by the names of their files. */
const diffed = (runs: Record<string, RunResult>) =>
  diffOf(Object.entries(runs).map(([file, result]) => ({ file, result })))
/** Returns the exit code of a comparison. */
const exitCode = (was: RunResult, is: RunResult) => exitCodeOf(diffed({ was, is }))

/** Compares two runs; every comparison fits the schema. */
function compared(was: RunResult, is: RunResult): Comparison {
  const diff = diffed({ 'old.json': was, 'new.json': is })
  assert.equal(schemaErrors('diff', diff), [])
  const [comparison] = diff.comparisons
  if (!comparison) throw new Error('no comparison')
  return comparison
}

/** Describes a change of facts as `rule: subject part was → is`. */
function facts(was: Facts, is: Facts): string[] {
  const one = [spec({ id: 'a' })]
  return compared(result(one, { facts: was }), result(one, { facts: is })).differences.map(told)
}

/** Lists the rules of the changes between two runs. */
const rules = (was: RunResult, is: RunResult) => compared(was, is).differences.map(({ rule }) => rule)

const namesIn = ({ runs }: Diff) => runs.map(({ name }) => name)

const leftOf = ({ notCompared }: Comparison) =>
  notCompared.map(({ kind, subject, why }) => `${kind} ${subject}: ${why}`)

const told = ({ rule, subject, part, was, is }: Difference) =>
  `${rule}: ${[subject, part].filter(text => text !== undefined).join(' ')} ${was} → ${is}`

test('equal runs have no differences, whatever their times and tokens are', () => {
  const run = result([spec({ id: 'a' }), spec({ id: 'b', outcome: 'observed' })])
  const again = { ...run, startedAt: '2025-04-01T00:00:00.000Z', durationMs: 7, tokens: { issued: 99, left: 0 } }
  const { differences, counts, notices, notCompared, ...rest } = compared(run, again)
  assert.equal([differences, notices, notCompared], [[], [], []])
  assert.equal(counts, { breaking: 0, risky: 0, harmless: 0 })
  assert.is(rest.compared, 2)
  assert.is(exitCode(run, again), 0)
})

test('each rule, with the consequence that it gives', () => {
  const CASES: [rule: string, fact: string, was: Facts[string], is: Facts[string]][] = [
    ['token-refusal-status', 'no-token.status', 401, 403],
    ['refusal-sign', 'access.refused', 'closed', 'header.location=/login'],
    ['refusal-lost', 'no-token.status', 401, 200],
    ['refusal-gained', 'revoked-token.status', 200, 401],
    ['log-off-refused', 'revocation-repeated.status', 204, 401],
    ['refusal-lost', 'logon-wrong-password.status', 401, 200],
    ['refusal-lost', 'options.status', 401, 204],
    ['refusal-lost', 'mine.status', 401, 200],
    ['success-gained', 'mine.status', 404, 200],
    ['success-gained', 'access.status', 403, 200],
    ['refusal-status', 'options.status', 401, 403],
    ['success-status', 'logon.status', 201, 200],
    ['success-lost', 'head.status', 200, 405],
    ['success-gained', 'head.status', 405, 200],
    ['content-type-of-work', 'logon.content-type', 'a', 'b'],
    ['content-type', 'head.content-type', 'a', 'b'],
    ['body-of-work', 'access.body', '[{a: string}]', 'markup'],
    ['body-added', 'x.body', 'empty', 'text'],
    ['body', 'x.body', 'text', 'empty'],
    ['token-field', 'token.field', '/a', '/b'],
    ['token-shorter', 'token.length', 9, 8],
    ['token-length', 'token.length', 8, 9],
    ['token-length', 'token.length', 8, 'varies'],
    ['token-alphabet', 'token.alphabet', 'a', 'b'],
    ['http10-gained', 'http.1-0', false, true],
    ['http10-lost', 'http.1-0', true, false],
    ['sessions-many', 'sessions', 'newest', 'many'],
    ['sessions-fewer', 'sessions', 'many', 'same'],
    ['other', 'mine.of-my-own', 1, 2],
  ]
  /** What is told of the fact in other words than its two values. */
  const TOLD: [fact: string, was: string, is: string, ...found: string[]][] = [
    ['logon.body', '{a: string}', '{a: string, b: null}', 'field-added: logon.body b null → null'],
    ['logon.body', '{a: string}', '{a: number}', 'field-of-work: logon.body a string → number'],
    ['x.body', '{a: {b: string}}', '{a: {}}', 'field: x.body a.b string → null'],
    [
      'logon.body',
      '{a: string, b: number}',
      '{a: null}',
      'field-of-work: logon.body b number → null',
      'field-null: logon.body a string → null',
    ],
    ['x.headers', 'a', 'a, content-encoding', 'header-coding: x.headers content-encoding null → sent'],
    ['x.headers', 'a', 'a, b', 'header-added: x.headers b null → sent'],
    ['x.headers', 'a, allow', 'a', 'header-gone: x.headers allow sent → null'],
    ['x.headers', 'a, date', 'a', 'header-of-transport: x.headers date sent → null'],
  ]
  /** An answer that came or went. */
  const ANSWERS: [was: Facts, is: Facts, found: string][] = [
    [
      { 'host-wrong.answer': 'closed' },
      { 'host-wrong.status': 200 },
      'refusal-lost: host-wrong.status no answer (closed) → 200',
    ],
    [{ 'x.status': 1 }, { 'x.answer': 'closed' }, 'answer-lost: x.status 1 → no answer (closed)'],
    [{ 'x.answer': 'closed' }, { 'x.status': 1 }, 'answer-gained: x.status no answer (closed) → 1'],
  ]
  const seen = new Set<string>()
  const shows = (was: Facts, is: Facts, ...found: string[]) => {
    assert.equal(facts(was, is), found)
    for (const text of found) seen.add(text.split(':')[0] ?? '')
  }
  for (const [rule, fact, was, is] of CASES) shows({ [fact]: was }, { [fact]: is }, `${rule}: ${fact} ${was} → ${is}`)
  for (const [fact, was, is, ...found] of TOLD) shows({ [fact]: was }, { [fact]: is }, ...found)
  for (const [was, is, found] of ANSWERS) shows(was, is, found)
  const others = [
    'spec-fails',
    'spec-fixed',
    'acceptance-seen',
    'doubt',
    'doubt-cleared',
    'lifetime-as-promised',
    'lifetime-shorter',
    'lifetime-longer',
    'certificate',
  ]
  assert.equal([...seen, ...others].sort(), RULES.map(({ id }) => id).sort(), 'every rule has a case')
})

test('a spec that fails now, one that is fixed, and one that still fails', () => {
  const was = result([spec({ id: 'a' }), spec({ id: 'b', outcome: 'failed' }), spec({ id: 'c', outcome: 'failed' })])
  const is = result([
    spec({ id: 'a', outcome: 'failed', message: 'seen' }),
    spec({ id: 'b' }),
    spec({ id: 'c', outcome: 'known failure' }),
  ])
  const { differences, stillFailing, counts } = compared(was, is)
  const changes = differences.map(({ rule, subject, is }) => `${rule}: ${subject} ${is}`)
  assert.equal(changes, ['spec-fails: a seen', 'spec-fixed: b passed'])
  assert.equal(differences[0]?.requirements, ['REVOKE-1'])
  assert.equal(stillFailing, ['c'])
  assert.equal(counts, { breaking: 1, risky: 0, harmless: 1 })
  assert.is(exitCode(was, is), 1)
  assert.is(exitCode(is, was), 1, 'b fails in the other direction')
})

test('a requirement that came into doubt is a change, and so is one that is met again; what was not tested is none', () => {
  const run = (state: RequirementState, text?: string) => {
    const { requirements = [], ...rest } = conformant
    const [first, ...others] = requirements
    return {
      ...rest,
      requirements: first ? [{ ...first, state }, ...others] : [],
      ...(text !== undefined && first && { doubts: [{ requirement: first.id, text }] }),
    }
  }
  const news = (was: RunResult, is: RunResult) => compared(was, is).differences.map(({ rule, is }) => `${rule}: ${is}`)
  assert.equal(news(run('met'), run('in doubt', 'seen 2')), ['acceptance-seen: seen 2'])
  assert.equal(news(run('in doubt', 'seen 1'), run('in doubt', 'seen 2')), [])
  assert.equal(news(run('in doubt', 'other'), run('in doubt', 'seen 2')), ['acceptance-seen: seen 2'])
  assert.equal(news(run('met so far'), run('in doubt')), ['doubt: in doubt'])
  assert.equal(news(run('in doubt', 'seen 2'), run('met')), ['doubt-cleared: met'])
  for (const state of ['not tested', 'not met'] as const) assert.equal(rules(run(state), run('in doubt', 'x')), [])
})

test('a failure that is not judged any more is not compared, and never fixed', () => {
  const outcomes = ['skipped', 'blocked', 'inconclusive', 'pending'] as const
  for (const outcome of outcomes) {
    const was = result([spec({ id: 'a', outcome: 'failed' })])
    const is = result([spec({ id: 'a', outcome, message: 'why' })])
    const { differences, notCompared, compared: count } = compared(was, is)
    assert.equal([differences, count], [[], 0])
    assert.equal(notCompared, [{ kind: 'spec', subject: 'a', why: `not judged in the later run (${outcome}: why)` }])
    assert.is(exitCode(was, is), 3, 'nothing was compared')
  }
})

test('specs and facts of one run only, other spec sets and configurations, and runs without an end are told', () => {
  const was = result([spec({ id: 'a' }), spec({ id: 'b' })], { facts: { 'x.status': 1, 'x.body': 'empty' } })
  const is = result([spec({ id: 'a' }), spec({ id: 'c' })], {
    facts: { 'y.status': 1 },
    suite: { ...was.suite, version: '0.2.0', specsDigest: 'cd'.repeat(32) },
    configuration: { ...was.configuration, profile: 'quick' },
    verdict: 'incomplete',
    reason: 'it was interrupted',
  })
  const comparison = compared(was, is)
  const { notices } = comparison
  assert.match(notices[0] ?? '', /different spec sets \(0\.1\.0, 0\.2\.0\): 1 spec is in the earlier run only, 1 in/)
  assert.match(notices[1] ?? '', /differently: the full profile in the earlier one, the quick profile in the later one/)
  assert.is(notices[2], 'the later run is incomplete: it was interrupted')
  assert.is(exitCode(was, is), 3, 'what was not seen may have changed')
  assert.equal(leftOf(comparison), [
    'spec b: it is in the earlier run only',
    'spec c: it is in the later run only',
    'fact x: only the earlier run observed it',
    'fact y: only the later run observed it',
  ])
})

test('pins of the user and expired entries say nothing of the Core', () => {
  const pin: SpecRecord = {
    ...spec({ id: 'pin-x', area: 'pins', outcome: 'failed' }),
    pin: { fact: 'x', was: 1, is: 2 },
  }
  const was = result([spec({ id: 'a' })])
  const is = result([spec({ id: 'a' }), pin, spec({ id: 'baseline-a', area: 'baseline', outcome: 'failed' })])
  const { differences, notCompared } = compared(was, is)
  assert.equal([differences, notCompared], [[], []])
})

test('the lifetime changed only where the measured spans do not overlap', () => {
  const run = (aliveMs: number | null, expiredMs: number | null) => {
    const some = result([spec()])
    return { ...some, dialect: { ...some.dialect, lifetime: { aliveMs, expiredMs } } }
  }
  assert.equal(rules(run(50, 70), run(20, 40)), ['lifetime-shorter'])
  assert.equal(rules(run(20, 40), run(50, 70)), ['lifetime-longer'])
  assert.equal(rules(run(50, 70), run(60, 80)), [])
  assert.equal(rules(run(60, 80), run(50, 70)), [])
  assert.equal(rules(run(null, 70), run(20, 40)), [])
  assert.equal(rules(run(70, 60), run(61, 65)), [], 'the first varied from token to token')
  assert.equal(rules(run(70, 60), run(50, 59)), ['lifetime-shorter'])
  assert.equal(rules(run(70, 80), run(50, 70)), [], 'they touch')
  assert.equal(rules(run(50, null), run(20, 40)), ['lifetime-shorter'])
  const hour = 3_600_000
  assert.equal(rules(run(hour * 2, hour * 3), run(hour * 0.99, hour * 1.01)), ['lifetime-as-promised'])
  assert.equal(rules(run(hour * 0.97, hour * 0.99), run(hour * 0.9, hour * 0.94)), ['lifetime-shorter'])
  const unmeasured = result([spec()])
  assert.equal(rules(run(50, 70), unmeasured), [])
  assert.match(compared(run(50, 70), unmeasured).notices.join(), /lifetime was measured in one/)
})

test('a certificate is news of one and the same Core only', () => {
  const was = result([spec()])
  const target = { ...was.target, certificateFingerprint: Array(32).fill('CD').join(':') }
  assert.equal(rules(was, { ...was, target }), ['certificate'])
  assert.equal(rules(was, { ...was, target: { ...target, url: 'https://10.0.0.6' } }), [])
})

test('what the survey and a spec both saw is told once; what came with its fields, without them', () => {
  const survey = (status: number) => ({ 'access.no-token.status': status })
  const both = (status: number) => ({ ...survey(status), 'no-token.status': status })
  assert.equal(facts(both(401), both(403)), ['token-refusal-status: no-token.status 401 → 403'])
  assert.equal(facts(survey(401), survey(403)), ['token-refusal-status: access.no-token.status 401 → 403'])
  const added = facts({ 'x.body': '{}' }, { 'x.body': '{a: {b: string, c: [number]}}' })
  assert.equal(added, ['field-added: x.body a null → object'])
  assert.equal(facts({ 'x.body': '[{a: string}]' }, { 'x.body': '[]' }), [], 'an empty list tells nothing of its items')
})

test('what is accepted now and was refused, or the reverse, has another answer: its status says so', () => {
  const refused = {
    'x.status': 401,
    'x.body': '{code: number}',
    'x.content-type': 'a',
    'x.headers': 'www-authenticate',
  }
  const accepted = { 'x.status': 204, 'x.body': 'empty', 'x.content-type': 'none', 'x.headers': 'etag' }
  assert.equal(facts(refused, accepted), ['refusal-lost: x.status 401 → 204'])
  assert.equal(facts(accepted, refused), ['success-lost: x.status 204 → 401'])
  assert.is(facts(refused, { ...accepted, 'x.status': 403 }).length, 4, 'a refusal is compared with a refusal')
})

test('one cause is told once: no body no type, the header of a type, a token that moved', () => {
  const full = { 'x.status': 401, 'x.body': '{a: string}', 'x.content-type': 'j', 'x.headers': 'content-type' }
  const empty = { 'x.status': 401, 'x.body': 'empty', 'x.content-type': 'none', 'x.headers': '' }
  assert.equal(facts(full, empty), ['body: x.body {a: string} → empty'])
  assert.equal(facts(empty, full), ['body-added: x.body empty → {a: string}'])
  assert.equal(facts(full, { ...full, 'x.content-type': 'h' }), ['content-type: x.content-type j → h'])
  const was = { 'token.field': '/token', 'logon.body': '{id: number, token: string}' }
  const is = { 'token.field': '/data/bearer', 'logon.body': '{data: {bearer: string}, ok: boolean}' }
  assert.equal(facts(was, is), [
    'token-field: token.field /token → /data/bearer',
    'field-of-work: logon.body id number → null',
    'field-added: logon.body ok null → boolean',
  ])
})

test('what differs from run to run of one Core is no difference', () => {
  const bodies = (was: string, is: string) => facts({ 'x.body': was }, { 'x.body': is })
  for (const [was, is] of [
    ['{last: null}', '{last: string}'],
    ['[{last: null} | {last: string}]', '[{last: string}]'],
    ['{a: null}', '{a: {b: string}}'],
    ['{users: {1: {a: string}}}', '{users: {2: {a: string}, 37: {a: string}}}'],
    ['{8c0f1f1e-6d3b-4c55-9a52-0d3ddc3e9a77: string}', '{0a7e1bd5-1111-4c55-9a52-3e9a770d3ddc: string}'],
  ] as const)
    assert.equal(bodies(was, is), [], is)
  assert.equal(bodies('{a: {b: string}}', '{a: null}'), ['field-null: x.body a object → null'])
  // The last answer of a connection announces its end.
  const was = { 'x.headers': 'connection, keep-alive', 'y.headers': 'connection' }
  assert.equal(facts(was, { 'x.headers': 'age', 'y.headers': 'keep-alive' }), [
    'header-added: x.headers age null → sent',
    'header-of-transport: x.headers connection sent → null',
    'header-of-transport: y.headers connection sent → null',
  ])
  const gone = facts({ 'x.headers': 'keep-alive' }, { 'x.headers': '' })
  assert.equal(gone, ['header-of-transport: x.headers keep-alive sent → null'])
})

test('another configuration is told, and its effects are not taken for those of the firmware', () => {
  const make = (configuration: Partial<RunResult['configuration']>, facts: Facts, lifetime = 10) => {
    const run = result([spec({ id: 'a' })], { facts })
    return {
      ...run,
      configuration: { ...run.configuration, ...configuration },
      dialect: { ...run.dialect, lifetime: { aliveMs: lifetime, expiredMs: lifetime + 1 } },
    }
  }
  const paths = compared(
    make({ probePath: '/api/a' }, { 'access.body': '{a: string}', 'no-token.status': 401, 'logon.status': 201 }),
    make({ probePath: '/api/b' }, { 'access.body': '{b: string}', 'no-token.status': 404, 'logon.status': 200 }),
  )
  assert.equal(paths.differences.map(told), ['success-status: logon.status 201 → 200'])
  assert.equal(paths.notices, [
    'the runs were configured differently: the probe /api/a in the earlier one, the probe /api/b in the later one',
  ])
  assert.equal(leftOf(paths), ['fact access: the runs asked other paths', 'fact no-token: the runs asked other paths'])
  const open = compared(
    make({ accessControl: 'on' }, { 'access.no-token.status': 401, 'token.length': 64 }),
    make({ accessControl: 'off' }, { 'access.no-token.status': 200, 'token.length': 80 }),
  )
  assert.equal(open.differences.map(told), ['token-length: token.length 64 → 80'])
  const lasting = (idleLifetimeMs: number) => make({ idleLifetimeMs }, {}, idleLifetimeMs)
  const staging = compared(lasting(3_600_000), lasting(30_000))
  assert.equal(staging.differences, [])
  assert.equal(leftOf(staging), ['fact idle lifetime: the runs were configured with different ones'])
  const [notice = ''] = staging.notices
  assert.match(notice, /an idle lifetime of 1 h in the earlier one, an idle lifetime of 30 s in the later/)
})

test('a spec that another version of the suite made another test of is not compared where its outcome changed', () => {
  const step = (text: string) => ({ text, kind: 'check' as const, outcome: 'ok' as const, exchanges: [] })
  const steps = [step('GET /api/v0/cores/self with token a')]
  const other = [step('GET /api/v0/cores/self twice')]
  const was = result([spec({ id: 'a', steps }), spec({ id: 'b', steps }), spec({ id: 'c', steps })])
  const failed = { outcome: 'failed' as const, message: 'seen' }
  const later = [
    spec({ id: 'a', steps: other, ...failed }),
    spec({ id: 'b', steps: [step('GET /api/v0/cores with token a')], ...failed }),
    spec({ id: 'c', steps: other }),
  ]
  const newer = result(later, { suite: { ...was.suite, version: '0.2.0', specsDigest: 'cd'.repeat(32) } })
  const { differences, notCompared, compared: count } = compared(was, newer)
  const [changed, left] = [differences, notCompared].map(all => all.map(({ subject }) => subject))
  assert.equal([changed, left, count], [['b'], ['a'], 2], 'a path may be chosen by the survey')
  assert.is(compared(was, result(later)).differences.length, 2, 'one suite has one text of a spec')
})

test('shapes are read as facts write them; what is none is not taken for one', () => {
  const fields = Object.fromEntries(fieldsOf('{a: {b: [number | string]}, c d: null}') ?? [])
  assert.equal(fields, { '': 'object', a: 'object', 'a.b': 'list', 'a.b[]': 'number or string', 'c d': 'null' })
  for (const none of ['empty', 'text', 'string', '{a', '{a: ', '[', '{a: string}x', '[a | ]']) {
    assert.is(fieldsOf(none), undefined, none)
  }
})

test('what a spec that fails now accuses and means is what its step saw; a requirement is what its run says', () => {
  const missed = step({
    outcome: 'miss',
    expected: '401',
    got: '200',
    requirements: ['X-2'],
    seen: 'HEAD opens',
    consequence: 'HEAD leaks.',
  })
  const requirements = ['X-1', 'X-2']
  const good = result([spec({ id: 'a', requirements }), spec({ id: 'b', requirements: ['X-1'] })])
  const bad = result(
    [spec({ id: 'a', requirements, outcome: 'failed', steps: [missed] }), spec({ id: 'b', requirements: ['X-1'] })],
    { doubts: [{ requirement: 'X-1', text: 'odd' }] },
  )
  const diff = diffed({ one: good, two: bad })
  assert.equal(schemaErrors('diff', diff), [])
  const [found] = diff.comparisons[0]?.differences ?? []
  assert.equal([found?.requirements, found?.meaning], [['X-2'], 'HEAD leaks.'])
  const states = diff.matrix.map(({ requirement, cells: [, now] }) => `${requirement} ${now?.state}: ${now?.failed}`)
  assert.equal(states, ['X-1 in doubt: ', 'X-2 failed: a'])
  assert.match(renderDiffConsole(diff, { columns: 80, color: false }), /HEAD leaks\./)
  const again = diffed({ one: good, two: bad, three: good })
  assert.match(
    renderDiffMarkdown(again),
    /^\| X-1 \| What X-1 states\. \| ✓ 2 of 2 passed \| \? 2 of 2 judged \| ✓ 2 of 2 passed \|$/m,
  )
})

test('several runs: each with the one before, and a matrix of all', () => {
  const good = result([spec({ id: 'a', requirements: ['X-10'] }), spec({ id: 'b', requirements: ['X-2'] })])
  const bad = result([
    spec({ id: 'a', requirements: ['X-10'], outcome: 'failed' }),
    spec({ id: 'b', requirements: ['X-2'], outcome: 'skipped' }),
  ])
  const firmware = { ...good, target: { ...good.target, firmware: '4.2' } }
  const diff = diffed({ one: good, two: bad, three: firmware })
  assert.equal(schemaErrors('diff', diff), [])
  assert.equal(namesIn(diff), ['one', 'two', '4.2'])
  const states = diff.matrix.map(({ requirement, cells }) => [requirement, ...cells.map(({ state }) => state)].join())
  assert.equal(states, ['X-2,passed,not judged,passed', 'X-10,passed,failed,passed'])
  const counts = diff.comparisons.map(({ counts }) => `${counts.breaking} breaking, ${counts.harmless} harmless`)
  assert.equal(counts, ['1 breaking, 0 harmless', '0 breaking, 1 harmless'])
  const console = renderDiffConsole(diff, { columns: 80, color: false })
  assert.match(console, /^X-10 +✓ 1 of 1 passed +✗ 1 of 1 failed +✓ 1 of 1 passed$/m)
  assert.match(console, /^X-2 +✓ 1 of 1 passed +– 0 of 1 judged +✓ 1 of 1 passed$/m)
  assert.match(
    renderDiffMarkdown(diff),
    /^\| X-10 \| What X-10 states\. \| ✓ 1 of 1 passed \| ✗ 1 of 1 failed: a \| ✓ 1 of 1 passed \|$/m,
  )
  for (const columns of [20, 40, 80]) {
    for (const line of renderDiffConsole(diff, { columns, color: false }).split('\n')) {
      assert.ok([...line].length <= columns, `${columns}: ${line}`)
    }
  }
})

test('runs of one name are told apart by their files', () => {
  const run = result([spec({ id: 'a' })])
  const named = { ...run, target: { ...run.target, label: 'staging', firmware: '4.2' } }
  const all = diffed({ 'a.json': named, 'b.json': named, 'c.json': run })
  assert.equal(namesIn(all), ['staging 4.2 (a.json)', 'staging 4.2 (b.json)', 'c.json'])
  assert.equal(namesIn(diffed({ 'a.json': named, 'b.json': run })), ['staging 4.2', 'b.json'])
})

test('what fails now is told by its requirement, once with what that means for clients; --quiet leaves out what is harmless', () => {
  const requirement = (id: string) => [{ id, text: id, section: 'S', consequence: `no ${id}` }]
  const make = (outcome: 'passed' | 'failed', headers: string) =>
    result(
      ['R-10', 'R-2', 'R-10'].map((id, index) =>
        spec({ id: `s${index}`, requirements: requirement(id), outcome, message: 'seen' }),
      ),
      { facts: { 'x.headers': headers } },
    )
  const diff = diffed({ a: make('passed', ''), b: make('failed', 'etag') })
  const console = renderDiffConsole(diff, { columns: 80, color: false })
  const marks = [...console.matchAll(/(?:\(|for clients +)(s\d|no R-\d+)/g)].map(([, text]) => text)
  assert.equal(marks, ['no R-2', 's1', 'no R-10', 's0', 's2'])
  assert.match(renderDiffMarkdown(diff), /^- for clients: no R-10\n- spec: .* \(s0\): seen$/m)
  assert.match(console, /header etag added/)
  const quiet = renderDiffConsole(diff, { columns: 80, color: false, quiet: true })
  assert.not.match(quiet, /header etag added/)
  assert.match(quiet, /no R-10[\s\S]*✗ Breaking changes/)
})

test('hostile texts stay texts', async () => {
  const hostile = '</td><script>alert(1)</script> | a\n# b [x](javascript:1) `c` \u001b[31m\u202e https://evil.example'
  const was = result([spec({ id: 'a', title: hostile })], { facts: { 'x.content-type': 'a' } })
  const is = result([spec({ id: 'a', title: hostile, outcome: 'failed', message: hostile })], {
    facts: { 'x.content-type': hostile },
  })
  const diff = diffed({ [hostile]: was, [`${hostile} `]: is })
  // What is escaped is text.
  const markdown = renderDiffMarkdown(diff).replace(/\\./g, '')
  for (const part of ['<script', '](', '`c`', '\u001b', '\u202e', 'https://evil'])
    assert.not(markdown.includes(part), part)
  assert.not.match(markdown, /^# b/m)
  const html = await renderDiffHtml(diff)
  for (const part of ['<script', '\u001b', '\u202e', 'href="h', 'src=']) assert.not(html.includes(part), part)
  assert.ok(html.includes('&lt;script>') || html.includes('&lt;script&gt;'))
  assert.match(html, /^<!DOCTYPE html>\n<html lang="en"><head>.*<title>Breaking changes: /s)
  const console = renderDiffConsole(diff, { columns: 80, color: false })
  for (const part of ['\u001b', '\u202e']) assert.not(console.includes(part))
})

test('docs/differences.md has each rule with its consequence, in their order', () => {
  const text = readFileSync(new URL('../docs/differences.md', import.meta.url), 'utf8')
  const rows = [...text.matchAll(/^\| `([\w-]+)` \| .* \| (\w+) \| (.*) \|$/gm)].map(([, ...cells]) => cells)
  assert.equal(
    rows,
    RULES.map(({ id, consequence, why }) => [id, consequence, why]),
  )
})

test.run()
