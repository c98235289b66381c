/** What is said of a Core whose tokens live for another time than the run judges by. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Token } from '../dist/core/token.js'
import { otherLifetime, whyEnded } from '../dist/engine/other-lifetime.js'

const test = suite('another lifetime')

const HOUR = { lifetimeMs: 3_600_000, tolerance: 0.05 }
const RESTARTED = 'the Core was restarted, or its clock was set'
const at = (ms: number) => ({ sentAt: ms, receivedAt: ms + 10 })

function token(issuedMs: number, accepted: number[], rejectedMs?: number): Token {
  const made = new Token('token a', 'secret', at(issuedMs))
  for (const ms of accepted) made.used(at(ms), true)
  if (rejectedMs !== undefined) {
    made.used(at(rejectedMs), false)
    made.rejected(at(rejectedMs))
  }
  return made
}

test('tokens that end one by one after 20 s: that is asked for, with the figure', () => {
  const tokens = [token(0, [19_000], 45_000), token(3000, [], 24_500), token(60_000, [70_000], 95_000)]
  assert.is(
    otherLifetime(tokens, [], HOUR),
    'tokens ended after about 20 s without use, sooner than the 1 h that this run judged by: is --idle-lifetime 20s meant?',
  )
  assert.is(
    whyEnded(tokens, HOUR),
    `tokens ended after about 20 s without use (is --idle-lifetime 20s meant?), or ${RESTARTED}`,
  )
})

test('tokens of any age that end at one moment: no lifetime explains that', () => {
  const tokens = [token(0, [29_000], 31_000), token(0, [], 32_000), token(20_000, [28_000], 30_500), token(0, [5000])]
  assert.is(otherLifetime(tokens, [], HOUR), undefined)
  assert.is(whyEnded(tokens, HOUR), RESTARTED)
})

test('tokens that end within a second of a use: no lifetime is so short', () => {
  assert.is(otherLifetime([token(0, [5000], 5200), token(9000, [9500], 9800)], [], HOUR), undefined)
})

test('where little is known, a range is told and no figure; and nothing where tokens live as long as they should', () => {
  const tokens = [token(0, [500], 28_600), token(40_000, [], 90_000)]
  assert.match(
    otherLifetime(tokens, [], HOUR) ?? '',
    /^tokens ended after 490 ms to 28\.1 s without use, .* is a shorter --idle-lifetime meant\?$/,
  )
  const honest = [token(0, [3_000_000], 6_900_000), token(10_000, [], 3_900_000)]
  assert.is(otherLifetime(honest, [], HOUR), undefined)
  assert.is(whyEnded(honest, HOUR), RESTARTED)
  assert.is(whyEnded([], HOUR), RESTARTED)
})

test.run()
