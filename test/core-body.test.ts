/** Bodies become readable text in any encoding, so that the secrets in them are seen. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decodeBody } from '../dist/core/body.js'

const test = suite('body')
const MOST = 1000
const JSON_TEXT = JSON.stringify({ token: 'täglich-1234', user: 'admin' })
const little = Buffer.from(JSON_TEXT, 'utf16le')
const big = Buffer.from(little).swap16()
const read = (bytes: Buffer) => decodeBody(bytes, undefined, MOST).text

test('UTF-16 is read as that, with a mark or without, whole or cut', () => {
  for (const bytes of [
    little,
    big,
    Buffer.concat([Buffer.from([0xff, 0xfe]), little]),
    Buffer.concat([Buffer.from([0xfe, 0xff]), big]),
  ]) {
    assert.is(read(bytes), JSON_TEXT)
    assert.is(read(bytes.subarray(0, -1)), JSON_TEXT.slice(0, -1))
  }
})

test('what is not plainly UTF-16 is read as UTF-8', () => {
  for (const text of [
    '',
    'a',
    'ab',
    JSON_TEXT,
    '\u0000',
    'a\u0000',
    '\u0000\u0000\u0000\u0000',
    'ab\u0000cd\u0000ef',
    'ä'.repeat(50),
  ])
    assert.is(read(Buffer.from(text)), text, JSON.stringify(text))
  assert.is(read(Buffer.from([0x80, 0xff])), '\ufffd\ufffd')
})

test.run()
