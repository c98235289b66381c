import { spawnSync } from 'node:child_process'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { createProgress, type ProgressClock } from '../dist/report/progress.js'
import { displayWidth } from '../dist/report/width.js'
import { DANGEROUS } from './fixtures/results/hostile.js'

const START = new Date(2025, 2, 1, 14, 0, 0).getTime()
const ERASE = '\u001b[K'

/** A clock that a test moves by hand. */
function manualClock() {
  let now = START
  let timers: { ms: number; next: number; callback: () => void }[] = []
  const clock: ProgressClock = {
    now: () => now,
    every(ms, callback) {
      const timer = { ms, next: now + ms, callback }
      timers.push(timer)
      return () => {
        timers = timers.filter(each => each !== timer)
      }
    },
  }
  return {
    clock,
    timers: () => timers.length,
    advance(ms: number) {
      for (const end = now + ms; now < end; ) {
        now += 100
        for (const timer of timers) {
          if (now < timer.next) continue
          timer.next += timer.ms
          timer.callback()
        }
      }
    },
  }
}

function setup(terminal: { isTTY?: boolean; columns?: number }) {
  const writes: string[] = []
  const time = manualClock()
  const stream = {
    ...terminal,
    write(text: string) {
      writes.push(text)
    },
  }
  return { writes, time, progress: createProgress(stream, time.clock) }
}

/** What a terminal shows of a line after these writes. */
function screen(writes: string[]): string {
  let line = ''
  for (const part of writes.join('').replaceAll(ERASE, '').split(/(\r)/)) line = part === '\r' ? '' : line + part
  return line
}

const MINUTE = 60_000
const idle = (ms: number) => ({ what: 'an idle token to expire', untilMs: START + ms, specsWaiting: 3 })

test('a terminal has one line, redrawn once a second', () => {
  const { writes, time, progress } = setup({ isTTY: true, columns: 100 })
  progress.ran({ done: 28, total: 31 })
  progress.waiting(idle(63 * MINUTE))
  assert.equal(writes, [`\rWaiting 1:03:00 until 15:03:00 for an idle token to expire · 28/31 done${ERASE}`])
  time.advance(5000)
  assert.is(writes.length, 6)
  assert.match(screen(writes), /^Waiting 1:02:55 until 15:03:00 for /)
  time.advance(4 * MINUTE)
  assert.match(screen(writes), /^Waiting 58:55 until /)
  for (const write of writes) {
    assert.ok(write.startsWith('\r') && write.endsWith(ERASE))
    assert.not.match(write.slice(1, -ERASE.length), DANGEROUS)
  }
})

test('many waits within a second are one drawing', () => {
  const { writes, time, progress } = setup({ isTTY: true, columns: 80 })
  for (let n = 0; n < 50; n += 1) progress.waiting({ ...idle(MINUTE + n), what: `wait ${n}` })
  assert.is(writes.length, 1)
  time.advance(1000)
  assert.is(writes.length, 2)
  assert.match(screen(writes), 'for wait 49')
})

test('the line is cut to the columns, and inert', () => {
  const { writes, progress } = setup({ isTTY: true, columns: 40 })
  progress.waiting({ ...idle(MINUTE), what: `\u001b[2J\n漢字 ${'x'.repeat(200)}` })
  assert.is(displayWidth(screen(writes)), 39)
  assert.match(screen(writes), /^Waiting 01:00 until 14:01:00 for ␛\[2J.*…$/)
})

test('the line goes when the wait is over, and when the run stops', () => {
  const { writes, time, progress } = setup({ isTTY: true, columns: 80 })
  progress.waiting(idle(5000))
  time.advance(10_000)
  assert.is(screen(writes), '')
  assert.is(time.timers(), 0)
  const before = writes.length
  progress.waiting({ ...idle(60_000), what: 'more' })
  assert.match(screen(writes), 'for more')
  progress.stop()
  assert.is(screen(writes), '')
  assert.is(writes.at(-1), `\r${ERASE}`)
  assert.is(time.timers(), 0)
  progress.stop()
  progress.waiting(idle(MINUTE))
  progress.ran({ done: 1, total: 1 })
  time.advance(MINUTE)
  assert.is(writes.length, before + 2)
})

test('elsewhere there is a line at the start and one a minute', () => {
  const { writes, time, progress } = setup({})
  progress.waiting(idle(3 * MINUTE + 30_000))
  progress.ran({ done: 28, total: 31 })
  time.advance(59_000)
  assert.equal(writes, ['Waiting until 14:03:30 (3 min 30 s left) for an idle token to expire, 3 specs wait.\n'])
  time.advance(10 * MINUTE)
  assert.equal(writes.slice(1), [
    'Still waiting until 14:03:30 (2 min 30 s left) for an idle token to expire, 3 specs wait, 28 of 31 done.\n',
    'Still waiting until 14:03:30 (1 min 30 s left) for an idle token to expire, 3 specs wait, 28 of 31 done.\n',
    'Still waiting until 14:03:30 (30 s left) for an idle token to expire, 3 specs wait, 28 of 31 done.\n',
  ])
  assert.is(time.timers(), 0)
  progress.stop()
  assert.is(writes.length, 4)
})

test('elsewhere the same wait told again is not a new line, another wait is', () => {
  const { writes, progress } = setup({ isTTY: false })
  progress.waiting(idle(5 * MINUTE))
  progress.waiting({ ...idle(5 * MINUTE + 20), specsWaiting: 2 })
  assert.is(writes.length, 1)
  progress.waiting(idle(9 * MINUTE))
  assert.is(writes.length, 2)
  assert.not.match(writes.join(''), DANGEROUS)
})

test('nothing at all is written when nothing waits for longer than a second', () => {
  for (const isTTY of [true, false]) {
    const { writes, time, progress } = setup({ isTTY, columns: 80 })
    for (let n = 0; n < 20; n += 1) {
      progress.waiting({ ...idle(0), untilMs: START + n * 500 + 900 })
      progress.ran({ done: n, total: 20 })
      time.advance(500)
    }
    progress.waiting({ ...idle(0), untilMs: Number.NaN })
    progress.waiting({ ...idle(0), untilMs: START - MINUTE })
    progress.stop()
    assert.equal(writes, [])
    assert.is(time.timers(), 0)
  }
})

test('its timer keeps no process alive', () => {
  const module = new URL('../dist/report/progress.js', import.meta.url).href
  const code = `
    import { createProgress } from ${JSON.stringify(module)}
    createProgress(process.stdout).waiting({ what: 'x', untilMs: Date.now() + 3600000, specsWaiting: 1 })`
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { timeout: 20_000 })
  assert.is(status, 0)
  assert.match(stdout.toString(), /^Waiting until \d\d:\d\d:\d\d \(1 h left\) for x, 1 spec waits\.\n$/)
})

test.run()
