import type { Exchange } from '../core/exchange.js'
import { NotSent } from '../core/session.js'
import type { SpecRecord, StepRecord } from '../result.js'
import type { Spec } from '../suite/spec.js'
import { toExchangeRecord } from './record.js'
import { Interrupted } from './schedule.js'
import { sentence } from './sentence.js'
import { type RunContext, type StepResult, StepRunner } from './steps.js'

/** Why a run that was interrupted has no outcome for a spec. */
export const INTERRUPTED = 'the run was interrupted'

/** How a spec ended. */
export interface SpecEnd {
  record: SpecRecord
  /** How many tokens the Core held when it had no room for another; absent where that was not so. */
  room: number | undefined
  /** Whether a token of it was not accepted though it was to be alive. */
  died: boolean
}

/**
 * Runs one spec to its outcome, and gives back every token that it was issued.
 */
export async function runSpec(spec: Spec, context: RunContext, signal: AbortSignal): Promise<SpecEnd> {
  const atMs = context.schedule.now()
  const runner = new StepRunner(context, spec)
  const records: StepRecord[] = planned(spec, context)
  let outcome: Pick<SpecRecord, 'outcome' | 'message'> = { outcome: 'passed' }
  let room: number | undefined
  let died = false
  try {
    for (const [index, step] of [...spec.given, ...spec.steps].entries()) {
      const record = records[index]
      if (!record) break
      if (signal.aborted) throw new Interrupted()
      const first = runner.exchanges.length
      const result = await runner.run(step, record.kind)
      record.exchanges = range(first, runner.exchanges.length)
      Object.assign(record, shown(result))
      if (result.outcome === 'ok') continue
      room = result.outcome === 'limited' ? context.session.live : undefined
      died = result.died ?? false
      outcome = judgeStep(record, result)
      break
    }
  } catch (error) {
    outcome = ended(error)
  }
  if (spec.level === 'observe' && ['passed', 'failed'].includes(outcome.outcome)) outcome = observed(records)
  const cleaning: Exchange[] = []
  await context.session.giveBack(runner.issued, cleaning, runner.kept)
  runner.kept.close()
  const record: SpecRecord = {
    ...unrun(spec, outcome.outcome, outcome.message),
    atMs,
    durationMs: context.schedule.now() - atMs,
    steps: records,
    exchanges: [...runner.exchanges, ...cleaning].map(toExchangeRecord),
  }
  return { record, room, died }
}

/** The record of a spec that did not run. */
export function unrun(spec: Spec, outcome: SpecRecord['outcome'], message?: string): SpecRecord {
  const { id, area, title, level, requirements, file, line, interactions } = spec
  const told = message === undefined ? {} : { message }
  return {
    id,
    area,
    title,
    level,
    requirements,
    file,
    line,
    ...(interactions && { interactions }),
    outcome,
    ...told,
    atMs: 0,
    durationMs: 0,
    steps: [],
    exchanges: [],
  }
}

function planned(spec: Spec, { parts }: RunContext): StepRecord[] {
  const record = (kind: StepRecord['kind']) => (step: Spec['steps'][number]) => ({
    text: sentence(step, parts, parts.variables['probe-path'] ?? ''),
    kind,
    outcome: 'not run' as const,
    exchanges: [],
  })
  return [...spec.given.map(record('given')), ...spec.steps.map(record('check'))]
}

function shown({ outcome, expected, got }: StepResult): Partial<StepRecord> {
  const told = { ...(expected !== undefined && { expected }), ...(got !== undefined && { got }) }
  return { outcome: outcome === 'unreachable' || outcome === 'limited' ? 'miss' : outcome, ...told }
}

function judgeStep(
  { kind, text }: StepRecord,
  { outcome, expected, got }: StepResult,
): Pick<SpecRecord, 'outcome' | 'message'> {
  if (outcome === 'missed window') return { outcome: 'inconclusive', message: `${text}: ${got}` }
  if (outcome === 'unreachable' || outcome === 'limited') return { outcome: 'blocked', message: `${text}: ${got}` }
  const message = `${text}: expected ${expected}; got ${got}`
  return { outcome: kind === 'given' ? 'blocked' : 'failed', message }
}

function ended(error: unknown): Pick<SpecRecord, 'outcome' | 'message'> {
  if (error instanceof Interrupted) return { outcome: 'skipped', message: INTERRUPTED }
  if (error instanceof NotSent) return { outcome: 'skipped', message: error.message }
  // A fault of ours or of the clock: never the Core's.
  return { outcome: 'blocked', message: error instanceof Error ? error.message : String(error) }
}

function observed(records: StepRecord[]): Pick<SpecRecord, 'outcome' | 'message'> {
  const seen = records
    .filter(({ kind, got }) => kind === 'check' && got !== undefined)
    .map(({ text, got }) => `${text}: ${got}`)
  return { outcome: 'observed', message: seen.join('; ') || 'nothing was seen' }
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index)
}
