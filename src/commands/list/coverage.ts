/** `list --coverage`: how much of what requests may differ in is covered, by the plan of a run or by results. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { StepRows } from '../../engine/plan/planned-rows.js'
import { ConfigError } from '../../ground/config-error.js'
import { count } from '../../ground/count.js'
import { grouped } from '../../ground/grouped.js'
import type { Block } from '../../report/blocks.js'
import { readResult } from '../../report/read.js'
import { RESULT_FILE } from '../../report/reporters.js'
import { coverageTable } from '../../report/requirements.js'
import { blockLines, linesText, pageOf } from '../../report/terminal.js'
import { addCoverage, coverageOf, coverageText } from '../../result/coverage.js'
import type { RunResult } from '../../result.js'

/** Rows, and whose they are in words. */
export interface Told {
  steps: readonly StepRows[]
  told: string
}

/** Shows what rows cover for each requirement, as text or as JSON. */
export function coverageOfSteps({ steps, told }: Told, isJson: boolean, columns: number): string {
  const bySteps = [...grouped(steps, ({ step }) => step).values()].map(same => ({
    requirements: same.flatMap(({ requirements }) => requirements),
    covered: coverageOf(same.map(({ rows }) => rows)),
  }))
  const ids = [...new Set(bySteps.flatMap(({ requirements }) => requirements))].sort()
  const own = ids.flatMap(id => {
    const tested = bySteps.filter(({ requirements }) => requirements.includes(id))
    const covered = addCoverage(tested.map(({ covered }) => covered))
    return covered ? [{ id, covered }] : []
  })
  if (isJson) return `${JSON.stringify(own, null, 2)}\n`
  const all = addCoverage(bySteps.map(({ covered }) => covered))
  const blocks: Block[] = [
    { text: `${told}: ${all ? coverageText(all) : 'nothing'}.` },
    { text: 'By requirement: variations, pairs, triples, and the first that is open.' },
    coverageTable(own),
  ]
  return linesText(blockLines(pageOf({ columns, color: false }), blocks))
}

/**
 * Reads the rows of results: of files, and of all that folders hold.
 * @throws ConfigError for a folder without results, and where no result has rows; ResultFileError for another file
 */
export async function rowsOfResults(places: readonly string[]): Promise<Told> {
  const files = [...new Set(places.flatMap(resultsIn))]
  const results: RunResult[] = []
  for (const file of files) results.push(await readResult(file))
  const steps = results.flatMap(rowsOf)
  if (!steps.length)
    throw new ConfigError(
      `${count(files.length, 'result')} without rows: an earlier version wrote them, or no spec with rows ran`,
    )
  const days = results.map(({ startedAt }) => startedAt.slice(0, 10)).sort()
  const span = days[0] === days.at(-1) ? `of ${days[0]}` : `of ${days[0]} to ${days.at(-1)}`
  const targets = new Set(results.map(({ target: { kind, url } }) => (kind === 'mock' ? kind : url))).size
  const cores = targets > 1 ? `, of ${count(targets, 'Core')}` : ''
  return { steps, told: `Judged by ${count(files.length, 'result')} ${span}${cores}, all together` }
}

function rowsOf({ specs }: RunResult): StepRows[] {
  return specs.flatMap(({ id, steps }) =>
    steps.flatMap(({ rows, requirements = [] }, at) => (rows ? { step: `${id} ${at}`, requirements, rows } : [])),
  )
}

function resultsIn(place: string): string[] {
  if (!statSync(place, { throwIfNoEntry: false })?.isDirectory()) return [place]
  const files = readdirSync(place, { recursive: true, encoding: 'utf8' })
    .filter(path => /(^|[/\\])result\.json$/.test(path))
    .sort()
  if (files.length) return files.map(path => join(place, path))
  throw new ConfigError(`there is no ${RESULT_FILE} in ${place}: name folders of reports, or files`)
}
