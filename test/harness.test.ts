/** Proves the test command: it counts every fault of a test file and ends non-zero. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const harness = suite('the test command')

/** Compiled, like this file. */
const RUN = fileURLToPath(new URL('run.js', import.meta.url))
const MODULES = fileURLToPath(new URL('../node_modules', import.meta.url))

/** Runs the test command on a folder with these files. */
function runOn(
  files: Record<string, string>,
  ...args: string[]
): { code: number | null; last: string; output: string } {
  const folder = mkdtempSync(join(tmpdir(), 'core-conformance-harness-'))
  try {
    symlinkSync(MODULES, join(folder, 'node_modules'))
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    const { status, stdout, stderr } = spawnSync(process.execPath, [RUN, '--folder', folder, ...args], {
      encoding: 'utf8',
      timeout: 240_000,
    })
    const output = stdout + stderr
    return { code: status, last: stdout.trimEnd().split('\n').at(-1) ?? '', output }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Marks a file that shares its process with no other. */
const ALONE = '// A process of its own: for this test\n'

/** Makes a test file with two tests that pass, and further text. This file must not look as if it had that suite. */
function file(more = '', run = 'test.run()'): string {
  return `import { suite, test as plain } from 'uvu'
import * as assert from 'uvu/assert'
${'const'} test = suite('fixture')
test('one', () => assert.is(1, 1))
test('two', async () => {})
${more}
${run}
`
}

/** A file that must not pass, with the numbers of its passed and failed tests, and the expected output. */
const BROKEN: [title: string, text: string, passed: number, failed: number, said: RegExp][] = [
  ['a test that fails', file("test('x', () => assert.is(1, 2))"), 2, 1, /exit 1, 2 of 3 passed/],
  // uvu ends with 0 here.
  ['a thrown text', file("test('x', () => { throw 'no' })"), 2, 1, /2 of 3 passed/],
  ['a hook before all that throws', file("test.before(() => { throw new Error('no') })"), 0, 2, /0 of 2 passed/],
  ['a hook after all that throws', file("test.after(() => { throw new Error('no') })"), 0, 1, /reported no tests/],
  ['a forgotten .run()', file('', ''), 0, 1, /reported no tests, 1 of its suites never run/],
  [
    'a forgotten .run() of one suite of two',
    file("const other = suite('other')\nother('x', () => assert.is(1, 2))"),
    2,
    1,
    /2 of 2 passed, 1 of its suites never run/,
  ],
  ['a skipped test', file("test.skip('x', () => {})"), 2, 1, /2 of 2 passed, 1 skipped without a reason/],
  [
    'two skipped tests with one reason',
    file("console.log('skipped: x')\ntest.skip('x', () => {})\ntest.skip('y', () => {})"),
    2,
    1,
    /2 of 2 passed, 1 skipped without a reason/,
  ],
  ['a test that is the only one', file("test.only('x', () => {})"), 1, 2, /1 of 1 passed, 2 skipped without/],
  [
    'figures that a test prints',
    file("console.log('\\n  Total:     9\\n  Passed:    9\\n  Skipped:   0\\n')\ntest('x', () => assert.is(1, 2))"),
    2,
    1,
    /2 of 3 passed/,
  ],
]

harness('whatever goes wrong is counted, named, and ends non-zero', () => {
  const { code, last, output } = runOn(
    Object.fromEntries(BROKEN.map(([, text], index) => [`f${index}.test.ts`, `${ALONE}${text}`])),
    '--deadline',
    '30',
  )
  for (const [index, [title, , passed, , said]] of BROKEN.entries()) {
    assert.match(output, new RegExp(`^✗ f${index}\\.test\\.ts \\(${passed}\\)$`, 'm'), title)
    const line = output.split('\n').find(candidate => candidate.startsWith(`f${index}.test.ts: `)) ?? ''
    assert.match(line, said, title)
  }
  const sum = (pick: (row: (typeof BROKEN)[number]) => number) => BROKEN.reduce((total, row) => total + pick(row), 0)
  assert.is(last, `${sum(([, , passed]) => passed)} passed, ${sum(([, , , failed]) => failed)} failed`)
  assert.is(code, 1)
})

harness('files that share a process hide nothing of each other, whatever one of them does', () => {
  const files = {
    'a.test.ts': file("test('x', () => assert.is(1, 2))"),
    'c.test.ts': file('', ''),
    'd.test.ts': file("test('x', () => process.kill(process.pid, 'SIGKILL'))"),
    'e.test.ts': file("test('x', () => process.exit(0))"),
    'f.test.ts': 'const = 1\n',
    'g.test.ts': file(),
  }
  const { code, last, output } = runOn(files)
  assert.equal([code, last], [1, '4 passed, 5 failed'], output)
  for (const [name, passed] of Object.entries({ a: 2, c: 0, d: 0, e: 0, f: 0, g: 2 }))
    assert.match(output, new RegExp(`^${name === 'g' ? '✓' : '✗'} ${name}\\.test\\.ts \\(${passed}\\)$`, 'm'))
  assert.match(output, /^d\.test\.ts: ended by SIGKILL, reported no tests$/m)
  const late = runOn({ 'a.test.ts': file("process.on('exit', () => { process.exitCode = 7 })"), 'b.test.ts': file() })
  assert.equal([late.code, late.last], [1, '4 passed, 1 failed'])
})

harness(
  'a skip with a reason is no failure: of one test, of a whole file, of all files; it is counted and told',
  () => {
    const SKIP = fileURLToPath(new URL('support/skip.js', import.meta.url))
    const marked = `import { needs } from '${SKIP}'
${file("needs(test, false, 'no sums')('x', () => assert.is(1, 2))\nneeds(test, true, 'no sums')('y', () => {})")}`
    const whole = `import { suite } from 'uvu'
import { skip } from '${SKIP}'
${'const'} test = suite('fixture')
skip(test, 'all of it, since there is no browser')
test.run()
`
    const { code, last, output } = runOn({ 'a.test.ts': file(), 'b.test.ts': marked, 'c.test.ts': whole })
    assert.equal([code, last], [0, '5 passed, 0 failed'], output)
    assert.match(output, /^✓ b\.test\.ts \(3\)\n {2}skipped: x: no sums$/m)
    assert.match(output, /^– c\.test\.ts \(0\)\n {2}skipped: all of it, since there is no browser$/m)
    assert.match(output, /^2 skipped\n5 passed, 0 failed\n$/m)
    const only = runOn({ 'c.test.ts': whole })
    assert.equal([only.code, only.last], [0, '0 passed, 0 failed'])
  },
)

harness(
  'a file that hangs is ended at the deadline, with all that it started; one that goes on after its tests fails, though they passed',
  async () => {
    const started = performance.now()
    const { code, last, output } = runOn(
      {
        // Its child would keep the output open for long.
        'a.test.ts': file(
          `${ALONE}import { spawn } from 'node:child_process'
const script = "require('net').createServer().listen(0, function () { console.log('port ' + this.address().port) })"
spawn(process.execPath, ['-e', script], { stdio: 'inherit' })`,
        ),
        'b.test.ts': file("test('x', () => new Promise(() => setInterval(() => {}, 1000)))"),
        'c.test.ts': file(),
        'd.test.ts': `${ALONE}${file('setInterval(() => {}, 1000)')}`,
      },
      '--deadline',
      '8',
    )
    assert.ok(performance.now() - started < 120_000)
    assert.is(last, '6 passed, 3 failed')
    assert.is(code, 1)
    for (const name of ['a', 'b'])
      assert.match(output, new RegExp(`^${name}\\.test\\.ts: (did not end within 8 s|went on after)`, 'm'))
    assert.match(output, /^d\.test\.ts: went on after its tests had ended, 2 of 2 passed/m)
    const port = Number(/^port (\d+)$/m.exec(output)?.[1])
    assert.ok(port > 0, output)
    assert.not.ok(await listens(port), 'what it started is gone')
  },
)

function listens(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}

harness('long tests are left out, and run with --all or by name; a file that has no other fails', () => {
  const LONG = fileURLToPath(new URL('support/long.js', import.meta.url))
  const marked = `import { long } from '${LONG}'
${file("long(test)('three', () => {})")}`
  const files = { 'a.test.ts': file(), 'b.test.ts': marked }
  assert.equal(
    [runOn(files).last, runOn(files, '--all').last, runOn(files, 'b.').last],
    ['4 passed, 0 failed', '5 passed, 0 failed', '3 passed, 0 failed'],
  )
  const only = marked.replace(/^test\('(?:one|two)'.*$/gm, '')
  const { code, last, output } = runOn({ 'a.test.ts': file(), 'b.test.ts': only })
  assert.equal([code, last], [1, '2 passed, 1 failed'])
  assert.match(output, /^b\.test\.ts: reported no tests/m)
})

harness('where no file has the name that is asked for, that is a failure', () => {
  const { code, last } = runOn({ 'one.test.ts': file() }, 'three')
  assert.equal([code, last], [1, '0 passed, 1 failed'])
})

harness.run()
