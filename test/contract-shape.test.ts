import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { alphabetOf, alphabetOfAll } from '../dist/core/token.js'
import { exampleToken, type Json, parseRecorded, shapeOf, tokenPattern } from '../dist/pact/make/expected-body.js'
import { DIALECT } from './contract-support.js'

const test = suite('shapes and tokens of contracts')

const TEXT = { 'pact:matcher:type': 'type', value: 'text' }
const NUMBER = { 'pact:matcher:type': 'number', value: 1 }
const TRUTH = { 'pact:matcher:type': 'type', value: true }

test('a shape holds the fields and their types, sorted, and no value', () => {
  assert.equal(shapeOf({ b: 'anna', a: 7.5, c: false, d: { e: 'x' } }), {
    a: NUMBER,
    b: TEXT,
    c: TRUTH,
    d: { e: TEXT },
  })
  assert.is(JSON.stringify(shapeOf({ b: 1, a: 1 })), JSON.stringify({ a: NUMBER, b: NUMBER }))
  assert.equal(shapeOf('anna'), TEXT)
})

test('what was null shows no type, and is left out', () => {
  assert.is(shapeOf(null), undefined)
  assert.equal(shapeOf({ a: null, b: 1 }), { b: NUMBER })
})

test('a list is held to what its elements have in common', () => {
  const listOf = (element: unknown) => ({ 'pact:matcher:type': 'type', min: 1, value: [element] })
  assert.equal(
    shapeOf([
      { a: 'x', b: 1, c: 1 },
      { b: 2, a: 'y', c: 'text' },
    ]),
    listOf({ a: TEXT, b: NUMBER }),
  )
  assert.equal(shapeOf([{ a: [1] }, { a: [2, 3] }]), listOf({ a: listOf(NUMBER) }))
  const anyList = { 'pact:matcher:type': 'type', value: [] }
  for (const list of [[], [null], [1, 'x'], [[1], { a: 1 }]] as Json[]) assert.equal(shapeOf(list), anyList)
})

test('what is special stands at its place in a list', () => {
  const special = (text: string) => (text === 'T' ? 'token' : undefined)
  assert.equal(shapeOf([{ kind: 'user' }, { value: 'T' }], special), [{ kind: TEXT }, { value: 'token' }])
  assert.equal(shapeOf({ a: ['x', 'T', null] }, special), { a: [TEXT, 'token', null] })
})

test('a body that was cut is read up to its last whole element', () => {
  assert.equal(parseRecorded('[{"a":1,"b":2},{"a":1,"b":"],["},{"a":…'), [
    { a: 1, b: 2 },
    { a: 1, b: '],[' },
  ])
  assert.equal(parseRecorded('{"users":[{"a":"\\"x,"},{"b…'), { users: [{ a: '"x,' }] })
  for (const text of ['{"a":1…', 'abc…', '…', '[1,2', 'x']) assert.is(parseRecorded(text), undefined, text)
  assert.equal(parseRecorded('{"a":"…"}'), { a: '…' })
})

const TOKENS: [alphabet: string, token: string][] = [
  ['digits', '0123456789'],
  ['hex (lower case)', 'deadbeef01'],
  ['hex (upper case)', 'DEADBEEF01'],
  ['letters and digits', 'aZ09bY18cX'],
  ['base64url', 'aZ09_-8cX0'],
  ['base64url', 'aZ09_-8cX='],
  ['base64', 'aZ09+/8cX0'],
  ['base64', 'aZ09+/8c=='],
  ['token68', 'aZ09.b~c_d'],
]

test('the pattern of an alphabet takes its tokens, its example, and no other', () => {
  for (const [alphabet, token] of TOKENS) {
    assert.is(alphabetOf(token), alphabet)
    const dialect = { ...DIALECT, token: { pointer: '/t', length: token.length, alphabet } }
    const pattern = new RegExp(tokenPattern(dialect))
    assert.match(token, pattern)
    assert.match(exampleToken(dialect), pattern)
    assert.is(exampleToken(dialect).length, token.length)
    assert.not.match('a token with spaces', pattern)
    if (alphabet !== 'token68') {
      assert.not.match(`${token}0`, pattern, 'longer')
      assert.not.match(token.slice(1), pattern, 'shorter')
    }
    // Pact's regular expressions do not support these.
    assert.not.match(pattern.source, /\(\?[=!<]|\\\d/)
  }
  assert.match('any.token', new RegExp(tokenPattern({ ...DIALECT, token: null })))
})

test('the alphabet of several tokens is that of all of them', () => {
  assert.is(alphabetOfAll(['12345678', 'abcdef12']), 'hex (lower case)')
  assert.is(alphabetOfAll(['abcXYZ09', 'abc-_z09']), 'base64url')
  assert.is(alphabetOfAll(['abcXYZ0=', 'abc+/z09']), 'base64')
  assert.is(alphabetOfAll(['ab==', 'abc=', 'a-_d']), 'base64url')
  assert.is(alphabetOfAll(['0123']), 'digits')
})

test.run()
