/** Says the result of exploring in words, the same in every report. */
import { count } from '../ground/count.js'
import type { Exploration, FindingRecord } from '../result.js'

/** Sums up exploring: `412 requests in 15 sequences (seed 1), nothing found`, or why nothing was explored. */
export function exploredText({ seed, requests, sequences, findings, reason }: Exploration): string {
  if (requests === 0) return `nothing${reason === undefined ? '' : `: ${reason}`}`
  const what = `${count(requests, 'request')} in ${count(sequences, 'sequence')} (seed ${seed})`
  const found = findings.length === 0 ? 'nothing found' : count(findings.length, 'finding')
  return `${what}, ${found}${reason === undefined ? '' : `; then ${reason}`}`
}

/**
 * Sums up a finding: `found-revoke-1-3f2a9c1b: a revoked token is accepted after 3 other steps (confirmed, seen in 3 of 3
 * tries)`.
 */
export function findingText({ id, text, state, seen, tries, isShortest }: FindingRecord): string {
  const more = isShortest || state === 'flaky' ? '' : ', perhaps not the shortest'
  return `${id}: ${text} (${state}, seen in ${seen} of ${tries} tries${more})`
}

/** Lists the transitions of the model that were walked: the state of the token, the action, and how often. */
export function walkedRows({ transitions }: Exploration): [state: string, by: string, times: string][] {
  return transitions.map(({ from, by, times }) => [STATES[from] ?? from, by, String(times)])
}

/** Says how often a valid token was used after each tenth of its lifetime: `0 %: 136, 10 %: 0, …`. */
export function agesText({ ages }: Exploration): string {
  return ages.map((times, part) => `${part * 10} %: ${times}`).join(', ')
}

const STATES: Record<string, string> = {
  none: 'no token',
  unknown: 'never issued',
  issued: 'valid',
  doubt: 'valid or expired',
}
