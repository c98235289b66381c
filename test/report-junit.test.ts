import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { renderJunit } from '../dist/report/junit.js'
import type { Outcome, RunResult } from '../dist/result.js'
import { HOSTILE, hostileRun } from './fixtures/results/hostile.js'
import { exchange, result, spec, step } from './fixtures/results/results.js'
import * as samples from './fixtures/results/samples.js'
import { assertInert } from './support/inert.js'
import { long } from './support/long.js'

interface Element {
  [name: string]: string | Element | Element[] | undefined
}

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  alwaysCreateTextNode: true,
  isArray: name => name === 'testsuite' || name === 'testcase',
  processEntities: { maxTotalExpansions: 1_000_000, maxExpandedLength: 10_000_000 },
})

function children(element: Element, name: string): Element[] {
  const value = element[name]
  if (value === undefined) return []
  return (Array.isArray(value) ? value : [value]).filter(item => typeof item === 'object')
}

function child(element: Element, name: string): Element | undefined {
  return children(element, name)[0]
}

const OUTCOMES = ['failure', 'error', 'skipped']
const DECIMAL = /^\d+\.\d{3}$/

/** Parses a report and checks every rule of the dialect that holds for all reports. */
function parsed(run: RunResult): { root: Element; suites: Element[]; cases: Element[] } {
  const xml = renderJunit(run)
  assert.is(XMLValidator.validate(xml), true)
  assertInert(xml)
  assert.not.match(xml, /]]>/)
  const root = child(parser.parse(xml), 'testsuites')
  assert.ok(root)
  const suites = children(root ?? {}, 'testsuite')
  const cases = suites.flatMap(suite => children(suite, 'testcase'))

  const names = cases.map(each => `${each['@classname']}\n${each['@name']}`)
  assert.is(new Set(names).size, names.length, 'unique names')
  assert.ok(cases.length > 0)
  for (const suite of [root ?? {}, ...suites]) {
    const members = suite === root ? cases : children(suite, 'testcase')
    assert.is(suite['@tests'], String(members.length))
    assert.is(suite['@failures'], String(members.filter(each => each.failure).length))
    assert.is(suite['@errors'], String(members.filter(each => each.error).length))
    assert.is(suite['@skipped'], String(members.filter(each => each.skipped).length))
    assert.match(String(suite['@time']), DECIMAL)
    assert.ok(suite['@name'])
  }
  for (const suite of suites) {
    assert.match(String(suite['@timestamp']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
    assert.ok(suite['@hostname'])
    assert.equal(children(suite, 'testsuite'), [], 'flat')
  }
  for (const each of cases) {
    assert.ok(each['@name'])
    assert.match(String(each['@time']), DECIMAL)
    const found = OUTCOMES.flatMap(name => children(each, name))
    assert.ok(found.length <= 1, 'one outcome at most')
    for (const outcome of found) {
      const body = String(outcome['#text'])
      assert.is(body.split('\n')[0], outcome['@message'], 'the summary is in message and body')
    }
  }
  return { root: root ?? {}, suites, cases }
}

function propertiesOf(suite: Element): Record<string, string> {
  const { properties } = suite
  const all = typeof properties === 'object' && !Array.isArray(properties) ? children(properties, 'property') : []
  return Object.fromEntries(all.map(each => [String(each['@name']), String(each['@value'])]))
}

/** Returns the failure of the first case that failed. */
const failureIn = (run: RunResult) => parsed(run).cases.flatMap(each => children(each, 'failure'))[0] ?? {}

test('each suite tells what was tested with what, what happened to the Core, and what is in doubt', () => {
  const target = { ...samples.failing.target, label: 'staging & "co"', firmware: '10.4.1' }
  const events = [{ kind: 'a restart', text: 'all tokens died', fromMs: 3200, untilMs: 3200, specs: [] }]
  const doubts = [{ requirement: 'USE-1', text: 'odd' }]
  const { suites } = parsed({ ...samples.failing, target, events, doubts })
  const { suite: version, configuration, dialect } = samples.failing
  const properties = {
    suite: `core-conformance ${version.version}`,
    'specs.sha256': version.specsDigest,
    'target.url': target.url,
    'target.label': 'staging & "co"',
    'target.firmware': '10.4.1',
    'target.certificate.sha256': target.certificateFingerprint,
    profile: configuration.profile,
    verdict: 'nonconformant',
    'dialect.token': dialect.token?.pointer,
    'dialect.rejected.status': String(dialect.rejectedStatus),
    'event.1': 'all tokens died',
    'doubt.1': 'USE-1 is in doubt: odd',
  }
  assert.ok(suites.length > 1)
  for (const suite of suites) assert.equal({ ...propertiesOf(suite), ...properties }, propertiesOf(suite))
})

test('what nobody told, or no survey found, is no property', () => {
  for (const suite of parsed({ ...samples.untestable, target: { url: 'https://10.0.0.5', kind: 'core' } }).suites) {
    const names = Object.keys(propertiesOf(suite))
    assert.ok(names.includes('target.url'))
    assert.not.ok(
      names.some(name => /^dialect|label|firmware|certificate/.test(name)),
      names.join(),
    )
  }
})

test('every sample keeps to the dialect', () => {
  for (const run of Object.values(samples)) parsed(run)
})

test('suites are areas, in order, with host and UTC time', () => {
  const { suites, root } = parsed(samples.conformant)
  const names = suites.map(suite => suite['@name'])
  assert.equal(names, ['logon', 'use', 'revocation', 'expiry', 'host'])
  const [first] = suites
  assert.equal([first?.['@hostname'], first?.['@timestamp']], ['127.0.0.1', '2025-03-01T14:05:09'])
  assert.equal([first?.['@time'], root['@time']], ['0.102', '0.812'])
})

test('a case carries name, classname and time', () => {
  const [first] = parsed(result([spec({ title: 'A "title" & <more>', durationMs: 1234.5678 })])).cases
  const told = [first?.['@name'], first?.['@classname'], first?.['@time']]
  assert.equal(told, ['A "title" & <more>', 'core-conformance.revocation', '1.235'])
})

test('each outcome has its element', () => {
  const outcomes = ['passed', 'failed', 'observed', 'skipped', 'blocked', 'inconclusive'] as const
  const { cases } = parsed(result(outcomes.map(outcome => spec({ title: outcome, outcome }))))
  const elements = cases.map(each => [...OUTCOMES, 'system-out'].filter(name => each[name] !== undefined).join())
  assert.equal(elements, ['', 'failure', 'system-out', 'skipped', 'error', 'error'])
  const types = cases
    .flatMap(each => [...children(each, 'failure'), ...children(each, 'error')])
    .map(one => one['@type'])
  assert.equal(types, ['REVOKE-1', 'blocked', 'inconclusive'])
  assert.match(String(child(cases[2] ?? {}, 'system-out')?.['#text']), /^Why it was observed\.\n/)
  assert.is(child(cases[3] ?? {}, 'skipped')?.['#text'], 'Why it was skipped.')
})

test('a failure can be decided from CI alone', () => {
  const body = String(failureIn(samples.failing)['#text'])
  for (const part of [
    'REVOKE-1 (Endpoints, 2. Revoke a token): The token is revoked; further /api requests with it are prevented.',
    'Step: GET /api/v0/cores/self/users with token a after its revocation',
    '  expected: rejected: 401, as with a token that was never issued',
    '  got:      200 OK, 31 bytes: {"users":[{"name":"operator"}]}',
    'Spec: revoked-token-is-refused, specs/revocation.yaml:70',
    '1. POST /api/v0/logon HTTP/1.1 → 200 OK, 31 bytes (8 ms)\n   > Host: 10.0.0.5, no authorization\n   > {"username"',
    '3. DELETE /api/v0/logon HTTP/1.1',
    '4. GET /api/v0/cores/self/users HTTP/1.1 → 200 OK, 31 bytes (8 ms) ← missed here',
  ]) {
    assert.ok(body.includes(part), `${part}\n\nis not in\n\n${body}`)
  }
})

test('what specs of one cause have in common is told in the first of them, and the others name that one', () => {
  const failed = (id: string, got = '200 OK', ...requirements: string[]) =>
    spec({
      id,
      title: `${id} holds`,
      outcome: 'failed',
      requirements: ['REVOKE-1', 'USE-1'],
      steps: [
        step({ outcome: 'miss', expected: '401', got, seen: `${id} opens`, consequence: 'It leaks.', requirements }),
      ],
    })
  const { cases } = parsed(
    result([failed('a', '200 OK', 'USE-1'), failed('b', '200 OK', 'USE-1'), failed('c', 'no response', 'USE-1')]),
  )
  const [a, b, c] = cases.map(each => child(each, 'failure'))
  assert.equal([a?.['@type'], b?.['@type']], ['USE-1', 'USE-1'], 'a requirement that no step missed is not accused')
  assert.match(String(a?.['#text']), /Seen: a opens[\s\S]*For clients: It leaks\.[\s\S]*The same cause: b\n/)
  assert.match(String(b?.['#text']), /Seen: b opens[\s\S]*The same cause as a, which has the details\./)
  assert.not.match(String(b?.['#text']), /For clients|REVOKE-1/)
  assert.not.match(String(c?.['#text']), /The same cause/)
})

test('an exchange without a whole response says so', () => {
  const { response, ...cut } = exchange()
  const error = { kind: 'deadline', message: 'No whole response within 10 s.' } as const
  assert.ok(response)
  const half = response === undefined ? cut : { ...cut, response: { ...response, complete: false } }
  const exchanges = [cut, half].map(each => ({ ...each, error }))
  const body = String(failureIn(result([spec({ outcome: 'failed', exchanges })]))['#text'])
  assert.match(body, '→ no response, deadline: No whole response within 10 s. (8 ms)')
  assert.match(body, '→ 200 OK, 31 bytes, incomplete, deadline: No whole response within 10 s. (8 ms)')
})

long(test)('hostile text is visible, inert and well-formed everywhere', () => {
  for (const [name, text] of Object.entries(HOSTILE)) {
    const run = hostileRun(text, ['passed', 'failed', 'observed', 'skipped', 'inconclusive'])
    assert.is(parsed(run).cases.length, run.specs.length, name)
    assert.ok(renderJunit(run).length < 300_000, `${name} is bounded`)
  }
  const ansi = result([spec({ outcome: 'failed', message: '\u001b[31mred\u001b[0m' })])
  assert.is(failureIn(ansi)['@message'], '␛[31mred␛[0m')
})

test('text survives the round trip', () => {
  const message = `a < b && "c" > 'd' ]]> <![CDATA[x]]> &amp; 漢字 👩‍🚀 שלום`
  const failure = failureIn(result([spec({ outcome: 'failed', message })]))
  assert.is(failure['@message'], message)
  assert.ok(String(failure['#text']).startsWith(`${message}\n`))
})

test('only a file of the user is named: readers link it in the repository of the user', () => {
  const placed = (change: Parameters<typeof spec>[0]) => {
    const [each] = parsed(result([spec(change)])).cases
    return [each?.['@file'], each?.['@line']]
  }
  assert.equal(placed({ file: 'specs/revocation.yaml', line: 7 }), [undefined, undefined])
  for (const file of ['../elsewhere/x.yaml', '/opt/x.yaml', 'C:\\x.yaml'])
    assert.equal(placed({ file, line: 7, isOwn: true }), [undefined, undefined], file)
  assert.equal(placed({ file: 'their-specs/x.yaml', line: 7, isOwn: true }), ['their-specs/x.yaml', '7'])
  const pin = { fact: 'logon.status', was: 200, is: 201 }
  assert.equal(placed({ file: 'pins.yaml', line: 3, outcome: 'failed', pin }), ['pins.yaml', '3'])
})

test('line breaks in attributes become spaces', () => {
  const [each] = parsed(result([spec({ title: 'one\r\ntwo\n\n\tthree', file: 'a\nb', isOwn: true })])).cases
  assert.is(each?.['@name'], 'one two three')
  assert.is(each?.['@file'], 'a b')
})

test('duplicates get names of their own, the same ones each time', () => {
  const run = result([
    spec({ title: 'x' }),
    spec({ title: 'x' }),
    spec({ title: 'x (2)' }),
    spec({ title: 'x\n' }),
    spec({ title: 'x', area: 'other' }),
  ])
  const names = parsed(run).cases.map(each => each['@name'])
  assert.equal(names, ['x', 'x (2)', 'x (2) (2)', 'x (3)', 'x'])
  assert.is(renderJunit(run), renderJunit(structuredClone(run)))
})

test('times are never negative, NaN, infinite or with an exponent', () => {
  for (const durationMs of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -5, 1e300, 1e-9, -0]) {
    parsed(result([spec({ durationMs }), spec({ title: 'other', durationMs })], { durationMs, startedAt: 'no date' }))
  }
})

test('zero specs make one case in error with the reason', () => {
  const run = result([], { verdict: 'untestable', reason: 'Nothing answered.', advice: 'Check the address.' })
  const { cases, suites } = parsed(run)
  assert.equal([suites.length, cases.length], [1, 1])
  const error = child(cases[0] ?? {}, 'error')
  assert.equal([error?.['@message'], error?.['@type']], ['Nothing answered.', 'untestable'])
  assert.match(String(error?.['#text']), /^Nothing answered\.\n\n.*\n\nNext: Check the address\.$/)
  assert.is(parsed(result([])).root['@errors'], '1', 'not even with the verdict conformant')
})

test('no CI is green when the verdict is not conformant', () => {
  const errors = (verdict: RunResult['verdict'], ...outcomes: Outcome[]) => {
    const specs = outcomes.map(outcome => spec({ title: outcome, outcome }))
    return Number(parsed(result(specs, { verdict })).root['@errors'])
  }
  for (const verdict of ['untestable', 'incomplete'] as const) {
    assert.is(errors(verdict, 'passed'), 1)
    assert.is(errors(verdict, 'passed', 'skipped'), 1)
    assert.is(errors(verdict, 'failed'), 1)
    assert.is(errors(verdict, 'passed', 'inconclusive'), 1, 'the spec says it already')
  }
  assert.is(errors('nonconformant', 'passed'), 1)
  assert.is(errors('nonconformant', 'failed'), 0)
  assert.is(errors('conformant', 'passed'), 0)
})

test('a failure with many exchanges shows both ends', () => {
  const exchanges = Array.from({ length: 100 }, (_, atMs) => exchange({ atMs }))
  const body = String(failureIn(result([spec({ outcome: 'failed', exchanges })]))['#text'])
  for (const part of ['\n1. GET', '\n10. GET', '\n… 80 more, see result.json\n', '\n91. GET', '\n100. GET']) {
    assert.ok(body.includes(part), part)
  }
  assert.not.match(body, '\n11. GET')
})

test.run()
