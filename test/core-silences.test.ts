/** Which stretches of a run count as silences of the Core. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Exchange } from '../dist/core/exchange.js'
import { Silences } from '../dist/core/silences.js'

const test = suite('silences of a Core')

const LATE_MS = 2000
type End = 'answered' | 'closed' | 'connect'

function silencesOf(...tries: [askedMs: number, endedMs: number, end: End, path?: string][]) {
  const silences = new Silences()
  for (const [askedMs, endedMs, end, path = '/users'] of tries) {
    const request = { method: 'GET', path, headers: [], httpVersion: '1.1' as const, omitHost: false }
    const error = end === 'answered' ? {} : { error: { kind: end, message: `it was ${end}` } }
    const exchange: Exchange = { request, sentAt: askedMs, receivedAt: endedMs, ...error }
    silences.note(exchange, askedMs, LATE_MS)
  }
  return silences.all().map(({ fromMs, untilMs, tries, isLast }) => [fromMs, untilMs, tries, isLast === true])
}

test('refused connections, from the last answer to the next one; and where none comes, to the end', () => {
  assert.equal(
    silencesOf([0, 10, 'answered'], [20, 21, 'connect'], [2000, 2001, 'connect'], [3000, 3010, 'answered']),
    [[20, 3010, 2, false]],
  )
  assert.equal(silencesOf([0, 10, 'answered'], [5, 21, 'connect'], [2500, 2501, 'connect']), [[10, 2501, 2, true]])
  // A shorter one is none, nor is a Core that was never there.
  assert.equal(silencesOf([0, 10, 'answered'], [20, 21, 'connect'], [1500, 1510, 'answered']), [])
  assert.equal(silencesOf([0, 10, 'connect'], [5000, 5010, 'connect'], [6000, 6010, 'answered']), [])
})

test('an answer that came late while no other came', () => {
  assert.equal(silencesOf([0, 10, 'answered'], [20, 3020, 'answered']), [[20, 3020, 0, false]])
  assert.equal(silencesOf([0, 10, 'answered'], [30, 2000, 'answered'], [20, 3020, 'answered']), [])
})

test('a request that is never answered, while others are, is no silence; one that is answered when sent again is', () => {
  const hangs = (after: string) =>
    silencesOf(
      [0, 10, 'answered'],
      [20, 3000, 'closed', '/odd'],
      [3000, 6000, 'closed', '/odd'],
      [6000, 6010, 'answered', after],
    )
  assert.equal(hangs('/users'), [])
  assert.equal(hangs('/odd'), [[20, 6010, 2, false]])
})

test('time in which nothing was asked is no part of it', () => {
  assert.equal(
    silencesOf([0, 10, 'answered'], [20, 21, 'connect'], [2500, 2501, 'connect'], [600_000, 600_010, 'answered']),
    [[20, 2501, 2, false]],
  )
})

test.run()
