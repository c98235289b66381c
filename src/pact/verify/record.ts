/** Records an interaction with its outcome, in the form of reports. */
import type { Exchange } from '../../core/exchange.js'
import type { Survey } from '../../core/survey.js'
import { count, numbered } from '../../ground/count.js'
import { type ExchangeRecord, OUTCOMES, type RunResult, type SpecRecord, type StepRecord } from '../../result.js'
import type { Contract, ContractInteraction } from '../read/contract-file.js'
import { wordsOf } from '../read/meanings.js'
import type { Ended } from './verify-one.js'

/** Longest part of a body that is shown, in characters. */
const SHOWN_CHARACTERS = 4096

/** Makes the record of an interaction: the exchanges of its provider state, then the judged one. Not redacted yet. */
export function recordOf(
  { file, interactions }: Contract,
  area: string,
  interaction: ContractInteraction,
  { outcome, message, differences = [], given = [], exchanges = [] }: Ended,
  times: Pick<SpecRecord, 'atMs' | 'durationMs'> = { atMs: 0, durationMs: 0 },
): SpecRecord {
  const { description, states, line } = interaction
  const told = states.map(wordsOf).join(' and ')
  const all = [...given, ...exchanges].map(toRecord)
  const indexes = all.map((_, index) => index)
  const prepared: StepRecord[] = given.length
    ? [
        {
          text: `given ${told}`,
          kind: 'given',
          outcome: 'ok',
          exchanges: indexes.slice(0, given.length),
        },
      ]
    : []
  const judged = indexes.slice(-1)
  return {
    id: `interaction ${interactions.indexOf(interaction) + 1}`,
    area,
    title: states.length ? `${description}, given ${told}` : description,
    level: 'must',
    requirements: [],
    file,
    line,
    isOwn: true,
    outcome,
    ...(message !== undefined && { message }),
    ...times,
    steps: [
      ...prepared,
      ...differences.map(difference => ({
        ...difference,
        kind: 'check' as const,
        outcome: 'miss' as const,
        exchanges: judged,
      })),
    ],
    exchanges: all,
  }
}

function toRecord({ request, response, error, sentAt, receivedAt }: Exchange): ExchangeRecord {
  const { method, path, httpVersion, headers, body } = request
  return {
    atMs: sentAt,
    durationMs: receivedAt - sentAt,
    request: { method, path, httpVersion, headers, ...(body !== undefined && { body }) },
    ...(response && { response: { ...response, body: response.body.slice(0, SHOWN_CHARACTERS) } }),
    ...(error && { error: { kind: error.kind, message: error.message } }),
  }
}

/** Returns the verdict on all interactions. An unverified interaction leaves it open, unless another one is broken. */
export function verdictOf(
  specs: SpecRecord[],
  untestable: Survey['untestable'],
  isInterrupted: boolean,
): Pick<RunResult, 'verdict' | 'reason' | 'advice' | 'counts'> {
  const number = (outcome: SpecRecord['outcome']) => specs.filter(spec => spec.outcome === outcome).length
  const counts = {
    selected: specs.length,
    ...Object.fromEntries(OUTCOMES.map(outcome => [outcome, number(outcome)])),
  } as RunResult['counts']
  const { failed, blocked, passed } = counts
  const all = count(specs.length, 'interaction')
  if (failed)
    return {
      verdict: 'nonconformant',
      reason: `${failed} of ${all} ${numbered(failed, 'does', 'do')} not hold`,
      counts,
    }
  if (untestable) return { verdict: 'untestable', ...untestable, counts }
  if (isInterrupted) return { verdict: 'incomplete', reason: 'the verification was interrupted', counts }
  if (blocked) return { verdict: 'incomplete', reason: `${blocked} of ${all} could not be verified`, counts }
  if (!passed) return { verdict: 'incomplete', reason: 'nothing was verified', counts }
  const reason = passed === specs.length ? `${all} verified, all hold` : `${passed} of ${all} verified, none is broken`
  return { verdict: 'conformant', reason, counts }
}
