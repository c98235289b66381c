/** Where in a text one of many forms may begin. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Starts } from '../dist/core/starts.js'

const test = suite('starts')

test('each place is found, and no other, whatever the characters', () => {
  const starts = new Starts(4)
  assert.is(starts.next('abcd', 0), -1)
  starts.add('abcdef')
  starts.add('ääß%')
  const text = 'xabcabcd-ääß%abcd'
  const places = []
  for (let at = starts.next(text, 0); at >= 0; at = starts.next(text, at + 1)) places.push(at)
  assert.equal(places, [4, 9, 13])
  assert.is(starts.next(text, 14), -1)
})

test('what has the key of a start and is none is no place', () => {
  const starts = new Starts(4)
  starts.add('aaaa')
  // Of the first of four characters only the last four bits are in the key.
  for (let code = 0; code < 0x3000; code++) {
    const text = `${String.fromCharCode(code)}aaa`
    assert.is(starts.next(text, 0), text === 'aaaa' ? 0 : -1)
  }
})

test.run()
