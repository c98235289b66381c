/** Talks to a Pact broker: fetches the selected contracts and publishes results. */
import { MOST_FILE_BYTES } from '../../ground/file.js'
import { parseJson } from '../../ground/json.js'
import { streamText } from '../../ground/stream-text.js'
import { isUrl, linkOf } from '../read/contract-file.js'
import type { Selector } from './selector.js'

/** The error of a broker, or of a server of contracts: the request, the answer, and the next step for the user. */
export class BrokerError extends Error {}

/** The configuration of a {@link Broker}. */
export interface BrokerAccess {
  /** Its base URL, with a slash at its end. */
  url: URL
  authorization: string | undefined
}

/** Longest answer of a broker, in milliseconds; far longer than a look-up takes. */
const DEADLINE_MS = 30_000

/**
 * Sends requests to a broker. Credentials go only to its origin: redirections are not followed, and links to other origins
 * are refused.
 */
export class Broker {
  constructor(
    private readonly access: BrokerAccess,
    private readonly signal: AbortSignal,
  ) {}

  /**
   * Returns the contracts that it wants verified, in its order. `pending`: one may fail, because it never held on this branch.
   * @throws BrokerError
   */
  async select(provider: string, selectors: readonly Selector[], branch: string | undefined) {
    const url = await this.linked('pb:provider-pacts-for-verification', { provider })
    const found: unknown = await this.json('POST', url, {
      consumerVersionSelectors: selectors,
      ...(branch !== undefined && { providerVersionBranch: branch, includePendingStatus: true }),
    })
    const { _embedded } = (found ?? {}) as { _embedded?: { pacts?: unknown } }
    const pacts = Array.isArray(_embedded?.pacts) ? (_embedded.pacts as unknown[]) : []
    return pacts.map(pact => {
      const self = linkOf(pact, 'self')
      if (self === undefined) throw new BrokerError(`${url} names a contract without its address: ${NO_BROKER}`)
      const { verificationProperties } = pact as { verificationProperties?: { pending?: unknown } }
      return { url: new URL(self, this.access.url).href, pending: verificationProperties?.pending === true }
    })
  }

  /** Tells whether a URL belongs to this broker, so that credentials may go there. */
  owns(url: string): boolean {
    return new URL(url).origin === this.access.url.origin
  }

  /** Records the branch of a version. @throws BrokerError */
  async nameBranch(provider: string, branch: string, version: string): Promise<void> {
    const url = await this.linked('pb:pacticipant-branch-version', { pacticipant: provider, branch, version })
    await this.ask('PUT', url, {})
  }

  /** Publishes the result of a contract at the URL that came with the contract. @throws BrokerError */
  async publish(resultsUrl: string, result: unknown): Promise<void> {
    await this.ask('POST', new URL(resultsUrl, this.access.url).href, result)
  }

  private async linked(name: string, values: Record<string, string>): Promise<string> {
    const { href } = this.access.url
    const template = linkOf(await this.json('GET', href), name)
    if (template === undefined) throw new BrokerError(`${href} has no link ${name}: ${NO_BROKER}`)
    const filled = template.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(values[key] ?? ''))
    return new URL(filled, this.access.url).href
  }

  private async json(method: string, url: string, body?: unknown): Promise<unknown> {
    const value = parseJson(await this.ask(method, url, body))
    if (value === undefined) throw new BrokerError(`${url} answered no JSON: ${NO_BROKER}`)
    return value
  }

  /** Fetches a text, such as that of a contract, from a URL of this broker. @throws BrokerError */
  ask(method: string, url: string, body?: unknown): Promise<string> {
    const { url: base, authorization } = this.access
    if (!this.owns(url))
      throw new BrokerError(
        `the broker at ${base.origin} leads to ${new URL(url).origin}, and credentials for it go nowhere else: give --broker that address, or correct the base URL in its settings`,
      )
    return fetched(url, this.signal, { method, authorization, body })
  }
}

const NO_BROKER = 'give --broker the base URL of a Pact broker'

/**
 * Fetches a text, such as that of a contract. Sends nothing that identifies the user but what it is given.
 * @throws BrokerError
 */
export async function fetched(
  url: string,
  signal: AbortSignal,
  { method = 'GET', authorization, body }: { method?: string; authorization?: string | undefined; body?: unknown } = {},
): Promise<string> {
  const told = `${method} ${url}`
  if (!isUrl(url)) throw new BrokerError(`${told}: not an HTTP address`)
  let response: Response
  let text: string | undefined
  try {
    response = await fetch(url, {
      method,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]),
      headers: {
        Accept: 'application/hal+json, application/json',
        ...(authorization !== undefined && { Authorization: authorization }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    text = await streamText((response.body ?? []) as AsyncIterable<Uint8Array>, MOST_FILE_BYTES)
  } catch (error) {
    if (signal.aborted) throw new BrokerError('it was interrupted')
    throw new BrokerError(`${told}: ${reasonOf(error)}`)
  }
  if (text === undefined) throw new BrokerError(`${response.url} is larger than ${MOST_FILE_BYTES / 1e6} MB`)
  const { status } = response
  if (status === 401 || status === 403)
    throw new BrokerError(
      `${told}: ${status}; set PACT_BROKER_TOKEN, or PACT_BROKER_USERNAME and PACT_BROKER_PASSWORD, which go to the address of --broker only`,
    )
  if (status >= 300 && status < 400)
    throw new BrokerError(`${told}: ${status} leads elsewhere, and is not followed: give the address that it leads to`)
  if (!response.ok) throw new BrokerError(`${told}: ${status}`)
  return text
}

/** Returns the reason of a failed request; `fetch` puts it in the cause of its error. */
function reasonOf(error: unknown): string {
  const { name, cause } = error as { name?: string; cause?: { code?: string; message?: string } }
  if (name === 'TimeoutError') return `no answer within ${DEADLINE_MS / 1000} s`
  if (cause?.code === 'ECONNREFUSED') return 'nothing is listening there'
  if (cause?.code === 'ENOTFOUND') return 'there is no such host'
  if (cause?.code && /CERT|SELF_SIGNED|VERIFY/.test(cause.code))
    return `its certificate is not trusted (${cause.code}): name its CA in NODE_EXTRA_CA_CERTS`
  return cause?.code ?? cause?.message ?? 'no answer'
}
