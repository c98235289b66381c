/** Which tokens of the whole run a step looks at. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Exchange } from '../dist/core/exchange.js'
import { Token } from '../dist/core/token.js'
import type { RunContext } from '../dist/engine/context.js'
import { tokensOfRun } from '../dist/engine/steps/run-tokens.js'

const test = suite('tokens of the run')

const LIFETIME_MS = 10_000

/** A token that was issued and revoked at this time. */
function revokedAt(number: number, ms: number): Token {
  const reading = { sentAt: ms, receivedAt: ms }
  const headers: [string, string][] = [['Accept', 'application/json']]
  const request = { method: 'DELETE', path: '/api/v0/logon', headers, httpVersion: '1.1' as const, omitHost: false }
  const token = new Token(`token ${number}`, `value ${number}`, reading, true, number)
  token.revoked({ ...reading, request } as Exchange)
  return token
}

function lookedAt(tokens: Token[], nowMs: number): string[] {
  const context = {
    session: { tokens },
    schedule: { now: () => nowMs },
    lifetime: { lifetimeMs: LIFETIME_MS, tolerance: 0.1 },
  } as unknown as RunContext
  return tokensOfRun('ended', context).map(({ label }) => label)
}

test('of the tokens that would have expired by now, those that were revoked first are looked at: they may be brought back', () => {
  const tokens = [0, 1, 2, 3, 4].map(number => revokedAt(number, number)).concat(revokedAt(5, 20_000))
  assert.equal(lookedAt(tokens, 25_000), ['token 0', 'token 1', 'token 2', 'token 5'])
})

test.run()
