import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { allSteps, type Spec } from '../dist/suite/spec.js'
import { STATES } from '../dist/suite/step-words.js'
import { loadFiles, problemsIn } from './support/spec-files.js'
import { SUITE } from './support/suite-run.js'

const test = suite('interactions of specs')

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const load = (text: string): Spec[] => loadFiles({ 'x.yaml': text }).specs.filter(({ file }) => file === 'mine/x.yaml')
const problems = (text: string) => problemsIn(() => load(text)).map(({ line, message }) => `${line}: ${message}`)

const file = (...specs: string[]) => `area: mine\nspecs:\n${specs.join('')}`
const spec = (id: string, step: string, more = '') => `  - id: ${id}
    title: ${id} holds
    requirements: [DOOR-1]
${more}    steps:
      - logon: a
      - send: access
        expect: accepted
        ${step}
`
const mark = (name: string, state: string, description = 'a request') =>
  `interaction: { name: ${name}, description: ${description}, state: ${state} }`

test('the shipped suite shows the ten that client teams need, each by a spec that can pass', () => {
  const marked = SUITE.specs.flatMap(each => (each.interactions ?? []).map(interaction => ({ each, interaction })))
  assert.equal(marked.map(({ interaction }) => interaction.name).sort(), [
    'logon',
    'logon-refused',
    'logon-unknown-user',
    'open-users',
    'revocation',
    'users',
    'users-expired-token',
    'users-revoked-token',
    'users-unknown-token',
    'users-without-token',
  ])
  for (const { each, interaction } of marked) {
    assert.is(each.level, 'must')
    assert.ok(allSteps(each)[interaction.step], interaction.name)
    assert.ok((STATES as readonly string[]).includes(interaction.state))
  }
})

test('the schema lists the states that there are', () => {
  const schema = JSON.parse(readFileSync(at('../contracts/spec.schema.json'), 'utf8'))
  assert.equal(schema.$defs.step.properties.interaction.properties.state.enum, [...STATES])
})

test('a mark is kept with the place of its step among all steps', () => {
  const [found] = load(
    file(`  - id: x
    title: x holds
    requirements: [DOOR-1]
    given:
      - logon: a
        ${mark('entry', 'right credentials')}
    steps:
      - send: access
        expect: accepted
      - send: access
        token: a
        expect: accepted
        ${mark('later', 'a valid token')}
`),
  )
  assert.equal(found?.interactions, [
    { name: 'entry', description: 'a request', state: 'right credentials', step: 0 },
    { name: 'later', description: 'a request', state: 'a valid token', step: 2 },
  ])
})

test('of a spec for each HTTP version, the one over HTTP/1.1 shows it', () => {
  const found = load(file(spec('x', `http: each\n        ${mark('one', 'no token')}`)))
  assert.equal(
    found.map(({ id, interactions }) => [id, interactions?.length]),
    [
      ['x-http11', 1],
      ['x-http10', undefined],
    ],
  )
})

test('what a contract cannot tell is refused, at its line', () => {
  const one = (step: string, more = '') => problems(file(spec('x', step, more)))
  assert.equal(one(mark('one', 'a valid token')), ["10: with 'a valid token' the request must carry a token"])
  assert.equal(one(`token: a\n        ${mark('one', 'no token')}`), [
    "11: 'no token' does not go with a token in the request",
  ])
  assert.equal(one(`headers: { X: "{token a}" }\n        ${mark('one', 'a valid token')}`), [])
  assert.equal(one(`without: [Host]\n        ${mark('one', 'no token')}`), [
    '11: a contract cannot say that a header is missing: mark another step',
  ])
  assert.equal(one(`http: "1.0"\n        ${mark('one', 'no token')}`), [
    '11: contracts speak HTTP/1.1: mark another step',
  ])
  assert.equal(one(mark('one', 'no token'), '    level: observe\n'), [
    '11: only a spec that can pass gives an interaction, and one that observes cannot',
  ])
  assert.equal(one(mark('one', 'access control off')), [
    "10: 'access control off' is the state of specs that are for it, and of no others",
  ])
  assert.match(one(mark('one', 'a vaild token')).join(), /10: .*a vaild token.*a valid token/)
  assert.match(one('interaction: { name: one, state: no token }').join(), /10: .*description/)
  assert.match(one(mark('One', 'no token')).join(), /10: .*lower-case letters/)
})

test('two with one name, or with one description and state, are refused', () => {
  assert.equal(problems(file(spec('x', mark('one', 'no token')), spec('y', mark('one', 'no token', 'other')))), [
    "18: duplicate interaction 'one', first at mine/x.yaml:10",
  ])
  assert.equal(problems(file(spec('x', mark('one', 'no token')), spec('y', mark('two', 'no token')))), [
    "18: duplicate interaction with 'a request' given 'no token', first at mine/x.yaml:10",
  ])
  assert.equal(problems(file(spec('x', mark('one', 'no token')), spec('y', mark('two', 'no token', 'other')))), [])
})

test.run()
