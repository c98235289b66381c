/** Makes test cases of a result, for formats that consist of them: JUnit, CTRF, TAP. */
import { accused } from '../result/accused.js'
import { isBreach, isFailing, isHindered, VERDICTS } from '../result/outcomes.js'
import type { Outcome, RunResult, SpecRecord, Verdict } from '../result.js'
import { failuresOf } from './causes.js'
import { bounded, specBody, specSummary } from './evidence.js'
import { inertLines, oneLine } from './inert.js'
import { doubtText, eventText } from './words.js'
import { attributeText } from './xml.js'

type Known = Pick<RunResult, 'verdict' | 'reason' | 'advice' | 'notices' | 'events' | 'doubts' | 'durationMs'> & {
  target: { url: string }
}

/** One test case: a spec, or the run itself. Texts are inert; a format limits and escapes them. */
export interface Case {
  /** The area; in a fleet, after the name of the Core. */
  suite: readonly string[]
  name: string
  id: string
  /** `error`: it could not be tested. */
  kind: 'passed' | 'failure' | 'error' | 'skipped'
  /** The outcome of the spec, or the verdict of the run. */
  outcome: Outcome | Verdict
  /** What a failure accuses, else the outcome. */
  type: string
  /** The reason in one line. */
  summary: string
  /** The evidence, in several lines; blank for a spec that passed. */
  body: string
  durationMs: number
  /** Absent for the case of the run itself. */
  spec?: SpecRecord
}

/** Lists the cases of a result: its specs, and one of the run itself where no spec shows the verdict. */
export function casesOf(result: RunResult, within: readonly string[] = []): Case[] {
  const all = failuresOf(result).flatMap(failure => failure.causes)
  const causes = new Map(all.flatMap(cause => cause.specs.map(spec => [spec, cause] as const)))
  const specs = result.specs.map((spec): Case => {
    const { id, title, area, outcome, durationMs } = spec
    const ids = outcome === 'failed' ? accused(spec).map(each => each.id) : []
    return {
      suite: [...within, oneLine(area) || 'specs'],
      name: oneLine(title) || oneLine(id) || 'unnamed',
      id: oneLine(id) || 'unnamed',
      kind: kindOf(spec),
      outcome,
      type: oneLine(ids.join(' ')) || outcome,
      summary: specSummary(spec),
      body: outcome === 'passed' ? '' : inertLines(specBody(spec, result, causes.get(spec))),
      durationMs,
      spec,
    }
  })
  return needsRunCase(result) ? [...specs, runCase(result, within)] : specs
}

/** Rounds a time to whole milliseconds, as formats demand. Zero for a negative or non-finite number. */
export function whole(ms: number): number {
  return Number.isFinite(ms) ? Math.max(0, Math.round(ms)) : 0
}

/** Makes the case of the run itself. @param within see {@link Case.suite} */
export function runCase(result: Known, within: readonly string[]): Case {
  const { verdict, durationMs } = result
  const isGreen = verdict === 'conformant' || verdict === 'pending'
  return {
    suite: [...within, 'run'],
    name: 'The run tested the Core',
    id: 'run',
    kind: 'error',
    outcome: verdict,
    type: isGreen ? 'nothing tested' : verdict,
    summary: runSummary(result),
    body: inertLines(runBody(result)),
    durationMs,
  }
}

/** Says why a run has its verdict, in one line, for a verdict that no spec shows; like {@link specSummary}. */
export function runSummary({ reason, verdict }: Known): string {
  return attributeText(reason) || `The run is ${verdict}.`
}

/** Describes a run whose verdict no spec shows, in several lines: summary, target, advice, notices. */
export function runBody(result: Known): string {
  const advice = result.advice === undefined ? [] : [`Next: ${result.advice}`]
  const happened = [...(result.events ?? []).map(eventText), ...(result.doubts ?? []).map(doubtText)]
  const lines = [`The run of ${result.target.url} is ${result.verdict}.`, ...advice, ...happened, ...result.notices]
  return [runSummary(result), ...lines].map(bounded).join('\n\n')
}

function kindOf(spec: SpecRecord): Case['kind'] {
  if (isBreach(spec)) return 'failure'
  if (isHindered(spec)) return 'error'
  return spec.outcome === 'passed' || spec.outcome === 'observed' ? 'passed' : 'skipped'
}

/** Whether a case for the run itself is needed: nothing was tested, or no red case shows a tool that the verdict is not green. */
export function needsRunCase({ verdict, specs }: RunResult): boolean {
  const isRed = (spec: SpecRecord) =>
    (isFailing(verdict) && isBreach(spec)) ||
    (/^(nonconformant|incomplete|untestable)$/.test(verdict) && isHindered(spec))
  return specs.length === 0 || (VERDICTS[verdict].exitCode !== 0 && !specs.some(isRed))
}
