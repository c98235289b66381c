import type { RunResult } from '../result.js'
import { comparable, factChanges } from './compare-facts.js'
import { specChanges } from './compare-specs.js'
import { doubtChanges } from './doubts.js'
import { lifetimeChanges } from './lifetime.js'
import { notices } from './notices.js'
import { ruleFor } from './rule-for.js'
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
  const changes = [
    ...specs.changes,
    ...doubtsOf(was, is),
    ...facts.changes,
    ...lifetime.changes,
    ...certificateChanges(was, is),
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
  const both: [RunResult['facts'], RunResult['facts']] = [was.facts, is.facts]
  const guard =
    before.accessControl !== now.accessControl
      ? { reason: 'access control was on in one of the runs only', of: /^(token|logon)\b/ }
      : before.probePath !== now.probePath
        ? { reason: 'the runs asked other paths', of: /^(token|logon|revocation|sessions|http)\b/ }
        : undefined
  if (!guard) return factChanges(...both)
  const { facts, notCompared } = comparable(both, guard.reason, name => guard.of.test(name))
  const found = factChanges(...facts)
  return { changes: found.changes, notCompared: [...notCompared, ...found.notCompared] }
}

/** Compares the doubts. Without access control, or without it in one run, nothing is protected that could be opened. */
function doubtsOf(was: RunResult, is: RunResult): Change[] {
  return was.configuration.accessControl === is.configuration.accessControl ? doubtChanges(was, is) : []
}

/**
 * Compares the measured idle lifetime. Runs that were configured with different lifetimes are not compared: the Cores
 * differ.
 */
function lifetimeOf(was: RunResult, is: RunResult): Found {
  if (was.configuration.idleLifetimeMs === is.configuration.idleLifetimeMs) {
    return { changes: lifetimeChanges(was, is), notCompared: [] }
  }
  if (!was.dialect.lifetime || !is.dialect.lifetime) return { changes: [], notCompared: [] }
  const why = 'the runs were configured with different ones'
  return { changes: [], notCompared: [{ kind: 'fact', subject: 'idle lifetime', why }] }
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

/** Compares the certificates of one Core. The mock Core makes a new certificate for each run, which says nothing. */
function certificateChanges({ target: was }: RunResult, { target: is }: RunResult): Change[] {
  const [before, now] = [was.certificateFingerprint, is.certificateFingerprint]
  if (was.url !== is.url || was.kind === 'mock' || !before || !now || before === now) return []
  return [{ kind: 'certificate', subject: 'certificate', was: before, is: now }]
}
