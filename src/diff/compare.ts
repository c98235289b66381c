import type { RunResult } from '../result.js'
import { factChanges, lifetimeChanges } from './facts.js'
import { ruleFor } from './rules.js'
import { specChanges, specsOf } from './specs.js'
import { type Change, type ChangeKind, CONSEQUENCES, type Comparison, type Difference } from './types.js'

const KINDS: ChangeKind[] = ['failure', 'fact', 'field', 'header', 'lifetime', 'certificate', 'mended']

/** What changed from one run to a later one, each with its consequence for clients, and what could not be compared. */
export function compare(was: RunResult, is: RunResult): Omit<Comparison, 'from' | 'to'> {
  const specs = specChanges(was, is)
  const facts = factChanges(was.facts, is.facts)
  const changes = [...specs.changes, ...facts.changes, ...lifetimeChanges(was, is), ...certificateChanges(was, is)]
  const differences = changes.map(judged).sort(byWeight)
  const count = (name: string) => differences.filter(({ consequence }) => consequence === name).length
  return {
    differences,
    counts: { breaking: count('breaking'), risky: count('risky'), harmless: count('harmless') },
    stillFailing: specs.stillFailing,
    compared: specs.compared,
    notices: notices(was, is),
    notCompared: [...specs.notCompared, ...facts.notCompared],
  }
}

function judged(change: Change): Difference {
  const { id, consequence, why } = ruleFor(change)
  return { ...change, consequence, rule: id, why }
}

function byWeight(a: Difference, b: Difference): number {
  const weight = ({ consequence, kind }: Difference) => CONSEQUENCES.indexOf(consequence) * 100 + KINDS.indexOf(kind)
  const key = ({ subject, part = '' }: Difference) => `${subject}\n${part}`
  return weight(a) - weight(b) || (key(a) < key(b) ? -1 : 1)
}

/** Another Core has another certificate, and a mock Core a new one each time; of one and the same Core it is news. */
function certificateChanges({ target: was }: RunResult, { target: is }: RunResult): Change[] {
  const [before, now] = [was.certificateFingerprint, is.certificateFingerprint]
  if (was.url !== is.url || was.kind === 'mock' || !before || !now || before === now) return []
  return [{ kind: 'certificate', subject: 'certificate', was: before, is: now }]
}

/** Why two runs are not quite alike. */
function notices(was: RunResult, is: RunResult): string[] {
  const told: string[] = []
  if (was.suite.specsDigest !== is.suite.specsDigest || was.suite.version !== is.suite.version) {
    const [before, now] = [specsOf(was), specsOf(is)]
    const only = (some: typeof before, others: typeof before) => [...some.keys()].filter(id => !others.has(id)).length
    told.push(
      `the runs are of different spec sets (${was.suite.version}, ${is.suite.version}): ${only(before, now)} specs are in the earlier run only, ${only(now, before)} in the later one only, and the others may have changed`,
    )
  }
  for (const key of Object.keys(was.configuration) as (keyof RunResult['configuration'])[]) {
    const [before, now] = [was.configuration[key], is.configuration[key]].map(value => JSON.stringify(value))
    if (before !== now) told.push(`the runs were configured differently: ${key} was ${before}, and is ${now}`)
  }
  for (const [name, run] of [
    ['earlier', was],
    ['later', is],
  ] as const) {
    if (['incomplete', 'untestable', 'pending'].includes(run.verdict)) {
      told.push(`the ${name} run is ${run.verdict}: ${run.reason}`)
    }
  }
  if ((was.dialect.lifetime === null) !== (is.dialect.lifetime === null)) {
    told.push('the idle lifetime was measured in one of the runs only')
  }
  return told
}
