/** What the reports say of a client that was judged. Nothing that it sent is repeated but method, path and status. */

import { passwordPlaces } from '../client/password.js'
import type { ClientResult, Judgement, ScenarioResult } from '../client/result.js'
import { count } from './words.js'

/** Of the requests that show something, so many are told. */
const TOLD_REQUESTS = 3

/** Where a finding shows: `request 3 (GET /api/v0/cores/self/users → 401)`; empty when no request shows it. */
export function where({ requests }: Judgement, { record }: ScenarioResult): string {
  const told = requests.slice(0, TOLD_REQUESTS).map(number => {
    const request = record.requests.find(candidate => candidate.number === number)
    if (request === undefined) return `request ${number}`
    const isSecret = passwordPlaces(request, record.credentials.password).includes('the path')
    const path = isSecret ? '<concealed>' : request.path
    return `request ${number} (${request.method} ${path} → ${request.status ?? 'no answer'})`
  })
  const more = requests.length - told.length
  return [...told, ...(more > 0 ? [`${more} more`] : [])].join(', ')
}

/** What was seen of a scenario, in a few words. */
export function seen({ record, judgements }: ScenarioResult): string {
  const judged = judgements.filter(({ outcome }) => outcome !== 'skipped').length
  return `${count(judged, 'rule')} judged by ${count(record.requests.length, 'request')}`
}

/** The headline of the verdict, with its mark. */
export const HEADLINES: Record<ClientResult['verdict'], string> = {
  conformant: '✓ The client conforms',
  nonconformant: '✗ The client does not conform',
  incomplete: '? The client could not be judged',
}
