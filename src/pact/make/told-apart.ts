/** Finds the statuses that a client tells apart, which its contract therefore pins. */
import { endMs, isLogon, isWork } from '../../client/requests.js'
import type { ClientRecord } from '../../client/result.js'
import type { RecordedRequest } from '../../mock/recorded-request.js'

/**
 * Returns the statuses of a refused token after which a client logs on again. There are none where it was seen to do so after
 * every other refusal too, such as the 406 that a good token meets in a scenario: then it renews on any 4xx.
 */
export function toldApart(records: readonly ClientRecord[]): ReadonlySet<number> {
  const renewing = new Set<number>()
  const others = new Map<number, boolean>()
  for (const { requests } of records) {
    for (const request of requests.filter(isRefusedWork)) {
      const { status, token } = request
      const isRenewed = requests.some(later => isLogon(later) && later.atMs >= endMs(request))
      if (status === null) continue
      if (token?.state === 'valid') others.set(status, others.get(status) || isRenewed)
      else if (isRenewed) renewing.add(status)
    }
  }
  const renewsOnAny = others.size > 0 && [...others.values()].every(Boolean)
  return renewsOnAny ? new Set() : renewing
}

/** Tells whether a request is work that was refused. 429 refuses no token: it asks to come later. */
function isRefusedWork(request: RecordedRequest): boolean {
  const { status, abandoned } = request
  return isWork(request) && !abandoned && status !== null && status >= 400 && status < 500 && status !== 429
}
