/** Shards of a fleet. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { missingShards } from '../dist/fleet/shard.js'

const test = suite('shards')

test('those that are missing are told by their numbers, from 1 on', () => {
  const shards = (...numbers: number[]) => numbers.map(number => ({ number, total: 4 }))
  assert.equal(missingShards(shards(2, 4)), [1, 3])
  assert.equal(missingShards(shards(4, 3, 2, 1)), [])
  assert.equal(missingShards([]), [])
})

test.run()
