/**
 * Tries the project on each version of Node in `testedNodes` of package.json: takes the version from the package registry, clones what
 * is committed, and there runs `npm ci`, `npm start` and `npm test`. Prints a line for each version. Exit code 1 where one failed.
 *
 * With --sample, only the newest version, and this checkout as it is: a quick `npm start`, and some tests of the command line.
 *
 * Usage: npm run test:nodes [-- [--sample] [--folder FOLDER] [VERSION ...]]; FOLDER, outside the checkout, keeps Node, clones and logs
 */
import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { testedNodes } from '../dist/version.js'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Tests of the sample: a run and a mock Core in processes of their own, a run taken up again, and what the command line prints. */
const SAMPLE = ['cli-run', 'cli-mock', 'cli-resume', 'cli-main']
const SHOWN_LINES = 60

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sample: { type: 'boolean', default: false }, folder: { type: 'string' } },
})
const folder = values.folder === undefined ? mkdtempSync(join(tmpdir(), 'nodes-')) : resolve(values.folder)

/** A step that ended with another exit code than 0. */
class StepError extends Error {}

/** Runs a command, with its output in a log, and returns what to tell of it. @throws StepError where it fails */
function step(name: string, words: string[], cwd: string, place: { folder: string; path: string }): string {
  const log = join(place.folder, `${name.replaceAll(' ', '-')}.log`)
  const file = openSync(log, 'w')
  const startMs = performance.now()
  const [command = '', ...args] = words
  const env = { ...process.env, PATH: place.path }
  // On Windows npm is a shell script.
  const shell = process.platform === 'win32'
  const { status } = spawnSync(command, args, { cwd, env, shell, stdio: ['ignore', file, file] })
  closeSync(file)
  const seconds = Math.round((performance.now() - startMs) / 1000)
  const output = readFileSync(log, 'utf8')
  const counts = /^(?:\d+ skipped\n)?\d+ passed, \d+ failed$/m.exec(output)?.[0].replace('\n', ', ')
  const told = `${name} ${seconds} s${counts === undefined ? '' : ` (${counts})`}`
  if (status === 0) return told
  const end = output.trimEnd().split('\n').slice(-SHOWN_LINES).join('\n')
  throw new StepError(`${told} failed, see ${log}\n${end}`)
}

/** Tries a version, and returns the line about it. @throws StepError */
function tried(version: string): string {
  const own = join(folder, version)
  const bin = join(own, 'node_modules', 'node', 'bin')
  const before = { folder: own, path: process.env.PATH ?? '' }
  const place = { folder: own, path: `${bin}${delimiter}${before.path}` }
  mkdirSync(own, { recursive: true })
  writeFileSync(join(own, 'package.json'), '{}')
  step('node', ['npm', 'install', '--no-audit', '--no-fund', `node@${version}`], own, before)
  const node = spawnSync(join(bin, 'node'), ['--version'], { encoding: 'utf8' }).stdout?.trim()
  const told = (...steps: string[]) => `✓ Node ${node?.slice(1)}: ${steps.join(', ')}\n`
  if (values.sample) {
    const tests = ['node', '--import', 'tsx', 'test/run.ts', '--short', ...SAMPLE]
    // The whole suite runs on one Node of the sample only: what differs between them shows in a quick run.
    const start = ['npm', 'start', '--', '--profile', 'quick']
    return told(step('npm start', start, ROOT, place), step('tests', tests, ROOT, place))
  }
  const clone = join(own, 'clone')
  rmSync(clone, { recursive: true, force: true })
  step('clone', ['git', 'clone', '--quiet', ROOT, clone], own, place)
  const steps = ['ci', 'start', 'test'].map(name => step(`npm ${name}`, ['npm', name], clone, place))
  rmSync(clone, { recursive: true })
  return told(...steps)
}

const tested = testedNodes().map(String)
const versions = positionals.length ? positionals : values.sample ? tested.slice(-1) : tested
for (const version of versions) {
  try {
    process.stdout.write(tried(version))
  } catch (error) {
    if (!(error instanceof StepError)) throw error
    process.stdout.write(`✗ Node ${version}: ${error.message}\n`)
    process.exitCode = 1
  }
}
if (!process.exitCode && values.folder === undefined) rmSync(folder, { recursive: true })
