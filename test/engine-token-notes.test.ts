/** What an exchange of a step means for the token that it carries. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { AnswerBook, Answers } from '../dist/core/answers.js'
import type { Exchange } from '../dist/core/exchange.js'
import { Token } from '../dist/core/token.js'
import { SpecTalk } from '../dist/engine/steps/spec-talk.js'
import { note } from '../dist/engine/steps/token-notes.js'

const test = suite('notes of tokens')

const VALUE = '0123456789abcdef0123456789abcdef'
const unlike = { status: 401, contentType: undefined, body: '' }

/** Makes the exchange of a DELETE, the first try of which was cut off. */
function deleted(authorization: string, status: number, path = '/api/v0/logon'): Exchange {
  const error = { kind: 'closed' as const, message: 'the connection ended' }
  return {
    request: {
      method: 'DELETE',
      path,
      headers: [['Authorization', authorization]],
      httpVersion: '1.1',
      omitHost: false,
    },
    sentAt: 20,
    receivedAt: 30,
    response: { status, statusText: '', httpVersion: '1.1', headers: [], body: '', bodyBytes: 0, complete: true },
    earlier: [{ sentAt: 10, receivedAt: 11, error }],
  }
}

/** Returns the token after such a DELETE, as a step with the request of this role notes it. */
function after(exchange: Exchange, role?: string): Token {
  const token = new Token('token a', VALUE, { sentAt: 0, receivedAt: 1 })
  const probe = new Answers({
    accepted: { ...unlike, status: 200 },
    refusals: [unlike],
    signs: ['status=401'],
    tells: true,
  })
  const talk = {
    context: { answers: new AnswerBook(probe) },
    named: new Map(),
    inRole: (other: string) => ({ method: other === 'revoke' ? 'DELETE' : 'POST', path: '/api/v0/logon' }),
    mayActAs: SpecTalk.prototype.mayActAs,
  }
  note(talk as never, { expect: [], role } as never, exchange, token, undefined)
  return token
}

test('a success to the token itself confirms that it was revoked', () => {
  assert.is(after(deleted(`Bearer ${VALUE}`, 204)).wasRevoked, true)
})

test('a refusal after a try that was cut off may mean that, and confirms nothing', () => {
  const token = after(deleted(`Bearer ${VALUE}`, 401))
  assert.is(token.givenBack, true)
  assert.is(token.wasRevoked, false)
})

test('what only looks like the token confirms nothing of it', () => {
  for (const status of [204, 401]) assert.is(after(deleted(`Bearer ${VALUE}x`, status)).wasRevoked, false, `${status}`)
  assert.is(after(deleted(`Basic ${VALUE}`, 204)).wasRevoked, false)
})

test('a DELETE of another path revokes nothing, though it succeeds; one of the revocation’s may be spelled otherwise', () => {
  const elsewhere = (role: string) => after(deleted(`Bearer ${VALUE}`, 200, '/api/v0/elsewhere'), role)
  assert.is(elsewhere('probe').givenBack, false)
  assert.is(elsewhere('revoke').wasRevoked, true)
})

test.run()
