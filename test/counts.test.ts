/** Counts with their nouns: `1 spec`, `2 specs`, in every text. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { verdictOf } from '../dist/engine/verdict.js'
import { count, numbered } from '../dist/ground/count.js'
import { planLine, replanLine } from '../dist/report/plan.js'
import { REPORTERS } from '../dist/report/reporters.js'
import { OUTCOMES, type Outcome, type RunResult } from '../dist/result.js'
import { answered, result, spec } from './fixtures/results/results.js'

const test = suite('counts')

const NOUNS =
  'area|byte|character|connection|difference|digit|exchange|failure|fact|interaction|line|logon|point|problem|request|requirement|rule|run|spec|statement|token|value'
/** A count with the wrong form of its noun, with up to two words before the noun: `1 more specs`, `2 known failure`. */
const WRONG = new RegExp(
  `(?<![\\w.:/-])(?:1(?: [a-z-]+){0,2}? (?:${NOUNS})s|(?:0|[2-9]|\\d{2,})(?: (?!of )[a-z-]+){0,2}? (?:${NOUNS})(?![\\w-]))(?![\\w-])`,
  'g',
)
/** `at request 2` is a place, `401 at request` is no count, and in `2 specs to run` the last word is a verb. */
const wrongIn = (text: string) => (text.match(WRONG) ?? []).filter(found => !/ at | to run$/.test(found))

test('a count and the words that go with it', () => {
  assert.equal(
    [0, 1, 2].map(n => count(n, 'spec')),
    ['0 specs', '1 spec', '2 specs'],
  )
  assert.is(count(2, 'spec waits', 'specs wait'), '2 specs wait')
  assert.equal(
    [0, 1, 2].map(n => numbered(n, 'is', 'are')),
    ['are', 'is', 'are'],
  )
})

/** Makes a run with one or two of each outcome, and as many tokens and bytes. */
function runOf(number: number): RunResult {
  const bodies = Array.from({ length: number }, () => answered('x'.repeat(number)))
  const specs = OUTCOMES.flatMap((outcome: Outcome) =>
    Array.from({ length: number }, (_, n) =>
      spec({
        id: `${outcome.replace(' ', '-')}-${n}`,
        title: `It is ${outcome}, ${n}`,
        outcome,
        exchanges: bodies,
        message: 'why',
      }),
    ),
  )
  const event = {
    kind: 'restart',
    text: 'all died',
    fromMs: 1,
    untilMs: 2,
    specs: specs.slice(0, number).map(({ id }) => id),
  }
  return result(specs, {
    tokens: { issued: number, left: number },
    events: [event],
    dialect: { ...result([]).dialect, token: { pointer: '/token', length: number, alphabet: 'hex' } },
  })
}

test('every report of a run with one of everything, with two, and with none', async () => {
  for (const number of [0, 1, 2]) {
    for (const { name, render } of REPORTERS) {
      const text = await render(runOf(number), { columns: 120, color: false })
      const words = text.replace(/<(style|script)[\s\S]*?<\/\1>/g, '').replace(/<[^>]*>/g, '')
      assert.equal(wrongIn(words), [], `${name}, ${number} of each`)
    }
  }
})

test('the verdict and the plan', () => {
  const none = Object.fromEntries(OUTCOMES.map(outcome => [outcome, 0])) as Record<Outcome, number>
  for (const outcome of OUTCOMES) {
    for (const number of [1, 2]) {
      const { reason } = verdictOf({ ...none, [outcome]: number, selected: number }, undefined)
      assert.equal(wrongIn(reason), [], reason)
      assert.not.match(reason, /\b1 spec wait\b|\b2 specs waits\b/)
    }
  }
  const plan = (specs: number, tokens: number) => ({
    specs,
    tokens,
    durationMs: 1000,
    unlimitedMs: 1000,
    oneByOneMs: 1000,
    price: { requests: 1, logons: 1 },
    lanes: [],
  })
  assert.is(planLine(plan(1, 1)), 'plan: 1 spec to run, about 1 s, up to 1 token held')
  assert.is(
    planLine(plan(1, 1), true),
    "plan: 1 spec to run, seconds (the mock Core's clock is moved by 1 s), up to 1 token held",
  )
  assert.match(replanLine({ durationMs: 2000, tokens: 1 }, plan(1, 1)), /room for 1 token: /)
})

/** Nouns after a number that {@link count} does not count: a length, a size, or a name with a number. */
const BY_HAND = new RegExp(`\\$\\{[^{}]*\\} (?:[a-z]+ )?(?:${NOUNS})s\\b`, 'g')
/** Texts that are no count, or always plural, by file, each with its reason. */
const RIGHT: Record<string, string[]> = {
  // With one request it is 'a request'.
  'client/rules-trouble.ts': ['sent.length requests'],
  // It reports at least two looks, each on a connection of its own.
  'core/back-ends.ts': ['of connections'],
  'core/transport.ts': ['capture.bodyBytes bytes'],
  // With one token it is 'the one token'.
  'commands/one-core/take-up.ts': ['issued tokens'],
  // It is three.
  'run/judge/causes/limits.ts': ['LOCKS_AFTER wrong logons'],
  // It states a maximum.
  'settings/kinds.ts': ['MOST_OF_A_LINE characters'],
}

test('no count is put together by hand', () => {
  const folder = join(import.meta.dirname, '..', 'src')
  const found: Record<string, string[]> = {}
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\.tsx?$/.test(path) || path === 'ground/count.ts') continue
    const source = readFileSync(join(folder, path), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '')
    const counts = (source.match(BY_HAND) ?? [])
      .filter(text => !/\$\{(?:count|numbered)\(/.test(text))
      .map(text => text.replace(/[${}]/g, ''))
    if (counts.length > 0) found[path.replaceAll('\\', '/')] = counts
    assert.not.match(source, /=== 1 \? '' : 's'/, path)
  }
  assert.equal(found, RIGHT)
})

test.run()
