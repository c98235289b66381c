/** Families of variations: the output of generators, and the loading of families and of steps that range over them. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Redactor } from '../dist/core/redact.js'
import { GENERATORS, makeAll, SAMPLE } from '../dist/suite/families/generators.js'
import { sizeOf } from '../dist/suite/family.js'
import { loadSuite } from '../dist/suite/load.js'
import type { SendStep } from '../dist/suite/spec.js'
import { makeFolder } from './support/folder.js'
import { BASE, problemsIn } from './support/spec-files.js'
import { SUITE } from './support/suite-run.js'

const TOKENS = {
  hex: SAMPLE.token,
  digits: '049113',
  base64: 'q83vEjRWeJCrze8SNFZ4kA==',
  jwt: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZG1pbiJ9.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  long: 'Ab3x'.repeat(200),
  short: 'a',
}

const generators = suite('generators of variations')

generators('every variation has a name of its own, and none is what it was made from', () => {
  for (const [kind, token] of Object.entries(TOKENS)) {
    for (const [name, { from, make }] of Object.entries(GENERATORS)) {
      const made = make({ ...SAMPLE, token })
      const names = made.map(each => each.name)
      assert.is(new Set(names).size, names.length, `${name} of ${kind}: ${names}`)
      if (from === 'token')
        assert.not.ok(
          made.some(each => each.token === token),
          `${name} of ${kind}`,
        )
      if (from === 'path')
        assert.not.ok(
          made.some(each => each.path === SAMPLE.path),
          name,
        )
    }
  }
})

generators('the likenesses of a token are seventeen: what is renamed among the look-alikes is missed here', () => {
  assert.is(GENERATORS.likenesses.make(SAMPLE).length, 17)
})

generators('the same material gives the same variations', () => {
  for (const { make } of Object.values(GENERATORS)) assert.equal(make(SAMPLE), make(SAMPLE))
})

generators('every path and every token can be sent', () => {
  for (const token of Object.values(TOKENS)) {
    for (const made of makeAll(['characters', 'boundaries', 'lookalikes', 'paths'], { ...SAMPLE, token })) {
      if (made.token !== undefined) assert.match(made.token, /^[!-~\x80-\xff]+$/, made.name)
      if (made.path !== undefined) assert.match(made.path, /^(\/|https:\/\/)[!-~]*$/, made.name)
    }
  }
})

generators('each character of a token is changed, the class of characters stays', () => {
  const made = makeAll(['boundaries', 'characters'], SAMPLE)
  const places = made.map(({ token = '' }) => {
    const changed = [...token].flatMap((character, place) => (character === SAMPLE.token[place] ? [] : [place]))
    assert.is(changed.length, 1)
    assert.match(token, /^[0-9a-f]{64}$/)
    return changed[0]
  })
  assert.is(new Set(places).size, 64)
  assert.is(made.length, 64)
  const long = makeAll(['boundaries', 'characters'], { ...SAMPLE, token: TOKENS.long })
  assert.ok(long.length <= 64, String(long.length))
  for (const place of [1, 2, 64, 65, 400, 799, 800])
    assert.ok(
      long.some(({ name }) => name.startsWith(`character ${place} `)),
      String(place),
    )
})

generators('what decodes to the same bytes is no other token', () => {
  const bytes = (text: string) => Buffer.from(text, 'base64').toString('hex')
  for (const { token = '', name } of makeAll(['characters', 'lookalikes'], { ...SAMPLE, token: TOKENS.base64 })) {
    assert.is.not(bytes(token), bytes(TOKENS.base64), name)
  }
})

generators('no lookalike of a UUID is the same UUID, written in another way', () => {
  const digits = (text: string) => text.replace(/[{}-]/g, '').toLowerCase()
  const uuid = '0F8FAD5B-D9CB-469F-A165-70867728950E'
  const made = makeAll(['characters', 'boundaries', 'lookalikes'], { ...SAMPLE, token: uuid })
  assert.equal(
    made.filter(({ token = '' }) => digits(token) === digits(uuid)),
    [],
  )
  assert.ok(made.some(({ name }) => name === 'its first half'))
})

generators('lookalikes hold what the issue of them was: cut, doubled, cased, separated, encoded', () => {
  const values = new Map(GENERATORS.lookalikes.make(SAMPLE).map(({ name, token }) => [name, token]))
  const { token } = SAMPLE
  assert.is(values.get('without its last character'), token.slice(0, -1))
  assert.is(values.get('doubled'), token + token)
  // To a Core that reads hex digits as bytes it is the same token.
  assert.is(values.get('in capital letters'), undefined)
  const cased = GENERATORS.lookalikes
    .make({ ...SAMPLE, token: TOKENS.jwt })
    .find(({ name }) => name === 'in capital letters')
  assert.is(cased?.token, TOKENS.jwt.toUpperCase())
  assert.is(values.get("'.' and more behind it"), `${token}.x`)
  assert.is(values.get("'%00' and more behind it"), `${token}%00x`)
  assert.is(values.get('in base64'), Buffer.from(token).toString('base64'))
  assert.is(values.get('16 KB of one letter')?.length, 16_384)
})

generators('each trick is played at each segment of a path, and from the path of logon', () => {
  const made = new Set(GENERATORS.paths.make(SAMPLE).map(({ path }) => path))
  for (const path of [
    '//api/v0/cores/self/users',
    '/api/v0/cores//self/users',
    '/api/v0/cores/x/%2e%2e/self/users',
    '/api/v0/cores%2Fself/users',
    '/api\\v0/cores/self/users',
    '/api/v0/cores/self/USERS',
    '/api/v0/cores;x/self/users',
    '/api/v0/cores/self/users.json',
    '/api/v0/cores/self/users%00',
    '/api/v0/logon/../cores/self/users',
    'https://192.0.2.1/api/v0/cores/self/users',
  ])
    assert.ok(made.has(path), path)
})

/** Reads a body that is JSON; undefined for another. */
function read(body: string) {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

generators('no two forms of wrong credentials are the same, and their names differ', () => {
  const forms = GENERATORS['wrong-credentials'].make(SAMPLE)
  assert.is(new Set(forms.map(({ name }) => name)).size, forms.length)
  assert.is(new Set(forms.map(({ name: _, secrets: __, ...sent }) => JSON.stringify(sent))).size, forms.length)
})

generators('wrong credentials are wrong, and right ones are the same object', () => {
  const right = { username: SAMPLE.username, password: SAMPLE.password }
  for (const kind of ['wrong-credentials', 'malformed-credentials'] as const)
    for (const { body = '', name } of GENERATORS[kind].make(SAMPLE)) assert.not.equal(read(body), right, name)
  for (const { body = '', name } of GENERATORS['right-credentials'].make(SAMPLE))
    assert.equal(JSON.parse(body), right, name)
  // Swapping a password that equals the username gives nothing new.
  const same = GENERATORS['wrong-credentials'].make({ ...SAMPLE, password: SAMPLE.username })
  for (const { body = '' } of same) assert.not.equal(read(body), { username: 'admin', password: 'admin' })
  // A password that a form would use as the wrong one.
  for (const password of ['x', '%', 'admin', 'ab', 'p%40ss', 'Über-Passwort', '1234'])
    for (const { body = '', name } of GENERATORS['wrong-credentials'].make({ ...SAMPLE, password }))
      assert.not.equal(read(body), { username: 'admin', password }, `${name} of ${password}`)
})

generators('what is made of the password is told to be secret', () => {
  // What is sent for another password, too, is not made of this one.
  const others = new Set(
    GENERATORS['wrong-credentials']
      .make({ ...SAMPLE, password: 'Anderes/Wort 7' })
      .map(({ body = '' }) => read(body)?.password),
  )
  const forms = GENERATORS['wrong-credentials'].make(SAMPLE)
  assert.ok(forms.filter(({ secrets = [] }) => secrets.length > 0).length > 40)
  for (const { body = '', secrets = [], name } of forms) {
    const { password } = read(body) ?? {}
    // One repeated character: it shows nothing of the password, and hiding it would blot out the evidence.
    const tells = typeof password === 'string' && !/^(.)\1*$/s.test(password) && password !== SAMPLE.password
    const asSent = tells ? JSON.stringify(password).slice(1, -1) : ''
    if (tells) assert.is(secrets.includes(password) || secrets.includes(asSent), !others.has(password), name)
  }
})

generators('what is made of the password hides nothing of a right logon but the password', () => {
  const hide = (password: string) => {
    const redactor = new Redactor()
    redactor.hide(password, 'password')
    const made = GENERATORS['wrong-credentials'].make({ ...SAMPLE, password })
    for (const secret of made.flatMap(({ secrets = [] }) => secrets)) redactor.hide(secret, 'made of the password')
    return redactor.text(JSON.stringify({ username: SAMPLE.username, password }))
  }
  for (const password of [SAMPLE.password, 'Say "no"\\', 'Über-Passwort'])
    assert.is(hide(password), `{"username":"admin","password":"[password]"}`)
})

generators('cookies of the logon are carried, where it set any', () => {
  const names = (cookies: string[]) =>
    GENERATORS.carried.make({ ...SAMPLE, cookies }).map(({ headers }) => headers?.Cookie)
  assert.equal(names([]).filter(Boolean), [])
  assert.equal(names(['a=b', 'c=d']).filter(Boolean), ['a=b; c=d'])
})

generators.run()

const loading = suite<{ folder: string }>('loading families')

loading.before.each(context => {
  context.folder = makeFolder()
  mkdirSync(join(context.folder, 'families'))
})

const SPEC = `area: mine
specs:
  - id: mine
    title: mine holds
    requirements: [DOOR-1]
    steps:
      - logon: a
`

function problems(folder: string, families: string | undefined, ...steps: string[]): string[] {
  if (families !== undefined) writeFileSync(join(folder, 'families', 'f.yaml'), families)
  writeFileSync(join(folder, 'mine.yaml'), SPEC + steps.map(step => `      - ${step}\n`).join(''))
  return problemsIn(() => loadSuite([BASE, { path: folder, label: 'mine' }])).map(
    each => `${each.file}:${each.line}:${each.column}: ${each.message}`,
  )
}

const FAMILY = `families:
  doors:
    about: Doors of every kind.
    variations:
      front: { headers: { X-Door: "{token}" } }
      back: { path: "{path}?door=back" }
`

loading("a user's folder adds families, and its specs range over them", ({ folder }) => {
  assert.equal(problems(folder, FAMILY, '{ send: access, token: a, each: doors, expect: rejected }'), [])
  const { families, specs } = loadSuite([BASE, { path: folder, label: 'mine' }])
  const family = families.get('doors')
  assert.is(family?.file, 'mine/families/f.yaml')
  assert.is(family?.line, 2)
  assert.is(family && sizeOf(family), 2)
  const step = specs.at(-1)?.steps[1] as SendStep
  assert.equal(step.each, {
    family: 'doors',
    made: [],
    variations: [
      // {token} is the token of the step.
      { name: 'front', headers: { 'X-Door': '{token a}' } },
      { name: 'back', path: '{path}?door=back' },
    ],
  })
})

loading('what is wrong with a family is told with its line', ({ folder }) => {
  const step = '{ send: access, token: a, each: doors, expect: rejected }'
  const cases: [families: string, expected: RegExp][] = [
    ['families:\n  doors: { about: x }\n', /f\.yaml:2:\d+: .*'(made|variations)'/],
    ['families:\n  doors: { about: x, made: [charcters] }\n', /f\.yaml:2:\d+: .*did you mean 'characters'/],
    [
      'families:\n  doors:\n    about: x\n    variations:\n      a: { path: "/{pth}" }\n',
      /f\.yaml:5:\d+: unknown variable \{pth\}/,
    ],
    [
      'families:\n  doors:\n    about: x\n    variations:\n      a: { token: "{token b}" }\n',
      /f\.yaml:5:\d+: \{token b\}: say \{token\}/,
    ],
    ['families:\n  doors:\n    about: x\n    variations:\n      a: { colour: red }\n', /f\.yaml:5:\d+: .*colour/],
    [`${FAMILY}  doors:\n    about: x\n`, /f\.yaml:7:\d+: the key 'doors' stands here twice/],
  ]
  for (const [families, expected] of cases) assert.match(problems(folder, families, step).join('\n'), expected)
})

loading('two families of a row have no variation of the same name', ({ folder }) => {
  const both = `${FAMILY}  gates: { about: Gates., variations: { back: { path: "{path}?gate=back" } } }\n`
  const step = '{ send: access, token: a, each: [doors, gates], expect: rejected }'
  assert.match(problems(folder, both, step).join('\n'), /'doors' and 'gates' both have a variation 'back': rename one/)
})

loading('what is wrong with a step that ranges over a family is told with its line', ({ folder }) => {
  const cases: [step: string, expected: RegExp][] = [
    [
      'send: access, token: a, each: door, expect: rejected',
      /mine\.yaml:8:\d+: unknown family 'door'; did you mean 'doors'/,
    ],
    ['send: access, each: doors, expect: rejected', /made from a token: say which with 'token'/],
    ['send: access, token: unknown, each: doors, expect: rejected', /made from a token: say which with 'token'/],
    ['send: access, token: a, each: doors, times: 2, expect: rejected', /'times' does not go with 'each'/],
    ['send: access, token: a, each: doors, expect: either', /'either' does not go with 'each'/],
    ['send: access, token: a, spares: a, expect: rejected', /'spares' goes with 'each'/],
    ['send: access, token: a, each: doors, spares: b', /issued a token 'b'/],
    ['send: access, token: a, each: doors, bracket: b, expect: rejected', /issued a token 'b'/],
    ['send: access, token: a, only: back, expect: rejected', /'only' goes with 'each'/],
    [
      'send: access, token: a, each: doors, only: bak, expect: rejected',
      /'doors' has no variation 'bak'; did you mean 'back'/,
    ],
    ['send: logon, expect: issued', /'issued' goes with 'each'/],
  ]
  for (const [step, expected] of cases) assert.match(problems(folder, FAMILY, `{ ${step} }`).join('\n'), expected)
})

loading('the same family twice is refused, and a folder of families changes the digest', ({ folder }) => {
  const step = '{ send: access, token: a, each: doors, expect: rejected }'
  problems(folder, FAMILY, step)
  const digest = () => loadSuite([BASE, { path: folder, label: 'mine' }]).digest
  const before = digest()
  writeFileSync(join(folder, 'families', 'f.yaml'), FAMILY.replace('back }', 'side }').replace('=back', '=side'))
  assert.is.not(digest(), before)
  writeFileSync(join(folder, 'families', 'g.yaml'), FAMILY)
  assert.match(
    problems(folder, undefined, step).join('\n'),
    /g\.yaml:2:\d+: duplicate family 'doors', first at mine\/families\/f\.yaml:2/,
  )
})

loading('every shipped family is used, and says what it is', () => {
  const { families, specs } = SUITE
  const used = new Set(
    specs.flatMap(({ given, steps }) =>
      [...given, ...steps].flatMap(step => {
        if (step.action !== 'send' || !step.each) return []
        return [...step.each.family.split(' × '), ...(step.each.dimensions ?? []).map(({ name }) => name)]
      }),
    ),
  )
  assert.equal(
    [...families.keys()].filter(name => !used.has(name)),
    [],
  )
  for (const family of families.values()) assert.ok(sizeOf(family) > 0 || family.dimensions, family.name)
})

loading.run()
