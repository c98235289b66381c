import { dirname, join } from 'node:path'
import type { Settings } from '../config/settings.js'
import { resumeCommand } from '../ground/own-command.js'
import type { FleetSource } from '../report/fleet/blocks.js'
import { FLEET_REPORTERS } from '../report/fleet/reporters.js'
import { inert } from '../report/inert.js'
import { isFleetFile, ResultFileError, readFleet, readResult } from '../report/read.js'
import { onTerminal } from '../report/reporter.js'
import { filesBeside } from '../report/scripts.js'
import { doubtText } from '../report/words.js'
import { writeReports } from '../report/write-reports.js'
import { VERDICTS } from '../result/outcomes.js'
import type { Doubt, RequirementRecord, RunResult } from '../result.js'
import { doubtsFrom, judgeHistory } from '../run/judge/judge.js'
import type { Terminal } from '../terminal.js'
import { packageVersion } from '../version.js'
import { reportersOfCore } from './fleet/config.js'
import { resultOf } from './fleet/files.js'
import { REPORT } from './shared/declared.js'
import { defaultFile } from './shared/folder.js'
import { reportersNamed, reportersOf } from './shared/given.js'
import { publish } from './shared/publish.js'

/**
 * `core-conformance report`: makes reports from a result file or a fleet file. They equal those of the run, but where this version
 * judges a history that the result keeps otherwise.
 * @returns the exit code: 0 if the reports were made, for every verdict; else 3
 */
export async function report(settings: Settings, terminal: Terminal): Promise<number> {
  const config = reportConfig(settings)
  if (isFleetFile(config.from)) return reportFleet(config, terminal)
  const { from, outDir, github, quiet, verbose } = config
  // The scripts and findings of the run are beside its result, wherever that was moved.
  const result = judgedAnew({ ...(await readResult(from)), out: dirname(from) })
  const reporters = await reportersNamed(config.reporters, terminal)
  const beside = filesBeside(result, onTerminal(reporters) !== undefined)
  const how = { github, quiet, verbose, columns: Number.POSITIVE_INFINITY, isAlwaysTold: true }
  const { problems } = await publish(result, { outDir, reporters, beside, ...how }, terminal)
  return told(problems, terminal)
}

/** Prints what could not be written, and returns the exit code. */
function told(problems: readonly string[], { stderr }: Terminal): number {
  for (const problem of problems) stderr.write(`core-conformance: ${inert(problem)}\n`)
  return problems.length > 0 ? VERDICTS.incomplete.exitCode : 0
}

/** Makes the reports of a fleet from its file and the results of its Cores beside it. They equal those of the fleet's run. */
async function reportFleet(config: ReturnType<typeof reportConfig>, terminal: Terminal): Promise<number> {
  const { from, outDir, github, quiet, reporters: names } = config
  const fleet = await readFleet(from)
  const folder = dirname(from)
  const source: FleetSource = { fleet, resultOf: core => resultOf(folder, core), resumeCommand: resumeCommand(folder) }
  // Write the result of a Core again only if the user named it. Reports that a fleet does not have are made for each Core.
  const ofCores = reportersOfCore(names).filter(name => names.includes(name))
  const coreReporters = await reportersNamed(ofCores, terminal)
  const reporters = FLEET_REPORTERS.filter(({ name }) => names.includes(name))
  const forPeople = onTerminal(reporters)
  const problems: string[] = []
  for (const core of fleet.cores) {
    try {
      const result = await source.resultOf(core)
      if (!result) continue
      const own = join(outDir, core.name)
      const beside = filesBeside(result, forPeople !== undefined)
      problems.push(...(await writeReports(result, { outDir: own, reporters: coreReporters, beside })).problems)
    } catch (error) {
      // A Core whose result cannot be read does not stop the others.
      if (!(error instanceof ResultFileError)) throw error
      problems.push(`${core.name}: ${error.message}`)
    }
  }
  const beyond = () => coreReporters.flatMap(({ file }) => (file ? [join(outDir, '*', file)] : []))
  const how = { github, quiet, isAlwaysTold: true, beyond }
  const ofFleet = await publish(source, { outDir, reporters, ...how }, terminal)
  return told([...new Set([...problems, ...ofFleet.problems])], terminal)
}

export function reportConfig(settings: Settings) {
  const [from = defaultFile()] = settings.operands
  const { out: outDir = dirname(from), quiet, verbose } = settings.values(REPORT.settings)
  return { from, outDir, reporters: reportersOf(settings, 'report'), github: settings.github(), quiet, verbose }
}

/** States of a requirement that nothing speaks against. */
const UNTROUBLED: readonly RequirementRecord['state'][] = ['met', 'met so far', 'observed', 'not tested']

/**
 * Returns the result as this version judges its history: a requirement that is in doubt by now is, and so the run is not
 * conformant. A note says what is seen otherwise. Without a history, or without a difference, the result stays as it is.
 */
function judgedAnew(result: RunResult): RunResult {
  const { history, configuration, specs, verdict } = result
  // After a failure, all of that could be its consequences; the run left it out for the same reason.
  if (!history || specs.some(({ outcome }) => outcome === 'failed')) return result
  const { idleLifetimeMs: lifetimeMs, idleTolerance: tolerance } = configuration
  const now = doubtsFrom(judgeHistory(history.entries, { lifetimeMs, tolerance }, history.known))
  const isIn = (doubts: readonly Doubt[], id: string) => doubts.some(({ requirement }) => requirement === id)
  const added = now.filter(({ requirement }) => !isIn(history.doubts, requirement))
  const gone = history.doubts.filter(({ requirement }) => !isIn(now, requirement))
  if (!added.length && !gone.length) return result
  const [first] = added
  const by = `judged anew by core-conformance ${packageVersion()} (the run was by ${result.suite.version})`
  return {
    ...result,
    ...(first && verdict === 'conformant' && { verdict: 'incomplete' as const, reason: doubtText(first) }),
    notices: [
      ...result.notices,
      ...added.map(({ requirement, text }) => `${by}: ${requirement} is in doubt, which the run did not see: ${text}`),
      ...gone.map(
        ({ requirement, text }) =>
          `${by}: what left ${requirement} in doubt is explained by now; the run told: ${text}`,
      ),
    ],
    doubts: [...(result.doubts ?? []), ...added],
    ...(result.requirements && {
      requirements: result.requirements.map(each =>
        isIn(added, each.id) && UNTROUBLED.includes(each.state ?? 'met')
          ? { ...each, state: 'in doubt' as const }
          : each,
      ),
    }),
  }
}
