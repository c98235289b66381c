/** Says what became of a fleet, as blocks: its failures with their Cores, what changed since an earlier one, and each Core. */
import { duration } from '../../duration.js'
import { type Pattern, patternsOf, traitsOf } from '../../fleet/patterns.js'
import type { CoreChange, Fleet, FleetCore } from '../../fleet/types.js'
import { count, listed } from '../../ground/count.js'
import { grouped } from '../../ground/grouped.js'
import { accused } from '../../result/accused.js'
import { isFailing, VERDICTS } from '../../result/outcomes.js'
import type { Outcome, RunResult, SpecRecord, Verdict } from '../../result.js'
import {
  type Block,
  commas,
  type Line,
  list,
  marked,
  next,
  type Report,
  row,
  type Section,
  section,
} from '../blocks.js'
import { failuresOf } from '../causes.js'
import { isRepeatable, rerunLine, rerunNeeds } from '../reproduce.js'
import { deciding, liveTokens, minuteOf, visitText } from '../words.js'
import { changeText, coreVerdict, countsText, limitsOf, pageOf, spreadText, toKnow } from './words.js'

const CHANGES: Record<CoreChange['kind'], Outcome> = {
  'fails now': 'failed',
  opened: 'failed',
  'in doubt': 'inconclusive',
  gone: 'blocked',
  verdict: 'inconclusive',
  fixed: 'passed',
  added: 'observed',
  firmware: 'observed',
}

/**
 * Makes the report of a fleet.
 * @param examples a failure of each failed requirement; a page needs none, since it leads to the pages of the Cores
 */
export function fleetReport(
  { fleet, resumeCommand }: Pick<FleetSource, 'fleet' | 'resumeCommand'>,
  examples: Examples = new Map(),
  quiet = false,
): Report {
  const { verdict, suite, startedAt, durationMs, cores, visits = [] } = fleet
  const { word: text, mark, tone } = VERDICTS[verdict]
  const patterns = patternsOf(fleet)
  const finish = cores.some(core => core.verdict === 'pending') ? resumeCommand : undefined
  const facts = [
    ...row('time', `${duration(durationMs)}, begun ${minuteOf(startedAt)}`),
    ...row('suite', `${suite.name} ${suite.version}`),
    ...cores
      .filter(core => core.tokens.left > 0 && core.verdict !== 'pending')
      .flatMap(({ name, tokens }) => row('tokens', `${liveTokens(tokens)} on ${name}`, 'blocked')),
    ...visits.flatMap((visit, at) =>
      row('come back', `${visitText(visit)}: ${at < visits.length - 1 ? 'resume --detach' : 'resume'}`),
    ),
    ...toKnow(fleet).flatMap(note => row('note', note)),
  ]
  const failures = patterns.map(pattern => failure(pattern, examples.get(pattern.requirement.id)))
  const needed = new Set([...examples.values()].flatMap(({ needs }) => needs ?? []))
  const needs = [...needed].sort().map((each): Block => ({ text: `To rerun: ${each}.`, tone: 'muted' }))
  return {
    kicker: 'Conformance of the authentication API of many Cores',
    verdict: { mark, tone, text, limits: limitsOf(fleet) },
    head: [
      { text: fleet.reason },
      { only: 'page', blocks: [tally(fleet)] },
      ...next(finish && `finish it with: ${finish}`),
      { rows: facts },
    ],
    sections: [
      ...coreTable(quiet ? cores.filter(core => core.verdict !== 'conformant') : cores),
      ...section('Drifted, out of date, or not tested to the end', open(cores), 'open'),
      ...section('What failed', [...failures, ...needs], 'failed'),
      ...sinceSection(fleet),
    ],
  }
}

function tally({ cores }: Fleet): Block {
  const present = (Object.keys(VERDICTS) as Verdict[]).flatMap(verdict => {
    const { length } = cores.filter(core => core.verdict === verdict)
    const { mark, tone, word } = VERDICTS[verdict]
    return length > 0 ? [{ tone, mark, text: `${length} ${word.toLowerCase()}` }] : []
  })
  return { all: count(cores.length, 'Core'), tally: present }
}

function failure(pattern: Pattern, example: Example | undefined): Block {
  const { requirement, cores, specs, consequence } = pattern
  const { id, text, section: of } = requirement
  const seen = cores.map((core): Line => {
    const { seen = 'no result' } = core.against.find(({ requirements }) => requirements.includes(id)) ?? {}
    return [{ text: core.name, as: 'name', href: pageOf(core, id) }, `: ${seen}`]
  })
  return {
    item: `${id}: ${text} (${of})`,
    tone: 'failed',
    blocks: [
      {
        rows: [
          ...row('fails', spreadText(pattern)),
          ...row('for clients', consequence),
          ...(cores.length > 1 ? row('such as', example?.core) : []),
          ...row('expected', example?.expected),
          ...row('got', example?.got),
          ...row('specs', listed(specs)),
          ...row('rerun', example?.rerun),
        ],
      },
      { only: 'page', blocks: [{ details: `what was seen on ${count(cores.length, 'Core')}`, blocks: list(seen) }] },
    ],
  }
}

/** Shows why Cores could not be tested to the end, and what fails them where no requirement is broken: each reason once. */
function open(all: readonly FleetCore[]): Block[] {
  const cores = all.filter(({ verdict }) => !['conformant', 'nonconformant', 'pending'].includes(verdict))
  const reasons = grouped(cores, ({ verdict, reason, advice }) => JSON.stringify([verdict, reason, advice]))
  return [...reasons.values()].map(own => {
    const [first] = own
    const { tone } = VERDICTS[first.verdict]
    const linked = commas(own.map(core => ({ text: core.name, as: 'name', href: pageOf(core) })))
    const why = isFailing(first.verdict) || own.length > 1 ? `${coreVerdict(first)}: ${first.reason}` : first.reason
    return { item: [...linked, `: ${why}`], tone, blocks: next(first.advice) }
  })
}

/** Shows the changes since an earlier fleet; none where there is no earlier fleet. */
export function sinceSection({ since }: Pick<Fleet, 'since'>): Section[] {
  if (!since) return []
  const { changes, notices, startedAt, file, compared } = since
  const title = `${changes.length ? 'What' : 'Nothing'} changed since ${minuteOf(startedAt)}`
  const blocks: Block[] = [
    { text: `${count(compared, 'Core')} compared with ${file}.` },
    ...list(notices, 'blocked'),
    { list: changes.map(change => marked(CHANGES[change.kind], `${change.core} ${changeText(change)}`)) },
  ]
  return section(title, blocks, 'since')
}

/** Shows each Core in a line: its verdict, counts, firmware and labels, time, and why. A page has a table of its own. */
function coreTable(cores: readonly FleetCore[]): Section[] {
  if (!cores.length) return []
  const cells = cores.map(core => {
    const { verdict, name, hasResult, durationMs, reason, advice } = core
    const { mark, tone } = VERDICTS[verdict]
    const why = verdict === 'conformant' ? '' : [reason, advice].filter(Boolean).join('; ')
    const took = hasResult ? duration(durationMs) : ''
    const traits = traitsOf(core).map(([, value]) => value)
    return { cells: [name, coreVerdict(core), countsText(core), took, traits.join(', '), why], tone, mark }
  })
  const table: Block = { table: ['Core', 'Verdict', 'Specs', 'Time', 'Of', 'Why'], cells, isCut: true }
  return [{ section: 'Cores', blocks: [{ only: 'text', blocks: [table] }] }]
}

/** A fleet with the results of its Cores. Only one result at a time is in memory. */
export interface FleetSource {
  fleet: Fleet
  /** Reads the result of a Core; undefined where there is none. @throws Error if the result cannot be read */
  resultOf(core: FleetCore): Promise<RunResult | undefined>
  /** The command that continues the fleet, as messages name it: `core-conformance resume --out reports`. */
  resumeCommand?: string
}

type Example = ReturnType<typeof exampleOf>

/** The examples by the id of their requirement. A requirement without a readable failure has none. */
export type Examples = ReadonlyMap<string, Example>

/**
 * Finds an example for each pattern, on the first of its Cores that left a result. Each result is read once, and only one is in
 * memory at a time.
 * @throws Error if a result cannot be read
 */
export async function examplesOf(resultOf: FleetSource['resultOf'], patterns: readonly Pattern[]): Promise<Examples> {
  const examples = new Map<string, Example>()
  const chosen = patterns.flatMap(({ requirement, cores }) => {
    const core = cores.find(({ hasResult }) => hasResult)
    return core ? [{ id: requirement.id, core }] : []
  })
  for (const own of grouped(chosen, ({ core }) => core.name).values()) {
    const result = await resultOf(own[0].core)
    if (!result) continue
    for (const { id, core } of own) {
      // The failed spec that shows best what is wrong with the requirement, as the reports of one Core choose it.
      const failure = failuresOf(result).find(({ requirement }) => requirement?.id === id)
      const accusing = (spec: SpecRecord) => spec.outcome === 'failed' && accused(spec).some(known => known.id === id)
      const spec = failure?.causes[0]?.specs[0] ?? result.specs.find(accusing)
      if (spec) examples.set(id, exampleOf(core, result, spec))
    }
  }
  return examples
}

/** Makes an example: with the command that repeats it, and what that takes from the environment, where it is a spec. */
function exampleOf({ name: core }: FleetCore, result: RunResult, spec: SpecRecord) {
  const { expected, got } = deciding(spec)[0] ?? {}
  const [rerun, needs] = isRepeatable(spec) ? [rerunLine(result, spec, false), rerunNeeds(result)] : []
  return { core, expected, got, rerun, needs }
}
