/** Writes a verdict with its limits, and checks that the specs support it. No report shows a verdict without its limits. */
import { count } from '../ground/count.js'
import { isBreach, isHindered } from '../result/outcomes.js'
import { type ScopeSource, scopeOf } from '../result/scope.js'
import type { Outcome, RunResult } from '../result.js'

/** Returns the limits of a verdict, as text behind its word: `, 38 of 134 specs`, ` with 1 known failure`; empty for none. */
export function scopeSuffix(result: ScopeSource): string {
  const scope = scopeOf(result).join(', ')
  if (scope === '') return ''
  return /^(with|at) /.test(scope) ? ` ${scope}` : `, ${scope}`
}

/** Returns a verdict with its limits in one line, for exit lines and badges: `conformant, 38 of 134 specs`. */
export function verdictText(result: ScopeSource): string {
  return `${result.verdict}${scopeSuffix(result)}`
}

/** Says in one sentence how counts or specs contradict a verdict; undefined where they do not. */
export function notBorne({
  verdict,
  specs,
  counts,
}: Pick<RunResult, 'verdict' | 'specs' | 'counts'>): string | undefined {
  const of = (...outcomes: Outcome[]) => specs.filter(({ outcome }) => outcomes.includes(outcome)).length
  const broken = specs.filter(isBreach).length
  const open = specs.filter(isHindered).length
  const passed = specs.filter(({ outcome, pin }) => outcome === 'passed' && pin === undefined).length
  const told = Object.entries(counts).find(([name, number]) =>
    name === 'selected' ? number !== specs.length : number !== of(name as Outcome),
  )
  if (told) {
    const [name, number] = told
    const is = name === 'selected' ? specs.length : of(name as Outcome)
    return `it counts ${number} ${name}, and its specs are ${is}`
  }
  const says = (what: string) => `it says ${verdict}, and ${what}`
  if (verdict !== 'nonconformant' && broken > 0) return says(`${count(broken, 'spec')} of it failed`)
  switch (verdict) {
    case 'nonconformant':
      return broken === 0 ? says('no spec of it failed') : undefined
    case 'conformant':
      if (open > 0) return says(`${count(open, 'spec')} of it could not be judged`)
      if (of('pending') > 0) return says(`${count(of('pending'), 'spec')} of it still wait`)
      return passed === 0 ? says('no spec of it passed') : undefined
    case 'pending':
      return of('pending') === 0 ? says('no spec of it waits') : undefined
    case 'incomplete':
    case 'untestable':
      // The reason of the run says why it could not test. An interruption may leave no spec open.
      return undefined
  }
}
