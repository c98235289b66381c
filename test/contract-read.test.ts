import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type Contract,
  ContractError,
  generatorsOf,
  longestOf,
  parseContract,
} from '../dist/pact/read/contract-file.js'
import type { Meanings } from '../dist/pact/read/meanings.js'
import { outcomeOf } from '../dist/pact/verify/outcome.js'
import { type Situation, situationOf } from '../dist/pact/verify/situation.js'

const test = suite('contracts as they are read')

const fixture = (name: string): Contract => {
  const text = readFileSync(new URL(`fixtures/contracts/${name}.json`, import.meta.url), 'utf8')
  const contract = parseContract(text, name)
  if (!contract) throw new Error('no contract')
  return contract
}

test('the interactions of each specification, with their states, lines and literal tokens', () => {
  const of = (name: string) =>
    fixture(name).interactions.map(({ states, status, pending, request }) => [
      states.map(({ name }) => name).join('+'),
      status,
      pending,
      request?.method,
      request?.headers.find(([header]) => header === 'Authorization')?.[1],
    ])
  assert.equal(of('v2-literal-tokens'), [
    ['the user exists', 201, false, 'POST', undefined],
    ['the user is logged on', 200, false, 'GET', 'Bearer abc123'],
    ['', 200, false, 'GET', 'Bearer abc123'],
    ['', 401, false, 'GET', 'Bearer abc123'],
  ])
  assert.equal(of('v3-literal-tokens'), [
    ['the Core is up+the token was revoked, by its user', 401, false, 'GET', 'Bearer abc123'],
    ['A valid token', 204, false, 'DELETE', 'Bearer abc123'],
  ])
  assert.equal(of('v4-literal-tokens'), [
    ['', 401, false, 'POST', undefined],
    ['an expired token', 401, false, 'GET', 'Bearer abc123'],
    ['a valid token', 200, true, 'GET', 'Bearer abc123'],
  ])
  const lines = readFileSync(new URL('fixtures/contracts/v2-literal-tokens.json', import.meta.url), 'utf8').split('\n')
  for (const { description, line } of fixture('v2-literal-tokens').interactions) {
    assert.is(lines[line - 1]?.trim(), `"description": "${description}",`)
  }
})

test('an interaction by itself is a contract of its own, and never pending', () => {
  const { interactions } = fixture('v4-literal-tokens')
  const alone = interactions.map(each => JSON.parse(each.alone))
  for (const [index, contract] of alone.entries()) {
    assert.equal(contract.metadata, { pactSpecification: { version: '4.0' } })
    assert.is(contract.interactions.length, 1)
    assert.is(contract.interactions[0].description, interactions[index]?.description)
    assert.is(contract.interactions[0].pending, undefined)
  }
})

test('what is no contract is refused with why; a JSON Schema is none, and known', () => {
  const names = { consumer: { name: 'a' }, provider: { name: 'b' } }
  for (const [text, why] of [
    ['{', 'it is not JSON'],
    ['[]', 'it is not a JSON object'],
    ['{"interactions":[]}', 'it does not name its consumer and its provider'],
    [JSON.stringify(names), 'it has no interactions'],
    [JSON.stringify({ ...names, messages: [] }), 'it is about messages, and a Core speaks HTTP'],
    [JSON.stringify({ ...names, interactions: [] }), 'its list of interactions is empty'],
    [JSON.stringify({ ...names, interactions: [{}] }), 'interaction 1 has no description'],
  ] as const)
    assert.throws(
      () => parseContract(text, 'x.json'),
      (error: Error) => error instanceof ContractError && error.message.includes(`can be verified: ${why}; give `),
    )
  assert.is(parseContract('{"$schema":"x"}', 'x'), undefined)
  const message = { ...names, interactions: [{ description: 'd', type: 'Asynchronous/Messages', contents: {} }] }
  assert.is(parseContract(JSON.stringify(message), 'x')?.interactions[0]?.request, undefined)
})

const AUTH: [string, string][] = [['authorization', 'bearer abc']]
const interaction = (names: string[], status: number, headers: [string, string][] = AUTH) => ({
  description: 'd',
  states: names.map(name => ({ name, params: {} })),
  request: { method: 'GET', path: '/', headers },
  status,
  pending: false,
  line: 1,
  alone: '',
})
const NONE: Meanings = new Map()

test('the provider state decides, whatever the interaction expects', () => {
  const found = (state: string, status: number, headers = AUTH) =>
    situationOf(interaction([state], status, headers), NONE) as Situation
  for (const status of [200, 401]) {
    assert.is(found('a valid token', status).token, 'valid')
    assert.is(found('A  Revoked token', status).token, 'revoked')
    assert.is(found('an expired token', status).token, 'expired')
    assert.is(found('a token that was never issued', status).token, 'never issued')
    assert.is(found('right credentials', status).token, 'as written')
    assert.is(found('access control off', status).token, 'as written')
    assert.is(found('right credentials', status, []).credentials, 'right')
    assert.is(found('wrong credentials', status, []).credentials, 'wrong')
  }
})

test('without a state, only what expects success has its examples replaced', () => {
  assert.equal(situationOf(interaction([], 200), NONE), { token: 'valid', credentials: 'right', accessControl: 'on' })
  for (const status of [401, 302, 500]) {
    const literal = { token: 'as written', credentials: 'as written', accessControl: 'on' }
    assert.equal(situationOf(interaction([], status), NONE), literal)
  }
})

const means = (state: string, params = {}) => ({ state, params, gives: {} })

test('words are known when somebody said what they mean, and else fail with what to do', () => {
  const meanings = new Map([
    ['logged on', [means('a valid token')]],
    ['it is up', [means('nothing')]],
  ])
  const found = situationOf(interaction(['Logged On', 'it is up'], 401), meanings)
  assert.equal(found, { token: 'valid', credentials: 'as written', accessControl: 'on' })
  assert.equal(situationOf(interaction(['it is up'], 200), meanings), situationOf(interaction([], 200), NONE))
  assert.match(
    String(situationOf(interaction(['a vaild token'], 200), NONE)),
    /^unknown provider state 'a vaild token'; did you mean 'a valid token'\?; say what it means with --state 'a vaild token=STATE', or in the configuration file under 'states'; STATE is one of: a valid token, /,
  )
})

test('the parameters of words decide between their meanings, and they may name what they bring', () => {
  const meanings = new Map([
    [
      'a session',
      [means('an expired token', { kind: 'expired', level: 1 }), means('a revoked token', { kind: 'revoked' })],
    ],
    ['an account', [{ ...means('a valid token'), gives: { sessionKey: 'token' as const } }]],
  ])
  const given = (params: Record<string, unknown>, name = 'A session') =>
    situationOf({ ...interaction([], 401), states: [{ name, params }] }, meanings)
  // A number of YAML is the text of a contract.
  assert.is((given({ kind: 'expired', level: '1', more: true }) as Situation).token, 'expired')
  assert.is((given({ kind: 'revoked' }) as Situation).token, 'revoked')
  assert.match(
    String(given({ kind: 'expired' })),
    /^no meaning of the provider state 'A session' is for its parameters \{"kind":"expired"\}/,
  )
  assert.equal(given({}, 'an account'), {
    token: 'valid',
    credentials: 'as written',
    accessControl: 'on',
    gives: { sessionKey: 'token' },
  })
})

test('states that contradict each other, or the request, fail', () => {
  for (const states of [
    ['a valid token', 'a revoked token'],
    ['a valid token', 'access control off'],
    ['right credentials', 'wrong credentials'],
    ['no token', 'a valid token'],
  ]) {
    assert.match(String(situationOf(interaction(states, 200), NONE)), /contradict each other/)
  }
  assert.match(String(situationOf(interaction(['no token'], 401), NONE)), /its request carries one/)
  assert.type(situationOf(interaction(['no token'], 401, []), NONE), 'object')
})

test('what the Verifier found is told as what was expected and what came', () => {
  const found = (...mismatches: object[]) => {
    const errors = [{ mismatch: { type: 'mismatches', mismatches } }]
    const outcome = outcomeOf(JSON.stringify({ result: false, errors }))
    return 'differences' in outcome
      ? outcome.differences.map(({ text, expected, got }) => [text, expected, got])
      : outcome
  }
  assert.equal(
    found(
      {
        type: 'BodyMismatch',
        path: '$.a',
        expected: '"text"',
        actual: '3',
        mismatch: "Expected 3 (Integer) to be the same type as 'text' (String)",
      },
      {
        type: 'BodyMismatch',
        path: '$',
        expected: '["n"]',
        actual: '["x","y"]',
        mismatch: 'Actual map is missing the following keys: n',
      },
      {
        type: 'BodyMismatch',
        path: '$.t',
        expected: '"0"',
        actual: '"Z"',
        mismatch: "Expected 'Z' to match '^[0-9]$'",
      },
      { type: 'HeaderMismatch', key: 'Content-Type', expected: 'a', actual: '', mismatch: 'x' },
      { type: 'StatusMismatch', expected: 201, actual: 200, mismatch: 'expected 201 but was 200' },
      {
        type: 'StatusMismatch',
        expected: 401,
        actual: 200,
        mismatch: 'Expected status code 200 to be a Client error (400–499)',
      },
      { type: 'StatusMismatch', expected: 201, actual: 200, mismatch: 'expected 201 but was 200' },
    ),
    [
      ['status', '201', '200'],
      ['status', 'client error (400–499)', '200'],
      ['header Content-Type', 'a', 'no such header'],
      ['body', 'the fields n', 'the fields x, y'],
      ['body at $.a', "the same type as 'text' (String)", '3'],
      ['body at $.t', "a match of '^[0-9]$'", '"Z"'],
    ],
  )
})

test('no verdict is taken for a good one', () => {
  assert.equal(outcomeOf('{"result":true,"errors":[]}'), { differences: [] })
  for (const text of [
    '',
    '{}',
    '{"result":false,"errors":[]}',
    'null',
    '{"result":true,"errors":[{"mismatch":{"type":"error","message":"\u001b[31mx\u001b[0m"}}]}',
  ]) {
    assert.ok('error' in outcomeOf(text), text)
  }
  const told = outcomeOf('{"result":false,"errors":[{"mismatch":{"type":"error","message":"\\u001b[31mx\\u001b[0m"}}]}')
  assert.equal(told, { error: 'Pact could not verify it: x' })
})

test('the longest text that a regular expression makes', () => {
  const lengths: [regex: string, length: number][] = [
    ['', 0],
    ['abc', 3],
    ['[a-z]{5}-\\d{3}', 9],
    ['[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}', 36],
    ['a{2,7}b?', 8],
    ['(a{10}){10}', 100],
    ['((a{100}){100}){100}', 1_000_000],
    ['a*', 20],
    ['(a+)+', 400],
    ['a{5,}', 25],
    ['[\\]]{3}x', 4],
    ['\\({4}', 4],
    ['(?:ab|c){2}', 10],
    ['a)b(', 3],
  ]
  for (const [regex, length] of lengths) assert.is(longestOf(regex), length, regex)
  const interaction = {
    request: { generators: { body: { '$.a': { type: 'Regex', regex: 'x' } }, path: { type: 'Regex', regex: 'y' } } },
    response: { matchingRules: { header: { type: 'Regex', regex: 'z' } } },
  }
  assert.equal(generatorsOf([interaction]), ['x', 'y'])
})

test.run()
