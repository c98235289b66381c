import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { duration } from '../dist/duration.js'
import { count } from '../dist/ground/count.js'
import { clip, inert, inertLines } from '../dist/report/inert.js'
import { why } from '../dist/report/words.js'
import { cut, displayWidth, wrap } from '../dist/report/wrap.js'
import { HOSTILE } from './fixtures/results/hostile.js'
import { spec } from './fixtures/results/results.js'
import { assertInert } from './support/inert.js'

test('inert shows what was dangerous', () => {
  assert.is(inert('\u001b[31mred\u001b[0m\r\n\0'), '␛[31mred␛[0m␍␊␀')
  assert.is(inert('user\u202eniamod'), 'user<U+202E>niamod')
  assert.is(inert('\u009b31m\u007f\ud800\uffff\u2028'), '<U+009B>31m␡<U+D800><U+FFFF><U+2028>')
})

test('inert leaves no dangerous character in any hostile text, and keeps its result as it is', () => {
  for (const [name, text] of Object.entries(HOSTILE)) {
    const safe = inert(text)
    assertInert(safe, name)
    assert.not.match(safe, /[\n\t]/, name)
    assert.is(inert(safe), safe, name)
  }
})

test('inert keeps emoji, right-to-left and wide scripts', () => {
  assert.is(inert(HOSTILE.emoji ?? ''), HOSTILE.emoji)
  assert.is(inert(HOSTILE.rightToLeft ?? ''), HOSTILE.rightToLeft)
  assert.is(inert(HOSTILE.wide ?? ''), HOSTILE.wide)
  assert.is(inert('a\u200db'), 'a<U+200D>b')
})

test('inertLines keeps line feeds and tabs only', () => {
  assert.is(inertLines('one\r\ntwo\rthree\n\tfour\u001b'), 'one\ntwo␍three\n\tfour␛')
  for (const [name, text] of Object.entries(HOSTILE)) assertInert(inertLines(text), name)
})

test('clip never leaves half a character', () => {
  assert.is(clip('abc', 3), 'abc')
  assert.is(clip('abcd', 3), 'abc…')
  assert.is(clip('ab👍', 3), 'ab…')
})

test('width counts wide characters twice and combining ones not at all', () => {
  const widths: [string, number][] = [
    ['', 0],
    ['abc', 3],
    ['✓ ✗ • – … →', 11],
    ['漢字', 4],
    ['한국', 4],
    ['ﾊﾝ', 2],
    ['ＦＵ', 4],
    ['e\u0301', 1],
    ['👍', 2],
    ['❤️', 2],
    ['❤', 1],
    ['שלום', 4],
  ]
  for (const [text, width] of widths) assert.is(displayWidth(text), width, text)
})

test('wrap breaks at spaces, and inside words only where it must', () => {
  assert.equal(wrap('', 10), [''])
  assert.equal(wrap('one two three', 7), ['one two', 'three'])
  assert.equal(wrap('one two three', 80), ['one two three'])
  assert.equal(wrap('a  b', 80), ['a  b'])
  assert.equal(wrap('https://core.example/api/v0/users', 16), ['https://core.', 'example/api/v0/', 'users'])
  assert.equal(wrap('to https://core.example/api', 16), ['to https://core.', 'example/api'])
  assert.equal(wrap('漢字漢字漢', 5), ['漢字', '漢字', '漢'])
})

test('wrap keeps every character but the spaces at line ends, at any width', () => {
  for (const [name, text] of Object.entries(HOSTILE)) {
    const line = inert(clip(text, 3000)).trim()
    for (const width of [12, 33, 74]) {
      const lines = wrap(line, width)
      assert.is(lines.join('').replace(/ /g, ''), line.replace(/ /g, ''), `${name} at ${width}`)
      for (const each of lines) assert.ok(displayWidth(each) <= width, `${name} at ${width}: ${each}`)
    }
  }
})

test('wrap says that lines were left out', () => {
  assert.equal(wrap('one two three four', 5, 2), ['one', 'two…'])
  assert.equal(wrap('12345 12345 12345', 5, 2), ['12345', '1234…'])
  assert.equal(wrap('one two', 5, 2), ['one', 'two'])
  assert.equal(wrap('x'.repeat(100), 10, 2), ['x'.repeat(10), `${'x'.repeat(9)}…`])
})

test('cut ends with its sign, within the width', () => {
  assert.is(cut('abcdef', 6), 'abcdef')
  assert.is(cut('abcdef', 5), 'abcd…')
  assert.is(cut('漢字漢字', 4), '漢…')
})

test('durations are as precise as people need', () => {
  const durations: [number, string][] = [
    [0, '0 ms'],
    [340.4, '340 ms'],
    [999.7, '1 s'],
    [4130, '4.1 s'],
    [59_990, '1 min'],
    [725_000, '12 min 5 s'],
    [3_780_000, '1 h 3 min'],
    [90_000_000, '1 d 1 h'],
    [Number.NaN, '0 ms'],
    [Number.POSITIVE_INFINITY, '0 ms'],
    [-5, '0 ms'],
  ]
  for (const [ms, text] of durations) assert.is(duration(ms), text)
})

test('counts agree with their nouns', () => {
  assert.is(count(1, 'spec'), '1 spec')
  assert.is(count(0, 'spec'), '0 specs')
  assert.is(count(2, 'spec waits', 'specs wait'), '2 specs wait')
})

test('a spec without a message still says why', () => {
  const { message: _, ...failed } = spec({ outcome: 'failed' })
  assert.match(why(failed), /^GET .* with token a: expected rejected: 401 .*, got 200 OK/)
  assert.is(why({ ...failed, steps: [] }), 'No reason was recorded.')
})

test.run()
