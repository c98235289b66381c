/** Reporters of the user's own: their input, the place of their text, and the treatment of unusable ones. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { renderJson } from '../dist/report/json.js'
import { OwnReporterError, ownReporter } from '../dist/report/own.js'
import type { RunResult } from '../dist/result.js'
import { Cli, cli, inFolder, PASSWORD, resultIn, type ScriptedCore, withCore } from './cli-support.js'
import { failing } from './fixtures/results/samples.js'
import { long } from './support/long.js'

const test = suite('reporters of the user')
const ONLY = 'access-with-token,access-unknown-token'

/** Writes a line for the verdict, and one for each spec. */
const MINE = `
export const file = 'wiki.txt'
export async function render({ verdict, specs }) {
  await null
  return [verdict, ...specs.map(({ id, outcome }) => id + ' ' + outcome)].join('\\n') + '\\n'
}
`
const expected = ({ verdict, specs }: RunResult) =>
  [verdict, ...specs.map(({ id, outcome }) => `${id} ${outcome}`)].map(line => `${line}\n`).join('')

long(test)('it gets the result, and its text is the file that it names', () =>
  withCore({}, async (core, folder) => {
    writeFileSync(join(folder, 'mine.mjs'), MINE)
    const args = ['run', '--only', ONLY, '--reporter', 'console,./mine.mjs,json']
    const { stdout } = await cli(args, { cwd: folder, env: core.env, code: 0 })
    assert.match(stdout, /^Reports: reports\/result\.json, reports\/wiki\.txt$/m)
    const reports = join(folder, 'reports')
    assert.is(readFileSync(join(reports, 'wiki.txt'), 'utf8'), expected(resultIn(folder)))
    // A report of an earlier run must not pass for one of this run.
    writeFileSync(join(folder, 'mine.mjs'), MINE.replace('return', 'throw new Error("no") ;'))
    await cli(args, { cwd: folder, env: core.env, code: 3 })
    assert.not(existsSync(join(reports, 'wiki.txt')))
  }),
)

test('without a file it is for a pipe, or beside the console for a file that is called like the module', () =>
  inFolder(async folder => {
    writeFileSync(join(folder, 'old.json'), renderJson(failing))
    writeFileSync(join(folder, 'mine.mjs'), "export const render = ({ verdict }) => verdict + '\\u001b[2J\\n'")
    const piped = await cli(['report', 'old.json', '--reporter', './mine.mjs'], { cwd: folder })
    assert.equal(piped, { code: 0, signal: null, stdout: 'nonconformant␛[2J\n', stderr: '' })
    const beside = await cli(['report', 'old.json', '--reporter', 'console,./mine.mjs'], { cwd: folder })
    assert.match(beside.stdout, /Reports: mine\.txt\n$/)
    assert.is(readFileSync(join(folder, 'mine.txt'), 'utf8'), 'nonconformant\u001b[2J\n')
  }))

test('CommonJS, a folder above, and the configuration file from where it is', () =>
  inFolder(async folder => {
    mkdirSync(join(folder, 'ci'))
    writeFileSync(join(folder, 'old.json'), renderJson(failing))
    writeFileSync(
      join(folder, 'mine.cjs'),
      "module.exports = make()\nfunction make() { return { file: 'c.txt', render: () => 'c\\n' } }",
    )
    const { code, stderr } = await cli(['report', '../old.json', '--reporter', '../mine.cjs', '--out', '.'], {
      cwd: join(folder, 'ci'),
    })
    assert.equal([code, stderr], [0, ''])
    assert.is(readFileSync(join(folder, 'ci', 'c.txt'), 'utf8'), 'c\n')
    writeFileSync(
      join(folder, 'ci', 'config.yaml'),
      'defaults: { reporter: [json, ./here.mjs], only: [access-with-token] }\n',
    )
    writeFileSync(join(folder, 'ci', 'here.mjs'), MINE)
    await cli(['run', '--config', 'ci/config.yaml', '--target', 'mock'], { cwd: folder, code: 0 })
    assert.equal(readdirSync(join(folder, 'reports')).sort(), ['result.json', 'wiki.txt'])
    writeFileSync(join(folder, 'ci', 'config.yaml'), 'defaults: { reporter: [here.mjs] }\n')
    const wrong = await cli(['run', '--config', 'ci/config.yaml'], { cwd: folder, code: 2 })
    assert.match(wrong.stderr, /ci\/config\.yaml:1:\d+: 'here\.mjs' is not a valid item of 'reporter'/)
  }))

const BAD: [code: string, message: RegExp][] = [
  ['export const render = (', /it cannot be loaded: SyntaxError: /],
  ["import 'no-such-package'", /it cannot be loaded: Error: Cannot find package 'no-such-package'/],
  ['\n\nundefined.x\nexport const render = () => ""', /it cannot be loaded: TypeError: .* \(line 3\)$/],
  ['export default 1', /it exports no function 'render', which takes the run result and gives the text of the report$/],
  ['process.exit(0)', /it ended before it had answered$/],
  ['export const file = 3; export const render = () => ""', /its 'file' is no text: export a file name$/],
  [
    "export const file = '../x'; export const render = () => ''",
    /'\.\.\/x' is no name for its file: export one of letters/,
  ],
  ["export const file = 'journal.ndjson'; export const render = () => ''", /another report is called journal\.ndjson/],
]

long(test)('a module that cannot be used is exit 2 before anything is sent', () =>
  withCore({}, async (core, folder) => {
    const refused = async (reporter: string) => {
      const args = ['run', '--only', ONLY, '--reporter', reporter]
      const { code, stdout, stderr } = await cli(args, { cwd: folder, env: core.env })
      assert.equal([code, stdout], [2, ''], stderr)
      const [first = '', second] = stderr.split('\n')
      assert.is(second, 'More: core-conformance run --help')
      return first
    }
    for (const [code, message] of BAD) {
      writeFileSync(join(folder, 'bad.mjs'), code)
      const told = await refused('console,./bad.mjs')
      assert.match(told, /^core-conformance: the reporter \.\/bad\.mjs cannot be used: /)
      assert.match(told, message)
    }
    mkdirSync(join(folder, 'folder'))
    execFileSync('mkfifo', [join(folder, 'pipe.mjs')])
    for (const name of ['mine.mjs', 'twin.mjs']) writeFileSync(join(folder, name), MINE)
    for (const [reporter, message] of [
      ['./none.js', /the reporter \.\/none\.js cannot be used: there is no such file$/],
      ['./folder', /cannot be used: it is a folder: name the module in it$/],
      ['./pipe.mjs', /cannot be used: it is a device or a pipe, and not a file$/],
      ['./mine.mjs,./twin.mjs', /\.\/twin\.mjs cannot be used: another report is called wiki\.txt/],
      ['mine.mjs', /no report 'mine\.mjs'; a module of your own is named by its path: \.\/mine\.mjs$/],
    ] as const)
      assert.match(await refused(reporter), message)
    assert.is(core.requests.length, 0)
    assert.not(existsSync(join(folder, 'reports')))
  }),
)

long(test)('one that never ends is stopped, and what it prints does not stand on stdout', () =>
  inFolder(async folder => {
    const path = join(folder, 'busy.mjs')
    const options = { deadlineMs: 300 }
    writeFileSync(path, 'while (true);')
    await ownReporter(path, options).then(
      () => assert.unreachable('it was taken'),
      error => {
        assert.instance(error, OwnReporterError)
        assert.match(error.message, /it did not come to an end within 0\.3 s$/)
      },
    )
    writeFileSync(path, 'setInterval(() => {}, 1000)\nexport const render = () => { for (;;); }')
    const busy = await ownReporter(path, { deadlineMs: 2000 })
    const message = await busy.render(failing, { columns: 80, color: false }).catch(error => error.message)
    assert.match(
      message,
      /^Cannot make the report .*busy\.mjs: it did not come to an end within 2 s\. Mend the module\.$/,
    )

    writeFileSync(join(folder, 'old.json'), renderJson(failing))
    writeFileSync(join(folder, 'loud.mjs'), "console.log('loud\\u001b[2J')\nexport const render = () => 'mine\\n'")
    const { stdout, stderr } = await cli(['report', 'old.json', '--reporter', './loud.mjs'], { cwd: folder })
    assert.is(stdout, 'mine\n')
    assert.match(stderr, /^(loud␛\[2J\n)+$/)
  }),
)

long(test)('it can neither change what others show, nor see the password', () =>
  withCore({}, async (core, folder) => {
    writeFileSync(
      join(folder, 'spy.mjs'),
      `export const file = 'spy.txt'
       export function render(result) {
         const text = JSON.stringify([result, process.env])
         result.verdict = 'nonconformant'
         result.specs.length = 0
         return text
       }`,
    )
    writeFileSync(join(folder, 'late.mjs'), MINE)
    const env = { ...core.env, SEEN: 'as it is' }
    const run = new Cli(['run', '--only', ONLY, '--reporter', './spy.mjs,./late.mjs,json'], { cwd: folder, env })
    await run.ends(0)
    const reports = join(folder, 'reports')
    const text = readFileSync(join(reports, 'spy.txt'), 'utf8')
    const [result, seen] = JSON.parse(text) as [RunResult, Record<string, string>]
    assert.equal(result, resultIn(folder))
    assert.is(readFileSync(join(reports, 'wiki.txt'), 'utf8'), expected(result))
    assert.is(seen.SEEN, 'as it is')
    const ours = Object.keys(seen).filter(name => name.startsWith('CORE_'))
    assert.equal(ours, [])
    for (const secret of [PASSWORD, ...core.secrets]) assert.not(text.includes(secret))
  }),
)

long(test)('one that fails at the end is told, the others are written, and resume makes up for it', () =>
  withCore({}, async (core, folder) => {
    const path = join(folder, 'mine.mjs')
    const told = (why: string | undefined) =>
      `core-conformance: Cannot make the report ./mine.mjs: ${why}. Mend the module.\n`
    const run = ['run', '--only', ONLY, '--reporter', 'json,./mine.mjs']
    for (const [bad, why] of [
      [
        '\nexport const render = () => { throw new Error("boom\\nand more") }',
        'its render failed: Error: boom (line 2)',
      ],
      ['export const render = async () => {}', 'its render gave no text, but nothing'],
    ]) {
      writeFileSync(path, bad ?? '')
      const { stderr } = await cli([...run, '--out', `reports ${why?.length}`], { cwd: folder, env: core.env, code: 3 })
      assert.ok(stderr.includes(told(why)), stderr)
      assert.ok(existsSync(join(folder, `reports ${why?.length}`, 'result.json')))
    }
    writeFileSync(path, 'export const render = () => process.exit(1)')
    const left = await cli([...run, '--out', 'reports'], { cwd: folder, env: core.env, isProcess: true, code: 3 })
    assert.ok(left.stderr.includes(told('it ended before it had answered')), left.stderr)
    assert.match(left.stderr, /The journal is kept: once that is fixed, \S+ \S+bin\.cjs resume writes the reports\.\n/)
    const reports = join(folder, 'reports')
    assert.ok(existsSync(join(reports, 'result.json')))
    writeFileSync(path, MINE)
    await cli(['resume'], { cwd: folder, env: core.env, code: 0 })
    assert.is(readFileSync(join(reports, 'wiki.txt'), 'utf8'), expected(resultIn(folder)))
    assert.not(existsSync(join(reports, 'journal.ndjson')))
  }),
)

/** Starts a run with a reporter of its own that leaves its journal. */
async function leaves(core: ScriptedCore | undefined, folder: string): Promise<void> {
  writeFileSync(join(folder, 'mine.mjs'), 'export const render = () => { throw 1 }')
  const args = ['run', '--only', ONLY, '--reporter', './mine.mjs']
  await cli(args, { cwd: folder, env: core?.env ?? {}, isProcess: true, code: 3 })
}

long(test)('resume: a module that has gone is told before anything is sent, and others can be named instead', () =>
  withCore({}, async (core, folder) => {
    await leaves(core, folder)
    const sent = core.requests.length
    writeFileSync(join(folder, 'mine.mjs'), 'export const other = 1')
    const refused = await cli(['resume'], { cwd: folder, env: core.env })
    assert.equal([refused.code, core.requests.length], [2, sent], refused.stderr)
    assert.match(refused.stderr, /the reporter \.\/mine\.mjs cannot be used: it exports no function 'render'/)
    // Tokens are revoked even if the reporter is broken.
    cpSync(join(folder, 'reports'), join(folder, 'copy'), { recursive: true })
    assert.is((await cli(['resume', 'copy', '--abandon'], { cwd: folder, env: core.env })).code, 0)
    await cli(['resume', '--reporter', 'json'], { cwd: folder, env: core.env, code: 0 })
  }),
)

long(test)('resume: a journal that anybody can have written starts no program', () =>
  inFolder(async folder => {
    await leaves(undefined, folder)
    writeFileSync(
      join(folder, 'mine.mjs'),
      `import { writeFileSync } from 'node:fs'\nwriteFileSync('started', '')\n${MINE}`,
    )
    const refused = await cli(['resume'], { cwd: folder, code: 2 })
    assert.match(
      refused.stderr,
      /begun without a password, so nobody knows who named the reporter \.\/mine\.mjs: name all that you want again, with --reporter/,
    )
    assert.not(existsSync(join(folder, 'started')))
    await cli(['resume', '--reporter', './mine.mjs'], { cwd: folder, code: 0 })
    assert.ok(existsSync(join(folder, 'started')))
  }),
)

test.run()
