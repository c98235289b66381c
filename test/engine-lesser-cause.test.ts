/** Failures that show no more than another one did. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { explainedByLess } from '../dist/engine/excuses.js'
import type { SpecRecord } from '../dist/result.js'

const test = suite('lesser causes')

type Kind = 'logon' | 'use' | 'use of b' | 'no Host'

/** Makes a failed spec of its requests, each as `GET` of a token, with or without Host, or `POST`: the last shows that the token is rejected. */
function failed(id: string, requirement: string, requests: readonly Kind[]): SpecRecord {
  const exchange = (kind: Kind | 'look', at: number) => ({
    atMs: at * 10,
    durationMs: 1,
    request: {
      method: kind === 'logon' ? 'POST' : 'GET',
      path: kind === 'logon' ? '/api/v0/logon' : '/api/v0/cores/self/users',
      headers: [
        ...(kind === 'no Host' ? [] : [['Host', 'core']]),
        ...(kind === 'logon' ? [] : [['Authorization', kind === 'use of b' ? 'b' : 'a']]),
      ],
    },
    response: { status: { logon: 201, use: 200, 'use of b': 200, 'no Host': 406, look: 401 }[kind] },
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

test('a token that was dead at birth explains the end of those that were never accepted, and of no other', () => {
  const birth = failed('birth', 'LOGON-1', ['logon', 'logon'])
  assert.equal([...explainedByLess([HOSTLESS, birth])], [])
  assert.equal([...explainedByLess([failed('early', 'IDLE-3', ['logon']), birth])], [['early', 'birth']])
})

test.run()
