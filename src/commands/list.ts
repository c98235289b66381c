import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from '../config/settings.js'
import { planFor, whyNotApplicable } from '../engine/applicable.js'
import { coveringOf, plannedRows, type StepRows } from '../engine/plan/planned-rows.js'
import { ConfigError } from '../ground/config-error.js'
import { count } from '../ground/count.js'
import { grouped } from '../ground/grouped.js'
import type { Block } from '../report/blocks.js'
import { planChart } from '../report/plan.js'
import { readResult } from '../report/read.js'
import { RESULT_FILE } from '../report/reporters.js'
import { coverageTable } from '../report/requirements.js'
import { blockLines, linesText, pageOf } from '../report/terminal.js'
import { indented } from '../report/wrap.js'
import { addCoverage, coverageOf, coverageText } from '../result/coverage.js'
import type { RunResult } from '../result.js'
import { loadSpecs } from '../runner/choose-specs.js'
import { type Coverage, coverage } from '../suite/coverage.js'
import { type Family, sizeOf } from '../suite/family.js'
import { selectSpecs } from '../suite/select.js'
import { allSteps, type Spec } from '../suite/spec.js'
import type { Terminal } from '../terminal.js'
import { LIST } from './shared/declared.js'
import { configurationOf } from './shared/target.js'

/**
 * `core-conformance list`: shows the specs by area, or the requirements with the specs that cover them, as text or as JSON.
 * @returns the exit code: 1 if the requirements are shown and one that can be tested is not covered, else 0
 */
export async function list(settings: Settings, { stdout }: Terminal): Promise<number> {
  const { requirements, json, plan, coverage: isCoverage, specFolders } = settings.values(LIST.settings)
  // Settings that `list` does not take have their defaults.
  const configuration = configurationOf(settings)
  const suite = await loadSpecs(specFolders)
  const specs = selectSpecs(suite.specs, configuration.only, settings.get('only')?.label)
  const columns = Math.min(stdout.columns ?? 80, 120)
  if (plan) {
    const measured = specs.filter(spec => configuration.measureLifetime || !spec.measuresLifetime)
    const planned = planFor({ suite, specs: measured, configuration })
    stdout.write(json ? `${JSON.stringify(planned, null, 2)}\n` : planChart(planned, columns))
    return 0
  }
  if (isCoverage) {
    const applicable = specs.filter(spec => whyNotApplicable(spec, configuration) === undefined)
    const told = `A ${configuration.profile} run with seed ${configuration.seed} sends`
    const rows = settings.operands.length
      ? await rowsOfResults(settings.operands)
      : { steps: plannedRows(applicable, coveringOf(configuration)), told }
    stdout.write(coverageOfSteps(rows, json, columns))
    return 0
  }
  if (settings.operands.length) throw new ConfigError('results are read with --coverage only')
  const rows = coverage(suite)
  if (json) stdout.write(`${JSON.stringify(requirements ? rows.map(toJson) : specs.map(specToJson), null, 2)}\n`)
  else
    stdout.write(requirements ? requirementText(rows, columns) : specText(specs, [...suite.families.values()], columns))
  return requirements && rows.some(row => !row.covered) ? 1 : 0
}

function specText(specs: Spec[], families: Family[], columns: number): string {
  const width = Math.max(...specs.map(({ id }) => id.length))
  const areas = [...new Set(specs.map(({ area }) => area))].map(area => {
    const lines = specs
      .filter(spec => spec.area === area)
      .map(({ id, level, requirements, title }) => {
        const head = `  ${id.padEnd(width)}  ${level.padEnd(7)}  `
        const [first = '', ...more] = indented(requirements.map(each => each.id).join(' '), head.length, columns)
        return [`${head}${first.trimStart()}`, ...more, ...indented(title, 4, columns)].join('\n')
      })
    return [area, ...lines, ''].join('\n')
  })
  return `${areas.join('\n')}\n${familyText(specs, families, columns)}${count(specs.length, 'spec')} in ${count(areas.length, 'area')}\n`
}

/** Lists the families that these specs range over, with the number of their variations. */
function familyText(specs: Spec[], families: Family[], columns: number): string {
  const used = new Set(
    specs.flatMap(spec => allSteps(spec).flatMap(step => (step.action === 'send' && step.each?.family) || [])),
  )
  const shown = families.filter(({ name }) => used.has(name))
  if (!shown.length) return ''
  const width = Math.max(...shown.map(({ name }) => name.length))
  const lines = shown.map(family => {
    const head = `  ${family.name.padEnd(width)}  ${count(sizeOf(family), 'variation')}`
    return [head, ...indented(family.about, 4, columns)].join('\n')
  })
  return `families\n${lines.join('\n')}\n\n`
}

function requirementText(rows: Coverage[], columns: number): string {
  const lines = rows.map(({ requirement, specs, covered }) => {
    const { id, section, text, level = 'must', reason } = requirement
    const by = level === 'excluded' ? [`excluded: ${reason}`] : [covered ? specs.join(', ') : 'NOT COVERED']
    return [`${id}  ${level}  (${section})`, ...[text, ...by].flatMap(part => indented(part, 4, columns)), ''].join(
      '\n',
    )
  })
  const uncovered = rows.filter(row => !row.covered).length
  const excluded = rows.filter(({ requirement }) => requirement.level === 'excluded').length
  const summary = `${count(rows.length, 'statement')}: ${rows.length - uncovered - excluded} covered, ${excluded} excluded, ${uncovered} not covered`
  return `${lines.join('\n')}\n${summary}\n`
}

function specToJson({ id, area, title, level, requirements, accessControl, file, line }: Spec) {
  return { id, area, title, level, requirements: requirements.map(each => each.id), accessControl, file, line }
}

function toJson({ requirement, specs, covered }: Coverage) {
  const { id, section, text, level = 'must', reason } = requirement
  return { id, section, text, level, ...(reason !== undefined && { reason }), specs, covered }
}

/** Rows, and whose they are in words. */
interface Told {
  steps: readonly StepRows[]
  told: string
}

/** Shows what rows cover for each requirement, as text or as JSON. */
function coverageOfSteps({ steps, told }: Told, isJson: boolean, columns: number): string {
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
async function rowsOfResults(places: readonly string[]): Promise<Told> {
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
