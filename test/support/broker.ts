/** A stand-in for a Pact broker: over HTTP, in memory, with a record of the requests. */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request to the stand-in. */
export interface Sent {
  method: string
  path: string
  authorization: string | undefined
  body: unknown
}

/** A stored contract. */
interface Held {
  consumer: string
  version: string
  pending: boolean
  content: { interactions: object[] } & Record<string, unknown>
  /** The published results of the contract, by the version of the provider. */
  results: Map<string, boolean>
}

interface Publishing {
  pacticipantName: string
  pacticipantVersionNumber: string
  contracts: { content: string }[]
}

const ENVIRONMENT = '16926ef3-590f-4e3f-838e-719717aa88c9'

/** The stand-in. It knows one provider, `core`, and one environment, `production`. */
export class BrokerStandIn {
  readonly sent: Sent[] = []
  readonly held: Held[] = []
  /** The deployed versions, each as `NAME VERSION`. */
  readonly deployed: string[] = []
  /** Replaced answers by `METHOD PATH`: a status, or a text as the target of a redirection. */
  readonly instead = new Map<string, number | string>()
  private readonly server: Server

  private constructor(private readonly authorization: string | undefined) {
    this.server = createServer((request, response) => {
      this.answer(request).then(
        ({ status, body, location }) => {
          response.writeHead(status, {
            'Content-Type': 'application/hal+json',
            ...(location && { Location: location }),
          })
          response.end(JSON.stringify(body ?? {}))
        },
        () => response.destroy(),
      )
    })
  }

  /** @param authorization the required header of that name */
  static async start(authorization?: string): Promise<BrokerStandIn> {
    const broker = new BrokerStandIn(authorization)
    await new Promise<void>(resolve => broker.server.listen(0, '127.0.0.1', resolve))
    return broker
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  /** Stores a contract and returns its URL. */
  hold(text: string, { version = '1', pending = false } = {}): string {
    const content = JSON.parse(text) as Held['content']
    const { name: consumer } = content.consumer as { name: string }
    this.held.push({ consumer, version, pending, content, results: new Map() })
    return this.urlOf({ consumer, version })
  }

  bodies(method: string, path: RegExp): unknown[] {
    return this.sent.filter(sent => sent.method === method && path.test(sent.path)).map(({ body }) => body)
  }

  /** Stops, and cuts every connection. */
  async close(): Promise<void> {
    this.server.closeAllConnections()
    await new Promise(resolve => this.server.close(resolve))
  }

  private urlOf({ consumer, version }: Pick<Held, 'consumer' | 'version'>): string {
    return `${this.url}/pacts/provider/core/consumer/${consumer}/version/${version}`
  }

  private async answer(request: IncomingMessage): Promise<{ status: number; body?: unknown; location?: string }> {
    const { method = '', url = '/' } = request
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    const { authorization } = request.headers
    this.sent.push({ method, path: url, authorization, body: text ? JSON.parse(text) : undefined })
    if (this.authorization !== undefined && authorization !== this.authorization) return { status: 401 }
    const instead = this.instead.get(`${method} ${url}`)
    if (typeof instead === 'number') return { status: instead }
    if (instead !== undefined) return { status: 302, location: instead }
    return this.route(`${method} ${url}`, text ? JSON.parse(text) : undefined)
  }

  private route(asked: string, body: unknown): { status: number; body?: unknown } {
    const href = (path: string) => ({ href: `${this.url}${path}` })
    if (asked === 'GET /') {
      const _links = {
        'pb:provider-pacts-for-verification': {
          ...href('/pacts/provider/{provider}/for-verification'),
          templated: true,
        },
        'pb:pacticipant-branch-version': href('/pacticipants/{pacticipant}/branches/{branch}/versions/{version}'),
      }
      return { status: 200, body: { _links } }
    }
    if (asked === 'POST /contracts/publish') {
      const { pacticipantVersionNumber: version, contracts } = body as Publishing
      for (const { content } of contracts) this.hold(Buffer.from(content, 'base64').toString('utf8'), { version })
      return { status: 200 }
    }
    if (asked === 'POST /pacts/provider/core/for-verification') {
      const pacts = this.held.map(({ pending, ...held }) => ({
        verificationProperties: { pending },
        _links: { self: { href: this.urlOf(held) } },
      }))
      return { status: 200, body: { _embedded: { pacts } } }
    }
    if (asked === 'POST /pacts/provider/stranger/for-verification')
      return { status: 200, body: { _embedded: { pacts: [] } } }
    if (/^PUT \/pacticipants\/core\/branches\/[^/]+\/versions\/[^/]+$/.test(asked)) return { status: 201 }
    if (asked === 'GET /environments')
      return { status: 200, body: { _embedded: { environments: [{ uuid: ENVIRONMENT, name: 'production' }] } } }
    return this.routeOfVersions(asked, body) ?? this.routeOfPacts(asked, body) ?? { status: 404 }
  }

  private routeOfPacts(asked: string, body: unknown): { status: number; body?: unknown } | undefined {
    const [, method, path = '', results] = /^(GET|POST) (.*?)(\/verification-results)?$/.exec(asked) ?? []
    const held = this.held.find(each => `${this.url}${path}` === this.urlOf(each))
    if (!held) return undefined
    if (method === 'POST' && results) {
      const { success, providerApplicationVersion } = body as { success: boolean; providerApplicationVersion: string }
      held.results.set(providerApplicationVersion, success)
      return { status: 201 }
    }
    const interactions = held.content.interactions.map((each, index) => ({ ...each, _id: `interaction-id-${index}` }))
    const _links = { 'pb:publish-verification-results': { href: `${this.urlOf(held)}/verification-results` } }
    return { status: 200, body: { ...held.content, interactions, _links } }
  }

  private routeOfVersions(asked: string, _body: unknown): { status: number; body?: unknown } | undefined {
    const [, query] = /^GET \/can-i-deploy\?(.*)$/.exec(asked) ?? []
    if (query !== undefined) {
      const version = new URLSearchParams(query).get('version') ?? ''
      const deployable = this.held.length > 0 && this.held.every(({ results }) => results.get(version) === true)
      return { status: 200, body: { summary: { deployable, reason: deployable ? 'all verified' : 'not verified' } } }
    }
    const [, name, version, environment] =
      /^POST \/pacticipants\/([^/]+)\/versions\/([^/]+)\/deployed-versions\/environment\/([^/]+)$/.exec(asked) ?? []
    if (environment !== ENVIRONMENT) return undefined
    this.deployed.push(`${name} ${version}`)
    return { status: 201 }
  }
}
