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
    const notCompared = (why: string) => found.notCompared.push({ kind: 'spec', subject: id, why })
    const why = whyNot(old, young)
    if (!old || !young || why !== undefined) {
      notCompared(why ?? '')
      continue
    }
    const isOther = fails(old) !== fails(young)
    // The outcome says nothing of the Core where the spec itself changed between two versions of the suite.
    if (isOther && was.suite.specsDigest !== is.suite.specsDigest && testOf(old) !== testOf(young)) {
      notCompared('the suite changed it between the runs, and its outcome with it')
      continue
    }
    found.compared++
    if (isOther) found.changes.push(changeOf(old, young))
    else if (fails(old)) found.stillFailing.push(id)
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
