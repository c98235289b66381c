/** Checks that specs and counts bear a verdict. */
import { count } from '../ground/count.js'
import { isBreach, isFailing, isHindered, isSpec } from '../result/outcomes.js'
import type { Outcome, RunResult, SpecRecord } from '../result.js'

/** Says in one sentence how counts or specs contradict a verdict; undefined where they do not. */
export function notBorne({
  verdict,
  specs: records,
  counts,
}: Pick<RunResult, 'verdict' | 'specs' | 'counts'>): string | undefined {
  const specs = records.filter(isSpec)
  // Earlier versions counted pinned facts and baseline entries as specs.
  const mistold = miscounted(counts, specs) && miscounted(counts, records)
  if (mistold) return mistold
  const of = (...outcomes: Outcome[]) => specs.filter(({ outcome }) => outcomes.includes(outcome)).length
  const broken = records.filter(isBreach).length
  const [failed, drifted] = [of('failed'), records.filter(({ pin, outcome }) => pin && outcome === 'failed').length]
  const open = specs.filter(isHindered).length
  const says = (what: string) => `it says ${verdict}, and ${what}`
  if (!isFailing(verdict) && broken > 0) return says(`${count(broken, 'spec')} of it failed`)
  switch (verdict) {
    case 'nonconformant':
      return broken === 0 ? says('no spec of it failed') : undefined
    case 'drifted':
    case 'stale baseline':
      if (failed > 0) return says(`${count(failed, 'spec')} of it failed`)
      if (verdict === 'drifted') return drifted === 0 ? says('no pinned fact of it drifted') : undefined
      return drifted > 0 || broken === 0 ? says('that is not what failed it') : undefined
    case 'conformant':
      if (open > 0) return says(`${count(open, 'spec')} of it could not be judged`)
      if (of('pending') > 0) return says(`${count(of('pending'), 'spec')} of it still wait`)
      return of('passed') === 0 ? says('no spec of it passed') : undefined
    case 'pending':
      return of('pending') === 0 ? says('no spec of it waits') : undefined
    case 'incomplete':
    case 'untestable':
      // The reason of the run says why it could not test. An interruption may leave no spec open.
      return undefined
  }
}

/** Says which count is not that of these records. */
function miscounted(counts: RunResult['counts'], specs: readonly SpecRecord[]): string | undefined {
  const numberOf = (name: string) =>
    name === 'selected' ? specs.length : specs.filter(({ outcome }) => outcome === name).length
  const told = Object.entries(counts).find(([name, number]) => number !== numberOf(name))
  return told && `it counts ${told[1]} ${told[0]}, and its specs are ${numberOf(told[0])}`
}
