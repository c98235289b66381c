import { accused, isMiss } from '../result/accused.js'
import { isJudged, isSpec } from '../result/outcomes.js'
import type { RunResult, SpecRecord } from '../result.js'
import type { Change, Comparison } from './types.js'

/** The specs of two runs, compared. */
export interface SpecChanges extends Pick<Comparison, 'stillFailing' | 'compared' | 'notCompared'> {
  changes: Change[]
}

/** Compares the specs of two runs. A spec that one of the runs did not judge is not compared. */
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

/** Returns the specs by id, without pins and baseline entries, which say nothing about the reference. */
export function specsOf({ specs }: RunResult): Map<string, SpecRecord> {
  return new Map(specs.filter(isSpec).map(spec => [spec.id, spec]))
}

/** Whether the outcome says that the Core broke the reference. A known failure counts: clients meet it all the same. */
function fails({ outcome }: SpecRecord): boolean {
  return outcome === 'failed' || outcome === 'known failure'
}

function changeOf(old: SpecRecord, young: SpecRecord): Change {
  const meaning = fails(young) ? young.steps.find(isMiss)?.consequence : undefined
  return {
    kind: fails(young) ? 'failure' : 'fixed',
    subject: young.id,
    part: young.title,
    was: fails(old) ? (old.message ?? 'failed') : 'passed',
    is: fails(young) ? (young.message ?? 'failed') : 'passed',
    requirements: accused(fails(young) ? young : old).map(({ id }) => id),
    ...(meaning !== undefined && { meaning }),
  }
}

/** Returns why a changed outcome says nothing about the Core: the spec itself changed between two versions of the suite. */
function whyAnother(
  old: SpecRecord | undefined,
  young: SpecRecord | undefined,
  isOneSuite: boolean,
): string | undefined {
  if (isOneSuite || !old || !young || fails(old) === fails(young) || testOf(old) === testOf(young)) return undefined
  return 'the suite changed it between the runs, and its outcome with it'
}

/** Returns a text that is equal for two records of the same test. Leaves out paths, which the survey may choose. */
function testOf({ level, steps }: SpecRecord): string {
  const texts = steps.map(({ kind, text }) => `${kind} ${text.replace(/\/api\/\S*/g, '/api/')}`)
  return [level, ...texts].join('\n')
}

/** Returns why two records of a spec cannot be compared; undefined where they can. */
function whyNot(old: SpecRecord | undefined, young: SpecRecord | undefined): string | undefined {
  if (!old) return 'it is in the later run only'
  if (!young) return 'it is in the earlier run only'
  const told = ({ outcome, message }: SpecRecord) => `${outcome}${message === undefined ? '' : `: ${message}`}`
  const [was, is] = [isJudged(old), isJudged(young)]
  if (!was && !is) return `not judged in both runs (${[...new Set([told(old), told(young)])].join('; ')})`
  if (!was) return `not judged in the earlier run (${told(old)})`
  return is ? undefined : `not judged in the later run (${told(young)})`
}
