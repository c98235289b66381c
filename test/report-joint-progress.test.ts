import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { RunActivity } from '../dist/report/index.js'
import { jointProgress } from '../dist/report/joint-progress.js'

const test = suite('the progress of several runs')

const activity = (own: Partial<RunActivity>): RunActivity => ({
  done: 0,
  failed: 0,
  total: 10,
  startedMs: 100,
  endsMs: 1000,
  waits: [],
  ...own,
})
const wait = (spec: string, untilMs: number) => ({ spec, what: 'token a', fromMs: 0, untilMs })

test('runs are told as one: their sums, the first start, the last end, all waits in order with the names of their runs', () => {
  const told: RunActivity[] = []
  const [one, two] = jointProgress({ show: each => told.push(each), stop() {} }, ['old', 'new'])
  assert.ok(one && two)
  one(activity({ done: 3, failed: 1, waits: [wait('a', 50), wait('b', 90)] }))
  assert.equal(told[0], activity({ done: 3, failed: 1, waits: [wait('old a', 50), wait('old b', 90)] }))
  two(activity({ done: 4, total: 5, startedMs: 90, endsMs: 2000, waits: [wait('a', 70)] }))
  assert.equal(
    told[1],
    activity({
      done: 7,
      failed: 1,
      total: 15,
      startedMs: 90,
      endsMs: 2000,
      waits: [wait('old a', 50), wait('new a', 70), wait('old b', 90)],
    }),
  )
  one(activity({ done: 10 }))
  assert.equal([told[2]?.done, told[2]?.waits.map(({ spec }) => spec)], [14, ['new a']], 'the latest of each counts')
})

test.run()
