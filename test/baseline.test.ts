import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { countBeside, countOutcomes, verdictOf } from '../dist/engine/verdict.js'
import { applyBaseline, type Baseline, inRange, readBaseline } from '../dist/known/baseline.js'
import { pinRecords, readPins } from '../dist/known/pins.js'
import { updateBaseline } from '../dist/known/update-baseline.js'
import { renderJunit } from '../dist/report/junit.js'
import { renderConsole } from '../dist/report/run/render.js'
import type { RunResult, SpecRecord } from '../dist/result.js'
import { SuiteError } from '../dist/suite/problem.js'
import { schemaErrors } from '../dist/suite/schema.js'
import { inFolder } from './cli-support.js'
import { result, spec } from './fixtures/results/results.js'

const baselines = suite('baselines')

const SPECS = [
  { id: 'a', level: 'must' as const },
  { id: 'b', level: 'must' as const },
  { id: 'seen', level: 'observe' as const },
]

/** Calls back with the path of a file that holds this text. */
const withFile = <T>(text: string, use: (file: string) => Promise<T>) =>
  inFolder(async folder => {
    const file = join(folder, 'known.yaml')
    writeFileSync(file, text)
    return use(file)
  })

/** Returns the problems of a file that is read: `line:column: message`. */
async function problemsOf(reading: Promise<unknown>): Promise<string[]> {
  const error = await reading.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (error === undefined) return []
  assert.instance(error, SuiteError)
  return (error as SuiteError).problems.map(({ line, column, message }) => `${line}:${column}: ${message}`)
}

const problems = (text: string, firmware?: string) =>
  withFile(text, file => problemsOf(readBaseline(file, { specs: SPECS, firmware })))

const baseline = (...entries: Partial<Baseline['entries'][number]>[]): Baseline => ({
  file: 'known.yaml',
  entries: entries.map((entry, index) => ({ spec: 'a', reason: 'why', line: index + 1, ...entry })),
})

const outcomes = (specs: SpecRecord[]) => specs.map(({ id, outcome }) => `${id} ${outcome}`)

function judged(specs: SpecRecord[]): RunResult {
  const counts = countOutcomes(specs)
  const run = result(specs, { counts, ...verdictOf(counts, undefined, countBeside(specs)) })
  assert.equal(schemaErrors('result', run), [])
  return run
}

baselines('a file that is none is told with all that is wrong, and where', async () => {
  const whole = 'a: { reason: x, issue: "https://i/1", firmware: ">=1", expires: 2027-01-31 }'
  for (const right of ['{}', whole]) assert.equal(await problems(right, '1.0'), [])
  assert.equal(await problems('a:\n  reason: ""\nb: {}\n'), [
    "2:3: 'reason' is empty",
    "3:1: the key 'reason' is missing",
  ])
  assert.equal(await problems('a: {reason: x}\nbb: {reason: x}\nseen: {reason: x}\n'), [
    "2:1: there is no spec 'bb'; did you mean 'b'?",
    "3:1: 'seen' only observes, so it cannot fail: remove it",
  ])
  for (const [told, text, firmware] of [
    [/no such day as 2027-02-30/, 'a: {reason: x, expires: 2027-02-30}'],
    [/use a day, such as/, 'a: {reason: x, expires: soon}'],
    [/use a URL/, 'a: {reason: x, issue: "javascript:1"}'],
    [/unknown key 'until'/, 'a: {reason: x, until: 2}'],
    [/'a' stands here twice/, 'a: {reason: x}\na: {reason: y}'],
    [/must be a mapping/, '- a'],
    [/empty/, ''],
    [/'new' is no range/, 'a: {reason: x, firmware: new}', '1.0.0'],
    [/say which one it is with --firmware/, 'a: {reason: x, firmware: "<2"}'],
    [/'nightly' is no version/, 'a: {reason: x, firmware: "<2"}', 'nightly'],
  ] as const)
    assert.match((await problems(text, firmware))[0] ?? '', told)
})

baselines('an entry for a range of firmware is for that firmware only', async () => {
  const text = 'a: { reason: x, firmware: ">=2.1 <2.4" }\nb: { reason: y }\n'
  const specs = async (firmware: string) =>
    withFile(text, async file =>
      (await readBaseline(file, { specs: SPECS, firmware })).entries.map(entry => entry.spec),
    )
  for (const firmware of ['2.1', '2.1.0', 'v2.3.9', '2.3.0-rc.1', '2.2.0.17'])
    assert.equal(await specs(firmware), ['a', 'b'])
  for (const firmware of ['2.0.9', '2.4', '3']) assert.equal(await specs(firmware), ['b'], firmware)
  assert.is(await inRange('*', '1.0.0-rc.1'), true)
})

baselines('what fails as it says is known, what passes is not expected; nothing else is touched', () => {
  const specs = [
    spec({ id: 'a', outcome: 'failed', message: 'seen' }),
    spec({ id: 'b' }),
    spec({ id: 'c', outcome: 'failed' }),
  ]
  const told = applyBaseline(specs, baseline({ issue: 'https://i/1' }, { spec: 'b' }), '2026-01-01')
  assert.equal(outcomes(told), ['a known failure', 'b unexpected pass', 'c failed'])
  assert.is(told[0]?.message, 'known: why (https://i/1). Seen: seen')
  assert.equal(told[0]?.known, { reason: 'why', issue: 'https://i/1' })
  assert.equal(told[0]?.steps, specs[0]?.steps, 'the evidence stays')
  assert.is(told[2], specs[2])
  for (const outcome of ['skipped', 'blocked', 'inconclusive', 'pending'] as const) {
    const one = [spec({ id: 'a', outcome })]
    assert.equal(applyBaseline(one, baseline({}), '2026-01-01'), one)
  }
})

baselines('an entry counts up to the day that it names, and then fails the run whatever its spec did', () => {
  const entry = baseline({ expires: '2026-01-31' })
  const on = (outcome: SpecRecord['outcome'], day: string) =>
    outcomes(applyBaseline([spec({ id: 'a', outcome })], entry, day))
  assert.equal(on('failed', '2026-01-31'), ['a known failure'])
  assert.equal(on('failed', '2026-02-01'), ['a failed'])
  assert.equal(on('passed', '2026-02-01'), ['a unexpected pass'])
  assert.equal(on('skipped', '2026-01-31'), ['a skipped'])
  assert.equal(on('skipped', '2026-02-01'), ['a skipped', 'baseline-a failed'])
  assert.equal(on('pending', '2026-02-01'), ['a pending'])
  const expired = judged(applyBaseline([spec({ id: 'a', outcome: 'skipped' }), spec({ id: 'b' })], entry, '2026-02-01'))
  assert.is(expired.verdict, 'stale baseline')
  assert.match(expired.specs.at(-1)?.message ?? '', /expired on 2026-01-31/)
})

baselines('known failures do not fail a run, and everybody is told; unexpected passes do', () => {
  const specs = [spec({ id: 'a', outcome: 'failed', message: 'seen' }), spec({ id: 'b' })]
  const known = judged(applyBaseline(specs, baseline({}), '2026-01-01'))
  assert.equal([known.verdict, known.reason], ['conformant', '1 spec passed, none failed but 1 known failure'])
  const told = renderConsole(known, { columns: 80, color: false })
  assert.match(told, /Known failures\n\n~ 1 known failure: A revoked token .* \(a\):\s+REVOKE-1: why\n/)
  assert.match(renderJunit(known), /failures="0" errors="0" skipped="1"/)
  assert.match(renderJunit(known), /<skipped message="known: why\. Seen: seen">/)

  const unexpected = judged(applyBaseline([spec({ id: 'a' }), spec({ id: 'b' })], baseline({}), '2026-01-01'))
  assert.is(unexpected.verdict, 'stale baseline')
  assert.is(unexpected.reason, '1 spec passed, none failed; 1 spec passed that the baseline knows to fail')
  const quiet = renderConsole(unexpected, { columns: 80, color: false, quiet: true })
  assert.match(quiet, /The baseline is out of date\n\n\+ 1 unexpected pass: A revoked token opens nothing/)
  assert.match(renderJunit(unexpected), /failures="1" errors="0" skipped="0"/)
  assert.match(renderJunit(unexpected), /type="unexpected pass"/)

  const alone = judged(applyBaseline([spec({ id: 'a', outcome: 'failed' })], baseline({}), '2026-01-01'))
  assert.is(alone.verdict, 'untestable', 'a run in which nothing passed proves nothing')
})

baselines(
  'an update adds what failed, takes out what passed, and keeps the rest with its comments, sorted',
  async () => {
    const text = `# Of the whole team.

# Waits for the new cache.
m:
  reason: cache # soon
  expires: 2027-01-31
z: { reason: gone, issue: "https://i/2" }
k:
  reason: other firmware
  firmware: '<1'
# Not in this run.
n:
  reason: kept
`
    const run = result(
      [
        spec({ id: 'z' }),
        spec({ id: 'm', outcome: 'known failure' }),
        spec({ id: 'b', outcome: 'failed', message: 'got 200\nthen: more' }),
        spec({ id: 'k' }),
        spec({ id: 'baseline-q', area: 'baseline', outcome: 'failed' }),
        { ...spec({ id: 'pin-x', outcome: 'failed' }), pin: { fact: 'x', was: 1, is: 2 } },
      ],
      {},
    )
    const updated = await updateBaseline('known.yaml', text, run)
    assert.is(
      updated.text,
      `# Of the whole team.

# got 200␊then: more
b:
  reason: ""
  requirement: REVOKE-1
  seen: GET /api/v0/cores/self/users with token a (200)
k:
  reason: other firmware
  firmware: '<1'
# Waits for the new cache.
m:
  reason: cache # soon
  expires: 2027-01-31
  requirement: REVOKE-1
  seen: GET /api/v0/cores/self/users with token a (200)
# Not in this run.
n:
  reason: kept
`,
    )
    const { added, removed, kept } = updated
    assert.equal([added, removed, kept], [['b'], ['z'], ['k', 'm', 'n']])
    const again = await updateBaseline('known.yaml', updated.text, run)
    assert.is(again.text, updated.text, 'a second time changes nothing')
    const given = await updateBaseline('known.yaml', undefined, run, 'see: #5')
    assert.match(given.text, /^# got.*\nb:\n {2}reason: "see: #5"\n {2}requirement: REVOKE-1\n {2}seen: /)
    for (const wrong of ['- a', 'a: 1', 'a: [', 'text'])
      assert.ok((await problemsOf(updateBaseline('known.yaml', wrong, run))).length > 0, wrong)
  },
)

baselines.run()

const pins = suite('pins')

const NAMES = ['logon.status', 'sessions', 'x.answer', 'x.status']

pins('a file of names and values, or the facts of a result', async () => {
  await withFile('sessions: many\nlogon.status: 201\n', async file => {
    assert.equal(await readPins(file, NAMES), {
      file,
      facts: [
        { fact: 'logon.status', was: 201, line: 2 },
        { fact: 'sessions', was: 'many', line: 1 },
      ],
      unknown: [],
    })
  })
  const run = result([spec()], { facts: { 'logon.status': 201, 'old.status': 1 } })
  await withFile(JSON.stringify(run), async file => {
    const { facts, unknown } = await readPins(file, NAMES)
    assert.equal([facts.map(({ fact }) => fact), unknown], [['logon.status'], ['old.status']])
  })
  const ofMock = { ...run, target: { ...run.target, kind: 'mock' } }
  await withFile(JSON.stringify(ofMock), async file => {
    const told = await readPins(file, NAMES).catch((error: Error) => error.message)
    assert.is(
      told,
      `${file} is the result of the embedded mock Core, whose facts bind no Core: pin the result of a run on a Core`,
    )
  })
  for (const [text, message] of [
    ['logon.statsu: 1', /^1:1: no spec observes 'logon.statsu'; did you mean 'logon.status'\?$/],
    ['{}', /is empty/],
    ['sessions: [many]', /must be text or a number or true or false/],
    ['sessions: many\nsessions: same', /twice/],
  ] as const) {
    const [problem = ''] = await withFile(text, file => problemsOf(readPins(file, NAMES)))
    assert.match(problem, message)
  }
})

pins('each is a record of its own: held, drifted with the old and the new, or not seen', () => {
  const pinned = {
    file: 'pins.yaml',
    unknown: [],
    facts: NAMES.map((fact, line) => ({ fact, was: '201', line: line + 1 })),
  }
  const seen = (facts: RunResult['facts'], specs = [spec()]) =>
    pinRecords(pinned, facts, specs).map(({ outcome, message }) => `${outcome}${message ? `: ${message}` : ''}`)
  assert.equal(seen({ 'logon.status': 201, sessions: 'same', 'x.answer': 'closed' }), [
    'passed',
    'failed: pinned: sessions was 201, and is same',
    'failed: pinned: x.answer was 201, and is closed',
    'failed: pinned: x.status was 201, and is no answer (closed)',
  ])
  assert.equal(seen({ 'x.status': 201 })[2], 'failed: pinned: x.answer was 201, and is answered with 201')
  assert.is(seen({})[0], 'skipped: this run did not observe it')
  assert.match(seen({}, [spec({ outcome: 'pending' })])[0] ?? '', /^pending/)

  const specs = [spec()]
  const run = judged([...specs, ...pinRecords(pinned, { sessions: 'same', 'logon.status': 201 }, specs)])
  assert.equal([run.verdict, run.reason], ['drifted', '1 spec passed, none failed; 1 pinned fact drifted'])
  const { pin, level, requirements } = run.specs[2] as SpecRecord
  assert.equal(pin, { fact: 'sessions', was: '201', is: 'same' })
  assert.is(`${level} ${requirements.map(({ id }) => id)}`, 'must PIN')
  assert.match(renderJunit(run), /<testsuite name="pins" tests="4" failures="1"/)
  const told = renderConsole(run, { columns: 80, color: false })
  assert.match(told, /Pinned facts that drifted\n\nFact +Was +Is\n✗ sessions +201 +same\n/)
  const failed = judged([spec({ outcome: 'failed' }), ...run.specs])
  assert.is(failed.reason, '1 of 2 specs that ran failed; 1 pinned fact drifted')
})

pins.run()
