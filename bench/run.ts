/**
 * Compares the cost of the product with other tools: they do the same work in turn, each in processes of its own, against the
 * same mock Core in another process. Then it measures how the product's cost grows. For reading, not for passing.
 *
 * Usage: npm run bench [-- ROUNDS [quick] [write]]
 *   ROUNDS  how often each command runs (default 11); long commands run a third as often
 *   quick   only the comparison, without the growth
 *   write   put the tables into bench/RESULTS.md
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { count } from '../src/ground/count.js'
import type { RunResult } from '../src/result.js'
import { byAnswers, byCores, bySpecs, wholeSuite } from './growth.js'
import { inTurn, spend } from './measure.js'
import { PROGRAM, plainEnv, serveOne } from './mock-core.js'
import { installPeers, type Peer, peers, quietEnv } from './peers.js'
import { comparison, costs, type Row } from './table.js'

const RESULTS = fileURLToPath(new URL('RESULTS.md', import.meta.url))
const SIX = 'revocation-rejects,access-without-token-http11,host-missing-access-http11'
/** The reports of a run that names none. */
const ALL_REPORTS = 'console, JUnit, JSON, HTML'
/** Factor by which long commands run less often. */
const LONG_PART = 3
/** The place of the comparison. */
const QUOTE = /(?<=<!-- bench -->\n)[\s\S]*?(?=<!-- \/bench -->)/

const words = process.argv.slice(2)
const rounds = Number(words.find(word => /^\d+$/.test(word)) ?? 11)
const unknown = words.filter(word => !/^([1-9]\d*|quick|write)$/.test(word))
if (unknown.length > 0) {
  process.stderr.write(`what is '${unknown[0]}'? Usage: npm run bench [-- ROUNDS [quick] [write]]\n`)
  process.exit(2)
}

const folder = mkdtempSync(join(tmpdir(), 'core-conformance-bench-'))
const load = () => loadavg()[0]?.toFixed(1) ?? '?'
const loadBefore = load()
installPeers()
const core = await serveOne()
try {
  const six = await compare()
  const machine = `${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${cpus().length} processors, ${count(rounds, 'round')} in turn`
  const quote = `\nMeasured on ${machine}; load of the machine ${loadBefore} before, ${load()} after:\n\n${six}\n\n`
  process.stdout.write(quote)
  const grown = words.includes('quick') ? '' : await growth()
  if (words.includes('write')) write(quote, grown)
} finally {
  core.stop()
  rmSync(folder, { recursive: true, force: true })
}

/** Runs all commands in turn. */
async function compare(): Promise<string> {
  const env = { ...plainEnv(), ...core.env, ...quietEnv(folder) }
  // Where nothing waits, no clock has to be advanced, and no tool but this one talks to the mock Core's control.
  const { CORE_CONTROL_URL: _url, CORE_CONTROL_KEY: _key, ...asForOthers } = env
  const product = (version: string, report: string, ...args: string[]): Peer => ({
    name: 'core-conformance',
    version,
    report,
    steps: [() => [process.execPath, PROGRAM, ...args]],
  })
  const run = (version: string, reporters: string, ...args: string[]): Peer =>
    product(
      version,
      reporters,
      'run',
      ...args,
      '--explore',
      '0',
      '--reporter',
      named(reporters),
      '--out',
      folderOf(version),
    )
  const others = peers(core.env, folder)
  const all: Peer[] = [
    { name: 'node -e 0', version: '', report: 'none', steps: [() => [process.execPath, '-e', '0']] },
    product('--version', 'none', '--version'),
    ...others,
    // With the report of mocha, with those of newman, and with all that it writes when nobody says otherwise.
    run('run, these', 'JUnit', '--only', SIX),
    run('run, these', 'console, JUnit', '--only', SIX),
    run('run, these', ALL_REPORTS, '--only', SIX),
    run('run, quick', 'console, JUnit', '--profile', 'quick'),
    run('run, quick', ALL_REPORTS, '--profile', 'quick'),
  ]
  const measured = inTurn(
    // Each keeps what it compiles for itself, as for a user who repeats that command.
    all.map((command, index) => () => {
      const own = { XDG_CACHE_HOME: join(folder, `cache-${index}`) }
      return spend(command, { ...(command.version === 'run, quick' ? env : asForOthers), ...own }, folder)
    }),
    rounds,
  )
  const rows = all.flatMap((peer, index): Row[] => {
    const summary = measured[index]
    return summary ? [{ ...peer, requests: requestsOf(peer), ...summary }] : []
  })
  const row = (name: string) => {
    const found = rows.find(each => each.name === name)
    if (!found) throw new Error(`${name} was not measured`)
    return found
  }
  return comparison(rows, ['bare Node', 'mocha + pactum', 'newman'].map(row))
}

/** Returns the names of reporters as `--reporter` takes them. */
function named(reporters: string): string {
  return reporters.toLowerCase().replaceAll(' ', '')
}

function folderOf(version: string): string {
  return join(folder, version.endsWith('quick') ? 'quick' : 'six')
}

function requestsOf({ name, version }: Peer): number {
  if (name === 'node -e 0' || version === '--version') return 0
  if (name !== 'core-conformance') return 6
  const file = join(folderOf(version), 'result.json')
  const { survey, specs } = JSON.parse(readFileSync(file, 'utf8')) as RunResult
  return survey.length + specs.flatMap(({ exchanges }) => exchanges).length
}

async function growth(): Promise<string> {
  const few = Math.max(1, Math.round(rounds / LONG_PART))
  const tables: string[] = []
  const tell = (title: string, text: string) => {
    tables.push(`## ${title}\n\n${text}\n`)
    process.stdout.write(`\n${title}\n\n${text}\n`)
  }
  tell('The whole suite, with the mock Core that it starts', costs('profile', wholeSuite(folder, few)))
  tell('More specs', costs('specs', await bySpecs(folder, few)))
  tell('More Cores at once', costs('Cores', await byCores(folder, few)))
  tell('Longer answers', costs('list of users', await byAnswers(folder, few)))
  return tables.join('\n')
}

function write(quote: string, grown: string): void {
  const before = readFileSync(RESULTS, 'utf8')
  const after = before.replace(QUOTE, () => quote)
  // Without the growth, the earlier figures stay.
  const [head = ''] = after.split(/^## /m)
  writeFileSync(RESULTS, grown ? `${head.trimEnd()}\n\n${grown}` : after)
}
