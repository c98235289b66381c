/** Says what failed in a run, by its causes, as blocks. */
import { join } from 'node:path'
import { count, numbered } from '../../ground/count.js'
import { DEFAULT_OUT, quoted } from '../../ground/own-command.js'
import { isSpec } from '../../result/outcomes.js'
import type { RunResult, SpecRecord } from '../../result.js'
import { type Block, commas, type Line, type Piece, type Row, row } from '../blocks.js'
import { scriptOf } from '../by-hand.js'
import { type Cause, failuresOf, seenBy } from '../causes.js'
import { specBody } from '../evidence.js'
import { clip } from '../inert.js'
import type { ConsoleOptions } from '../reporter.js'
import { isRepeatable, rerunLine, rerunNeeds } from '../reproduce.js'
import { SCRIPTS_FOLDER, scriptName } from '../scripts.js'
import { deciding, missedStep, place, why } from '../words.js'

/** Returns the address of a spec on the page. */
export type Href = (spec: SpecRecord) => string | undefined

/** What a report of a run shows. */
export interface Shown extends Pick<ConsoleOptions, 'quiet' | 'verbose'> {
  /** Whether it is for a file: with all that repeats a failure, and the names of what was left out. */
  isFile?: boolean
  /** Whether Markdown holds the evidence of failures; by default it does. */
  hasEvidence?: boolean
  /** The most causes of failures that are told; by default all. */
  most?: number
}

/** What the blocks of a run are made for. */
export interface Told extends Required<Pick<Shown, 'isFile' | 'hasEvidence' | 'most'>> {
  /** The result; of a quiet report without the specs that are left out. */
  result: RunResult
  href: Href
}

/** Most specs of one cause that are told of. They saw nearly the same, and result.json has all of them. */
export const MOST_ALIKE = 8

const EVIDENCE_LENGTH = 8000

function named(spec: SpecRecord, href: Href): Piece {
  return { text: spec.id, as: 'name', href: href(spec) }
}

/** Says what a spec proves, with a link to it, and its name. */
export function titled(spec: SpecRecord, href: Href): Piece[] {
  return [{ text: spec.title, href: href(spec) }, ` (${spec.id})`]
}

/** Names specs, with links to them, at most so many. */
export function namedAll(specs: readonly SpecRecord[], href: Href, most = specs.length): Piece[] {
  const names = commas(specs.slice(0, most).map(spec => named(spec, href)))
  return specs.length > most ? [...names, ` and ${specs.length - most} more`] : names
}

/** Says what failed, each requirement with its causes. Pinned facts and baseline entries accuse no requirement. */
export function failures(told: Told): Block[] {
  const { result, most } = told
  const specs = result.specs.filter(isSpec)
  const all = failuresOf({ ...result, specs })
  let room = most
  const items = all.flatMap(({ requirement, causes }): Block[] => {
    const own = causes.slice(0, room)
    room -= own.length
    const item = requirement ? `${requirement.id}: ${requirement.text} (${requirement.section})` : 'of no requirement'
    return own.length > 0 ? [{ item, tone: 'failed', blocks: own.flatMap(cause => causeBlocks(told, cause)) }] : []
  })
  const more = all.reduce((sum, { causes }) => sum + causes.length, 0) - (most - room)
  const left = `${count(more, 'more cause')} ${numbered(more, 'is', 'are')} left out here for lack of room: see the other reports.`
  const isAgain = specs.some(spec => spec.outcome === 'failed' && isRepeatable(spec))
  const needs = isAgain ? rerunNeeds(result) : undefined
  return [
    ...items,
    ...(more > 0 ? [{ text: left }] : []),
    ...(needs === undefined ? [] : [{ text: `To rerun: ${needs}.`, tone: 'muted' as const }]),
  ]
}

function causeBlocks(told: Told, { advice, specs }: Cause): Block[] {
  const { result, href, isFile, hasEvidence } = told
  const [first, ...others] = specs
  const step = missedStep(first)
  const many = specs.length > 1 ? ` (${count(specs.length, 'spec')})` : ''
  const also = others.slice(0, MOST_ALIKE).map((spec): Line => [`${seenBy(spec)} (`, named(spec, href), ')'])
  const more = others.length - also.length
  const script = isRepeatable(first) ? scriptOf(result, first) : undefined
  const path = quoted(join(result.out ?? DEFAULT_OUT, SCRIPTS_FOLDER, scriptName(first)))
  const rerun = isRepeatable(first) ? rerunLine(result, first, isFile) : undefined
  const { expires } = first.known ?? {}
  const rows: Row[] = [
    ...row('seen', step?.seen && `${step.seen}${many}`, 'strong'),
    ...row('for clients', step?.consequence),
    ...(step === undefined ? row('why', why(first)) : row('did', step.text)),
    ...row('expected', step?.expected),
    ...row('got', step?.got),
    ...row('spec', [...titled(first, href), `, ${place(first)}`]),
    ...(expires === undefined ? [] : row('note', `the baseline accepted this until ${expires}`)),
    ...row('rerun', rerun),
    ...(isFile || script === undefined ? [] : row('by hand', path, 'muted')),
    ...(advice === undefined
      ? [
          ...also.flatMap((text, at) => row(at === 0 ? 'also' : '', text)),
          ...(more > 0 ? row('', `and ${more} more`, 'muted') : []),
        ]
      : row('also', `${count(others.length, 'spec')} more that expect a refusal`, 'muted')),
  ]
  const byHand = script === undefined ? [] : folded('the same by hand, as a shell script', script)
  const evidence = () => clip(specBody(first, result), EVIDENCE_LENGTH)
  const folds = isFile && hasEvidence ? folded('Evidence, and how to see it again', evidence()) : []
  return [{ rows }, { only: 'page', blocks: byHand }, { only: 'markdown', blocks: folds }]
}

function folded(details: string, code: string): Block[] {
  return [{ details, blocks: [{ code }] }]
}

/** Shows a failed spec with the steps that decided it, and no requirement: what is broken is the spec itself, such as a contract. */
export function failedSpec(spec: SpecRecord): Block {
  const steps = deciding(spec).flatMap(({ text, expected, got }) => [
    ...row('did', text),
    ...row('expected', expected),
    ...row('got', got),
  ])
  const { title: item, outcome: tone } = spec
  return { item, tone, blocks: [{ rows: steps.length > 0 ? steps : row('why', why(spec)) }] }
}
