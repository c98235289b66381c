import { count } from '../ground/count.js'
import { accused, isMiss } from '../result/accused.js'
import { doubtSource, isOpened, newDoubts } from '../result/opened.js'
import { isJudged, isSpec } from '../result/outcomes.js'
import type { Facts, MeasuredLifetime, RunResult, SpecRecord } from '../result.js'
import { RECORDED, recordedValue } from '../settings/record.js'
import { factChanges, parts } from './compare-facts.js'
import { RULES, type Rule } from './rules.js'
import {
  type Change,
  type ChangeKind,
  CONSEQUENCES,
  type Comparison,
  type Difference,
  type NotCompared,
} from './types.js'

const KINDS: ChangeKind[] = ['failure', 'doubt', 'fact', 'field', 'header', 'lifetime', 'certificate', 'fixed']

/** Compares two runs: lists each change with its consequence for clients, and each thing that cannot be compared. */
export function compare(was: RunResult, is: RunResult): Omit<Comparison, 'from' | 'to'> {
  const specs = specChanges(was, is)
  const facts = factsOf(was, is)
  const lifetime = lifetimeOf(was, is)
  const { url, kind, certificateFingerprint: old = '' } = was.target
  const { certificateFingerprint: young = '' } = is.target
  // Of one Core. The mock Core makes a new certificate for each run, which says nothing.
  const isOther = url === is.target.url && kind !== 'mock' && old !== '' && young !== '' && old !== young
  const changes = [
    ...specs.changes,
    // Without access control in one of the runs, nothing was protected that could be opened.
    ...(was.configuration.accessControl === is.configuration.accessControl ? doubtChanges(was, is) : []),
    ...facts.changes,
    ...lifetime.changes,
    ...(isOther ? [{ kind: 'certificate' as const, subject: 'certificate', was: old, is: young }] : []),
  ]
  const differences = changes.map(judged).sort(byWeight)
  const count = (name: string) => differences.filter(({ consequence }) => consequence === name).length
  return {
    differences,
    counts: { breaking: count('breaking'), risky: count('risky'), harmless: count('harmless') },
    stillFailing: specs.stillFailing,
    compared: specs.compared,
    notices: notices(was, is),
    notCompared: [...specs.notCompared, ...facts.notCompared, ...lifetime.notCompared],
  }
}

type Found = { changes: Change[]; notCompared: NotCompared[] }

/** Compares the facts. Leaves out facts that differ because the runs were configured differently. */
function factsOf(was: RunResult, is: RunResult): Found {
  const [before, now] = [was.configuration, is.configuration]
  const guard =
    before.accessControl !== now.accessControl
      ? { reason: 'access control was on in one of the runs only', of: /^(token|logon)\b/ }
      : before.probePath !== now.probePath
        ? { reason: 'the runs asked other paths', of: /^(token|logon|revocation|sessions|http)\b/ }
        : undefined
  if (!guard) return factChanges(was.facts, is.facts)
  const only = (facts: Facts) => Object.fromEntries(Object.entries(facts).filter(([name]) => guard.of.test(name)))
  const others = Object.keys({ ...was.facts, ...is.facts }).filter(name => !guard.of.test(name))
  const left = [...new Set(others.map(name => parts(name).first))].sort()
  const { changes, notCompared } = factChanges(only(was.facts), only(is.facts))
  const why = guard.reason
  return { changes, notCompared: [...left.map(subject => ({ kind: 'fact' as const, subject, why })), ...notCompared] }
}

/** Gives a change the consequence of the first rule that holds for it. The last rule holds for all. */
function judged(change: Change): Difference {
  const { id: rule, consequence, why } = RULES.find(each => holds(each, change)) as Rule
  return { ...change, consequence, rule, why }
}

function byWeight(a: Difference, b: Difference): number {
  const weight = ({ consequence, kind }: Difference) => CONSEQUENCES.indexOf(consequence) * 100 + KINDS.indexOf(kind)
  const key = ({ subject, part = '' }: Difference) => `${subject}\n${part}`
  return weight(a) - weight(b) || (key(a) < key(b) ? -1 : 1)
}

/** Lists the requirements that came into doubt, and those that were in doubt and are met now. */
function doubtChanges(was: RunResult, is: RunResult): Change[] {
  const [before, now] = [doubtSource(was), doubtSource(is)]
  return [
    ...newDoubts(before, now).map(({ requirement: subject, was, text }): Change => {
      if (text === undefined) return { kind: 'doubt', subject, was, is: 'in doubt' }
      return { kind: 'doubt', subject, part: 'seen', was, is: text }
    }),
    ...Object.keys(now.states)
      .filter(id => before.states[id] === 'in doubt' && now.states[id] === 'met')
      .map((subject): Change => ({ kind: 'doubt', subject, was: 'in doubt', is: 'met' })),
  ]
}

/**
 * Compares the measured idle lifetimes, unless the runs were configured with different ones: then the Cores differ. They differ
 * only where the two spans do not overlap. The change holds the nearest bounds of the two spans, in milliseconds: at least before
 * and at most now, or the reverse.
 */
function lifetimeOf(was: RunResult, is: RunResult): Found {
  const { idleLifetimeMs, idleTolerance } = is.configuration
  const subject = 'idle lifetime'
  const found: Found = { changes: [], notCompared: [] }
  if (!was.dialect.lifetime || !is.dialect.lifetime) return found
  const [old, young] = [spanOf(was.dialect.lifetime), spanOf(is.dialect.lifetime)]
  const isPromised = young.most >= idleLifetimeMs * (1 - idleTolerance)
  const changed = (was: number, is: number) =>
    found.changes.push({ kind: 'lifetime', subject, ...(isPromised && { part: 'as configured' }), was, is })
  if (was.configuration.idleLifetimeMs !== idleLifetimeMs)
    found.notCompared.push({ kind: 'fact', subject, why: 'the runs were configured with different ones' })
  else if (young.most < old.least) changed(old.least, young.most)
  else if (young.least > old.most) changed(old.most, young.least)
  return found
}

/** Returns the span of a lifetime. Where lifetimes vary from token to token, `expiredMs` is less than `aliveMs`. */
function spanOf({ aliveMs, expiredMs }: MeasuredLifetime): { least: number; most: number } {
  const [alive, expired] = [aliveMs ?? 0, expiredMs ?? Number.POSITIVE_INFINITY]
  return { least: Math.min(alive, expired), most: Math.max(alive, expired) }
}

/** Lists, in sentences, why two runs were not made under the same conditions. */
function notices(was: RunResult, is: RunResult): string[] {
  const told: string[] = []
  if (was.suite.specsDigest !== is.suite.specsDigest || was.suite.version !== is.suite.version) {
    const [before, now] = [specsOf(was), specsOf(is)]
    const only = (some: typeof before, others: typeof before) => [...some.keys()].filter(id => !others.has(id)).length
    told.push(
      `the runs are of different spec sets (${was.suite.version}, ${is.suite.version}): ${count(only(before, now), 'spec is', 'specs are')} in the earlier run only, ${only(now, before)} in the later one only, and the others may have changed`,
    )
  }
  if (was.target.kind !== is.target.kind) told.push('one of the runs is of the embedded mock Core')
  for (const setting of RECORDED) {
    const [before, now] = [was, is].map(({ configuration }) => {
      const value = recordedValue(configuration, setting)
      return value === undefined ? undefined : setting.differs?.(value)
    })
    if (before !== undefined && now !== undefined && before !== now)
      told.push(`the runs were configured differently: ${before} in the earlier one, ${now} in the later one`)
  }
  for (const [at, run] of [was, is].entries())
    if (/^(incomplete|untestable|pending)$/.test(run.verdict))
      told.push(`the ${at === 0 ? 'earlier' : 'later'} run is ${run.verdict}: ${run.reason}`)
  if ((was.dialect.lifetime === null) !== (is.dialect.lifetime === null)) {
    told.push('the idle lifetime was measured in one of the runs only')
  }
  return told
}

function holds({ kind, fact, of, parts: some, from, to, moved, opened }: Rule, change: Change): boolean {
  const { first, last } = parts(change.subject)
  const { was, is } = change
  const movement = typeof was === 'number' && typeof is === 'number' && was !== is && (is < was ? 'less' : 'more')
  return (
    (kind === undefined || kind === change.kind) &&
    (fact === undefined || (change.kind === 'fact' && (fact === last || fact === change.subject))) &&
    (of === undefined || of.includes(first)) &&
    (some === undefined || some.includes(change.part ?? '')) &&
    (from === undefined || isOf(was, from)) &&
    (to === undefined || isOf(is, to)) &&
    (moved === undefined || movement === moved) &&
    (opened === undefined || (change.kind === 'fact' && isOpened(change.subject, was, is)))
  )
}

function isOf(value: Change['was'], kind: string): boolean {
  const [, not, hundred] = /^(not )?([24])xx$/.exec(kind) ?? []
  if (hundred !== undefined)
    return typeof value === 'number' && (Math.floor(value / 100) === Number(hundred)) === (not === undefined)
  if (kind === 'nothing') return value === null
  if (kind === 'no answer') return String(value).startsWith(kind)
  if (kind === 'nullable') return typeof value === 'string' && value.split(' or ').includes('null')
  return value !== null && String(value) === kind
}

/** Compares the specs of two runs. A spec that one of the runs did not judge is not compared. */
function specChanges(was: RunResult, is: RunResult) {
  const [before, now] = [specsOf(was), specsOf(is)]
  const stillFailing: string[] = []
  const found: Found = { changes: [], notCompared: [] }
  let compared = 0
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
    compared++
    if (isOther) found.changes.push(changeOf(old, young))
    else if (fails(old)) stillFailing.push(id)
  }
  return { ...found, stillFailing, compared }
}

/** Returns the specs by id, without pins and baseline entries, which say nothing about the reference. */
function specsOf({ specs }: RunResult): Map<string, SpecRecord> {
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
