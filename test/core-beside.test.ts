/** How many requests a Core serves at a time, learned from what it turned away. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Beside } from '../dist/core/beside.js'

const test = suite('requests at a time')

/** Notes rounds of three requests at once, of which the last is turned away, and one alone. @returns what is believed then */
function believed(rounds: number, { isElse = false, isAloneServed = true } = {}): number | undefined {
  const beside = new Beside()
  for (let round = 0; round < rounds; round++) {
    const ms = round * 100
    for (const [at, isServed] of [true, true, false].entries())
      beside.note({ sentMs: ms + at, receivedMs: ms + 50 + at, isServed }, () => isElse)
    beside.note({ sentMs: ms + 60, receivedMs: ms + 70, isServed: isAloneServed }, () => isElse)
  }
  return beside.most
}

test('is as many as are served beside each that is turned away, once enough were', () => {
  assert.is(believed(30), 2)
  assert.is(believed(2), undefined)
})

test('is nothing where a rate or a ban may explain it, or what comes alone is turned away too', () => {
  assert.is(believed(30, { isElse: true }), undefined)
  assert.is(believed(30, { isAloneServed: false }), undefined)
})

test.run()
