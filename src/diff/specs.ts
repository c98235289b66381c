import { accused, isMiss } from '../accused.js'
import type { RunResult, SpecRecord } from '../result.js'
import type { Change, NotCompared } from './types.js'

/** What became of the specs of two runs. */
export interface SpecChanges {
  changes: Change[]
  /** The ids of those that fail in both. */
  stillFailing: string[]
  /** How many were judged in both. */
  compared: number
  notCompared: NotCompared[]
}

/** What the specs of two runs say of the Core. A spec that was not judged in one of them is not compared. */
export function specChanges(was: RunResult, is: RunResult): SpecChanges {
  const [before, now] = [specsOf(was), specsOf(is)]
  const found: SpecChanges = { changes: [], stillFailing: [], compared: 0, notCompared: [] }
  for (const id of new Set([...before.keys(), ...now.keys()])) {
    const [old, young] = [before.get(id), now.get(id)]
    const why = whyNot(old, young) ?? whyAnother(old, young, was.suite.specsDigest === is.suite.specsDigest)
    if (!old || !young || why !== undefined) {
      found.notCompared.push({ kind: 'spec', subject: id, why: why ?? '' })
      continue
    }
    found.compared++
    if (fails(old) && fails(young)) found.stillFailing.push(id)
    else if (fails(old) !== fails(young)) found.changes.push(changeOf(old, young))
  }
  return found
}

/** The specs by id, without the pins of the user, which say nothing of the reference. */
export function specsOf({ specs }: RunResult): Map<string, SpecRecord> {
  return new Map(specs.filter(isSpec).map(spec => [spec.id, spec]))
}

/** Whether a record is of a spec, and not of a pin or of the baseline. */
export function isSpec({ pin, area }: SpecRecord): boolean {
  return pin === undefined && area !== 'baseline'
}

/** Whether the outcome says that the Core broke the reference. That it is known changes nothing for clients. */
export function fails({ outcome }: SpecRecord): boolean {
  return outcome === 'failed' || outcome === 'known failure'
}

/** Whether the outcome says something of the Core. */
export function isJudged({ outcome }: SpecRecord): boolean {
  return ['passed', 'failed', 'known failure', 'unexpected pass', 'observed'].includes(outcome)
}

function changeOf(old: SpecRecord, young: SpecRecord): Change {
  const meaning = fails(young) ? young.steps.find(isMiss)?.consequence : undefined
  return {
    kind: fails(young) ? 'failure' : 'mended',
    subject: young.id,
    part: young.title,
    was: fails(old) ? (old.message ?? 'failed') : 'passed',
    is: fails(young) ? (young.message ?? 'failed') : 'passed',
    requirements: accused(fails(young) ? young : old).map(({ id }) => id),
    ...(meaning !== undefined && { meaning }),
  }
}

/** Why another outcome says nothing of the Core: between two versions of the suite, the spec itself may have changed. */
function whyAnother(
  old: SpecRecord | undefined,
  young: SpecRecord | undefined,
  isOneSuite: boolean,
): string | undefined {
  if (isOneSuite || !old || !young || fails(old) === fails(young) || testOf(old) === testOf(young)) return undefined
  return 'the suite changed it between the runs, and its outcome with it'
}

/** What a spec does, but for the paths that a survey may choose. */
function testOf({ level, steps }: SpecRecord): string {
  // Controls were not told apart from what judges by earlier versions.
  const texts = steps.map(
    ({ kind, text }) => `${kind === 'given' ? kind : 'check'} ${text.replace(/\/api\/\S*/g, '/api/')}`,
  )
  return [level, ...texts].join('\n')
}

/** Why two records of a spec cannot be compared. */
function whyNot(old: SpecRecord | undefined, young: SpecRecord | undefined): string | undefined {
  if (!old) return 'it is in the later run only'
  if (!young) return 'it is in the earlier run only'
  const told = ({ outcome, message }: SpecRecord) => `${outcome}${message === undefined ? '' : `: ${message}`}`
  const [was, is] = [isJudged(old), isJudged(young)]
  if (!was && !is) {
    return told(old) === told(young)
      ? `not judged in both runs (${told(young)})`
      : `not judged in both runs (${told(old)}; ${told(young)})`
  }
  if (!was) return `not judged in the earlier run (${told(old)})`
  return is ? undefined : `not judged in the later run (${told(young)})`
}
