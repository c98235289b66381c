/** Verifies one interaction of a contract on a Core, with the values of its provider state in the request. */
import { randomBytes } from 'node:crypto'
import type { Exchange, WireRequest } from '../../core/exchange.js'
import { NotSent } from '../../core/not-sent.js'
import type { Credentials } from '../../core/target.js'
import { alphabetOf } from '../../core/token.js'
import type { VerifyMeans } from '../../engine/context.js'
import { presentable } from '../../engine/record.js'
import { count } from '../../ground/count.js'
import { isFields, parseJson } from '../../ground/json.js'
import type { Variables } from '../../suite/variables.js'
import type { PactProcess } from '../process/process.js'
import { type ContractInteraction, roleOf } from '../read/contract-file.js'
import type { Value } from '../read/meanings.js'
import { Gateway, type IncomingRequest, MAX_BODY_BYTES, withAlias, withoutAlias } from './gateway.js'
import { outcomeOf, type Verified } from './outcome.js'
import { credentialsOf, isBearer, type Situation } from './situation.js'

/** The options for one interaction. */
export interface VerifyOneOptions {
  interaction: ContractInteraction
  situation: Situation
  pact: PactProcess
  means: VerifyMeans
  /** Longest exchange with the Core, in milliseconds. */
  deadlineMs: number
  signal: AbortSignal | undefined
}

/** Time for pauses that a Core asks for and for the start of Pact, in milliseconds, beside the exchanges of one interaction. */
const SLACK_MS = 120_000
/** Most exchanges of the gateway for one request: a refused logon is preceded by a good one, whose token is revoked. */
const MAX_EXCHANGES = 5

const KEY_TOLD =
  'a generator of the contract puts the address of the local gateway into the request, which would reveal it to the Core'
const TOO_LARGE = `the body of the answer is larger than ${MAX_BODY_BYTES / 1024 / 1024} MB, and no more is passed on to Pact`

/**
 * Lets the Verifier send the request and judge the answer.
 * @returns the differences, redacted; or why there is no verdict
 * @throws NotSent where the request could do harm; Interrupted
 */
export async function verifyOne(options: VerifyOneOptions): Promise<Verified> {
  const { interaction, situation, pact, means, deadlineMs, signal } = options
  let last: Exchange | undefined
  let refusal: unknown
  const placeholders = madePlaceholders()
  const own = Object.entries(situation.gives ?? {}).map(([name, value]) => [name, placeholders[value]])
  const gateway = await Gateway.start({
    // The state was set up before the Verifier started. It never gets a secret: it puts placeholders into requests.
    change: async () => ({ told: { ...Object.fromEntries(own), ...placeholders } }),
    async forward(request, gateway) {
      try {
        const written = asWritten(request, interaction)
        if (gateway.isToldBy(written)) throw new NotSent(KEY_TOLD)
        last = await means.send(filled(written, situation, means, placeholders))
        return last
      } catch (error) {
        refusal = error
        return undefined
      }
    },
  })
  const timeoutMs = deadlineMs * MAX_EXCHANGES + SLACK_MS
  const contract = withAlias(interaction.alone, interaction.status)
  const { url: gatewayUrl, statesUrl } = gateway
  let found: string
  try {
    const task = { type: 'verify' as const, contract, gatewayUrl, statesUrl, timeoutMs }
    found = withoutAlias(await pact.run(task, timeoutMs + SLACK_MS, signal))
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  } finally {
    await gateway.close()
  }
  if (refusal) throw refusal
  if (!last) return { error: 'Pact sent nothing to the Core' }
  if (last.error || !last.response) return { error: `the Core did not answer: ${last.error?.message ?? 'no response'}` }
  if (last.isBodyCut) return { error: TOO_LARGE }
  const outcome = outcomeOf(found)
  if ('error' in outcome) return outcome
  const differences = outcome.differences.map(each => ({
    ...each,
    ...(each.got !== undefined && { got: described(each.got, means.redact) }),
  }))
  return { differences: presentable(differences, means.redact) }
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

/** The placeholders that provider states supply. They are no secrets; the real values replace them on the way to the Core. */
type Placeholders = Record<Value, string>

/** Makes placeholders that no contract holds. */
export function madePlaceholders(): Placeholders {
  const made = (what: Value) => `placeholder-${what}-${randomBytes(8).toString('hex')}`
  return { token: made('token'), username: made('username'), password: made('password') }
}

/**
 * Returns a request with the values of its provider state in place of its examples.
 * @param value of the token; undefined: the token as written
 * @throws NotSent where a secret would stand in the URL
 */
function filled(
  request: WireRequest,
  { credentials }: Situation,
  { value, variables }: { value: string | undefined; variables: Variables },
  placeholders: Placeholders,
): WireRequest {
  const real = credentialsOf(credentials, variables)
  const swap = (text: string, encode: (secret: string) => string = String) =>
    text
      .replaceAll(placeholders.token, () => value ?? placeholders.token)
      .replaceAll(placeholders.username, () => encode(real.username))
      .replaceAll(placeholders.password, () => encode(real.password))
  const headers = request.headers.map(([name, text]): [string, string] => {
    const isLiteral = isBearer(name, text) && !text.includes(placeholders.token) && value !== undefined
    return [name, isLiteral ? text.replace(/ .*$/s, () => ` ${value}`) : swap(text)]
  })
  if ([placeholders.password, placeholders.token].some(secret => request.path.includes(secret)))
    throw new NotSent(
      'a generator of the contract puts the password or a token into the URL, where everybody on the way writes it down',
    )
  const path = swap(request.path, encodeURIComponent)
  if (request.body === undefined) return { ...request, path, headers }
  const body = swap(request.body, secret => JSON.stringify(secret).slice(1, -1))
  const isReplaced = credentials !== 'as written' && roleOf(request) === 'logon'
  return { ...request, path, headers, body: isReplaced ? withCredentials(body, real) : body }
}

/** Replaces the credentials in the body of a logon. Fields that are missing stay missing. */
function withCredentials(body: string, credentials: Credentials): string {
  const fields = parseJson(body)
  if (!isFields(fields)) return body
  for (const field of ['username', 'password'] as const) {
    if (typeof fields[field] === 'string') fields[field] = credentials[field]
  }
  return JSON.stringify(fields)
}
