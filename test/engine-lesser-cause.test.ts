/** Failures that show no more than another one did. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { explainedByLess } from '../dist/engine/excuses.js'
import type { SpecRecord } from '../dist/result.js'

const test = suite('lesser causes')

type Kind = 'logon' | 'use' | 'use of b' | 'no Host' | 'revocation' | 'revocation beside'

/**
 * Makes a failed spec of its requests, each as `GET` of a token, with or without Host, or one to logon: the last shows that the token is
 * rejected.
 */
function failed(id: string, requirement: string, requests: readonly Kind[], everyMs = 10): SpecRecord {
  const exchange = (kind: Kind | 'look', at: number) => ({
    atMs: (kind === 'revocation beside' ? at - 1 : at) * everyMs,
    durationMs: 1,
    request: {
      method: kind === 'logon' ? 'POST' : kind.startsWith('revocation') ? 'DELETE' : 'GET',
      path: kind === 'logon' || kind.startsWith('revocation') ? '/api/v0/logon' : '/api/v0/cores/self/users',
      headers: [
        ...(kind === 'no Host' ? [] : [['Host', 'core']]),
        ...(kind === 'logon' ? [] : [['Authorization', /^revocation|of b/.test(kind) ? 'b' : 'a']]),
      ],
    },
    response: { status: STATUS[kind] },
  })
  const step = { outcome: 'miss', expected: 'accepted', missed: [requests.length], requirements: [requirement] }
  const exchanges = [...requests, 'look' as const].map(exchange)
  return {
    id,
    outcome: 'failed',
    requirements: [{ id: requirement }],
    steps: [step],
    exchanges,
  } as unknown as SpecRecord
}

const STATUS = {
  logon: 201,
  use: 200,
  'use of b': 200,
  'no Host': 406,
  revocation: 204,
  'revocation beside': 204,
  look: 401,
}

const HOSTLESS = failed('hostless', 'HOST-2', ['logon', 'use', 'use', 'no Host', 'no Host'])

test('the end of a token is explained by one after fewer requests of its kinds, and by none with others', () => {
  const uses = failed('uses', 'ACCESS-2', ['logon', 'use', 'use'])
  assert.equal([...explainedByLess([HOSTLESS, uses])], [['hostless', 'uses']])
  const other = failed('other', 'REVOKE-2', ['logon', 'use', 'use of b'])
  assert.equal(
    [...explainedByLess([HOSTLESS, other])],
    [['hostless', 'other']],
    'whose token a use carries is no matter',
  )
  assert.equal([...explainedByLess([HOSTLESS, failed('more', 'ACCESS-2', ['logon', 'use', 'use', 'use'])])], [])
  assert.equal([...explainedByLess([HOSTLESS, failed('same', 'HOST-2', ['logon', 'use', 'use'])])], [])
})

test('who took longer is no matter within half a second, in which no token gets old', () => {
  const uses = ['logon', 'use'] as const
  assert.equal([...explainedByLess([HOSTLESS, failed('slow', 'ACCESS-2', uses, 200)])], [['hostless', 'slow']])
  assert.equal([...explainedByLess([HOSTLESS, failed('slow', 'ACCESS-2', uses, 300)])], [])
})

test('what a revocation ended beside the logon of a token is explained by a revocation that ended another token', () => {
  const spares = failed('spares', 'REVOKE-2', ['logon', 'logon', 'use', 'revocation'])
  const beside = failed('beside', 'LOGON-1', ['logon', 'use of b', 'logon', 'logon', 'revocation beside'])
  const after = failed('after', 'LOGON-1', ['logon', 'use of b', 'logon', 'logon', 'revocation'])
  assert.equal([...explainedByLess([beside, spares])], [['beside', 'spares']])
  assert.equal([...explainedByLess([after, spares])], [])
})

test('a token that was dead at birth explains the end of those that were never accepted, and of no other', () => {
  const birth = failed('birth', 'LOGON-1', ['logon', 'logon'])
  assert.equal([...explainedByLess([HOSTLESS, birth])], [])
  assert.equal([...explainedByLess([failed('early', 'IDLE-3', ['logon']), birth])], [['early', 'birth']])
})

test.run()
