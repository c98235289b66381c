/**
 * The matrix: its choice, its judgement, and one run. CI runs a sample as a step of its own; `npm run matrix` runs all of it.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type DefectInfo, listDefects } from '../dist/mock/index.js'
import type { RunResult } from '../dist/result.js'
import { isAcquitted, judgeDefect, notMetOf, type SubjectResult } from '../tools/matrix-judge.js'
import { chooseSubjects, LIMITS, labelOf, NOT_YET, SAMPLE, SAMPLE_FOR_ALL_SPECS } from '../tools/matrix-subjects.js'
import { long } from './support/long.js'

const test = suite('matrix')
const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))
/** The test command has compiled the tools, too. */
const run = (...args: string[]) =>
  spawnSync(process.execPath, [at('../tools/matrix.js'), ...args], { encoding: 'utf8' })

function resultOf(specs: [id: string, outcome: string, requirements: string[]][], states?: Record<string, string>) {
  const requirements = Object.entries(states ?? {}).map(([id, state]) => ({ id, state }))
  return {
    specs: specs.map(([id, outcome, named]) => ({
      id,
      outcome,
      level: 'must',
      requirements: named.map(id => ({ id })),
    })),
    ...(states && { requirements }),
  } as unknown as RunResult
}

const defect = (requirements: string[], mayAlso?: string[]): DefectInfo => ({
  name: 'revoke-x',
  area: 'revocation',
  about: 'X.',
  requirements,
  ...(mayAlso && { mayAlso }),
})
const judged = (accused: string[], verdict = 'nonconformant') =>
  ({ verdict, notMet: Object.fromEntries(accused.map(id => [id, ['some-spec']])) }) as unknown as SubjectResult

test('what is not met is read from the states, and else from the specs that failed', () => {
  const specs: [string, string, string[]][] = [
    ['a', 'failed', ['REVOKE-2', 'REVOKE-1']],
    ['b', 'passed', ['IDLE-1']],
  ]
  assert.equal(notMetOf(resultOf(specs)), { 'REVOKE-1': ['a'], 'REVOKE-2': ['a'] })
  const states = { 'REVOKE-1': 'in doubt', 'REVOKE-2': 'not met', 'IDLE-1': 'met' }
  assert.equal(notMetOf(resultOf(specs, states)), { 'REVOKE-2': ['a'] })
})

test('a defect is to be seen by what it breaks, and by nothing else', () => {
  const one = defect(['REVOKE-2'], ['REVOKE-1'])
  assert.equal(judgeDefect(one, judged(['REVOKE-2'])), { escaped: false, wrongly: [] })
  assert.equal(judgeDefect(one, judged(['REVOKE-2', 'REVOKE-1'])), { escaped: false, wrongly: [] })
  assert.equal(judgeDefect(one, judged(['REVOKE-2', 'IDLE-3'])), { escaped: false, wrongly: ['IDLE-3'] })
  assert.equal(judgeDefect(one, judged(['REVOKE-1'])), { escaped: true, wrongly: [] }, 'a consequence does not do')
  assert.equal(judgeDefect(one, judged([])), { escaped: true, wrongly: [] })
  assert.equal(judgeDefect(one, judged([], 'untestable')), { escaped: true, wrongly: [] })
  assert.equal(judgeDefect(defect(['LOGON-1']), judged([], 'untestable')), { escaped: false, wrongly: [] })
  assert.equal(judgeDefect(defect(['LOGON-1']), judged(['IDLE-1'], 'untestable')), {
    escaped: true,
    wrongly: ['IDLE-1'],
  })
})

test('an honest dialect conforms, and nothing is not met', () => {
  assert.ok(isAcquitted(judged([], 'conformant')))
  assert.not.ok(isAcquitted(judged([], 'incomplete')))
  assert.not.ok(isAcquitted(judged(['IDLE-1'], 'conformant')))
})

test('each subject is put to the suite, some with each limit, some in processes of their own', async () => {
  const defects = await listDefects()
  const plain = chooseSubjects(defects, { parts: [], allLimits: false })
  const labels = plain.map(labelOf)
  assert.is(new Set(labels).size, labels.length)
  for (const { name } of defects) assert.ok(labels.includes(name), name)
  assert.equal(chooseSubjects(defects, { parts: [], allLimits: false }), plain, 'the same each time')
  const kinds = (from: typeof plain) => [...new Set(from.map(({ kind }) => kind))].sort()
  for (const limit of LIMITS) {
    const limited = plain.filter(({ maxTokens }) => maxTokens === limit)
    assert.ok(limited.length >= 20, `${limited.length} with room for ${limit}`)
    assert.equal(kinds(limited), ['defect', 'dialect'])
  }
  const own = plain.filter(({ inProcesses }) => inProcesses)
  assert.is(own.length, 12)
  assert.equal(kinds(own), ['defect', 'dialect'])
})

test('an honest dialect that the suite cannot judge yet is run only where it is named', async () => {
  const defects = await listDefects()
  const names = chooseSubjects(defects, { parts: [], allLimits: false }).map(({ name }) => name)
  for (const name of NOT_YET) {
    assert.not.ok(names.includes(name), name)
    assert.ok(
      chooseSubjects(defects, { parts: [name], allLimits: false }).some(each => each.name === name),
      name,
    )
  }
})

test('a defect that needs more tokens than there is room for is not looked for there', async () => {
  const defects = await listDefects()
  const every = chooseSubjects(defects, { parts: [], allLimits: true })
  const limits = (name: string) =>
    every.filter(subject => subject.name === name).flatMap(({ maxTokens = [] }) => maxTokens)
  assert.equal(limits('idle-never-expires'), [3, 10, 20])
  assert.equal(limits('revoke-does-nothing'), [10, 20])
  assert.equal(limits('access-any-token-accepted-while-eight-live'), [10, 20])
  assert.equal(limits('limit-5-tokens'), [])
  const three = chooseSubjects(defects, { parts: ['revoke-'], maxTokens: 3, allLimits: false })
  assert.ok(three.length > 30 && three.every(({ maxTokens }) => maxTokens === 3))
})

long(test)('no argument is passed over in silence', () => {
  for (const [args, message] of [
    [['--max-tokens', 'many'], /--max-tokens takes a whole number, 1 or more\nUsage: /],
    [['--sample', 'revoke-'], /--sample has names of its own/],
  ] as const) {
    const { status, stderr } = run(...args)
    assert.is(status, 2)
    assert.match(stderr, message)
  }
})

test('what the sample names is there, of every area but the explorer’s, and dialects beside', async () => {
  const defects = await listDefects()
  const names = chooseSubjects(defects, { parts: [], allLimits: false }).map(({ name }) => name)
  for (const name of [...SAMPLE, SAMPLE_FOR_ALL_SPECS]) assert.ok(names.includes(name), name)
  const areas = new Set(defects.filter(({ name }) => SAMPLE.includes(name)).map(({ area }) => area as string))
  for (const area of ['access', 'host', 'idle', 'logon', 'revocation']) assert.ok(areas.has(area), area)
  assert.ok(SAMPLE.filter(name => !defects.some(defect => defect.name === name)).length >= 4, 'dialects')
})

long(test)('the suite is run on defects: none escapes, and the page tells by which specs', () => {
  const { status, stdout, stderr } = run('--fewer-specs', 'host-missing-answered-400')
  assert.is(status, 0, `${stdout}${stderr}`)
  assert.match(stdout, /^1 defects, 0 escaped, 0 misjudged; 0 dialects, 0 accused; /m)
  assert.match(
    readFileSync(at('../reports/matrix.md'), 'utf8'),
    /host-missing-answered-400 \| HOST-1 \| HOST-1 \| {2}\| .*host-missing-logon-http11/,
  )
})

test.run()
