import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { dialectFacts, factNames, withAllTokens } from '../dist/engine/facts.js'
import type { Dialect, RunResult } from '../dist/result.js'
import { result, spec } from './fixtures/results/results.js'
import { SUITE } from './support/suite-run.js'

const test = suite('facts')

const dialect = (length: number, alphabet: string): Dialect => ({
  ...(result([spec()]) as RunResult).dialect,
  token: { pointer: '/token', length, alphabet },
})

test('what characters tokens are made of is told by all of them, not by what the first happens to hold', () => {
  const alphabet = (...tokens: string[]) => withAllTokens(dialect(4, 'digits'), tokens).token?.alphabet
  assert.is(alphabet('1234'), 'digits')
  assert.is(alphabet('1234', 'ab12'), 'hex (lower case)')
  assert.is(alphabet('abcX', 'ab-c', 'a_bc'), 'base64url')
  assert.is(alphabet('abX=', 'a+==', 'abcd'), 'base64', 'padding stands at the end only')
  assert.is(alphabet(), 'digits', 'as the survey said')
  const none = { ...dialect(4, ''), token: null }
  assert.is(withAllTokens(none, ['a']), none)
})

test('a length that varies from token to token is told as that', () => {
  const length = (...tokens: string[]) => dialectFacts(dialect(4, 'digits'), tokens)['token.length']
  assert.is(length('1234', '5678'), 4)
  assert.is(length('1234', '56789'), 'varies')
  assert.is(length(), 4)
})

test('the names of all facts are known beforehand', () => {
  const names = factNames(SUITE.specs)
  assert.equal(names, [...new Set(names)].sort())
  for (const name of ['expired-token.status', 'logon.answer', 'host-doubled.headers', 'sessions', 'token.field']) {
    assert.ok(names.includes(name), name)
  }
  for (const name of Object.keys(dialectFacts({ ...dialect(4, 'digits'), http10: true, sessions: 'many' }, []))) {
    assert.ok(names.includes(name), name)
  }
})

test.run()
