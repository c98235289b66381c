import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { hint } from '../dist/suite/problem.js'
import { CHANGES } from '../dist/suite/step-words.js'
import { VARIABLES } from '../dist/suite/variables.js'
import { loadFiles, problemsIn } from './support/spec-files.js'

const test = suite('problems of spec files')

/** Returns the problems of a folder with these files, read after the base folder: `file:line:column: message` each. */
function problemsOf(files: Record<string, string | Buffer>): string[] {
  return problemsIn(() => loadFiles(files)).map(({ file, line, column, message }) =>
    `${file}:${line}:${column}: ${message}`.replace('mine/x.yaml:', ''),
  )
}

/**
 * Makes a file with one spec. The steps start in line 7, at column 9. A lone logon tests its requirement, since a spec must
 * test one.
 */
function spec(steps: string, change = (text: string) => text): string {
  return change(`area: mine
specs:
  - id: a-spec
    title: a title
    requirements: [DOOR-1]
    steps:
      - ${steps === 'logon: a' ? '{ logon: a, tests: DOOR-1 }' : steps.replaceAll('\n', '\n      ')}
`)
}

const replaced = (from: string, to: string) => (text: string) => {
  assert.ok(text.includes(from), from)
  return text.replace(from, to)
}

/** The parts of the schema that messages repeat. */
interface SpecSchema {
  $defs: {
    spec: { properties: object }
    step: { properties: { path: { $comment: string }; http: { enum: string[] } } }
    expectation: { else: { else: { enum: string[] } } }
    span: { $comment: string }
  }
}

const { $defs } = JSON.parse(
  readFileSync(new URL('../contracts/spec.schema.json', import.meta.url), 'utf8'),
) as SpecSchema
const { properties: STEP } = $defs.step
/** The ends of messages that list the suite's names, which grow over time. */
const known = (names: Iterable<string>) => hint('', names)
const EXPECTATIONS = known($defs.expectation.else.else.enum)
const SPEC_KEYS = known(Object.keys($defs.spec.properties))
const UNKNOWN_VARIABLE = known(VARIABLES)
const ACTIONS = 'logon, send, wait, later, distinct, opaque'
const NAME = 'use lower-case letters, digits and hyphens, a letter first'

/** Makes a file whose spec has more keys. */
const withKeys = (keys: string) => logonWith('    steps', `    ${keys}\n    steps`)
/** Makes a file with one spec that logs on, and with some other text. */
const logonWith = (from: string, to: string) => spec('logon: a', replaced(from, to))

/** A file, and every problem of it, in order. */
const TABLE: [file: string | Buffer, ...problems: string[]][] = [
  // Not YAML, or not text
  ['', "1:1: the file is empty: it needs 'area', 'specs'"],
  ['- area: a\n', '1:1: the file must be a mapping (key: value), not a list'],
  ['area: x\nspecs:\n\t- id: a\n', '3:1: a tab in the indentation: YAML wants spaces'],
  ['area: [x\nspecs: []\n', "2:1: a ']' is missing before this"],
  [logonWith('a title', '"a title'), '4:12: the quote (") is not closed'],
  [
    logonWith('a title', 'one: two'),
    "4:12: a key within a value: put a text that holds ': ' in quotes, or correct the indentation",
  ],
  [withKeys('title: b'), "6:5: the key 'title' stands here twice"],
  [`${spec('logon: a')}---\narea: b\n`, "8:1: a second document starts here ('---'): put it into a file of its own"],
  ['area: !!js/function "x"\nspecs: []\n', '1:7: tags (!…) are not used here: write the plain value'],
  [spec('logon: *a'), '7:16: nothing before this is marked &a'],
  [spec('send: access\n  body: &b { a: *b }\n  expect: 200'), '8:23: *b stands within itself'],
  [
    `a: &a [${'x, '.repeat(10)}]\nb: &b [${'*a, '.repeat(10)}]\nc: &c [${'*b, '.repeat(10)}]\narea: [*c, *c, *c]\n`,
    '4:16: aliases (*…) repeat too much: write out what they stand for',
  ],
  ['area: x\n? [a]\n: b\n', '2:3: a key must be plain text'],
  [Buffer.from('area: x\nabout: f\xfcr\n', 'latin1'), '2:9: not UTF-8: save the file as UTF-8 text'],
  [Buffer.from('area: x\n', 'utf16le'), '1:2: a control character (U+0000): save the file as UTF-8 text'],
  ['area: \u001b[31mx\n', '1:7: a control character (U+001B): save the file as UTF-8 text'],

  // Keys
  [logonWith('area', 'aera'), "1:1: unknown key 'aera'; did you mean 'area'?"],
  [spec('sned: access'), "7:9: unknown key 'sned'; did you mean 'send'?"],
  [withKeys('when: { acess-control: on }'), "6:13: unknown key 'acess-control'; did you mean 'access-control'?"],
  [
    withKeys('__proto__: 1\n    constructor: 2'),
    `6:5: unknown key '__proto__'${SPEC_KEYS}`,
    `7:5: unknown key 'constructor'${SPEC_KEYS}`,
  ],
  [
    'area: x\nspecs:\n  - id: a\n',
    ...['title', 'requirements', 'steps'].map(key => `3:5: the key '${key}' is missing`),
  ],
  [spec('logon: a\n- wait: { unused: 50% }'), "8:9: the key 'token' is missing"],

  // Values of the wrong type
  ['area: x\nspecs:\n', "2:1: 'specs' is empty"],
  ['area: x\nspecs: []\n', "2:1: 'specs' needs at least one item"],
  ['area: x\nspecs: { a: 1 }\n', "2:1: 'specs' must be a list, not a mapping (key: value)"],
  ['area: x\nspecs:\n  -\n', "3:4: this item of 'specs' is empty: it needs 'id', 'title', 'requirements', 'steps'"],
  [spec('access'), "7:9: this item of 'steps' must be a mapping (key: value), not text"],
  [spec('logon: 12'), `7:9: '12' is not a valid 'logon': ${NAME}`],
  [spec('logon: true'), '7:9: \'logon\' must be text: put it in quotes, "true"'],
  [spec('logon:'), "7:9: 'logon' is empty"],
  [spec('send: access\n  without: Host\n  expect: 406'), "8:9: 'without' must be a list, not text"],
  [spec('send: access\n  http: 1.0\n  expect: 406'), '8:9: \'http\' must be text: put it in quotes, "1.0"'],
  [spec('logon: a\n  http: 2'), `8:9: '2' is not a valid 'http'${known(STEP.http.enum)}`],
  [
    // `on` is the closest spelling, but means the opposite.
    withKeys('when: { access-control: open }'),
    "6:13: 'open' is not a valid 'access-control'; known: on, off",
  ],
  [withKeys('level: should'), "6:5: 'should' is not a valid 'level'; known: must, observe"],

  // Names and texts
  [logonWith('mine', 'My Area'), `1:1: 'My Area' is not a valid 'area': ${NAME}`],
  [logonWith('a title', '"  "'), "4:5: 'title' is empty"],
  [
    logonWith('DOOR-1', 'door-1'),
    "5:20: 'door-1' is not a valid item of 'requirements': use capital letters, a hyphen and a number, such as HOST-1",
  ],
  [logonWith('DOOR-1', 'DOOR-1, DOOR-1'), "5:28: 'DOOR-1' stands twice in 'requirements'"],
  [
    spec('send: access\n  without: ["Host:"]\n  expect: 406'),
    "8:19: 'Host:' is not a valid item of 'without': use the name of a header, such as Host",
  ],

  // Steps
  [spec('logon: a\n  send: access'), `7:9: a step needs exactly one of ${ACTIONS}; this one has logon and send`],
  [spec('token: a'), `7:9: a step needs exactly one of ${ACTIONS}`],
  [spec('logon: a\n  expect: 200'), "8:9: 'expect' does not go with 'logon'"],
  [
    spec(
      'send: access\n  token: a\n  expect: rejected',
      replaced('    steps:', '    late: true\n    given: [{ logon: a }]\n    steps:'),
    ),
    "6:5: 'late' goes with a spec whose 'given' revokes its tokens, or that waits for the end of a single one",
  ],
  [spec('send: access\n  cut: head\n  expect: accepted'), "8:9: 'expect' does not go with 'cut': no answer comes"],
  [
    spec('send: access\n  cut: head\n  connection: new'),
    "8:9: 'connection' does not go with 'cut': it is sent alone, on a connection of its own",
  ],
  [spec('send: access\n  cut: body'), "8:9: 'cut: body' needs a body"],
  [spec('send: access\n  late-body: true'), "8:9: 'late-body' needs a body"],
  [
    spec('logon: b\n  connection: resumed'),
    '8:9: a logon that is given a name comes on the kept connection, or on a new one',
  ],
  [spec('send: logon\n  late-body: true\n  chunked: true'), "8:9: 'chunked' does not go with 'late-body'"],
  [spec('logon: a\n- send: access\n  again: true'), "9:9: 'again' goes with one logon that should be refused"],
  [
    spec('logon: a\n- wait: { token: a, age: 5% }\n  token: a\n  body: x'),
    "9:9: 'token' does not go with 'wait'",
    "10:9: 'body' does not go with 'wait'",
  ],
  [spec('send: acess\n  expect: 200'), "7:9: unknown request 'acess'; did you mean 'access'?"],
  [spec('send: reboot\n  expect: 200'), "7:9: unknown request 'reboot'; known: logon, access, revoke"],
  [
    spec('send: access\n  expect: 200', replaced('DOOR-1', 'DOOR-9')),
    "5:20: unknown requirement 'DOOR-9'; did you mean 'DOOR-1'?",
  ],
  [
    spec('send: logon\n  body: { a: "{user}", b: ["{Password}"], c: "{pass_word}" }\n  expect: 200'),
    `8:9: unknown variable {user}${UNKNOWN_VARIABLE}`,
    "8:9: unknown variable {Password}; did you mean 'password'?",
    "8:9: unknown variable {pass_word}; did you mean 'password'?",
  ],
  [
    spec('send: logon\n  body: { "{username}": 1 }\n  expect: 200'),
    "8:9: '{username}': variables stand in values, not in keys",
  ],
  [
    spec('logon: aa\n- send: access\n  token: ab\n  expect: 200'),
    "9:9: no step before this one issued a token 'ab'; did you mean 'aa'?",
  ],
  [spec('send: access\n  token: a\n  expect: 200\n- logon: a'), "8:9: no step before this one issued a token 'a'"],
  [spec('logon: a\n- distinct: [a, b]\n- logon: b'), "8:9: no step before this one issued a token 'b'; known: a"],
  [
    `${spec('logon: a')}  - id: b\n    title: b\n    requirements: [DOOR-2]\n    steps:\n      - send: access\n        token: a\n        expect: 200\n`,
    "13:9: no step before this one issued a token 'a'",
  ],
  [spec('logon: unknown'), "7:9: 'unknown' names a token that was never issued: choose another name"],
  [
    spec('logon: ended'),
    "7:9: 'ended' stands for the tokens that the run revoked last, first, or after most uses: choose another name",
  ],
  [
    spec('send: access\n  token: ended\n  expect: accepted'),
    "8:9: 'ended' goes with the request of the role 'probe' and 'expect: rejected' alone",
  ],
  [spec('logon: a\n- logon: a'), "8:9: a token 'a' was issued before: choose another name"],
  [spec('logon: a\n- distinct: [a]'), "8:9: 'distinct' needs at least 2 items"],
  [spec('logon: a\n- distinct: [a, a]'), "8:23: 'a' stands twice in 'distinct'"],
  [spec('logon: a\n- wait: { token: a }'), "8:9: a wait needs either 'unused' or 'age'"],
  [spec('logon: a\n- wait: { token: a, unused: 5%, age: 5% }'), "8:9: a wait needs either 'unused' or 'age'"],
  [
    spec('logon: a\n- wait: { token: a, unused: 120% }'),
    `8:27: '120%' is not a valid 'unused': use ${$defs.span.$comment}`,
  ],
  [spec('logon: a\n- wait: { token: a, age: 0.5 }'), `8:27: '0.5' is not a valid 'age': use ${$defs.span.$comment}`],
  [
    spec('send: access\n  without: [Hots]\n  expect: 406'),
    "8:9: this request has no header 'Hots'; did you mean 'Host'?",
  ],
  [
    spec('logon: a\n- send: access\n  token: a\n  without: [Authorization]\n  expect: rejected'),
    "10:9: the header 'Authorization' is there only with 'token': leave that out",
  ],
  [spec('send: access\n  behind: anyone\n  expect: accepted'), "8:9: no step before this one issued a token 'anyone'"],
  [spec('logon: anyone'), "7:9: 'anyone' stands for no token: choose another name"],
  [
    spec('send: access\n  expect: open', replaced('    steps', '    when: { access-control: off }\n    steps')),
    "9:9: 'open' goes with 'each': elsewhere say 'accepted'",
  ],

  // Changes of a request by a step
  [
    spec('send: access\n  path: /api/a b\n  headers: { "a b": x, X-A: 1, X-B: [a], X-C: "a\\nb" }\n  expect: 200'),
    "9:20: 'a b' is not a valid name: use the name of a header, such as Accept",
    '9:30: \'X-A\' must be text: put it in quotes, "1"',
    "9:38: 'X-B' needs at least 2 items",
    "9:48: 'a\nb' is not a valid 'X-C': use text on one line",
  ],
  [spec('send: access\n  path: /api/a b\n  expect: 200'), '8:9: a space in a path is written as %20'],
  [spec('send: access\n  path: api\n  expect: 200'), `8:9: 'api' is not a valid 'path': use ${STEP.path.$comment}`],
  [
    spec('send: access\n  method: get\n  expect: 200'),
    "8:9: 'get' is not a valid 'method': use a method in capital letters, such as GET",
  ],
  [
    spec(
      'logon: a\n- send: access\n  path: "/api/{token b}"\n  headers: { X-A: "{tokn a}" }\n  body: ["{token A}", "{token a}"]\n  expect: 200',
    ),
    "9:9: no step before this one issued a token 'b'; known: a",
    '10:9: unknown variable {tokn a}; a token is {token NAME}',
    '11:9: unknown variable {token A}; a token is {token NAME}',
  ],
  [
    spec('logon: a\n- send: access\n  token: { like: a, chnge: shortened }\n  expect: rejected'),
    "9:27: unknown key 'chnge'; did you mean 'change'?",
  ],
  [
    spec(
      'send: access\n  token: { like: b, change: shortened }\n  expect: rejected\n- send: access\n  token: { like: b, change: longer }\n  expect: rejected',
      replaced('- send', '- send'),
    ),
    `11:27: 'longer' is not a valid 'change'${known(CHANGES)}`,
  ],
  [
    spec('send: access\n  token: { like: b, change: shortened }\n  expect: rejected'),
    "8:9: no step before this one issued a token 'b'",
  ],
  [
    spec('logon: a\n- send: access\n  token: { like: a, change: shortened }\n  expect: expired'),
    "10:9: 'expired' needs a token that was issued",
  ],
  [
    spec('send: access\n  connection: keep\n  expect: 200'),
    "8:9: 'keep' is not a valid 'connection'; did you mean 'kept'?",
  ],
  [
    spec('send: logon\n  body: 3\n  expect: 200'),
    "8:9: 'body' must be a mapping (key: value) or a list or text, not 3",
  ],
  [spec('opaque: a'), "7:9: no step before this one issued a token 'a'"],

  // Expectations
  [spec('send: access\n  expect: acepted'), "8:9: 'acepted' is not a valid 'expect'; did you mean 'accepted'?"],
  [spec('send: access\n  expect: true'), `8:9: 'true' is not a valid 'expect'${EXPECTATIONS}`],
  [spec('send: access\n  expect: "406"'), "8:9: '406' is not a valid 'expect'; a status is written without quotes"],
  [spec('send: access\n  expect: 999'), "8:9: 'expect' must be at most 599, not 999"],
  [spec('send: access\n  expect: 404.5'), "8:9: 'expect' must be a whole number, not 404.5"],
  [spec('send: access\n  expect: []'), "8:9: 'expect' needs at least one item"],
  [
    spec('send: access\n  expect: { status: 406 }'),
    "8:9: the key 'body' is missing",
    "8:19: unknown key 'status'; known: body",
  ],
  [
    spec('send: access\n  expect: [accepted, rejectd, 4]'),
    "8:28: 'rejectd' is not a valid item of 'expect'; did you mean 'rejected'?",
    "8:37: this item of 'expect' must be at least 200, not 4",
  ],
  [spec('send: access\n  expect: expired'), "8:9: 'expired' needs a token that was issued"],
  [
    spec('send: access\n  expect: [401, 403]'),
    '8:9: a response has one status, and a list must hold in every part: 401 and 403 cannot both be',
  ],
  [
    spec('send: access'),
    "6:5: no step of 'a-spec' tests anything, so it could never fail; a logon tests where it says 'tests'",
  ],
  [
    spec('send: access', replaced('    steps', '    given:\n      - logon: a\n    steps')),
    "8:5: no step of 'a-spec' tests anything, so it could never fail; a logon tests where it says 'tests'",
  ],
  [
    spec('send: access', replaced('    steps', '    level: observe\n    steps')),
    "7:5: no step of 'a-spec' expects or observes anything, so it could tell nothing",
  ],
  [
    spec('send: access\n  observe: x\n- send: access\n  observe: x\n  expect: 200'),
    "10:9: duplicate observation 'x', first at mine/x.yaml:8",
  ],
  [
    spec('send: access\n  observe: x\n  http: each\n  expect: 200'),
    "8:9: several specs are made of this one, and they would record the same facts: leave 'observe' out",
  ],
  [spec('send: acess\n  http: each\n  expect: 200'), "7:9: unknown request 'acess'; did you mean 'access'?"],
]

for (const [file, ...problems] of TABLE) {
  test(problems.join(' '), () => assert.equal(problemsOf({ 'x.yaml': file }), problems))
}

test('nesting without end is one problem', () => {
  // The depth that is too deep depends on the free stack.
  assert.match(problemsOf({ 'x.yaml': `area: ${'['.repeat(20_000)}` }).join('\n'), /^1:\d+: nested too deeply$/)
})

test('the places are the same with a byte order mark and with the line ends of Windows', () => {
  const broken = spec('logon: a\n- sned: access')
  const problems = ["8:9: unknown key 'sned'; did you mean 'send'?"]
  assert.equal(problemsOf({ 'x.yaml': broken }), problems)
  assert.equal(problemsOf({ 'x.yaml': `\ufeff${broken}` }), problems)
  assert.equal(problemsOf({ 'x.yaml': broken.replaceAll('\n', '\r\n') }), problems)
})

test('all problems of all files are told, in the order of the files and of their lines', () => {
  const twice = `${spec('logon: a')}  - id: b\n    titel: b\n    requirements: [DOOR-9]\n    stesp:\n      - sned: access\n`
  const files = { 'b.yaml': spec('sned: x'), 'a.yaml': twice, 'requests.yaml': 'requests:\n', 'c.yml': '' }
  assert.equal(problemsOf(files), [
    "mine/a.yaml:9:5: unknown key 'titel'; did you mean 'title'?",
    "mine/a.yaml:11:5: unknown key 'stesp'; did you mean 'steps'?",
    "mine/b.yaml:7:9: unknown key 'sned'; did you mean 'send'?",
    "mine/c.yml:1:1: the file is empty: it needs 'area', 'specs'",
    "mine/requests.yaml:1:1: 'requests' is empty",
  ])
})

test('problems of one spec are in the order of its lines, whoever found them', () => {
  const text = spec(
    'send: acess\n  token: b\n  expect: 200\n- logon: a\n  body: x',
    replaced('a-spec', 'door-opens'),
  ).replace('DOOR-1', 'DOOR-9')
  assert.equal(problemsOf({ 'x.yaml': text }), [
    "3:5: duplicate id 'door-opens', first at base/doors.yaml:4",
    "5:20: unknown requirement 'DOOR-9'; did you mean 'DOOR-1'?",
    "7:9: unknown request 'acess'; did you mean 'access'?",
    "8:9: no step before this one issued a token 'b'",
    "11:9: 'body' does not go with 'logon'",
  ])
})

test('what is named twice, in one file, in two, and in two folders', () => {
  const again = `${spec('logon: a')}${spec('logon: a').split('\n').slice(2).join('\n')}`
  assert.equal(problemsOf({ 'x.yaml': again }), [
    "8:5: duplicate id 'a-spec', first at mine/x.yaml:3",
    "9:5: duplicate title 'a title', first at mine/x.yaml:4",
  ])
  assert.equal(problemsOf({ 'w.yaml': spec('logon: a'), 'x.yaml': spec('logon: a', replaced('a-spec', 'another')) }), [
    "4:5: duplicate title 'a title', first at mine/w.yaml:4",
  ])
  const requirement = '  - id: MINE-1\n    section: s\n    text: t\n'
  const requirements = `requirements:\n${requirement}${requirement}${requirement.replace('MINE-1', 'DOOR-2')}`
  const requests = 'requests:\n  access:\n    method: GET\n    path: /api/mine\n'
  assert.equal(
    problemsOf({ 'requirements.yaml': requirements, 'requests.yaml': requests, 'x.yaml': spec('logon: a') }),
    [
      "mine/requests.yaml:2:3: duplicate request 'access', first at base/requests.yaml:10",
      "mine/requirements.yaml:5:5: duplicate requirement 'MINE-1', first at mine/requirements.yaml:2",
      "mine/requirements.yaml:8:5: duplicate requirement 'DOOR-2', first at base/requirements.yaml:6",
    ],
  )
})

test('requests: names, methods, paths, headers and variables', () => {
  const requests = `requests:
  Bad:
    method: get
    path: api
    heders: {}
  two:
    method: GET
    path: /api/a b
    headers: { "a b": x, Accept: 1, X: "one\\ntwo" }
    body: 3
`
  assert.equal(
    problemsOf({ 'requests.yaml': requests }).map(line => line.replace('mine/requests.yaml:', '')),
    [
      `2:3: 'Bad' is not a valid name: ${NAME}`,
      "3:5: 'get' is not a valid 'method': use a method in capital letters, such as GET",
      "4:5: 'api' is not a valid 'path': use a path that starts with / or {probe-path}, without spaces and without #",
      "5:5: unknown key 'heders'; did you mean 'headers'?",
      "8:5: '/api/a b' is not a valid 'path': use a path that starts with / or {probe-path}, without spaces and without #",
      "9:16: 'a b' is not a valid name: use the name of a header, such as Accept",
      '9:26: \'Accept\' must be text: put it in quotes, "1"',
      "9:37: 'one\ntwo' is not a valid 'X': use text on one line",
      "10:5: 'body' must be a mapping (key: value) or text, not 3",
    ],
  )
  const variables = `requests:
  two:
    method: GET
    path: "/api/{prob-path}"
    headers: { X-A: "{username}", X-B: "{usrname}" }
    body: { a: ["{constructor}"] }
`
  assert.equal(
    problemsOf({ 'requests.yaml': variables }).map(line => line.replace('mine/requests.yaml:', '')),
    [
      "4:5: unknown variable {prob-path}; did you mean 'probe-path'?",
      "5:35: unknown variable {usrname}; did you mean 'username'?",
      `6:5: unknown variable {constructor}${UNKNOWN_VARIABLE}`,
    ],
  )
})

test('what a step saves: names of its own, used by a later step and by no other', () => {
  const own = (line: string) => (line.startsWith('- ') ? line : `  ${line}`)
  const problems = (...lines: string[]) =>
    problemsOf({ 'x.yaml': spec(['send: access', '  expect: 200', ...lines.map(own)].join('\n')) })
  const use = '- { send: access, expect: 200, headers: { X-A: "{thing}" } }'
  const save = '- { send: access, expect: 200, save: { thing: /id } }'
  assert.equal(problems('save: { thing: /id }', use), [])
  assert.equal(problems('save: { thing: /id }'), ['9:17: no later step uses {thing}: use it, or do not save it'])
  assert.equal(problems('headers: { X-A: "{thing}" }', save), [
    '9:9: {thing} is used before it is saved: save it in a step before this one',
    '10:46: no later step uses {thing}: use it, or do not save it',
  ])
  assert.equal(problems('save: { username: /id }'), ['9:17: {username} is a variable of the run: choose another name'])
  assert.equal(problems('save: { thing: /id }', save, use), ["10:46: 'thing' is saved before: choose another name"])
  assert.equal(problems('times: 2', 'save: { thing: /id }', use), [
    "10:9: 'save' does not go with 'times': there are several responses",
  ])
  assert.equal(problems('save: { thing: /id }', use.replace('{ send', '{ beside: true, send')), [
    "10:52: {thing} is saved by a step that is sent at the same time: leave out 'beside'",
  ])
  assert.equal(problems('save: { thing: /id }', use.replace('thing', 'thin')), [
    '9:17: no later step uses {thing}: use it, or do not save it',
    "10:38: unknown variable {thin}; did you mean 'thing'?",
  ])
  assert.equal(problems('save: { thing: id }', use), [
    "9:17: 'id' is not a valid 'thing': use a JSON Pointer such as /id, or header: and a name, such as header:ETag",
  ])
})

test('a schema of a body has to compile, and stands where there is one answer', () => {
  const expect = (text: string) => problemsOf({ 'x.yaml': spec(`send: access\n  expect: [200, { body: ${text} }]`) })
  assert.equal(expect('{ type: object, properties: { id: { type: string } } }'), [])
  const [wrong = ''] = expect('{ type: objekt }')
  assert.match(
    wrong,
    /^8:9: the schema of the body cannot be used: schema is invalid: data\/type must be equal to one of the/,
  )
  const [misspelt = ''] = expect('{ type: object, propertys: {} }')
  assert.match(misspelt, /^8:9: the schema of the body cannot be used: strict mode: unknown keyword: "propertys"$/)
  const [elsewhere = ''] = expect('{ $ref: "https://elsewhere.example/x" }')
  assert.match(elsewhere, /^8:9: the schema of the body cannot be used: can't resolve reference/)
  assert.equal(expect('{ $async: true, type: object }'), [
    "8:9: the schema of the body cannot be used: '$async' is no word of JSON Schema: leave it out",
  ])
  assert.equal(expect('3'), ["8:25: 'body' must be a mapping (key: value), not 3"])
})

test('a role is that of one request', () => {
  const two = (role: string) => `requests:\n  two: { method: GET, path: /api/two, role: ${role} }\n`
  assert.equal(problemsOf({ 'requests.yaml': two('probe') }), [
    "mine/requests.yaml:2:39: duplicate role 'probe', first at base/requests.yaml:11",
  ])
  assert.equal(problemsOf({ 'requests.yaml': two('prove') }), [
    "mine/requests.yaml:2:39: 'prove' is not a valid 'role'; did you mean 'probe'?",
  ])
})

test('requests hold no tokens, which are issued in steps, and one of their paths may be wrong', () => {
  const head = 'requests:\n  two:\n    method: POST\n'
  const body = `${head}    path: ["/api/a", "/api/b"]\n    headers: { X-A: "{token a}" }\n    body: "{token b}"\n`
  assert.equal(problemsOf({ 'requests.yaml': body }), [
    'mine/requests.yaml:5:16: {token a} stands in steps only, where tokens are issued',
    'mine/requests.yaml:6:5: {token b} stands in steps only, where tokens are issued',
  ])
  assert.equal(problemsOf({ 'requests.yaml': `${head}    path: ["/api/a", "api"]\n    level: never\n` }), [
    "mine/requests.yaml:4:22: 'api' is not a valid item of 'path': use a path that starts with / or {probe-path}, without spaces and without #",
    "mine/requests.yaml:5:5: 'never' is not a valid 'level'; known: must, observe",
  ])
})

test('requirements that are excluded say why, and no spec tests them', () => {
  const requirements = 'requirements:\n  - { id: MINE-1, section: s, text: t, level: excluded }\n'
  assert.equal(problemsOf({ 'requirements.yaml': requirements }), [
    "mine/requirements.yaml:2:5: the key 'reason' is missing",
  ])
  const reasoned = requirements.replace('excluded', 'excluded, reason: nobody can see it')
  assert.equal(
    problemsOf({
      'requirements.yaml': reasoned,
      'x.yaml': spec('send: access\n  expect: 200', replaced('DOOR-1', 'MINE-1')),
    }),
    ["5:20: 'MINE-1' is excluded from testing: nobody can see it"],
  )
})

test('requirements: keys and texts', () => {
  const requirements = 'requirements:\n  - id: MINE-1\n    section: ""\n    txt: t\n  - MINE-2\n'
  assert.equal(problemsOf({ 'requirements.yaml': requirements }), [
    "mine/requirements.yaml:3:5: 'section' is empty",
    "mine/requirements.yaml:4:5: unknown key 'txt'; did you mean 'text'?",
    "mine/requirements.yaml:5:5: this item of 'requirements' must be a mapping (key: value), not text",
  ])
})

test('what a broken ledger or broken requests may hold is not called unknown', () => {
  const files = { 'x.yaml': spec('send: mine\n  expect: 200', replaced('DOOR-1', 'MINE-1')) }
  assert.equal(problemsOf({ ...files, 'requirements.yaml': '', 'requests.yaml': '' }), [
    "mine/requests.yaml:1:1: the file is empty: it needs 'requests'",
    "mine/requirements.yaml:1:1: the file is empty: it needs 'requirements'",
  ])
  assert.equal(problemsOf(files), [
    "5:20: unknown requirement 'MINE-1'; known: DOOR-1, DOOR-2",
    "7:9: unknown request 'mine'; known: logon, access, revoke",
  ])
})

test.run()
