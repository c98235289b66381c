/** Says what became of a run, as blocks: its verdict, what it found, what it left open, and everything behind that. */
import { duration } from '../../duration.js'
import { count, listed } from '../../ground/count.js'
import { grouped } from '../../ground/grouped.js'
import { resumeCommand } from '../../ground/own-command.js'
import { addCoverage, coverageText as coveredText } from '../../result/coverage.js'
import {
  countedAs,
  isBreach,
  isHindered,
  isJudged,
  isSpec,
  MARKS,
  VERDICTS,
  WORST_FIRST,
} from '../../result/outcomes.js'
import { scopeIn, scopeOf } from '../../result/scope.js'
import type { RunResult, SpecRecord } from '../../result.js'
import { isUsual, signsInWords } from '../../settings/refused.js'
import { type Block, type Line, list, marked, next, type Report, type Row, row, section } from '../blocks.js'
import { failedSinceOpen, failuresOf, OPEN_CORE } from '../causes.js'
import { coverageText, standings as standingsOf } from '../requirements.js'
import {
  countsOf,
  doubtText,
  eventText,
  exploredText,
  findingText,
  liveTokens,
  measured,
  minuteOf,
  pinsText,
  specAnchors,
  targetText,
  timeTaken,
  visitText,
} from '../words.js'
import { background } from './background.js'
import type { Shown, Told } from './failures.js'
import { foundSections, leftOpen, specTree } from './findings.js'

/** Most broken requirements that the summary names. The section of failures shows all. */
const MOST_FAILED = 5

/** Makes the report of a run. */
export function runReport(result: RunResult, shown: Shown = {}): Report {
  const { isFile = false, quiet = false, verbose = false, hasEvidence = true, most = result.specs.length } = shown
  const { mark, tone, word: text } = VERDICTS[result.verdict]
  const isNothing = result.verdict === 'untestable' && !result.specs.some(isJudged)
  const anchors = specAnchors(result.specs)
  const href = (spec: SpecRecord) => `#${anchors.get(spec)}`
  const standings = standingsOf(result)
  const specs = quiet ? result.specs.filter(spec => isBreach(spec) || isHindered(spec)) : result.specs
  const told: Told = { result: { ...result, specs }, isFile, hasEvidence, most, href }
  const tree = verbose ? specTree(specs) : areaLines(specs)
  const open = leftOpen(told)
  const { visits = [], events = [], doubts = [], out, target } = result
  const back = visits.map((visit, at): Line => {
    const text = resumeCommand(out, target.flags?.config, at < visits.length - 1 ? 'resume --detach' : 'resume')
    return [`${visitText(visit)}: `, { text, as: 'code' }]
  })
  return {
    kicker: 'Conformance of a Core’s authentication API',
    verdict: { mark, tone, text, limits: scopeOf(result) },
    head: [
      { text: result.reason },
      ...next(result.advice ?? (failedSinceOpen(result).length > 0 ? OPEN_CORE : undefined)),
      ...list([...events.map(eventText), ...doubts.map(doubtText)], 'inconclusive'),
      tally(result),
      { rows: facts(result, isFile, coverageText(standings)) },
      ...section('When to come back', list(back)),
    ],
    sections: [
      ...(isFile ? [] : [...(isNothing ? [] : tree), ...open]),
      ...foundSections(told, standings),
      ...(isFile ? section('What this run does not tell', open, 'left-open') : []),
      ...(isFile ? background(result, standings, href) : []),
    ],
  }
}

/** Counts all specs of the suite, by outcome or as not selected. */
function tally(result: RunResult): Block {
  const specs = result.specs.filter(isSpec)
  const all = scopeIn(result).specs
  const left = marked('skipped', `${all - specs.length} not selected`)
  return { all: `${count(all, 'spec')}:`, tally: [...countsOf(specs), ...(all > specs.length ? [left] : [])] }
}

/** Shows each area in a line with the counts of its outcomes. The mark is that of its worst one. */
function areaLines(specs: readonly SpecRecord[]): Block[] {
  const cells = [...grouped(specs, ({ area }) => area)].map(([area, own]) => {
    const told = countsOf(own).map(({ text }) => text)
    const outcomes = new Set(own.map(({ outcome }) => outcome))
    const worst = WORST_FIRST.find(outcome => outcome !== 'skipped' && outcomes.has(outcome)) ?? 'skipped'
    const tone = worst === 'observed' && outcomes.has('passed') ? 'passed' : worst
    return { cells: [area, told.join(', ')], tone, mark: MARKS[tone] }
  })
  return cells.length > 0 ? [{ table: ['Area', 'Specs'], cells, isCut: true }] : []
}

function failedText(result: RunResult): string {
  const broken = failuresOf(result).map(({ requirement, causes }) => {
    const specs = causes.flatMap(cause => cause.specs)
    const [first] = specs
    const noun = first?.pin ? 'pinned fact' : first && !isSpec(first) ? 'expired baseline entry' : 'spec'
    const number = count(specs.length, noun, noun.replace(/y$/, 'ie').concat('s'))
    return requirement === undefined ? number : `${requirement.id} (${number})`
  })
  const unexpected = result.specs.filter(({ outcome }) => outcome === 'unexpected pass').length
  const ids = [...broken, ...(unexpected > 0 ? [countedAs(unexpected, 'unexpected pass')] : [])]
  return listed(ids, MOST_FAILED)
}

function facts(result: RunResult, isFile: boolean, requirements: string): Row[] {
  const { target, tokens, suite, configuration, startedAt, exploration, verdict, notices } = result
  const { lifetime, refused } = result.dialect
  const idle = duration(configuration.idleLifetimeMs)
  const isLeft = tokens.left > 0 && verdict !== 'pending'
  const covered = addCoverage(result.requirements.flatMap(each => each.covered ?? []))
  return [
    ...row('failed', failedText(result)),
    ...row('requirements', requirements),
    ...row('pins', pinsText(result)),
    ...row('target', targetText(target)),
    ...row('firmware', target.firmware),
    ...(isFile ? row('certificate', target.certificateFingerprint) : []),
    ...row('time', `${minuteOf(startedAt)}, ${timeTaken(result)}`),
    ...row('suite', `${suite.name} ${suite.version}, ${configuration.profile} profile`),
    ...(isLeft ? row('tokens', `${liveTokens(tokens)} on the Core, until idle for ${idle}`, 'blocked') : []),
    ...row('covered', covered && coveredText(covered)),
    ...row('explored', exploration && exploredText(exploration)),
    ...(exploration?.findings ?? []).flatMap(finding => row('', findingText(finding))),
    ...row('refusals', refused && !isUsual(refused) ? signsInWords(refused) : undefined),
    ...row('lifetime', lifetime ? measured(lifetime) : undefined),
    ...notices.flatMap(notice => row('note', notice)),
  ]
}
