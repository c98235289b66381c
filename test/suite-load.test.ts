import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { loadSuite, type SuiteFolder } from '../dist/suite/load.js'
import { SuiteError } from '../dist/suite/problem.js'
import { speaksHttp10, tokensHeld, waits } from '../dist/suite/spec.js'
import { fill, fillTokens, tokensIn, VARIABLES, variablesIn } from '../dist/suite/variables.js'
import { makeFolder } from './support/folder.js'
import { BASE } from './support/spec-files.js'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const SHIPPED = { path: at('../specs'), label: 'specs' }

const test = suite<{ folder: string }>('loading the suite')

test.before.each(context => {
  context.folder = makeFolder()
})

function problemsOf(...folders: SuiteFolder[]): string[] {
  try {
    loadSuite(folders)
  } catch (error) {
    if (error instanceof SuiteError) return error.message.split('\n')
    throw error
  }
  return []
}

/** Asserts that an object is as expected in these keys; it may have others. */
function assertHas(actual: object | undefined, expected: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(expected)) {
    assert.equal((actual as Record<string, unknown> | undefined)?.[key], value, key)
  }
}

const spec = (id: string) => `area: mine
specs:
  - id: ${id}
    title: ${id} holds
    requirements: [DOOR-1]
    steps:
      - logon: a
        tests: DOOR-1
`

test('the shipped specs load, and every id and title is there once', () => {
  const { specs, requests, requirements } = loadSuite([SHIPPED])
  assert.ok(specs.length >= 20)
  for (const key of ['id', 'title'] as const) assert.is(new Set(specs.map(each => each[key])).size, specs.length, key)
  // The survey and the cleanup need these.
  for (const name of ['logon', 'access', 'revoke']) assert.ok(requests.has(name), name)
  const tested = new Set(specs.flatMap(each => each.requirements.map(({ id }) => id)))
  for (const { id, level, reason } of requirements.values()) {
    assert.is(tested.has(id), level !== 'excluded', `${id} is tested, or says why not`)
    assert.is(reason !== undefined, level === 'excluded', id)
  }
})

test('a shipped spec is found at the file and line that it names', () => {
  for (const { id, file, line } of loadSuite([SHIPPED]).specs) {
    assert.is(
      readFileSync(at(`../${file}`), 'utf8').split('\n')[line - 1],
      `  - id: ${id.replace(/-(http1[01]|\d+)$/, '')}`,
    )
  }
})

test('the first line of every shipped file and fixture points editors to its schema', () => {
  for (const folder of [SHIPPED.path, join(SHIPPED.path, 'families'), BASE.path]) {
    for (const name of readdirSync(folder).filter(each => each.endsWith('.yaml'))) {
      const [first = ''] = readFileSync(join(folder, name), 'utf8').split('\n')
      const target = /^# yaml-language-server: \$schema=(\S+)$/.exec(first)?.[1] ?? ''
      assert.ok(existsSync(resolve(folder, target)), `${name}: ${first}`)
      const isFamily = folder.endsWith('families')
      const kind = isFamily ? 'families' : (/^(requests|requirements)\.yaml$/.exec(name)?.[1] ?? 'spec')
      assert.ok(target.endsWith(`/contracts/${kind}.schema.json`), `${name}: ${first}`)
    }
  }
})

test('a spec is what its file says, with defaults', ({ folder }) => {
  writeFileSync(
    join(folder, 'x.yaml'),
    `area: mine
about: All that a spec can say.
specs:
  - id: all
    title: all of it
    requirements: [DOOR-2, DOOR-1]
    level: observe
    given:
      - logon: a
      - logon: b
        http: "1.0"
    steps:
      - wait: { token: a, unused: 60% }
      - wait: { token: b, age: past lifetime }
      - distinct: [a, b]
      - opaque: a
      - send: logon
        method: GET
        path: "{probe-path}?a={token a}"
        headers: { X-A: "{token b}", Accept: ["{username}", text/*] }
        without: [HOST, accept]
        http: "1.0"
        connection: kept
        body: '{"username": "{username}"}'
        expect: [nothing issued, 406]
        observe: something
      - send: access
        token: unknown
        expect: rejected
      - send: access
        token: { like: a, change: shortened }
        expect: rejected
      - send: access
        token: a
        expect: expired
      - send: revoke
        token: b
  - id: open
    title: the open one
    requirements: [DOOR-1]
    when: { access-control: off }
    steps:
      - send: access
        body: { on: yes }
        expect: accepted
`,
  )
  const [, all, open] = loadSuite([BASE, { path: folder, label: 'mine' }]).specs
  assertHas(all, {
    id: 'all',
    area: 'mine',
    title: 'all of it',
    level: 'observe',
    requirements: [
      { id: 'DOOR-2', text: 'A door stays shut without its key.', section: 'Doors' },
      { id: 'DOOR-1', text: 'A door opens with its key.', section: 'Doors' },
    ],
    accessControl: 'on',
    file: 'mine/x.yaml',
    line: 4,
  })
  const given = [
    { action: 'logon', token: 'a', http: '1.1' },
    { action: 'logon', token: 'b', http: '1.0' },
  ]
  for (const [index, step] of given.entries()) assertHas(all?.given[index], step)
  const plain = { action: 'send', headers: {}, without: [], http: '1.1' }
  const steps = [
    { action: 'wait', token: 'a', since: 'used', span: { fraction: 0.6 } },
    { action: 'wait', token: 'b', since: 'issued', span: 'past lifetime' },
    { action: 'distinct', tokens: ['a', 'b'] },
    { action: 'opaque', token: 'a' },
    {
      action: 'send',
      request: 'logon',
      method: 'GET',
      path: '{probe-path}?a={token a}',
      headers: { 'X-A': '{token b}', Accept: ['{username}', 'text/*'] },
      without: ['HOST', 'accept'],
      http: '1.0',
      connection: 'kept',
      body: '{"username": "{username}"}',
      expect: ['nothing issued', 406],
      observe: 'something',
    },
    { ...plain, request: 'access', expect: ['rejected'], token: { name: 'unknown' } },
    { ...plain, request: 'access', expect: ['rejected'], token: { name: 'a', change: 'shortened' } },
    { ...plain, request: 'access', expect: ['expired'], token: { name: 'a' } },
    { ...plain, request: 'revoke', expect: [], token: { name: 'b' } },
  ]
  assert.is(all?.steps.length, steps.length)
  for (const [index, step] of steps.entries()) assertHas(all?.steps[index], step)
  assert.equal(
    [waits, speaksHttp10, tokensHeld].map(each => all && each(all)),
    [true, true, 2],
  )
  assert.equal(
    [waits, speaksHttp10, tokensHeld].map(each => open && each(open)),
    [false, false, 0],
  )
  assert.is(open?.accessControl, 'off')
  // `on` and `yes` are text in YAML 1.2, as they are for people.
  assertHas(open?.steps[0], { ...plain, request: 'access', expect: ['accepted'], body: { on: 'yes' } })
})

test('a spec for each version of HTTP is two specs, with an id and a title each', ({ folder }) => {
  const each = spec('a').replace('logon: a', 'logon: a\n        http: each\n      - logon: b\n        http: "1.0"')
  writeFileSync(join(folder, 'x.yaml'), each)
  const [, ...specs] = loadSuite([BASE, { path: folder, label: 'mine' }]).specs
  assert.equal(
    specs.map(({ id, title, steps, line }) => [id, title, steps.map(step => 'http' in step && step.http), line]),
    [
      ['a-http11', 'a holds, over HTTP/1.1', ['1.1', '1.0'], 3],
      ['a-http10', 'a holds, over HTTP/1.0', ['1.0', '1.0'], 3],
    ],
  )
  assert.equal(specs.map(speaksHttp10), [true, true])
  writeFileSync(join(folder, 'y.yaml'), spec('a-http10'))
  assert.equal(problemsOf(BASE, { path: folder, label: 'mine' }), [
    "mine/y.yaml:3:5: duplicate id 'a-http10', first at mine/x.yaml:3",
  ])
})

test('files are read in the order of their names, .yml like .yaml; what is hidden or something else is left alone', ({
  folder,
}) => {
  for (const [index, name] of ['b.yaml', 'c.YML', 'a.yml'].entries())
    writeFileSync(join(folder, name), spec(`s${index}`))
  for (const name of ['.#a.yaml', '._a.yaml', 'README.md', 'a.yaml~', 'a.json']) writeFileSync(join(folder, name), '\0')
  const { specs } = loadSuite([BASE, { path: folder, label: 'mine' }])
  assert.equal(
    specs.map(({ file }) => file),
    ['base/doors.yaml', 'mine/a.yml', 'mine/b.yaml', 'mine/c.YML'],
  )
})

test('a folder adds to the ledger and to the requests of those before it', ({ folder }) => {
  writeFileSync(join(folder, 'requirements.yaml'), 'requirements:\n  - { id: MINE-1, section: s, text: t }\n')
  writeFileSync(join(folder, 'requests.yaml'), 'requests:\n  ping: { method: GET, path: /api/ping }\n')
  writeFileSync(
    join(folder, 'a.yaml'),
    spec('a')
      .replace('[DOOR-1]', '[DOOR-1, MINE-1]')
      .replace('logon: a', 'send: ping\n        expect: 200')
      .replace('tests: DOOR-1', 'tests: [DOOR-1, MINE-1]'),
  )
  const { requests, requirements, specs } = loadSuite([BASE, { path: folder, label: 'mine' }])
  assert.equal([...requests.keys()], ['logon', 'access', 'revoke', 'ping'])
  assert.equal([...requirements.keys()], ['DOOR-1', 'DOOR-2', 'MINE-1'])
  assert.is(specs.length, 2)
})

test('the digest is that of the files: the same for the same, another for any change', ({ folder }) => {
  const mine = { path: folder, label: 'mine' }
  const digest = () => loadSuite([BASE, mine]).digest
  writeFileSync(join(folder, 'a.yaml'), spec('a'))
  const first = digest()
  assert.match(first, /^[0-9a-f]{64}$/)
  assert.is(digest(), first)
  writeFileSync(join(folder, 'a.yaml'), `${spec('a')}# a word more\n`)
  assert.is.not(digest(), first)
})

test('folders that are none', ({ folder }) => {
  const file = join(folder, 'file')
  writeFileSync(file, '')
  const empty = join(folder, 'empty')
  mkdirSync(join(empty, 'below.yaml'), { recursive: true })
  assert.equal(problemsOf(BASE, { path: join(folder, 'none'), label: 'none' }, { path: file, label: 'file' }), [
    'none:1:1: cannot be read as a folder of specs: there is no such folder',
    'file:1:1: cannot be read as a folder of specs: it is a file, or below one',
  ])
  assert.equal(problemsOf(BASE, { path: folder, label: 'mine' }), ['mine:1:1: holds no spec files (*.yaml)'])
  assert.equal(problemsOf(BASE, { path: empty, label: 'mine' }), [
    'mine/below.yaml:1:1: cannot be read: it is a folder',
  ])
  symlinkSync(join(folder, 'gone'), join(empty, 'a.yaml'))
  assert.match(
    problemsOf(BASE, { path: empty, label: 'mine' })[0] ?? '',
    /^mine\/a\.yaml:1:1: cannot be read: there is no such file$/,
  )
})

test('a spec that is a pipe, a device, a link out of its folder, or too large is refused by name, and not shown', ({
  folder,
}) => {
  const outside = makeFolder()
  writeFileSync(join(outside, 'shadow'), 'root:kanari-line: [\n')
  execFileSync('mkfifo', [join(folder, 'a.yaml')])
  symlinkSync('/dev/zero', join(folder, 'b.yaml'))
  symlinkSync(join(outside, 'shadow'), join(folder, 'c.yaml'))
  writeFileSync(join(folder, 'd.yaml'), `# ${'x'.repeat(5_000_000)}\n`)
  assert.equal(problemsOf(BASE, { path: folder, label: 'mine' }), [
    'mine/a.yaml:1:1: is a pipe (FIFO), and not a file',
    'mine/b.yaml:1:1: is a link out of its folder: put the file itself there',
    'mine/c.yaml:1:1: is a link out of its folder: put the file itself there',
    'mine/d.yaml:1:1: is larger than 5 MB',
  ])
})

test('the same folder twice is said to be that, by whatever path', ({ folder }) => {
  const link = join(folder, 'link')
  symlinkSync(SHIPPED.path, link)
  assert.equal(problemsOf(SHIPPED, { path: link, label: 'link' }), [
    'link:1:1: is the same folder as specs, which is read already',
  ])
})

test('variables are filled in values only, and nothing else is taken for one', () => {
  const variables = { username: 'u{password}', password: 'p', 'wrong-password': 'w', 'probe-path': '/api/x' }
  for (const name of Object.keys(variables)) assert.ok((VARIABLES as readonly string[]).includes(name))
  assert.equal(
    fill({ a: '{username}{password}', '{password}': ['{wrong-password}', 1, null, { b: '{probe-path}' }] }, variables),
    // The value of a variable is not searched for variables.
    { a: 'u{password}p', '{password}': ['w', 1, null, { b: '/api/x' }] },
  )
  // Not even one that these credentials do not have.
  const same = '{constructor} {toString} {Password} {swapped-case-password} {token a}'
  assert.is(fill(same, variables), same)
  assert.is(
    fillTokens(`${same}{token b-2}`, name => `<${name}>`),
    same.replace('{token a}', '<a><b-2>'),
  )
  assert.equal(tokensIn({ a: ['{token a}', { b: 'x{token b-2}{tokens c}' }] }), ['a', 'b-2'])
  assert.equal(variablesIn({ a: '{password}{Password}', b: ['{probe-path}'] }), ['password', 'probe-path'])
})

test.run()
