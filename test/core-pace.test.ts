/**
 * A whole run at the pace of its limit, for each of those that proxies have: it is over in its requests over the rate and 15 s, and tells the
 * rate within a fifth.
 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Beyond, banning, bucket, runAgainst, type Serves, sliding } from './support/limited-core.js'

const test = suite('pace')

const REQUESTS = 900
const GRACE_MS = 15_000

for (const [name, rate, serves, beyond] of [
  ['nginx, with a burst', 20, bucket(20, 10), 'refused'],
  ['nginx, without a burst', 20, bucket(20, 0), 'refused'],
  ['HAProxy', 20, sliding(20, 1000), 'refused'],
  ['a tarpit', 20, sliding(20, 1000), 'tarpit'],
  ['a limit that leaves what is too much without an answer', 30, sliding(30, 1000), 'silent'],
  ['a ban after too many in a second', 20, banning(20, 3000), 'banned'],
  ['a limit on new connections', 10, sliding(10, 1000), 'unconnected'],
] as const satisfies readonly [string, number, Serves, Beyond][]) {
  test(`${name}: ${rate} a second`, async () => {
    const { ms, served, opened, away, notice = '' } = await runAgainst(serves, beyond, REQUESTS)
    const leastMs = ((beyond === 'unconnected' ? opened : served) * 1000) / rate
    assert.ok(
      ms < leastMs + GRACE_MS,
      `${Math.round(ms)} ms for ${Math.round(leastMs)} ms, ${away} turned away: ${notice}`,
    )
    const [, figure] = /takes about ([\d.]+) (?:requests|new connections) a second/.exec(notice) ?? []
    assert.ok(Math.abs(Number(figure) / rate - 1) <= 0.2, notice)
  })
}

test.run()
