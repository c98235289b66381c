/** Interactions of contracts as specs, and the steps that bring their provider states about. */

import { requestOf } from '../../suite/roles.js'
import type { SendStep, Spec, Step } from '../../suite/spec.js'
import { type TokenRef, UNKNOWN_TOKEN } from '../../suite/step-words.js'
import { roleOf } from '../read/contract-file.js'
import type { Kinds, Situation, TokenKind } from './situation.js'

/** The name of the token of an interaction. */
export const TOKEN = 'a'

/** The wait after which that token has expired. */
export const PAST_LIFETIME: Step = { action: 'wait', token: TOKEN, since: 'used', span: 'past lifetime', tests: [] }

type Requests = Parameters<typeof requestOf>[0]

/** Returns the steps after which there is a token of a kind. One that is to expire still has to wait. */
function stepsTo(kind: TokenKind, requests: Requests): Step[] {
  if (kind === 'as written') return []
  const token = { name: TOKEN }
  const send = (role: 'probe' | 'revoke', more: Partial<SendStep>): Step => {
    return { ...PLAIN, request: requestOf(requests, role), role, token, expect: [], ...more }
  }
  // A refusal shows nothing where the Core refuses every token.
  const used: Step[] = [
    { action: 'logon', token: TOKEN, http: '1.1', tests: [] },
    send('probe', { expect: ['accepted'] }),
  ]
  return kind === 'revoked' ? [...used, send('revoke', {})] : used
}

/** Names the token of a kind. */
export function refOf(kind: TokenKind): TokenRef {
  return { name: kind === 'never issued' ? UNKNOWN_TOKEN : TOKEN }
}

/** Returns the step that sends a request of a contract. */
export function stepOf(
  { method, path }: { method: string; path: string },
  { token, credentials }: Kinds,
  requests: Requests,
): SendStep {
  const role = roleOf({ method, path })
  return {
    ...PLAIN,
    request: requestOf(requests, role ?? 'probe'),
    method,
    // Words of the contract are no variables.
    path: path.replaceAll('{', '%7B').replaceAll('}', '%7D'),
    ...(role && { role }),
    ...(role === 'logon' && { body: 'of the contract' }),
    ...(token !== 'as written' && { token: refOf(token) }),
    expect: role === 'logon' && credentials === 'right' ? ['issued'] : [],
    tests: ['the contract'],
    isVerified: true,
  }
}

/** Makes the spec of an interaction. @param heading how reports call it, and where it stands */
export function specOf(
  heading: Pick<Spec, 'id' | 'area' | 'title' | 'file' | 'line'>,
  situation: Situation,
  request: { method: string; path: string },
  requests: Requests,
): Spec {
  const { token, accessControl } = situation
  return {
    ...heading,
    level: 'must',
    requirements: [],
    accessControl,
    measuresLifetime: false,
    given: stepsTo(token, requests),
    steps: [...(token === 'expired' ? [PAST_LIFETIME] : []), stepOf(request, situation, requests)],
    isOwn: true,
  }
}

const PLAIN = {
  action: 'send',
  headers: {},
  without: [],
  http: '1.1',
  connection: 'kept',
  times: 1,
  tests: [],
} satisfies Partial<SendStep>
