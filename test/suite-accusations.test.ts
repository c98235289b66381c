/** The requirements that the steps of a spec test, and the bystanders that it watches. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { allSteps, reachesOthers, type Spec, type Step, tokensHeld, waits } from '../dist/suite/spec.js'
import { loadFiles, problemsIn } from './support/spec-files.js'
import { SUITE } from './support/suite-run.js'

const test = suite('what steps test')

/** Loads a spec with these lines, of which the first is line 5. */
function load(...lines: string[]): Spec {
  const text = ['area: mine', 'specs:', '  - id: mine', '    title: mine holds', ...lines.map(line => `    ${line}`)]
  return loadFiles({ 'x.yaml': `${text.join('\n')}\n` }).specs.at(-1) as Spec
}

const problems = (...lines: string[]) =>
  problemsIn(() => load(...lines)).map(({ line, column, message }) => `${line}:${column}: ${message}`)

const tested = (steps: readonly Step[]) => steps.map(({ action, tests }) => [action, ...tests].join(' '))
const BOTH = 'requirements: [DOOR-1, DOOR-2]'
const ONE = 'requirements: [DOOR-1]'
const LOGON = ['given:', '  - logon: a', '  - { send: access, token: a, expect: accepted }']
const USE = '  - { send: access, token: a, expect: accepted }'

test('of one requirement, what expects something tests that one; logons, waits and what is a control do not', () => {
  const spec = load(
    ONE,
    ...LOGON,
    'steps:',
    '  - logon: b',
    '  - { send: revoke, token: b }',
    '  - wait: { token: a, age: 5% }',
    '  - later: true',
    '  - distinct: [a, b]',
    '  - opaque: a',
    '  - { send: access, token: b, expect: rejected }',
    '  - { send: access, token: a, expect: accepted, control: true }',
    '  - { logon: c, tests: DOOR-1 }',
  )
  assert.equal(tested(spec.given), ['logon', 'send'])
  assert.equal(tested(spec.steps), [
    'logon',
    'send',
    'wait',
    'later',
    'distinct DOOR-1',
    'opaque DOOR-1',
    'send DOOR-1',
    'send',
    'logon DOOR-1',
  ])
})

test('of several requirements, each step says what it tests', () => {
  const spec = load(
    BOTH,
    ...LOGON,
    'steps:',
    '  - { send: access, token: a, expect: accepted, tests: DOOR-2 }',
    '  - { opaque: a, tests: [DOOR-1, DOOR-2] }',
  )
  assert.equal(tested(spec.steps), ['send DOOR-2', 'opaque DOOR-1 DOOR-2'])
  assert.equal(problems(BOTH, ...LOGON, 'steps:', USE, '  - opaque: a'), [
    "10:9: a spec of several requirements says which of them a miss here accuses: add 'tests', or 'control: true'",
    "11:9: a spec of several requirements says which of them a miss here accuses: add 'tests', or 'control: true'",
  ])
})

test('what observes accuses nobody', () => {
  const observing = load(BOTH, 'level: observe', ...LOGON, 'steps:', USE)
  assert.equal(tested(observing.steps), ['send'])
  assert.equal(
    problems(
      BOTH,
      'level: observe',
      ...LOGON,
      'steps:',
      USE.replace(' }', ', tests: DOOR-1 }'),
      '  - opaque: a',
      '    control: true',
    ),
    [
      "11:53: 'tests' does not go with 'level: observe', which accuses nobody",
      "13:9: 'control' does not go with 'level: observe', which accuses nobody",
    ],
  )
})

test('what a spec says wrongly of what it tests is told with its place', () => {
  const cases: [lines: string[], problems: string[]][] = [
    [
      [ONE, 'given:', '  - logon: a', '    tests: DOOR-1', 'steps:', USE],
      ["8:9: 'tests' does not go with 'given': what prepares never tests"],
    ],
    [
      [ONE, 'given:', '  - logon: a', '    control: true', 'steps:', USE],
      ["8:9: 'control' does not go with 'given': what prepares never tests"],
    ],
    [
      [ONE, ...LOGON, 'steps:', '  - { send: access, token: a, expect: accepted, assumed: true }'],
      ["10:53: 'assumed' goes with 'given': a step that judges assumes nothing"],
    ],
    [
      [ONE, ...LOGON, 'steps:', '  - opaque: a', '    tests: DOOR-1', '    control: true'],
      ["12:9: a step that tests is no control: leave out 'control' or 'tests'"],
    ],
    [
      [ONE, ...LOGON, 'steps:', '  - opaque: a', '    tests: DOOR-2'],
      ["11:9: 'DOOR-2' is none of the requirements of this spec; did you mean 'DOOR-1'?"],
    ],
    [
      [ONE, ...LOGON, 'steps:', '  - send: access', '    tests: DOOR-1', USE],
      ["11:9: a step that expects nothing cannot test: give it 'expect'"],
    ],
    [
      [BOTH, ...LOGON, 'steps:', '  - opaque: a', '    tests: DOOR-1'],
      ["5:28: no step tests 'DOOR-2': say 'tests: DOOR-2' where one does, or leave it out"],
    ],
    [
      [ONE, ...LOGON, 'steps:', '  - opaque: a', '    control: true'],
      ["9:5: no step of 'mine' tests anything, so it could never fail; a logon tests where it says 'tests'"],
    ],
    [
      [ONE, ...LOGON, 'steps:', USE, '  - wait: { token: a, age: 5% }', '    tests: DOOR-1'],
      ["12:9: 'tests' does not go with 'wait'"],
    ],
    [
      [ONE, ...LOGON, 'steps:', USE, '  - later: true', '    control: true'],
      ["12:9: 'control' does not go with 'later'"],
    ],
    [[ONE, ...LOGON, 'steps:', USE, '  - later: false'], ["11:9: 'false' is not a valid 'later'; known: true"]],
    [[ONE, ...LOGON, 'steps:', '  - opaque: a', '    tests: []'], ["11:9: 'tests' needs at least one item"]],
  ]
  for (const [lines, expected] of cases) assert.equal(problems(...lines), expected)
})

test('a step says what is seen where it misses in its own words, or in those of its spec, for each version of HTTP', () => {
  const words = ({ steps }: Spec) => steps.map(({ otherwise, consequence }) => [otherwise, consequence])
  const lines = [
    ONE,
    'otherwise: it opens',
    'consequence: It leaks.',
    ...LOGON,
    'steps:',
    '  - { send: access, expect: rejected, http: each }',
    '  - { send: access, expect: rejected, otherwise: it opens twice, consequence: It floods. }',
    '  - { send: access, token: a, expect: accepted, control: true }',
  ]
  assert.equal(words(load(...lines)), [
    ['it opens, over HTTP/1.0', 'It leaks.'],
    ['it opens twice, over HTTP/1.0', 'It floods.'],
    [undefined, undefined],
  ])
  assert.equal(problems(ONE, ...LOGON, 'steps:', USE, '  - opaque: a', '    control: true', '    otherwise: odd'), [
    "13:9: 'otherwise' goes with a step that tests something",
  ])
  assert.equal(problems(ONE, 'given:', '  - logon: a', '    consequence: odd', 'steps:', USE), [
    "8:9: 'consequence' does not go with 'given': what prepares never tests",
  ])
})

test('every step of the shipped suite that tests something says what is seen where it misses', () => {
  const testing = SUITE.specs.flatMap(({ id, steps }) =>
    steps.filter(({ tests }) => tests.length > 0).map(step => ({ id, step })),
  )
  assert.ok(testing.length > 100)
  for (const { id, step } of testing) assert.ok(step.otherwise, id)
})

test('bystanders log on around what prepares, and are looked at after the steps, at once and a moment later', () => {
  const spec = load(
    'requirements: [DOOR-1, DOOR-2]',
    'bystanders: DOOR-2',
    ...LOGON,
    'steps:',
    '  - { send: revoke, expect: rejected, tests: DOOR-1, interaction: { name: n, description: d, state: no token } }',
  )
  const told = (steps: readonly Step[]) =>
    steps.map(step => {
      if (step.action === 'logon') return `logon ${step.token}`
      if (step.action !== 'send') return step.action
      return [step.request, step.token?.name, ...step.expect, ...step.tests].filter(Boolean).join(' ')
    })
  assert.equal(told(spec.given), [
    'logon oldest',
    'logon used',
    'logon a',
    'access a accepted',
    'access used accepted',
    'logon newest',
  ])
  const looks = ['newest', 'used', 'oldest'].map(name => `access ${name} accepted DOOR-2`)
  assert.equal(told(spec.steps), ['revoke rejected DOOR-1', ...looks, 'later', ...looks])
  assert.is(spec.bystanders, 'DOOR-2')
  const { narrow } = spec
  assert.equal(told(narrow?.given ?? []), ['logon used', 'logon a', 'access a accepted', 'access used accepted'])
  const look = 'access used accepted DOOR-2'
  assert.equal(told(narrow?.steps ?? []), ['revoke rejected DOOR-1', look, 'later', look])
  assert.equal(
    [spec, narrow].map(each => each && tokensHeld(each)),
    [4, 2],
  )
  assert.is(narrow?.id, spec.id)
  // The step that contracts show is still the same one.
  for (const each of [spec, narrow]) {
    const step = each && allSteps(each)[each.interactions?.[0]?.step ?? -1]
    assert.is(step?.action === 'send' && step.request, 'revoke')
  }
  assert.not.ok(waits(spec), 'a moment is no wait for a lifetime')
})

test('bystanders alone are enough to test a requirement', () => {
  const spec = load(ONE, 'bystanders: DOOR-1', 'steps:', '  - send: revoke')
  assert.is(spec.steps.filter(({ tests }) => tests.includes('DOOR-1')).length, 6)
})

test('bystanders that cannot be are refused', () => {
  const cases: [lines: string[], problems: string[]][] = [
    [
      [ONE, 'bystanders: DOOR-2', ...LOGON, 'steps:', USE],
      ["6:5: 'DOOR-2' is none of the requirements of this spec; did you mean 'DOOR-1'?"],
    ],
    [
      [ONE, 'level: observe', 'bystanders: DOOR-1', ...LOGON, 'steps:', USE],
      ["7:5: 'bystanders' does not go with 'level: observe', which accuses nobody"],
    ],
    [
      [ONE, 'bystanders: DOOR-1', ...LOGON, 'steps:', '  - wait: { token: a, age: 5% }', USE],
      ["6:5: 'bystanders' does not go with 'wait': they would expire meanwhile"],
    ],
    [
      [ONE, 'bystanders: DOOR-1', 'given:', '  - logon: used', 'steps:', '  - { send: revoke, expect: rejected }'],
      ['6:5: bystanders are called oldest, used, newest: choose other names for the tokens'],
    ],
    [
      [ONE, 'bystanders: DOOR-1', 'when: { access-control: off }', 'steps:', '  - { send: access, expect: accepted }'],
      ['6:5: no request shows whether a bystander is valid with access control off'],
    ],
  ]
  for (const [lines, expected] of cases) assert.equal(problems(...lines), expected)
})

test('a request that may reach the tokens of others is known by what is sent', () => {
  const reaches = (...steps: string[]) =>
    reachesOthers(load(ONE, ...LOGON, 'steps:', ...steps.map(step => `  - ${step}`), USE), SUITE.requests)
  for (const step of [
    'send: revoke',
    'send: revoke, token: unknown',
    'send: revoke, token: { like: a, change: shortened }',
    'send: revoke, token: a, without: [Host]',
    'send: revoke, headers: { Authorization: "Basic {token a}" }',
    'send: revoke, token: a, path: /api/v0/logon/all',
    'send: logon, without: [Host]',
    'send: logon, token: a',
    'send: logon, method: GET',
    'send: logon, body: { username: x }',
    'send: access, method: PUT',
  ]) {
    assert.ok(reaches(`{ ${step} }`), step)
  }
  assert.ok(reaches('{ send: revoke, token: a }', '{ send: revoke, token: a }'), 'a token that was revoked before')
  assert.ok(reaches('wait: { token: a, unused: past lifetime }', '{ send: revoke, token: a }'), 'one that has expired')
  for (const step of [
    'send: revoke, token: a',
    'send: logon',
    'send: access, method: HEAD',
    'send: access, without: [Host]',
  ]) {
    assert.not.ok(reaches(`{ ${step} }`), step)
  }
})

test('what may reach others in the suite runs with bystanders, or is sent by a spec that does', () => {
  // On an open Core no request shows whether a token is valid.
  const guarded = SUITE.specs.filter(({ level, accessControl }) => level === 'must' && accessControl === 'on')
  const without = guarded.filter(spec => reachesOthers(spec) && !spec.bystanders)
  // Each of these tests the Core's answer; a spec beside it tests that the same request has no effect.
  const logsOn = ({ steps }: Spec) => steps.some(step => step.action === 'send' && step.request === 'logon')
  const answers = without.filter(spec => spec.area !== 'logon' && !(spec.area === 'variations' && logsOn(spec)))
  assert.equal(
    answers.map(({ id }) => id.replace(/-http1[01]$/, '')).filter((id, index, all) => all.indexOf(id) === index),
    [
      'access-revoke-without-token',
      // It looks at its token on another connection, too.
      'connections-any-past',
      'connections-no-host-any-past',
      // Each looks at the tokens that it has.
      'connections-slow-head',
      'connections-rested',
      'host-missing-logon',
      'host-missing-revoke',
      'host-missing-revoke-no-token',
      // A logon with a token has specs of its own, and so has a DELETE of every kind.
      'idle-expires-alone',
      'idle-survives-logon',
      'revocation-survives-logon',
      'revocation-repeated',
      // It waits, and has witnesses of its own.
      'revocation-expired-token',
      // Their methods are sent with bad tokens by variations-refusals-spare-others, beside a token that has to live on.
      'variations-token-characters',
      'variations-token-carriers-beside',
      // They look at tokens themselves, and find the variation that ended one.
      'variations-revocation-lookalikes',
      'variations-revocation-carriers',
      'variations-host-revocations-revoke-nothing',
      // Its methods are sent without a token, too, by a spec with bystanders.
      'variations-revoked-unused-token',
      // As those of the first two: an expired token, or none.
      'variations-expired-token',
      'variations-revocations',
      'variations-revocations-spare-others',
      'variations-refusals-spare-others',
    ],
    'give the spec bystanders; or add it here, where a spec beside it tests that its request ends no other token',
  )
})

test('no step of the shipped suite tests more than one requirement, so that a miss has one meaning', () => {
  for (const spec of SUITE.specs) {
    for (const { tests } of spec.steps) assert.ok(tests.length <= 1, spec.id)
  }
})

test.run()
