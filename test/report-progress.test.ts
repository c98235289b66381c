import { EventEmitter } from 'node:events'
import { mock } from 'node:test'
import xterm from '@xterm/headless'
import pc from 'picocolors'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { durationRange } from '../dist/duration.js'
import { coreWithout } from '../dist/fleet/core.js'
import type { RunActivity, RunWait } from '../dist/report/activity.js'
import { boardLines, standingText } from '../dist/report/fleet/board.js'
import { createProgress, type ProgressOptions } from '../dist/report/progress.js'
import { displayWidth } from '../dist/report/wrap.js'
import { HOSTILE } from './fixtures/results/hostile.js'
import { assertInert } from './support/inert.js'

const START = new Date(2025, 2, 1, 14, 0, 0).getTime()
const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The clock of the process, which goes on only when a test says so. */
const time = {
  begin: () => {
    mock.timers.reset()
    mock.timers.enable({ apis: ['setInterval', 'Date'], now: START })
  },
  advance: (ms: number) => {
    for (let left = ms; left > 0; left -= 50) mock.timers.tick(Math.min(50, left))
  },
}

test.after.each(() => {
  // A test may have a function of its own in front of the mocked timers.
  mock.restoreAll()
  mock.timers.reset()
})

interface Size {
  columns?: number
  rows?: number
}

function setup(stream: Size & { isTTY?: boolean }, options: ProgressOptions = {}) {
  const writes: string[] = []
  time.begin()
  const tty = Object.assign(new EventEmitter(), stream, {
    write(text: string) {
      writes.push(text)
    },
  })
  return { writes, tty, progress: createProgress(tty, options) }
}

/** Makes the same on an emulated terminal with earlier output. */
function onScreen({ columns = 80, rows = 24 }: Size = {}, options?: ProgressOptions) {
  const emulator = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, convertEol: true })
  const { writes, tty, progress } = setup({ isTTY: true, columns, rows }, options)
  emulator.write('$ core-conformance run\n')
  let seen = 0
  async function lines(): Promise<string[]> {
    await new Promise<void>(done => emulator.write(writes.slice(seen).join(''), done))
    seen = writes.length
    const { active } = emulator.buffer
    const all = Array.from({ length: active.length }, (_, y) => active.getLine(y)?.translateToString(true) ?? '')
    return all.slice(0, all.findLastIndex(line => line.trim() !== '') + 1)
  }
  /** Returns the cursor position, counted from the first line ever printed. */
  const cursor = () => ({
    x: emulator.buffer.active.cursorX,
    y: emulator.buffer.active.baseY + emulator.buffer.active.cursorY,
  })
  function resize(size: { columns: number; rows: number }) {
    emulator.resize(size.columns, size.rows)
    Object.assign(tty, size)
    tty.emit('resize')
  }
  return { writes, tty, progress, emulator, lines, cursor, resize }
}

const wait = (spec: string, ms: number, what = `${spec}'s token, unused for 1 h`): RunWait => ({
  spec,
  what,
  fromMs: START,
  untilMs: START + ms,
})

function activity(waits: RunWait[], rest: Partial<RunActivity> = {}): RunActivity {
  return { done: 28, failed: 0, total: 63, startedMs: START, endsMs: START + HOUR, waits, ...rest }
}

const many = (number: number) => Array.from({ length: number }, (_, n) => wait(`spec-${n + 1}`, (n + 1) * MINUTE))

test('a terminal has a line for the run and one for each wait', async () => {
  const { progress, lines } = onScreen({ columns: 100 })
  progress.show(activity([wait('idle-expires', 30 * MINUTE), wait('use-resets', HOUR, 'token b')], { failed: 2 }))
  assert.equal(await lines(), ['$ core-conformance run'])
  time.advance(15 * MINUTE)
  assert.equal(await lines(), [
    '$ core-conformance run',
    '███████░░░░░░░░░░░░░░░░░░░░░░░  28/63 done · 2 failed · 45:00 left · until 15:00:00',
    "  idle-expires  █████░░░░░  14:30:00  15:00 left  idle-expires's token, unused for 1 h",
    '  use-resets    ██░░░░░░░░  15:00:00  45:00 left  token b',
  ])
})

test('it is drawn once a second, in one write, without erasing what stays', async () => {
  const { writes, progress, lines } = onScreen()
  for (let n = 0; n < 10 * 200; n += 1) {
    progress.show(activity([wait('idle-expires', HOUR)], { done: n }))
    if (n % 10 === 0) time.advance(50)
  }
  assert.is(writes.length, 10)
  const lefts = writes.map(write => /(\d\d:\d\d) left/.exec(write)?.[1])
  assert.equal(lefts, ['59:59', '59:58', '59:57', '59:56', '59:55', '59:54', '59:53', '59:52', '59:51', '59:50'])
  for (const write of writes) assert.ok(write.indexOf('\u001b[J') > write.indexOf('idle-expires'))
  assert.match((await lines())[1] ?? '', /19\d\d\/63 done/)
})

test('a countdown goes by single seconds, however late the timer is', () => {
  const { writes, progress } = setup({ isTTY: true })
  let tick = () => {}
  mock.method(globalThis, 'setInterval', (callback: () => void) => {
    tick = callback
    return { unref() {} }
  })
  progress.show(activity([wait('one', 90_100)], { endsMs: Number.NaN }))
  for (const ms of [1000, 2200, 2990, 3000, 4240, 5010, 6200]) {
    mock.timers.setTime(START + ms)
    tick()
  }
  const lefts = writes.map(write => /(\d\d:\d\d) left/.exec(write)?.[1])
  assert.equal(lefts, ['01:30', '01:29', '01:28', '01:27', '01:26', '01:25'])
})

test('waits that are over are gone, and the line of the run stays', async () => {
  const { progress, lines } = onScreen()
  progress.show(activity([wait('one', 10 * SECOND), wait('two', 20 * SECOND)]))
  time.advance(11 * SECOND)
  const starts = (await lines()).map(line => line.slice(0, 5))
  assert.equal(starts, ['$ cor', '░░░░░', '  two'])
  time.advance(11 * SECOND)
  assert.is((await lines()).length, 2)
  progress.show(activity([]))
  time.advance(SECOND)
  assert.is((await lines()).length, 2)
})

test('more waits than half of the terminal has room for are counted', async () => {
  for (const [rows, shown] of [
    [24, 9],
    [10, 2],
    [7, 1],
  ] as const) {
    const { progress, lines } = onScreen({ columns: 40, rows })
    progress.show(activity(many(40)))
    time.advance(2 * SECOND)
    const view = (await lines()).slice(1)
    assert.is(view.length, Math.floor((rows - 1) / 2))
    assert.match(view.at(-2) ?? '', new RegExp(`^ {2}spec-${shown} `))
    assert.is(view.at(-1), `  and ${40 - shown} more, the last until 14:40:00`)
  }
  const full = onScreen({ rows: 9 })
  full.progress.show(activity(many(3)))
  time.advance(2 * SECOND)
  assert.match((await full.lines()).at(-1) ?? '', /^ {2}spec-3 /)
})

test('a terminal of one line, or of a few columns, is not overrun', async () => {
  for (const [columns, rows] of [
    [80, 1],
    [80, 2],
    [80, 4],
    [30, 24],
    [12, 6],
    [5, 5],
    [1, 1],
  ] as const) {
    const { progress, lines } = onScreen({ columns, rows })
    const height = (await lines()).length
    progress.show(activity(many(5), { failed: 12 }))
    time.advance(2 * SECOND)
    assert.is((await lines()).length - height, Math.min(6, Math.floor((rows - 1) / 2)), `${columns}x${rows}`)
    progress.stop()
    assert.is((await lines()).length, height, `${columns}x${rows}`)
  }
})

test('a narrow terminal has what matters', async () => {
  const waits = [
    wait('revocation-repeated-spares-others', 50 * MINUTE),
    wait('漢字かな交じり文漢字かな交じり文', 61 * MINUTE),
  ]
  const view = async (columns: number) => {
    const { progress, lines } = onScreen({ columns })
    progress.show(activity(waits, { failed: 3, endsMs: START + 70 * MINUTE }))
    time.advance(2 * SECOND)
    return (await lines()).slice(1)
  }
  assert.equal(await view(30), [
    '28/63 · ✗ 3 · 1:09:58 left',
    '  revocation-repeat…    49:58',
    '  漢字かな交じり文…   1:00:58',
  ])
  assert.equal(await view(40), [
    '░░░░░░░░░░░  28/63 · ✗ 3 · 1:09:58 left',
    '  revocation-r…  14:50:00    49:58 left',
    '  漢字かな交じ…  15:01:00  1:00:58 left',
  ])
  assert.equal(await view(60), [
    '░░░░░░░░░░░░░░░░░░░░░  28/63 done · 3 failed · 1:09:58 left',
    '  revocation-repeate…  ░░░░░░░░░░  14:50:00    49:58 left',
    '  漢字かな交じり文漢…  ░░░░░░░░░░  15:01:00  1:00:58 left',
  ])
})

test('no line is wider than the terminal, whatever stands in it', () => {
  for (const columns of [5, 30, 80, 300]) {
    for (const [name, text] of Object.entries(HOSTILE)) {
      const { writes, progress } = setup({ isTTY: true, columns, rows: 24 })
      progress.show(activity([wait(text, HOUR, text), wait('x', 9 * HOUR, `x ${text}`)]))
      time.advance(2 * SECOND)
      assert.ok(writes.length > 0)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the escapes of the view itself
      const shown = (writes[0] ?? '').replace(/\n[^\n]*$|\r|\u001b\[(\?25[lh]|\?7[lh]|\d*[AJK])/g, '')
      assertInert(shown, name)
      for (const line of shown.split('\n'))
        assert.ok(displayWidth(line) < Math.min(columns, 121), `${name} at ${columns}: ${line}`)
      assert.is(shown.split('\n').length, 3, name)
    }
  }
})

test('the view follows a resized terminal, and leaves nothing behind', async () => {
  const { progress, lines, cursor, resize } = onScreen({ columns: 100, rows: 24 })
  progress.show(activity(many(20)))
  time.advance(2 * SECOND)
  await lines()
  for (const size of [
    { columns: 60, rows: 24 },
    { columns: 30, rows: 24 },
    { columns: 80, rows: 24 },
    { columns: 80, rows: 12 },
    { columns: 120, rows: 40 },
  ]) {
    resize(size)
    const view = await lines()
    assert.is(view.length, 1 + Math.floor((size.rows - 1) / 2), JSON.stringify([size, view]))
    assert.match(view[1] ?? '', '28/63')
    assert.match(view[2] ?? '', /^ {2}spec-1 /)
    assert.match(view.at(-1) ?? '', /^ {2}and \d+ more/)
    assert.equal(cursor(), { x: 0, y: view.length })
  }
  progress.stop()
  assert.equal(await lines(), ['$ core-conformance run'])
})

test('stop takes the view away also after Ctrl-C, and then nothing is written any more', async () => {
  const { writes, tty, progress, emulator, lines, cursor } = onScreen()
  progress.show(activity(many(3)))
  time.advance(2 * SECOND)
  await lines()
  emulator.write('^C')
  progress.stop()
  assert.equal(await lines(), ['$ core-conformance run'])
  assert.equal(cursor(), { x: 0, y: 1 })
  const { length } = writes
  assert.is(tty.listenerCount('resize'), 0)
  progress.stop()
  progress.show(activity(many(3)))
  tty.emit('resize')
  time.advance(MINUTE)
  assert.is(writes.length, length)
})

test('between drawings the cursor is to be seen and lines wrap, so that a killed run leaves a terminal in order', () => {
  const { writes, progress } = setup({ isTTY: true, columns: 80, rows: 24 })
  progress.show(activity(many(3)))
  time.advance(5 * SECOND)
  progress.stop()
  assert.ok(writes.length > 4)
  for (const write of writes.slice(0, -1)) {
    assert.ok(write.startsWith('\u001b[?25l\u001b[?7l'))
    assert.ok(write.endsWith('\u001b[?7h\u001b[?25h'))
  }
  assert.not.match(writes.at(-1) ?? '', '?')
})

test('a run that is later than planned says so', async () => {
  const { progress, lines } = onScreen()
  progress.show(activity([wait('one', HOUR)], { endsMs: START + MINUTE }))
  time.advance(MINUTE + 5 * SECOND)
  assert.match((await lines())[1] ?? '', /^█+ {2}28\/63 done · 00:00 left$/)
  time.advance(MINUTE)
  assert.match((await lines())[1] ?? '', /^█+ {2}28\/63 done · 01:05 late$/)
})

test('colours only where they are wanted', () => {
  for (const color of [true, false]) {
    const { writes, progress } = setup({ isTTY: true, columns: 80, rows: 24 }, { color })
    progress.show(activity(many(3), { failed: 1 }))
    time.advance(2 * SECOND)
    assert.is(writes.join('').includes('\u001b[31m1 failed\u001b[39m'), color)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours
    assert.is(/\u001b\[\d+m/.test(writes.join('')), color)
  }
})

test('elsewhere there is a line once the waiting began, and one every 30 seconds', () => {
  const { writes, progress } = setup({})
  progress.show(activity([wait('one', 75 * SECOND)]))
  time.advance(500)
  progress.show(activity([wait('one', 75 * SECOND), wait('two', 105 * SECOND)], { failed: 1 }))
  time.advance(500)
  const first =
    'Waiting: 2 specs, the next until 14:01:15 (1 min 14 s left), the last until 14:01:45 (1 min 44 s left); 28 of 63 done, 1 failed, 33 more to do.\n'
  assert.equal(writes, [first])
  for (let n = 0; n < 29; n += 1) {
    progress.show(activity([wait('one', 75 * SECOND, 'a'), wait('one', 105 * SECOND, 'b')]))
    time.advance(SECOND)
  }
  assert.is(writes.length, 1)
  time.advance(2 * MINUTE)
  assert.equal(writes.slice(1), [
    'Waiting: 1 spec, the next until 14:01:15 (44 s left), the last until 14:01:45 (1 min 14 s left); 28 of 63 done, 34 more to do.\n',
    'Waiting: 1 spec, the next until 14:01:15 (14 s left), the last until 14:01:45 (44 s left); 28 of 63 done, 34 more to do.\n',
    'Waiting: 1 spec until 14:01:45 (14 s left); 28 of 63 done, 34 more to do.\n',
    'Running: 28 of 63 specs done.\n',
  ])
  progress.stop()
  time.advance(5 * MINUTE)
  assert.is(writes.length, 5)
})

test('where the run itself waits, and where others than specs do, a log says so', () => {
  const { writes, progress } = setup({})
  progress.show(activity([wait('', 75 * SECOND)]))
  time.advance(SECOND)
  const waits = [{ ...wait('3 interactions', 75 * SECOND), many: 3 }]
  progress.show(activity(waits, { noun: 'interaction', done: 60 }))
  time.advance(30 * SECOND)
  assert.equal(writes, [
    'Waiting until 14:01:15 (1 min 14 s left); 28 of 63 done, 35 more to do.\n',
    'Waiting: 3 interactions until 14:01:15 (44 s left); 60 of 63 done.\n',
  ])
})

test('where nothing waits, a log says every 30 seconds what was sent, what is done, and about how long it goes on', () => {
  const { writes, progress } = setup({ isTTY: false })
  progress.show(activity([], { done: 0, endsMs: Number.NaN }))
  time.advance(29 * SECOND)
  assert.equal(writes, [])
  time.advance(SECOND)
  const sent = { requests: { sent: 620, expected: 1530 }, leftMs: [2.2 * MINUTE, 5.4 * MINUTE] as const }
  progress.show(activity([], { done: 21, failed: 1, endsMs: Number.NaN, ...sent }))
  time.advance(30 * SECOND)
  assert.equal(writes, [
    'Running: 0 of 63 specs done.\n',
    'Running: 620 of about 1530 requests sent, 21 of 63 specs done, 1 failed; about 2 to 6 min left.\n',
  ])
  progress.stop()
})

test('a time that is known between bounds is told in round numbers', () => {
  const told = (fewestMs: number, mostMs: number) => durationRange([fewestMs, mostMs])
  assert.is(told(20 * SECOND, 55 * SECOND), 'about 20 to 60 s')
  assert.is(told(3 * SECOND, 38 * SECOND), 'less than 40 s')
  assert.is(told(58 * SECOND, 7.2 * MINUTE), 'less than 8 min')
  assert.is(told(2.1 * MINUTE, 2.9 * MINUTE), 'about 2 to 3 min')
  assert.is(told(64 * MINUTE, 71.5 * MINUTE), 'about 1 h 4 min to 1 h 12 min')
  assert.is(told(64 * MINUTE, 64 * MINUTE), 'about 1 h 4 min')
})

test('a terminal that cannot be redrawn gets lines, and what is no terminal can be told that it is one', () => {
  for (const [isTTY, live] of [
    [true, false],
    [false, true],
  ] as const) {
    const { writes, progress } = setup({ isTTY }, { live })
    progress.show(activity(many(2)))
    time.advance(5 * SECOND)
    assert.is(writes.length > 1, live)
    assert.is(writes.join('').includes('\u001b'), live)
  }
})

test('a run that only sends requests shows how far it is on a terminal, after two seconds and without a time left', async () => {
  const { writes, progress, lines } = onScreen()
  progress.show(activity([], { done: 0, endsMs: Number.NaN }))
  time.advance(1900)
  assert.equal(writes, [])
  progress.show(activity([], { done: 21, failed: 1, endsMs: Number.NaN }))
  time.advance(1100)
  assert.equal((await lines()).slice(1), ['██████████░░░░░░░░░░░░░░░░░░░░  21/63 done · 1 failed'])
  // Once the waits are over, their end says nothing about the requests that are left.
  progress.show(activity([], { done: 62, endsMs: START + SECOND }))
  time.advance(1000)
  assert.equal((await lines()).slice(1), ['█████████████████████████████░  62/63 done'])
  progress.stop()
})

test('nothing at all is written to a log of a run that ends soon', () => {
  const { writes, tty, progress } = setup({ isTTY: false })
  for (let n = 0; n < 40; n += 1) {
    const fromMs = Date.now()
    progress.show(activity([{ spec: 'short', what: 'x', fromMs, untilMs: fromMs + 1000 }]))
    time.advance(250)
    time.advance(250)
  }
  // Virtual time: an hour that passes at once, its end nearer after every leap.
  for (let n = 0; n < 30; n += 1) {
    progress.show(activity([wait('leaps', HOUR - n * MINUTE)]))
    time.advance(250)
  }
  progress.show(activity([wait('over', -MINUTE), wait('never', Number.NaN), wait('always', Number.POSITIVE_INFINITY)]))
  time.advance(2 * SECOND)
  progress.stop()
  time.advance(MINUTE)
  assert.equal(writes, [])
  assert.is(tty.listenerCount('resize'), 0)
})

/** What is known of a Core before its run. */
const LAB = { name: 'lab-1', url: 'https://10.0.0.1', configuration: {} as never }

test('a log of a fleet says the same of all its Cores', () => {
  const lines = (states: Parameters<typeof standingText>[0]) => standingText(states, START)
  const running = { done: 20, total: 60, endsMs: Number.NaN, leftMs: [MINUTE, 3 * MINUTE] as [number, number] }
  const one = { name: 'lab-1', isUnderWay: true, activity: activity([], running) }
  const two = { ...one, name: 'lab-2', activity: activity([], { ...running, leftMs: [2 * MINUTE, 2.5 * MINUTE] }) }
  const done = { name: 'lab-3', isUnderWay: false, core: coreWithout({ ...LAB, name: 'lab-3' }, { reason: 'x' }, '') }
  assert.is(lines([one, two, done]), '1 of 3 Cores done, 2 under way with 40 of 120 specs done; about 2 to 3 min left.')
  const queued = { name: 'lab-4', isUnderWay: false }
  assert.is(lines([one, queued]), '0 of 2 Cores done, 1 under way with 20 of 60 specs done.')
  const waiting = { ...two, activity: activity([wait('x', HOUR)], { done: 28, total: 60, endsMs: START + HOUR }) }
  const last = ', the last until 15:00:00 (1 h left)'
  assert.is(lines([waiting]), `0 of 1 Core done, 1 under way with 28 of 60 specs done${last}.`)
  assert.is(lines([one, waiting]), '0 of 2 Cores done, 2 under way with 48 of 120 specs done; about 1 h left.')
})

test('the table of a fleet calls no Core nonconformant that was not tested, and tells no end that it does not know', () => {
  const page = { columns: 100, paint: pc.createColors(false) }
  const away = coreWithout(LAB, { verdict: 'untestable', reason: 'the Core cannot be reached' }, '')
  const at = (name: string, endsMs: number) => ({ name, isUnderWay: true, activity: activity([], { endsMs }) })
  const told = (...states: Parameters<typeof boardLines>[1]) => boardLines(page, states, 10, START)
  const ended = { name: 'lab-1', isUnderWay: false, core: away }
  assert.equal(told(ended, at('lab-2', START + MINUTE), at('lab-3', START + HOUR)), [
    '1 of 3 Cores done · 1 untestable · 2 under way · 1:00:00 left · until 15:00:00',
    '! lab-1  untestable: the Core cannot be reached',
    '… lab-2  28/63 done, 01:00 left',
    '… lab-3  28/63 done, 1:00:00 left',
  ])
  const unknown = '1 of 3 Cores done · 1 untestable · 2 under way'
  assert.is(told(ended, at('lab-2', START - MINUTE), at('lab-3', START + HOUR))[0], unknown, 'a plan that is over')
  assert.is(told(ended, at('lab-2', Number.NaN), at('lab-3', START + HOUR))[0], unknown, 'no plan')
  const queued = { name: 'lab-3', isUnderWay: false }
  assert.is(told(ended, at('lab-2', START + HOUR), queued)[0], unknown.replace('2 under', '1 under'), 'not begun')
})

test.run()
