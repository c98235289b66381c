/** Tokens that a Core keeps alive although it said that it revoked them. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Reclaim } from '../dist/core/give-back.js'
import { Token } from '../dist/core/token.js'

const test = suite('reclaim')

const READING = { sentAt: 0, receivedAt: 1 }

function revoked(value: string): Token {
  const token = new Token('token a', value, READING)
  token.revoked()
  return token
}

/** Looks at tokens on a Core that keeps each alive for a given number of looks. */
function on(lives: Record<string, number>) {
  const tokens = [revoked('dead'), revoked('once'), revoked('ever')]
  const reclaim = new Reclaim()
  const asked: string[] = []
  const look = () =>
    reclaim.look({
      tokens: () => tokens,
      isAlive: async ({ value }) => {
        asked.push(value)
        return (lives[value] ?? 0) > 0
      },
      giveBack: async token => {
        lives[token.value] = (lives[token.value] ?? 0) - 1
        token.revoked()
      },
    })
  return { reclaim, tokens, asked, look }
}

test('what is alive is given back once more, and what is dead is not looked at again', async () => {
  const { reclaim, tokens, asked, look } = on({ once: 1 })
  await look()
  assert.is(reclaim.found, 1)
  assert.equal(
    tokens.map(({ seenDead }) => seenDead),
    [true, false, true],
  )
  assert.ok(tokens.every(({ givenBack }) => givenBack))
  await look()
  assert.equal(asked, ['dead', 'once', 'ever', 'once'])
  assert.ok(tokens[1]?.seenDead)
})

test('what never dies is live, whatever the Core says', async () => {
  const { reclaim, tokens, look } = on({ ever: 100 })
  for (let times = 0; times < 5; times++) await look()
  assert.is(reclaim.found, 1)
  assert.is(tokens[2]?.givenBack, false)
})

test.run()
