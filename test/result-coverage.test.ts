import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { addCoverage, coverageOf, coverageText } from '../dist/result/coverage.js'
import type { RowsRecord } from '../dist/result.js'

/** Two methods, two bodies, of which one needs POST's part, a header field, and a list of look-alikes whose pairs do not count. */
const DIMENSIONS: RowsRecord['dimensions'] = [
  { variations: [named('HEAD', 'method'), named('OPTIONS', 'method')], isPaired: true },
  { variations: [named('a body', 'body'), named('a form', 'body', 'method')], isPaired: true },
  { variations: [named('a cookie', 'cookie')], isPaired: true },
  { variations: [named('look-alike 1', 'token'), named('look-alike 2', 'token')] },
]
const [HEAD, OPTIONS, BODY, FORM, COOKIE, LIKE_1, LIKE_2] = [0, 1, 2, 3, 4, 5, 6]

function named(name: string, ...needs: string[]) {
  return { name, needs }
}

function rows(judged: number[][], untaken: number[] = []): RowsRecord {
  return { dimensions: DIMENSIONS, judged, untaken }
}

test('what stood in a row together is covered, of what can stand in one request', () => {
  const { variations, pairs, triples, next } = coverageOf([
    rows([
      [HEAD, BODY, COOKIE, LIKE_1],
      [COOKIE, FORM],
    ]),
  ])
  assert.equal(variations, { judged: 5, of: 7 })
  // A form needs the method, so it meets the cookie only.
  assert.equal(pairs, { judged: 4, of: 6 })
  assert.equal(triples, { judged: 1, of: 2 })
  assert.equal(next, [['OPTIONS'], ['look-alike 2'], ['OPTIONS', 'a body']])
})

test('what a Core does not take is nothing that could be covered', () => {
  const { variations, pairs, triples, next } = coverageOf([
    rows(
      [
        [HEAD, BODY],
        [HEAD, BODY],
      ],
      [OPTIONS, FORM, LIKE_2],
    ),
  ])
  assert.equal(variations, { judged: 2, of: 4 })
  assert.equal(pairs, { judged: 1, of: 3 })
  assert.equal(triples, { judged: 0, of: 1 })
  assert.equal(next, [['a cookie'], ['look-alike 1'], ['HEAD', 'a cookie']])
})

test('runs add up: by the names of variations, whatever their order, and with what any Core took', () => {
  const other: RowsRecord = {
    dimensions: DIMENSIONS.toReversed().map(each => ({ ...each, variations: each.variations.toReversed() })),
    // Reversed: look-alike 2, look-alike 1, a cookie, a form, a body, OPTIONS, HEAD.
    judged: [[0, 2, 4, 5]],
    untaken: [],
  }
  const all = coverageOf([
    rows(
      [
        [HEAD, BODY, COOKIE, LIKE_1],
        [COOKIE, FORM],
      ],
      [OPTIONS],
    ),
    other,
  ])
  assert.equal(
    [all.variations, all.pairs, all.triples],
    [
      { judged: 7, of: 7 },
      { judged: 6, of: 6 },
      { judged: 2, of: 2 },
    ],
  )
  assert.equal(all.next, [])
})

test('steps add up, and their words say so', () => {
  const one = coverageOf([rows([[HEAD, BODY, COOKIE]])])
  const all = addCoverage([one, one])
  assert.equal(addCoverage([]), undefined)
  assert.ok(all)
  assert.is(coverageText(all), '6 of 14 variations of requests, 6 of 12 pairs of them, and 50 % of all triples')
  assert.equal(all.next, one.next, 'each once')
  const first = addCoverage([
    { ...all, next: [['a', 'b']] },
    { ...all, next: [['c']] },
  ])
  assert.equal(first?.next, [['c'], ['a', 'b']], 'what no request had comes before pairs')
})

test('a record of an earlier version has no triples, and nothing is made up for it', () => {
  const { variations, pairs } = coverageOf([rows([[HEAD, BODY]])])
  const all = addCoverage([{ variations, pairs }])
  assert.is(all && coverageText(all), '2 of 7 variations of requests, 1 of 6 pairs of them')
})

test.run()
