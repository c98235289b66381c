/** Hints: each names only flags and variables that its command has. */
import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { COMMANDS, type Command } from '../dist/commands/index.js'

const test = suite('hints')

/** A flag, with the command before it where the flag belongs to another one: `core-conformance resume --detach`. */
const FLAG = /(?:\b(?<of>COMMANDS) (?:--[a-z-]+ (?:\$\{[^}]*\} )?)*)?(?<![\w-])--(?<flag>[a-z][a-z-]+)/

/** Flags of Node, of npm and of curl, which the text names as theirs. */
const FOREIGN =
  /--permission|--allow-(?:net|fs-write)|--http1\.1|--request-target|--next|--data-binary|npm (install|ci|pack) [^'"`]*|npx --no\b(?: --)?|--max-(?:old|semi)-space-size|--expose-gc/g

function flagsOf({ options }: Command): Set<string> {
  return new Set([...options.map(({ flag }) => flag), 'help', 'version'])
}

/** The code that each command can reach. All in one build: esbuild reads what they share once. */
const { outputFiles: BUNDLES } = await build({
  entryPoints: COMMANDS.map(({ name }) => {
    const [folder = '', part = folder] = name.split(' ')
    const places = [`${folder}/${part}.js`, `${folder}.js`].map(path =>
      fileURLToPath(new URL(`../dist/commands/${path}`, import.meta.url)),
    )
    return { in: places.find(path => existsSync(path)) ?? '', out: name }
  }),
  outdir: '/',
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'node',
  packages: 'external',
  minifySyntax: true,
  legalComments: 'none',
  logLevel: 'error',
})

/**
 * Returns every text with a flag that the code of a command can reach. Leaves out functions that the command never calls, and
 * the list of options for the help, which has a test of its own, and the styles of pages, whose properties look like flags.
 */
function textsOf({ name }: Command): { file: string; line: string }[] {
  let file = ''
  const bundle = BUNDLES.find(({ path }) => basename(path, '.js') === name)?.text ?? ''
  return bundle.split('\n').flatMap(line => {
    const begun = /^\s*\/\/ (\S*dist\/\S+)$/.exec(line)?.[1]
    file = begun ?? file
    return begun === undefined &&
      line.includes('--') &&
      !/\/commands\/shared\/declared\.js$|\/html\/assets\.js$/.test(file)
      ? [{ file, line: line.trim() }]
      : []
  })
}

/** Returns the flags in a text that the command, or the other command that it names, does not have. */
function strangers(command: Command, text: string): string[] {
  const names = COMMANDS.map(({ name }) => name).join('|')
  const pattern = new RegExp(FLAG.source.replace('COMMANDS', names), 'g')
  return [...text.replaceAll(FOREIGN, '').matchAll(pattern)].flatMap(({ groups }) => {
    const { of, flag = '' } = groups ?? {}
    const meant = COMMANDS.find(({ name }) => name === of) ?? command
    return flagsOf(meant).has(flag) ? [] : [`--${flag}`]
  })
}

test('what a stranger is', () => {
  const [run, report] = ['run', 'report'].map(name => COMMANDS.find(command => command.name === name))
  assert.ok(run && report)
  assert.equal(strangers(run, 'pass --fingerprint or --defects'), ['--defects'])
  assert.equal(strangers(report, "with 'core-conformance resume --abandon --out x', or --out, or --abandon"), [
    '--abandon',
  ])
  assert.equal(strangers(report, 'core-conformance resume --defects'), ['--defects'])
})

for (const command of COMMANDS)
  test(`${command.name}: no text that it can come to names a flag that it has not, and neither does its help`, () => {
    const texts = textsOf(command)
    assert.ok(texts.length > 0, 'there are such texts')
    const wrong = texts.flatMap(({ file, line }) => strangers(command, line).map(flag => `${flag} in ${file}: ${line}`))
    assert.equal(wrong, [])
    const abouts = [...command.options, ...command.secrets].map(({ about }) => about)
    assert.equal(
      abouts.flatMap(about => strangers(command, about)),
      [],
    )
  })

test.run()
