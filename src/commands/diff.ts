import { join } from 'node:path'
import { type DiffConfig, diffConfig, type LiveOperand } from '../config/diff.js'
import type { Settings } from '../config/settings.js'
import { diffOf, exitCodeOf, type Source } from '../diff/diff.js'
import { DIFF_REPORTERS } from '../report/diff.js'
import { unobeyed } from '../report/fence.js'
import { isFleetFile } from '../report/fleet/read.js'
import { filesOf, onTerminal, writeReports } from '../report/index.js'
import { inert } from '../report/inert.js'
import { readResult } from '../report/read.js'
import type { Terminal } from '../terminal.js'
import type { LiveEnd } from './live.js'

/**
 * `core-conformance diff`: says what changed between runs, or between fleets, and what it means for clients. Cores among the operands are run.
 * @returns the exit code: 1 when something breaks clients, 3 when something could not be run or compared
 * @throws ConfigError, ResultFileError, SuiteError or SelectionError before anything is sent, or Error when a report cannot
 *   be written
 */
export async function diff(settings: Settings, terminal: Terminal): Promise<number> {
  const config = diffConfig(settings)
  const { outDir, quiet } = config
  const files = config.operands.map(operand => (operand.kind === 'file' ? operand.file : ''))
  if (files.some(isFleetFile)) {
    const { diffFleets } = await import('./diff-fleets.js')
    return diffFleets(files, config, settings, terminal)
  }
  const reporters = reportersOf(config)
  const { stdout, color } = terminal
  for (const warning of config.warnings) tell(terminal, `warning: ${warning}`)
  const sources = await sourcesOf(config, terminal)
  if (!sources) return EXIT_NOT_RUN
  const found = diffOf(sources)
  const forPeople = onTerminal(reporters)
  if (forPeople) {
    const text = await forPeople.render(found, { columns: stdout.columns ?? 80, color, quiet })
    stdout.write(unobeyed(text, settings.github() !== undefined))
  }
  const { paths, problems } = await writeReports(found, { outDir, reporters })
  if (problems.length) throw new Error(problems.join('\n'))
  if (forPeople && !quiet && paths.length) stdout.write(`Reports: ${paths.map(inert).join(', ')}\n`)
  return exitCodeOf(found)
}

const EXIT_NOT_RUN = 3

function reportersOf({ reporters }: DiffConfig) {
  return DIFF_REPORTERS.filter(({ name }) => reporters.includes(name))
}

/** All results, those of Cores after they were run; undefined where that could not be, which was told. */
async function sourcesOf(config: DiffConfig, terminal: Terminal): Promise<Source[] | undefined> {
  const { operands } = config
  // First of all, so that a wrong file is told before an hour is spent.
  const read = new Map<string, Source['result']>()
  for (const operand of operands) {
    if (operand.kind === 'file' && !read.has(operand.file)) read.set(operand.file, await readResult(operand.file))
  }
  const live = operands.filter((operand): operand is LiveOperand => operand.kind === 'live')
  const ends = live.length ? await run(live, config, terminal) : []
  if (!ends) return undefined
  return operands.flatMap((operand): Source[] => {
    if (operand.kind === 'live') {
      const end = ends.find(each => each.operand === operand)
      return end ? [{ file: end.file, result: end.result, name: operand.name }] : []
    }
    const result = read.get(operand.file)
    return result ? [{ file: operand.file, result }] : []
  })
}

async function run(live: LiveOperand[], config: DiffConfig, terminal: Terminal): Promise<LiveEnd[] | undefined> {
  const reporters = reportersOf(config)
  const stale = filesOf(reporters).map(name => join(config.outDir, name))
  const { runLive } = await import('./live.js')
  const { ends, isInterrupted } = await runLive(
    live,
    { speaks: onTerminal(reporters) !== undefined && !config.quiet, stale },
    terminal,
  )
  const untestable = ends.filter(({ result }) => result.verdict === 'untestable')
  if (isInterrupted || untestable.length) {
    const { notCompared } = await import('./not-compared.js')
    for (const line of notCompared(ends, isInterrupted)) tell(terminal, line)
    return undefined
  }
  const fingerprints = ends.map(({ result }) => result.target.certificateFingerprint)
  for (const [index, { operand }] of ends.entries()) {
    const other = ends[fingerprints.indexOf(fingerprints[index])]
    if (fingerprints[index] === undefined || !other || other.operand === operand) continue
    tell(
      terminal,
      `warning: ${other.operand.name} and ${operand.name} presented the same certificate; if they are one Core, the two runs disturbed each other`,
    )
  }
  return ends
}

function tell({ stderr }: Terminal, message: string): void {
  stderr.write(`core-conformance: ${inert(message)}\n`)
}
