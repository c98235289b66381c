import type { Settings } from '../../config/settings.js'
import { planFor, whyNotApplicable } from '../../engine/applicable.js'
import { coveringOf, plannedRows } from '../../engine/plan/planned-rows.js'
import { ConfigError } from '../../ground/config-error.js'
import { count } from '../../ground/count.js'
import { planChart } from '../../report/plan.js'
import { indented } from '../../report/wrap.js'
import { loadSpecs } from '../../runner/choose-specs.js'
import { type Coverage, coverage } from '../../suite/coverage.js'
import { type Family, sizeOf } from '../../suite/family.js'
import { selectSpecs } from '../../suite/select.js'
import { allSteps, type Spec } from '../../suite/spec.js'
import type { Terminal } from '../../terminal.js'
import { LIST } from '../shared/declared.js'
import { configurationOf } from '../shared/target.js'
import { coverageOfSteps, rowsOfResults } from './coverage.js'

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
