import { isCut } from '../core/exchange.js'
import type { Spec } from '../suite/spec.js'
import type { RunContext } from './context.js'
import { type SpecEnd, SpecRun } from './spec-run.js'

const NO_WAITS = { begins() {}, ends() {} }

/**
 * Judges a Core whose logon was answered with success, but never came whole in the survey. Nothing can be controlled without
 * a token, so no other spec can run; but a Core that took the credentials, and does not return the token, breaks LOGON-1.
 * @param specs of which the first is taken that does nothing before it logs on
 * @returns that spec with its end; undefined where there is none, or where the second answer is of another kind
 */
export async function judgeCutLogon(
  specs: Spec[],
  context: RunContext,
  signal: AbortSignal,
): Promise<{ spec: Spec; end: SpecEnd } | undefined> {
  const spec = specs.find(
    ({ level, given, steps }) => level === 'must' && !given.length && steps[0]?.action === 'logon',
  )
  if (!spec) return undefined
  const run = new SpecRun(spec, context, signal, NO_WAITS)
  await run.judge()
  const end = await run.end()
  const [logon] = end.record.exchanges
  return end.record.outcome === 'failed' && logon && isCut(logon) ? { spec, end } : undefined
}
