/** How far a verdict reaches: what of a run was not as the reference has it, or was not tested. No report says a verdict without it. */
import { duration } from '../duration.js'
import { count } from '../ground/count.js'
import { type Outcome, type RunResult, USUAL } from '../result.js'
import { countedAs, isJudged } from './words.js'

/** The parts of a result that tell it. */
export type ScopeSource = Pick<RunResult, 'verdict' | 'configuration' | 'dialect' | 'counts' | 'specs' | 'requirements'>

/** What is accepted though it is no 2xx: a path that is not there, or that this user may not see. */
const REFUSING = 400

/**
 * What the verdict is to be read with, in a few words each and always in the same order; empty where the whole suite was run as the
 * reference has it, or nothing was tested: `38 of 134 specs`, `quick profile`, `with 1 known failure`, `at a lifetime of 5 s`, `the probe answers 404`.
 */
export function scopeOf(result: ScopeSource): string[] {
  if (result.verdict === 'untestable') return []
  const { configuration, dialect, counts } = result
  const { accessControl, idleLifetimeMs, idleTolerance, probePath, profile, only } = configuration
  const { acceptedStatus } = dialect
  const isPart = only.length > 0 || profile === 'quick'
  const known = counts['known failure']
  return [
    ...(isPart ? [`${judged(result)} of ${count(specsOf(result).size, 'spec')}`] : []),
    ...(profile === 'quick' ? ['quick profile'] : []),
    ...(known > 0 ? [`with ${countedAs(known, 'known failure')}`] : []),
    ...(idleLifetimeMs === USUAL.idleLifetimeMs ? [] : [`at a lifetime of ${duration(idleLifetimeMs)}`]),
    ...(idleTolerance === USUAL.idleTolerance
      ? []
      : [`with a tolerance of ${Number((idleTolerance * 100).toFixed(3))} %`]),
    ...(accessControl === 'off' ? ['with access control off'] : []),
    // Without an answer that opens, accepted and refused differ in words at best.
    ...(acceptedStatus !== null && acceptedStatus >= REFUSING
      ? [`the probe ${probePath} answers ${acceptedStatus}`]
      : []),
  ]
}

/** The same behind the word of a verdict: `, 38 of 134 specs`, ` with 1 known failure`; empty where there is nothing to say. */
export function scopeSuffix(result: ScopeSource): string {
  const scope = scopeOf(result).join(', ')
  if (scope === '') return ''
  return /^(with|at) /.test(scope) ? ` ${scope}` : `, ${scope}`
}

/** `conformant, 38 of 134 specs`: a verdict in one line, for exit lines and badges. */
export function verdictText(result: ScopeSource): string {
  return `${result.verdict}${scopeSuffix(result)}`
}

/** How many specs said something of the Core; pinned facts and entries of the baseline are none. */
function judged({ specs }: ScopeSource): number {
  return specs.filter(spec => isOfSuite(spec) && isJudged(spec)).length
}

/** The ids of all specs that there are, as far as the result knows them. */
function specsOf({ specs, requirements = [] }: ScopeSource): Set<string> {
  return new Set([...requirements.flatMap(each => each.specs), ...specs.filter(isOfSuite).map(({ id }) => id)])
}

function isOfSuite({ pin, area }: RunResult['specs'][number]): boolean {
  return pin === undefined && area !== 'baseline'
}

/** What contradicts a verdict, in one sentence; undefined where the specs bear it. */
export function notBorne({
  verdict,
  specs,
  counts,
}: Pick<RunResult, 'verdict' | 'specs' | 'counts'>): string | undefined {
  const of = (...outcomes: Outcome[]) => specs.filter(({ outcome }) => outcomes.includes(outcome)).length
  const broken = of('failed', 'unexpected pass')
  const open = of('blocked', 'inconclusive')
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
      // Why a run could not test is told by its reason: an interruption need leave no spec open.
      return undefined
  }
}
