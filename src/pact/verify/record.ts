/** Records an interaction with its outcome, in the form of reports. */
import type { Exchange } from '../../core/exchange.js'
import type { ExchangeRecord, SpecRecord, StepRecord } from '../../result.js'
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
