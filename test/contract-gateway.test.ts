import { request } from 'node:http'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Exchange } from '../dist/core/exchange.js'
import { type Behind, Gateway, type IncomingRequest, withAlias, withoutAlias } from '../dist/pact/verify/gateway.js'
import { madePlaceholders } from '../dist/pact/verify/verify-one.js'

const test = suite('the gateway')

interface Got {
  status: number
  headers: Record<string, unknown>
  body: string
}

function ask(url: string, { method = 'GET', body }: { method?: string; body?: string } = {}): Promise<Got> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, agent: false }, response => {
      let text = ''
      response.setEncoding('utf8').on('data', chunk => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }))
    })
    sent.on('error', reject).end(body)
  })
}

function answered(headers: [string, string][], body = 'ok', status = 200): Exchange {
  const response = { status, statusText: '', httpVersion: '1.1', headers, body, bodyBytes: 2, complete: true }
  return {
    sentAt: 0,
    receivedAt: 0,
    request: { method: 'GET', path: '/', headers: [], httpVersion: '1.1', omitHost: false },
    response,
  }
}

/** What the Core answers, or a gateway without an answer; settable, since each test asks for several. */
class Answers implements Behind {
  exchange: Exchange | undefined = answered([])
  readonly seen: IncomingRequest[] = []

  async change() {
    return { told: { token: 'placeholder' } }
  }

  async forward(request: IncomingRequest) {
    this.seen.push(request)
    return this.exchange
  }
}

async function withGateway(use: (gateway: Gateway, core: Answers) => Promise<void>): Promise<void> {
  const core = new Answers()
  const gateway = await Gateway.start(core)
  try {
    await use(gateway, core)
  } finally {
    await gateway.close()
  }
}

test('nothing reaches the Core without the key', () =>
  withGateway(async (gateway, { seen }) => {
    const { origin, pathname } = new URL(gateway.url)
    for (const path of ['/', '/api/v0', '/states', '/core/api/v0', pathname, '/0123456789abcdef/core/api/v0']) {
      assert.is((await ask(origin + path)).status, 404, path)
    }
    assert.equal(seen, [])
    assert.is((await ask(`${gateway.url}/api/v0?a=b`)).status, 200)
    assert.equal(
      seen.map(({ path }) => path),
      ['/api/v0?a=b'],
    )
  }))

test('provider states bring values', () =>
  withGateway(async gateway => {
    const { body } = await ask(gateway.statesUrl, { method: 'POST', body: '{"state":"x","action":"setup"}' })
    assert.equal(JSON.parse(body), { token: 'placeholder' })
    assert.match(madePlaceholders().password, /^placeholder-password-[0-9a-f]{16}$/)
  }))

test('an answer comes as it came, but for what was said of another form of its body', () =>
  withGateway(async (gateway, core) => {
    core.exchange = answered([
      ['Content-Type', 'text/plain'],
      ['Content-Encoding', 'gzip'],
      ['Content-Length', '99'],
      ['Transfer-Encoding', 'chunked'],
      ['Set-Cookie', 'a=1'],
      ['Set-Cookie', 'b=2'],
    ])
    const { headers, body } = await ask(`${gateway.url}/`)
    assert.is(body, 'ok')
    assert.equal(headers['set-cookie'], ['a=1', 'b=2'])
    assert.is(headers['content-type'], 'text/plain')
    assert.is(headers['content-encoding'], undefined)
    assert.is(headers.date, undefined, 'a header that the Core did not send')
    core.exchange = answered([], 'ignored', 204)
    assert.is((await ask(`${gateway.url}/`)).status, 204)
    core.exchange = undefined
    assert.is((await ask(`${gateway.url}/`)).status, 502)
  }))

test('an answer that leads elsewhere is not followed: its Location goes by another name, and only there', () =>
  withGateway(async (gateway, core) => {
    const led: [string, string][] = [
      ['Location', 'http://127.0.0.1:9/stolen'],
      ['refresh', '0; url=http://127.0.0.1:9/'],
      ['X-Other', 'y'],
    ]
    for (const status of [300, 301, 302, 303, 307, 308]) {
      core.exchange = answered(led, '', status)
      const got = await ask(`${gateway.url}/`)
      assert.is(got.status, status)
      const { location, refresh, 'x-as-answered-location': alias, 'x-other': other } = got.headers
      assert.equal([location, refresh, alias, other], [undefined, undefined, 'http://127.0.0.1:9/stolen', 'y'])
    }
    core.exchange = answered(led, '', 201)
    assert.is((await ask(`${gateway.url}/`)).headers.location, 'http://127.0.0.1:9/stolen')
  }))

test('a contract of a redirection asks for the Location by the same name, wherever it speaks of it', () => {
  const response = {
    status: 307,
    headers: { location: '/x', Other: 'y' },
    body: { location: 'z' },
    matchingRules: { header: { location: { matchers: [] } }, '$.headers.Location': {}, body: { '$.location': {} } },
  }
  const contract = JSON.stringify({ interactions: [{ request: { headers: { Location: 'q' } }, response }] })
  assert.is(withAlias(contract, 200), contract)
  const { interactions } = JSON.parse(withAlias(contract, 307)) as { interactions: Record<string, unknown>[] }
  assert.equal(interactions[0], {
    request: { headers: { Location: 'q' } },
    response: {
      status: 307,
      headers: { 'X-As-Answered-location': '/x', Other: 'y' },
      body: { location: 'z' },
      matchingRules: {
        header: { 'X-As-Answered-location': { matchers: [] } },
        '$.headers.X-As-Answered-Location': {},
        body: { '$.location': {} },
      },
    },
  })
  assert.is(withoutAlias('header x-as-answered-location: no'), 'header location: no')
})

test('a request that holds the key of the gateway, anywhere, is known', () =>
  withGateway(async gateway => {
    const key = new URL(gateway.url).pathname.split('/')[1]
    const request: IncomingRequest = { method: 'GET', path: '/', headers: [['Accept', '*/*']] }
    assert.not(gateway.isToldBy(request))
    assert.ok(gateway.isToldBy({ ...request, path: `/?from=${key}` }))
    assert.ok(gateway.isToldBy({ ...request, body: `{"a":"${gateway.url}"}` }))
    assert.ok(gateway.isToldBy({ ...request, headers: [['Referer', `${gateway.url}/api`]] }))
  }))

test.run()
