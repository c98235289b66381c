import { execFileSync, spawn } from 'node:child_process'
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { renderJson } from '../dist/report/json.js'
import { ResultFileError, readResult } from '../dist/report/read.js'
import type { RunResult } from '../dist/result.js'
import { inFolder } from './cli-support.js'
import { result, spec } from './fixtures/results/results.js'
import * as samples from './fixtures/results/samples.js'
import { long } from './support/long.js'

const test = suite('reading results')

/** Any JSON, to be broken in a test. */
// biome-ignore lint/suspicious/noExplicitAny: the point is to put into it what the type forbids
type Loose = any

const changed = (change: (run: Loose) => void): string => {
  const run = structuredClone(samples.failing)
  change(run)
  return renderJson(run)
}

async function refusal(path: string): Promise<string> {
  try {
    await readResult(path)
  } catch (error) {
    assert.instance(error, ResultFileError)
    const { message } = error as Error
    assert.ok(message.startsWith(`${path} cannot be used as the result of a run: `), message)
    assert.not.match(message, /\n/)
    return message.slice(message.indexOf(': ') + 2)
  }
  return assert.unreachable(`${path} was taken`) as never
}

const refusalOf = (content: string | Buffer) =>
  inFolder(folder => {
    const path = join(folder, 'result.json')
    writeFileSync(path, content)
    return refusal(path)
  })

const read = (content: string): Promise<RunResult> =>
  inFolder(folder => {
    writeFileSync(join(folder, 'result.json'), content)
    return readResult(join(folder, 'result.json'))
  })

test('gives back every kind of run as it was written', async () => {
  for (const run of Object.values(samples)) assert.equal(await read(renderJson(run)), run)
  assert.equal(await read(`\ufeff${renderJson(samples.failing)}`), samples.failing)
})

test('an index that leads nowhere, or to another index, is told', async () => {
  for (const at of [99_999, 0]) {
    const text = changed(run => {
      run.specs[0].exchanges[0].request = at
      run.shared = [0]
    })
    const run = JSON.parse(text)
    assert.match(
      await refusalOf(JSON.stringify({ ...run, shared: [0] })),
      new RegExp(`it names the shared value ${at}, and`),
    )
  }
})

test('reads from a pipe', () =>
  inFolder(async folder => {
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    createWriteStream(pipe).end(renderJson(samples.failing))
    assert.equal(await readResult(pipe), samples.failing)
  }))

test('a device is refused unread', async () => {
  for (const device of ['/dev/zero', '/dev/null'])
    assert.match(await refusal(device), /^it is a device, and not a file; /)
})

test('says why a file cannot be read', () =>
  inFolder(async folder => {
    assert.match(await refusal(join(folder, 'none.json')), /^there is no such file; give it the result\.json that/)
    mkdirSync(join(folder, 'reports'))
    assert.match(await refusal(join(folder, 'reports')), /^it is a folder; /)
  }))

long(test)('what has no end is refused, not waited for', () =>
  inFolder(async folder => {
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    const endless = spawn('sh', ['-c', 'cat /dev/zero > "$0"', pipe], { stdio: 'ignore' })
    try {
      assert.match(await refusal(pipe), /^it is larger than 256 MB; /)
    } finally {
      endless.kill()
    }
  }),
)

test('what is no JSON is refused without a word of its content', async () => {
  assert.match(await refusalOf(''), /^it is empty; /)
  assert.match(await refusalOf(Buffer.from([0xff, 0xfe, 0x7b, 0x00])), /^it is not UTF-8 text; /)
  for (const text of ['CORE_PASSWORD=kanari', '<testsuites/>', renderJson(samples.failing).slice(0, -20)]) {
    const message = await refusalOf(text)
    assert.is(message, 'it is not JSON, or only a part of it; give it the result.json that core-conformance run wrote')
  }
})

test('JSON of another kind, and of other versions', async () => {
  for (const text of ['null', '[]', '"kanari"', '{}', '{"schemaVersion":1}', '{"schemaVersion":1,"suite":null}']) {
    assert.match(await refusalOf(text), /^it is JSON of another kind; give it/)
  }
  const newer = changed(run => {
    run.schemaVersion = 3
    delete run.specs
  })
  const other = 'use that version, or run again with this one'
  assert.is(
    await refusalOf(newer),
    `it was written by a newer version of core-conformance (schemaVersion 3, here 2); ${other}`,
  )
  assert.match(await refusalOf(changed(run => (run.schemaVersion = 1))), /^it was written by another version/)
})

test('a result of another version that is strange here says which version reads it', async () => {
  const strange = changed(run => {
    run.suite.version = '7.8.9\n\u202e'
    run.specs[0].mood = 'kanari'
  })
  assert.match(
    await refusalOf(strange),
    /^it says that core-conformance 7\.8\.9␊<U\+202E> wrote it, and this is \d[\w.-]*: .*\/specs\/0 must NOT have additional properties; use that version, or run again with this one$/,
  )
  const fine = changed(run => (run.suite.version = '7.8.9'))
  assert.is((await read(fine)).suite.version, '7.8.9')
})

test('what breaks the schema is named by its place, the first three', async () => {
  const one = changed(run => {
    run.specs[1].level = 'kanari'
  })
  const message = await refusalOf(one)
  assert.match(message, /^it was changed, or not written by core-conformance: \/specs\/1\/level must be equal to/)
  assert.match(message, /; run again$/)
  assert.not.match(message, /kanari/)
  const many = changed(run => {
    for (const spec of run.specs) spec.line = 0
  })
  const { length } = samples.failing.specs
  const told = await refusalOf(many)
  assert.ok(told.includes(`/specs/2/line must be >= 1 and ${length - 3} more; run again`), told)
})

test('a result whose verdict its specs do not bear is refused, and says what is wrong', async () => {
  const { failing, conformant } = samples
  const told = (of: RunResult, change: Partial<RunResult>) => refusalOf(renderJson({ ...of, ...change }))
  const blocked = result([spec(), spec({ id: 'b', title: 'b', outcome: 'blocked' })])
  const skipped = result([spec({ outcome: 'skipped' })])
  const waits = result([spec(), spec({ id: 'b', outcome: 'pending' })])
  for (const [run, verdict, what] of [
    [failing, 'conformant', '2 specs of it failed'],
    [failing, 'incomplete', '2 specs of it failed'],
    [failing, 'drifted', '2 specs of it failed'],
    [failing, 'stale baseline', '2 specs of it failed'],
    [conformant, 'nonconformant', 'no spec of it failed'],
    [conformant, 'drifted', 'no pinned fact of it drifted'],
    [conformant, 'stale baseline', 'that is not what failed it'],
    [conformant, 'pending', 'no spec of it waits'],
    [blocked, 'conformant', '1 spec of it could not be judged'],
    [waits, 'conformant', '1 spec of it still wait'],
    [skipped, 'conformant', 'no spec of it passed'],
  ] as const)
    assert.is(await told(run, { verdict }), `it contradicts itself: it says ${verdict}, and ${what}; run again`)
  // The counts were falsified too.
  const counts = { ...failing.counts, failed: 0, passed: failing.specs.length }
  assert.match(await told(failing, { verdict: 'conformant', counts }), /it counts \d+ passed, and its specs are \d+/)
})

test('a step that names an exchange which is not there', async () => {
  const run = changed(({ specs }) => {
    specs[0].steps = [{ text: 'GET', kind: 'check', outcome: 'ok', exchanges: [7] }]
    specs[0].exchanges = []
  })
  assert.match(await refusalOf(run), /: \/specs\/0\/steps\/0 names exchange 7 of 0; run again$/)
})

test.run()
