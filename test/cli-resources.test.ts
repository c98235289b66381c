/** A machine that lacks some resource, a terminal that goes away: one sentence, and never exit 1 or a stack trace of Node. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Ended, inFolder } from './cli-support.js'
import { tokensOf } from './support/kills.js'
import { long } from './support/long.js'
import { HOUR, on, start, untilWaiting } from './support/stage.js'

const test = suite('resources')

const BIN = fileURLToPath(new URL('../dist/bin.cjs', import.meta.url))

/** Runs the product from a shell that first limits itself. */
function ran(
  args: string[],
  { cwd, shell = '', node = [] }: { cwd: string; shell?: string; node?: string[] },
): Promise<Ended> {
  const command = [process.execPath, ...node, BIN, ...args].map(part => `'${part}'`).join(' ')
  const { PATH = '' } = process.env
  const child = spawn('sh', ['-c', `${shell}exec ${command}`], { cwd, env: { PATH, HOME: cwd }, timeout: 90_000 })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', chunk => {
    stdout += chunk
  })
  child.stderr.on('data', chunk => {
    stderr += chunk
  })
  return new Promise(resolve => child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr })))
}

function assertSentence({ code, stdout, stderr }: Ended, wanted: number, message: RegExp): void {
  assert.is(code, wanted, stdout + stderr)
  assert.match(stderr, message)
  assert.not.match(stderr, /^ +at |node:internal|Error:/m)
}

test('the program starts by its own name', () =>
  inFolder(async cwd => {
    const { code, stdout } = await ran(['--version'], { cwd })
    assert.is(code, 0)
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/)
    assert.is((await ran(['nonsense'], { cwd })).code, 2)
  }))

test('too few file descriptors: exit 3, and the limit is named', () =>
  inFolder(async cwd => {
    for (const limit of [26, 40, 60]) {
      const ended = await ran(['run', '--profile', 'quick'], { cwd, shell: `ulimit -n ${limit}; ` })
      assertSentence(
        ended,
        3,
        /^core-conformance: this process may open \d+ files, and at least \d+ are needed: .*\(ulimit -n\)\n$/,
      )
    }
  }))

test('a heap that is too small: exit 3, and the flag is named', () =>
  inFolder(async cwd => {
    const ended = await ran(['run', '--profile', 'quick'], { cwd, node: ['--max-old-space-size=16'] })
    assertSentence(ended, 3, /^core-conformance: Node may use \d+ MB of memory here, .*--max-old-space-size/)
  }))

long(test)('an output folder that cannot be made: exit 2, at once', () =>
  inFolder(async cwd => {
    const folders = existsSync('/proc/self') ? ['/proc/x', '/proc/x/y/z', '/dev/null/x'] : ['/dev/null/x']
    for (const folder of folders) {
      const ended = await ran(['run', '--profile', 'quick', '--out', folder], { cwd })
      assertSentence(ended, 2, /Cannot create the folder \/(proc|dev)\/.*Choose another folder with --out/)
    }
  }),
)

long(test)('a terminal that goes away: the tokens are given back, and the reports written', () =>
  on(HOUR, async stage => {
    const running = start(['run'], stage)
    await untilWaiting(stage, running)
    running.child.kill('SIGHUP')
    const { code, signal, stderr } = await running.ended
    assert.is(signal, null)
    assert.is(code, 3, stderr)
    assert.is((await tokensOf(stage.mock)).live, 0)
    assert.ok(existsSync(`${stage.folder}/reports/junit.xml`))
  }),
)

test.run()
