/** Finds other reasons beside its token why a request is let in. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Answers } from '../dist/core/answers.js'
import type { Exchange, WireRequest } from '../dist/core/exchange.js'
import { withToken } from '../dist/core/give-back.js'
import type { Token } from '../dist/core/token.js'
import { otherReason } from '../dist/engine/let-in.js'
import { type CoreRequest, type Reaction, ScriptedCore, withCore } from './support/scripted-core.js'
import { logonRequest, openSession, PROBE, REVOKE } from './support/scripted-session.js'

const test = suite('what else lets a request in')

/** A Core that forgets no revoked token. */
class Keeps extends ScriptedCore {
  override revoke(_token: string, _request: CoreRequest): Reaction {
    return { status: 204 }
  }
}

/** A Core that gives a revoked token out again. */
class Recycles extends ScriptedCore {
  override newToken(): string {
    const revoked = [...this.sessions].find(([, session]) => session.revoked)
    return revoked?.[0] ?? super.newToken()
  }
}

/** Returns the message about a token that is let in after its revocation. @param isAgain whether a logon comes in between */
async function reasonOn(core: ScriptedCore, isAgain: boolean): Promise<string | undefined> {
  let reason: string | undefined
  await withCore(core, async () => {
    const { session } = await openSession(core)
    session.tokenPointer = '/token'
    const exchanges: Exchange[] = []
    const send = async (request: WireRequest) => {
      const exchange = await session.exchange(request)
      exchanges.push(exchange)
      return exchange
    }
    const logOn = async () => session.take(await send(logonRequest(core)), 'token') as Token
    const token = await logOn()
    await send(withToken(REVOKE, token.value))
    if (isAgain) await logOn()
    const exchange = await send(withToken(PROBE, token.value))
    assert.is(exchange.response?.status, 200)
    const isThrough = ({ response }: Exchange) => response?.status === 200
    // A safe request needs only the session of a run.
    const context = { session, parts: undefined, answers: {} as Answers }
    reason = await otherReason({ context, exchanges, exchange: send } as never, exchange, token, isThrough)
    await session.giveBack(session.tokens, [])
  })
  return reason
}

test('a revoked token that still opens the API does so for itself', async () => {
  assert.is(await reasonOn(new Keeps(), false), undefined)
  assert.is(await reasonOn(new Keeps(), true), undefined)
})

test('a token that a logon gave out again after its revocation is a new one', async () => {
  assert.is(await reasonOn(new Recycles(), true), 'issued anew')
})

test('the same token from every logon is not issued anew by one before its revocation', async () => {
  class Same extends Keeps {
    override newToken(): string {
      return [...this.sessions.keys()][0] ?? super.newToken()
    }
  }
  class SameTwice extends Same {
    override async logon(request: CoreRequest): Promise<Reaction> {
      await super.logon(request)
      return super.logon(request)
    }
  }
  assert.is(await reasonOn(new SameTwice(), false), undefined)
})

test.run()
