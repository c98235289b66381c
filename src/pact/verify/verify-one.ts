/** Verifies one interaction of a contract on a Core. */
import type { Exchange } from '../../core/exchange.js'
import { NotSent } from '../../core/session.js'
import { alphabetOf } from '../../core/token.js'
import { count } from '../../ground/count.js'
import type { PactProcess } from '../process/process.js'
import type { ContractInteraction } from '../read/contract-file.js'
import { type Gateway, type IncomingRequest, MAX_BODY_BYTES } from './gateway.js'
import { withAlias, withoutAlias } from './headers.js'
import { type Difference, outcomeOf } from './outcome.js'
import { type Prepared, type Provider, StateError } from './provider.js'

import type { Situation } from './situation.js'

/** The outcome of an interaction. */
export interface Ended {
  outcome: 'passed' | 'failed' | 'blocked' | 'skipped'
  /** Present for every outcome but `passed`. */
  message?: string
  differences?: Difference[]
  /** The exchanges of its provider state. */
  given?: Exchange[]
  /** The request of the Verifier, with its accompanying exchanges. */
  exchanges?: Exchange[]
}

/** The options for one interaction. */
export interface VerifyOneOptions {
  interaction: ContractInteraction
  situation: Situation
  provider: Provider
  gateway: Gateway
  pact: PactProcess
  /** Hides secrets. For a text that is one secret, the replacement names its kind. */
  redact: (text: string) => string
  /** Longest exchange with the Core, in milliseconds. */
  deadlineMs: number
  signal: AbortSignal
}

/** Time for pauses that a Core asks for and for the start of Pact, in milliseconds, beside the exchanges of one interaction. */
const SLACK_MS = 120_000
/** Most exchanges of the gateway for one request: a refused logon is preceded by a good one, whose token is revoked. */
const MAX_EXCHANGES = 5

/** Sets up the provider state, lets the Verifier send the request and judge the answer, and revokes the issued tokens. */
export async function verifyOne(options: VerifyOneOptions): Promise<Ended> {
  const { provider, situation } = options
  const given: Exchange[] = []
  let prepared: Prepared
  try {
    prepared = await provider.prepare(situation, given)
  } catch (error) {
    if (!(error instanceof StateError)) throw error
    return { outcome: 'blocked', message: `its provider state could not be brought about: ${error.message}`, given }
  }
  try {
    return { ...(await judged(options, prepared)), given }
  } finally {
    await provider.release(prepared, [])
  }
}

/** The beginning of the message about a pending interaction that does not hold. */
export const PENDING = 'it is pending, and does not hold'
const KEY_TOLD =
  'a generator of the contract puts the address of the local gateway into the request, which would reveal it to the Core'
const TOO_LARGE = `the body of the answer is larger than ${MAX_BODY_BYTES / 1024 / 1024} MB, and no more is passed on to Pact`

async function judged(
  { interaction, situation, provider, gateway, pact, redact, deadlineMs, signal }: VerifyOneOptions,
  prepared: Prepared,
): Promise<Ended> {
  const exchanges: Exchange[] = []
  const answered: Exchange[] = []
  let refusal: unknown
  gateway.gives = situation.gives ?? {}
  gateway.forward = async request => {
    try {
      const written = asWritten(request, interaction)
      if (gateway.isToldBy(written)) throw new StateError(KEY_TOLD)
      const exchange = await provider.send(written, prepared, exchanges)
      answered.push(exchange)
      // A part of a body would be judged as the whole.
      return exchange.isBodyCut ? undefined : exchange
    } catch (error) {
      refusal = error
      return undefined
    }
  }
  const timeoutMs = deadlineMs * MAX_EXCHANGES + SLACK_MS
  let found: string
  try {
    const { url: gatewayUrl, statesUrl } = gateway
    const task = {
      type: 'verify' as const,
      contract: withAlias(interaction.alone, interaction.status),
      gatewayUrl,
      statesUrl,
      timeoutMs,
    }
    found = withoutAlias(await pact.run(task, timeoutMs + SLACK_MS, signal))
  } catch (error) {
    return { outcome: 'blocked', message: error instanceof Error ? error.message : String(error), exchanges }
  } finally {
    gateway.forward = undefined
  }
  if (refusal instanceof NotSent || refusal instanceof StateError)
    return { outcome: 'blocked', message: refusal.message, exchanges }
  if (refusal) throw refusal
  const last = answered.at(-1)
  if (!last) return { outcome: 'blocked', message: 'Pact sent nothing to the Core', exchanges }
  if (last.error || !last.response)
    return {
      outcome: 'blocked',
      message: `the Core did not answer: ${last.error?.message ?? 'no response'}`,
      exchanges,
    }
  if (last.isBodyCut) return { outcome: 'blocked', message: TOO_LARGE, exchanges }
  return { ...concluded(interaction, found, redact), exchanges }
}

function concluded({ pending }: ContractInteraction, found: string, redact: (text: string) => string): Ended {
  const outcome = outcomeOf(found)
  if ('error' in outcome) return { outcome: 'blocked', message: outcome.error }
  const differences = outcome.differences.map(each => ({
    ...each,
    ...(each.got !== undefined && { got: described(each.got, redact) }),
  }))
  if (!differences.length) return { outcome: 'passed' }
  const message = differences.map(({ text, expected, got }) => `${text}: expected ${expected}, got ${got}`).join('; ')
  if (pending) return { outcome: 'skipped', message: `${PENDING}: ${message}` }
  return { outcome: 'failed', message, differences }
}

/** Describes the received value. Gives length and alphabet of a token: that it is a token does not explain the mismatch. */
function described(got: string, redact: (text: string) => string): string {
  const [, , scheme = '', value = ''] = /^(['"]?)(Bearer +)?(\S+)\1$/i.exec(got) ?? []
  const label = value && /^\[(withheld|[^\]]*token[^\]]*)\]$/.exec(redact(value))?.[1]
  if (!label) return got
  const what = label === 'withheld' ? 'text' : 'token'
  return `${scheme}a ${what} of ${count(value.length, 'character')}, ${alphabetOf(value)}`
}

/** Removes the headers that the Verifier's client adds to a request. */
function asWritten({ method, path, headers, body }: IncomingRequest, { request }: ContractInteraction) {
  const named = new Map(request?.headers.map(([name]) => [name.toLowerCase(), name]))
  if (body !== undefined && !named.has('content-type')) named.set('content-type', 'Content-Type')
  named.delete('host')
  named.delete('content-length')
  named.delete('connection')
  return {
    method,
    path,
    headers: headers.flatMap(([name, value]): [string, string][] => {
      const written = named.get(name.toLowerCase())
      return written === undefined ? [] : [[written, value]]
    }),
    ...(body !== undefined && { body }),
    httpVersion: '1.1' as const,
    omitHost: false,
  }
}
