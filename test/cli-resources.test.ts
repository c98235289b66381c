/** A machine that lacks some resource, a Node that is too old or may do too little, a terminal that goes away: one sentence, and never exit 1 or a stack trace of Node. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transform } from 'esbuild'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Ended, inFolder } from './cli-support.js'
import { PACKAGE } from './support/docs.js'
import { tokensOf } from './support/kills.js'
import { long } from './support/long.js'
import { HOUR, on, start, untilWaiting } from './support/stage.js'

const test = suite('resources')

const BIN = fileURLToPath(new URL('../dist/bin.cjs', import.meta.url))

/** Runs the product from a shell that first limits itself. */
function ran(
  args: string[],
  {
    cwd,
    shell = '',
    node = [],
    env = {},
    program = BIN,
  }: { cwd: string; shell?: string; node?: string[]; env?: Record<string, string>; program?: string },
): Promise<Ended> {
  const command = [process.execPath, ...node, program, ...args].map(part => `'${part}'`).join(' ')
  const { PATH = '' } = process.env
  const child = spawn('sh', ['-c', `${shell}exec ${command}`], {
    cwd,
    env: { PATH, HOME: cwd, ...env },
    timeout: 90_000,
  })
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
    const told = /^core-conformance: this process may open \d+ files, and at least \d+ are needed: .*\(ulimit -n\)\n$/
    for (const limit of [26, 60]) assertSentence(await ran(['run'], { cwd, shell: `ulimit -n ${limit}; ` }), 3, told)
  }))

test('a heap that is too small: exit 3, and the flag is named', () =>
  inFolder(async cwd => {
    // The first flag bounds what stays; how much room new objects have beside that differs between versions of Node.
    for (const node of [['--max-old-space-size=48'], ['--max_old_space_size=16'], ['--max-heap-size=48']]) {
      const ended = await ran(['run', '--profile', 'quick'], { cwd, node })
      assertSentence(ended, 3, /^core-conformance: Node may use \d+ MB of memory here, .*--max-old-space-size/)
    }
    const enough = ['--max-old-space-size=16', '--max-old-space-size=64']
    assert.is((await ran(['list', '--only', 'idle'], { cwd, node: enough })).code, 0, 'the last flag counts')
  }))

/** Lets a process take itself for one of another version of Node. */
const asNode = (folder: string, version: string) => {
  const file = join(folder, 'as.cjs')
  writeFileSync(
    file,
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`,
  )
  return ['--require', file]
}

test('a Node that is too old: exit 3 and one line, of the program and of npm test', () =>
  inFolder(async cwd => {
    const told = /^core-conformance: this is Node 18\.20\.8, and Node 20 or later is needed\n$/
    const old = asNode(cwd, '18.20.8')
    assertSentence(await ran(['--version'], { cwd, node: old }), 3, told)
    assertSentence(await ran(['run'], { cwd, node: old, program: BIN.replace('.cjs', '.js') }), 3, told)
    const { scripts } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { scripts: object }
    const builds = (Object.values(scripts) as string[]).map(
      line => /^node ((?:-r \S+ )?tools\/build\.mjs(?: --if-older)?)/.exec(line)?.[1],
    )
    for (const words of new Set(builds)) {
      if (words === undefined) continue
      const child = spawnSync(process.execPath, [...old, ...words.split(' ')], { cwd: PACKAGE, encoding: 'utf8' })
      assert.is(child.status, 3, words)
      assert.match(child.stderr, told, words)
    }
    assert.is((await ran(['--version'], { cwd, node: asNode(cwd, '20.0.0') })).code, 0)
  }))

test('doctor says whether the suite is tested on this Node', () =>
  inFolder(async cwd => {
    const told = async (version: string) => {
      const { stdout } = await ran(['doctor', 'https://127.0.0.1:9'], { cwd, node: asNode(cwd, version) })
      return stdout.split('\n')[2]
    }
    assert.match((await told('24.1.0')) ?? '', /^✓ Node +24\.1\.0; the suite is tested on 20, 22, 24 and 26$/)
    assert.match((await told('23.1.0')) ?? '', /^• Node +the suite is tested on Node 20, 22, 24 and 26, and this is/)
  }))

test('an old Node can read what tells that it is too old', async () => {
  for (const name of ['bin.cjs', 'old-node.cjs']) {
    const text = readFileSync(join(PACKAGE, 'dist', name), 'utf8')
    const [asIs, lowered] = await Promise.all([transform(text), transform(text, { target: 'es2017' })])
    assert.is(lowered.code, asIs.code, name)
    assert.not.match(text, /require\(['"]node:/, 'Node 14 and older know no such names')
  }
})

const permission = Number.parseInt(process.versions.node, 10) < 24 ? '--experimental-permission' : '--permission'

long(test)("Node's permission model: what it forbids is told with the flag that allows it", () =>
  inFolder(async cwd => {
    const run = ['run', '--profile', 'quick', '--target', 'https://127.0.0.1:9', '--out', 'reports']
    const env = { CORE_USERNAME: 'anna', CORE_PASSWORD: 'Kanari-Password-1' }
    const allowed = (...flags: string[]) => ran(run, { cwd, env, node: ['--no-warnings', permission, ...flags] })
    const own = [`--allow-fs-read=${PACKAGE}*`, `--allow-fs-read=${join(PACKAGE, '..')}*`]
    assertSentence(
      await allowed(...own),
      3,
      /^core-conformance: Node may not read files \(--permission\): .*--allow-fs-read/,
    )
    const reads = await allowed('--allow-fs-read=*')
    assertSentence(
      reads,
      2,
      /^core-conformance: Cannot create the folder reports: .*--allow-fs-write=FOLDER, or choose/,
    )
    const { code, stdout } = await allowed('--allow-fs-read=*', '--allow-fs-write=*')
    assert.is(code, 3)
    assert.match(
      stdout,
      /nothing is listening|Node may not connect to 127\.0\.0\.1:9 \(--permission\)[\s\S]*--allow-net/,
    )
    assert.ok(existsSync(join(cwd, 'reports', 'result.json')))
  }),
)

long(test)('an output folder that cannot be made: exit 2, at once', () =>
  inFolder(async cwd => {
    const folders = existsSync('/proc/self') ? ['/proc/x/y/z', '/dev/null/x'] : ['/dev/null/x']
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
