import { readFileSync, rmSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { COMMANDS } from '../dist/commands/index.js'
import { REPORTER_NAMES } from '../dist/report/reporters.js'
import { cli, makeFolder } from './cli-support.js'

const test = suite<{ folder: string }>('usage')

test.before(context => {
  context.folder = makeFolder()
})
test.after(({ folder }) => {
  rmSync(folder, { recursive: true })
})

/** Asks for a help in several ways. @returns the text, of which every line fits a terminal, without spaces at its end */
async function helpOf(folder: string, ...ways: string[][]): Promise<string> {
  // An unusable .env does not prevent reading the help.
  const ends = await Promise.all(ways.map(args => cli(args, { cwd: folder, env: { CORE_URL: '' }, code: 0 })))
  const text = ends[0]?.stdout ?? ''
  for (const { stdout, stderr } of ends) assert.equal([stdout, stderr], [text, ''])
  assert.ok(text.endsWith('\n') && !text.endsWith('\n\n'))
  for (const line of text.split('\n')) {
    assert.ok(line.length <= 80, `${line.length} columns: ${line}`)
    assert.is(line, line.trimEnd())
  }
  return text
}

test('--version, -V and -v are the version of the package', async ({ folder }) => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  for (const flag of ['--version', '-V', '-v']) {
    assert.equal(await cli([flag], { cwd: folder }), { code: 0, signal: null, stdout: `${version}\n`, stderr: '' })
  }
})

test('--help, -h and help list the commands and the exit codes', async ({ folder }) => {
  const help = await helpOf(folder, ['--help'], ['-h'], ['help'])
  for (const { name } of COMMANDS) assert.match(help, new RegExp(`^  ${name} +\\w`, 'm'))
  assert.match(
    help,
    /Exit codes: 0 conformant, or pending; 1 nonconformant, drifted from its pins\nor a stale baseline; 2 wrong usage/,
  )
})

for (const { name, options, operands, secrets } of COMMANDS) {
  test(`${name} --help lists every option with its variable`, async ({ folder }) => {
    const beside = name === 'run' ? ['--insecure'] : []
    const help = await helpOf(folder, [name, '--help'], [name, '-h'], ['help', name], [name, ...beside, '--help'])
    for (const { flag, env, takes } of options) {
      const value = takes.placeholder
      assert.match(
        help,
        new RegExp(
          `^  --${flag}${value ? ` ${value.replace('|', '\\|')}` : ''} [^\\n]+\\n(?: +[^-][^\\n]*\\n)*? +${env}$`,
          'm',
        ),
      )
    }
    for (const { env } of secrets) assert.match(help, new RegExp(`^  ${env} +\\w`, 'm'))
    assert.not.match(help, /--password/)
    const { value, atLeast } = operands ?? { value: '', atLeast: 1 }
    assert.ok(/^Usage: .*$/m.exec(help)?.[0].endsWith(atLeast ? value : `[${value}]`), 'what may be left out')
    if (name !== 'run' && name !== 'list')
      assert.not.match(help.replace(/\s+/g, ' '), /a full run spreads|long waits two/)
  })
}

test('the help of a word that several commands begin with, in each way to ask', async ({ folder }) => {
  const words = new Set(COMMANDS.flatMap(({ name }) => name.split(' ').slice(0, -1)))
  for (const word of words) {
    const parts = COMMANDS.filter(({ name }) => name.startsWith(`${word} `))
    const help = await helpOf(folder, [word, '--help'], [word, '-h'], ['help', word], ['--help', word])
    for (const { name } of parts) assert.match(help, new RegExp(`^  ${name} +\\w`, 'm'))
  }
})

const NAMES = COMMANDS.map(({ name }) => name).join(', ')

const WRONG: [args: string[], message: string, more?: string][] = [
  [[], `which command? Known: ${NAMES}`],
  [['rnu'], "there is no command 'rnu'; did you mean 'run'?"],
  [['Mock'], "there is no command 'Mock'; did you mean 'mock'?"],
  [['help', 'rnu'], "there is no command 'rnu'; did you mean 'run'?"],
  [['frobnicate'], `there is no such command. Known: ${NAMES}`],
  [['--target', 'https://10.0.0.5', 'run'], `the command comes first, before its options. Known: ${NAMES}`],
  [['run', '--traget', 'x'], 'unknown option --traget; did you mean --target?', ' run'],
  [
    ['run', '-v'],
    'unknown option -v; --verbose prints more, and core-conformance --version prints the version',
    ' run',
  ],
  [['mock', '-v'], 'unknown option -v; core-conformance --version prints the version', ' mock'],
  [['run', '--reporter', 'pdf'], `--reporter: there is no report 'pdf'; known: ${REPORTER_NAMES.join(', ')}`, ' run'],
]

test('wrong usage is exit 2, one message, and where to read on', async ({ folder }) => {
  await Promise.all(
    WRONG.map(async ([args, message, more = '']) => {
      const { stdout, stderr } = await cli(args, { cwd: folder, code: 2 })
      assert.is(stderr, `core-conformance: ${message}\nMore: core-conformance${more} --help\n`)
      assert.is(stdout, '')
    }),
  )
})

test('what might be a password is not repeated, wherever it stands', async ({ folder }) => {
  const SECRET = 'Hunter2-Secret'
  await Promise.all(
    [
      [SECRET],
      [`--password=${SECRET}`],
      ['--password', SECRET, 'run'],
      [`https://anna:${SECRET}@10.0.0.5`],
      ['run', '--password', SECRET],
    ].map(async args => {
      const { stdout, stderr } = await cli(args, { cwd: folder, code: 2 })
      assert.not.match(stdout + stderr, /Hunter2/)
    }),
  )
})

test('what a message repeats cannot command the terminal', async ({ folder }) => {
  const { stderr } = await cli(['run', '--profile', '\u001b[2Jfast\r'], { cwd: folder, code: 2 })
  assert.match(stderr, /--profile must be quick, full or long, not '␛\[2Jfast␍'/)
})

test.run()
