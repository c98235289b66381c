import { createHash } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { lanesOf } from '../dist/report/html/lanes.js'
import { renderHtml } from '../dist/report/html/page.js'
import { fitting, roomFor } from '../dist/report/html/room.js'
import type { Lane, RunResult } from '../dist/result.js'
import { everything, hostile, multiplied } from './fixtures/results/pages.js'
import { exchange, result, spec, step } from './fixtures/results/results.js'
import * as samples from './fixtures/results/samples.js'
import { assertInert } from './support/inert.js'
import { long } from './support/long.js'

const test = suite('the HTML report')

const PAGES: Record<string, RunResult> = { ...samples, everything, hostile }

/** Returns what stands before the areas: the verdict, and what was found. */
const firstOf = (html: string) => textOf(html.split('<h2 id="areas">')[0] ?? '')

/** Returns approximately the text that a reader of HTML sees. */
const textOf = (html: string) =>
  html
    .replace(/<(style|script)>[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')

test('a browser may run and load nothing but the style and the script of the page', () => {
  for (const run of Object.values(PAGES)) {
    const html = renderHtml(run)
    const policy =
      /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1]?.replaceAll('&#39;', "'") ?? ''
    assert.match(policy, /^default-src 'none'; /)
    assert.not.match(policy, /unsafe|https?:|\*|data:/)
    for (const name of ['style', 'script']) {
      const texts = [...html.matchAll(new RegExp(`<${name}>([\\s\\S]*?)</${name}>`, 'g'))].map(match => match[1] ?? '')
      assert.is(texts.length, 1, name)
      const digest = createHash('sha256')
        .update(texts[0] ?? '')
        .digest('base64')
      assert.ok(policy.includes(`${name}-src 'sha256-${digest}'`), name)
    }
    assert.not.match(html, /<(?:img|iframe|link|object|embed|foreignObject)\b| on[a-z]+="| style="|(?:src|href)="(?!#)/)
  }
})

test('what a Core sends stays text, and nothing hides or moves in it', () => {
  const html = renderHtml(hostile)
  assertInert(html)
  assert.is(html.match(/<h1>/g)?.length, 1)
  assert.ok(html.includes('&lt;script>') || html.includes('&lt;script&gt;'))
  const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(match => match[1])
  assert.is(new Set(ids).size, ids.length)
  for (const [, anchor] of html.matchAll(/href="#([^"]*)"/g)) assert.ok(ids.includes(anchor), anchor)
})

test('the first screen says the verdict, the firmware, and what failed with its consequence for clients', () => {
  const requirement = { id: 'REVOKE-1', section: 'States', text: 'it is revoked' }
  const missed = step({
    outcome: 'miss',
    expected: 'rejected: 401',
    got: '200 OK',
    consequence: 'a log-off ends nothing.',
  })
  const failed = spec({ outcome: 'failed', message: 'still open', requirements: [requirement], steps: [missed] })
  const run = result([failed, spec({ id: 'other' })], {
    target: { url: 'https://10.0.0.5', kind: 'core', label: 'staging', firmware: '4.2.1-rc3' },
    reason: '1 of 2 specs that ran failed',
  })
  const html = renderHtml(run)
  assert.match(html, /<title>Nonconformant: staging 4\.2\.1-rc3<\/title>/)
  const short = { ...run, configuration: { ...run.configuration, idleLifetimeMs: 6000 } }
  assert.match(renderHtml(short), /at a lifetime of 6\u00a0s/, 'no line breaks between number and unit')
  const first = firstOf(html)
  for (const text of [
    'Nonconformant',
    'staging, https://10.0.0.5',
    '4.2.1-rc3',
    '1 of 2 specs that ran failed',
    'REVOKE-1: it is revoked',
    'for clients A log-off ends nothing.',
    'A revoked token opens nothing any more',
    'rejected: 401',
  ]) {
    assert.ok(first.includes(text), `${text} in ${first}`)
  }
  assert.not.match(firstOf(renderHtml(samples.conformant)), /What failed|for clients/)
})

test('what failed stands on the first screen also where no requirement is known of it', () => {
  const lone = spec({ id: 'lone', title: 'Something else', outcome: 'failed', requirements: [] })
  const first = firstOf(renderHtml(result([lone])))
  assert.match(first, /What failed ✗ Of no requirement did [\s\S]*Something else/)
})

test('nothing moves, whatever a reader has asked for', () => {
  assert.not.match(renderHtml(everything), /transition|animation|@keyframes|scroll-behavior/)
})

test('every spec, step, fact and requirement stands on the page', () => {
  const text = textOf(renderHtml(samples.failing))
  for (const each of samples.failing.specs) {
    assert.ok(text.includes(each.id), each.id)
    for (const { text: sentence } of each.steps) assert.ok(text.includes(sentence), sentence)
    for (const { id } of each.requirements) assert.ok(text.includes(id), id)
  }
  assert.match(text, /logon Seen status 200/)
  for (const { id, text: statement } of samples.failing.requirements) {
    assert.ok(text.includes(`${id} ${statement}`), id)
  }
  for (const told of [
    'LIMIT-20 Not shown: rate limits. Standing – not tested Specs 1 spec left out: measuring needs run --measure-lifetime',
    'TRANSPORT-1 The API is served over HTTPS. Standing – not testable Specs Every request of a run is a test of it',
    'at /token of the logon response, 64 characters',
  ])
    assert.ok(text.includes(told), told)
})

/** Makes an exchange with a token, which the Core answered with this status. */
const used = (token: string, atMs: number, status = 200, change: { method?: string; isHostless?: boolean } = {}) => {
  const { method = 'GET', isHostless = false } = change
  const { request, response, ...rest } = exchange({ atMs, durationMs: 50 })
  const headers: [string, string][] = [['Authorization', `Bearer [token ${token}]`]]
  if (!isHostless) headers.push(['Host', 'core'])
  return { ...rest, request: { ...request, method, headers }, ...(response && { response: { ...response, status } }) }
}

const HOUR = 3_600_000
const lane = (events: Lane['events'], specs = ['idle'], token = 'a'): Lane => ({
  specs,
  token,
  fromMs: events[0]?.atMs ?? 0,
  toMs: events.at(-1)?.atMs ?? 0,
  events,
})

const waiting = (lanes: Lane[], specs: RunResult['specs']) => result(specs, { plan: { ...result([]).plan, lanes } })

test('a token is due to expire after its last use, and would have been after those before', () => {
  const events: Lane['events'] = [
    { atMs: 0, kind: 'issued' },
    { atMs: 0.5 * HOUR, kind: 'used' },
    { atMs: 1.6 * HOUR, kind: 'checked' },
  ]
  const dueOf = (events: Lane['events']) => lanesOf(waiting([lane(events)], []))[0]?.tracks[0]?.due
  const due = dueOf(events)
  assert.equal(due?.actual, [])
  assert.equal(due?.planned, [
    { fromMs: 0.95 * HOUR, untilMs: 1.05 * HOUR, averted: true },
    { fromMs: 0.5 * HOUR + 0.95 * HOUR, untilMs: 0.5 * HOUR + 1.05 * HOUR, averted: false },
  ])
  const revoked: Lane['events'] = [
    { atMs: 0, kind: 'issued' },
    { atMs: 5, kind: 'revoked' },
    { atMs: 1.6 * HOUR, kind: 'checked' },
  ]
  assert.equal(dueOf(revoked)?.planned, [])
})

test('uses in quick succession are due together, each from its request to its answer', () => {
  const events: Lane['events'] = [
    { atMs: 0, kind: 'issued' },
    { atMs: 10, kind: 'used' },
    { atMs: 1.1 * HOUR, kind: 'checked' },
  ]
  const idle = spec({
    id: 'idle',
    exchanges: [used('a', 200), used('a', 300), used('a', 1.2 * HOUR)],
    steps: [
      step({ exchanges: [0] }),
      step({ exchanges: [1] }),
      step({ exchanges: [2], outcome: 'missed window', gap: { shortestMs: 1, longestMs: 2 }, isAlive: false }),
    ],
  })
  const run = waiting([lane(events)], [idle])
  const track = lanesOf(run)[0]?.tracks[0]
  assert.equal(track?.due.planned, [{ fromMs: 10 + 0.95 * HOUR, untilMs: 10 + 1.05 * HOUR, averted: false }])
  assert.equal(track?.due.actual, [{ fromMs: 300 + 0.95 * HOUR, untilMs: 350 + 1.05 * HOUR, averted: false }])
  const html = renderHtml(run)
  assert.is(html.match(/<rect class="due"/g)?.length, 2 + 1, 'planned, actual and the legend')
  assert.is(html.match(/<circle class="late"/g)?.length, 1 + 1)
  assert.match(html, /expired at 1 h 12 min \(outside its window\)/)
})

test('what came of a token is read from the exchanges of its specs', () => {
  const idle = spec({
    id: 'idle',
    exchanges: [
      exchange({ atMs: 1, request: { method: 'POST', path: '/logon', httpVersion: '1.1', headers: [] } }),
      used('a', 2),
      used('a', 3, 406, { isHostless: true }),
      used('a, shortened', 4, 401),
      used('a', 5, 401),
      used('a', 6, 401),
      used('b', 7, 204, { method: 'DELETE' }),
    ],
    steps: [
      step({ text: 'log on and get token a', exchanges: [0] }),
      step({ exchanges: [1] }),
      step({ exchanges: [2] }),
      step({ exchanges: [3] }),
      step({ exchanges: [4], gap: { shortestMs: 1, longestMs: 2 }, isAlive: false, outcome: 'miss' }),
      step({ exchanges: [5] }),
      step({ exchanges: [6] }),
    ],
  })
  const issued: Lane['events'] = [{ atMs: 0, kind: 'issued' }]
  const html = renderHtml(waiting([lane(issued), lane(issued, ['idle'], 'b')], [idle]))
  for (const told of [
    'a of idle issued at 0 ms issued at 1 ms, touched at 2 ms, other at 3 ms, expired at 5 ms (not as expected), rejected at 6 ms',
    'b of idle issued at 0 ms revoked at 7 ms',
  ])
    assert.ok(textOf(html).includes(told), told)
})

long(test)('a thousand specs stay under 5 MB, whatever their bodies hold', () => {
  const bytes = (run: RunResult) => Buffer.byteLength(renderHtml(run))
  const steps = Array.from({ length: 8 }, (_, at) => step({ exchanges: [at] }))
  const chatty = result([spec({ exchanges: steps.map(() => exchange()), steps })])
  for (const [name, run] of Object.entries({ failing: samples.failing, chatty, hostile })) {
    const size = bytes(multiplied(run, 1000))
    assert.ok(size < 5_000_000 && size > 500_000, `${name}: ${size}`)
  }
})

test('where a spec went well, exchanges of a step with the same answer are shown once', () => {
  const { response } = exchange()
  const refused = (path: string) =>
    exchange({ request: { ...exchange().request, path }, ...(response && { response: { ...response, status: 401 } }) })
  const parts = {
    exchanges: [exchange(), refused('/a'), refused('/b'), refused('/c')],
    steps: [step({ exchanges: [0, 1, 2, 3] })],
  }
  const shown = (html: string) => html.match(/<details class="exchange">/g)?.length
  const passed = renderHtml(result([spec(parts)]))
  assert.is(shown(passed), 2, 'that of the survey is a link')
  assert.match(passed, /<a href="#x\d">GET → 200 OK<\/a>/)
  assert.match(textOf(passed), /GET \/a → 401 .*and 2 more with this answer/)
  for (const outcome of ['failed', 'inconclusive', 'known failure'] as const) {
    const page = renderHtml(result([spec({ ...parts, outcome })]))
    for (const path of ['/a', '/b', '/c']) assert.ok(textOf(page).includes(`GET ${path} →`), outcome)
    assert.not.match(page, /more with this answer/)
  }
})

test('where there is room, bodies are shown; what failed has the first claim to it', () => {
  const body = `{"text":"${'long '.repeat(400)}end"}`
  const { response } = exchange()
  const long = exchange(response && { response: { ...response, body } })
  const passed = spec({ id: 'fine', exchanges: [long] })
  const failed = spec({ id: 'broken', outcome: 'failed', exchanges: [long] })
  assert.ok(textOf(renderHtml(result([passed]))).includes('long end"}'))
  const many = multiplied(result([failed, ...Array.from({ length: 9 }, () => passed)]), 800)
  const room = roomFor(many)
  const [first, second] = many.specs
  assert.ok(room(first) > 2 * room(second), `${room(first)} and ${room(second)}`)
  assert.match(textOf(renderHtml(many)), /\d+ more characters in the result file\./)
})

test('what fits is counted in bytes of HTML', () => {
  assert.is(fitting('abc', 10), 3)
  assert.is(fitting('abcdef', 3), 3)
  assert.ok(fitting('"'.repeat(100), 60) <= 10)
  assert.ok(fitting('é'.repeat(100), 60) <= 30)
})

test.run()
