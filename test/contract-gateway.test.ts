import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Exchange } from '../dist/core/exchange.js'
import { type Behind, Gateway, type IncomingRequest, withAlias, withoutAlias } from '../dist/pact/verify/gateway.js'
import { madePlaceholders } from '../dist/pact/verify/verify-one.js'

const test = suite('the gateway')

/** Asks, and follows no redirection. */
const ask = (url: string, body?: string) =>
  fetch(url, { redirect: 'manual', ...(body !== undefined && { method: 'POST', body }) })

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
    const answer = await ask(gateway.statesUrl, '{"state":"x","action":"setup"}')
    assert.equal(await answer.json(), { token: 'placeholder' })
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
    const answer = await ask(`${gateway.url}/`)
    const { headers } = answer
    assert.is(await answer.text(), 'ok')
    assert.equal(headers.getSetCookie(), ['a=1', 'b=2'])
    assert.is(headers.get('content-type'), 'text/plain')
    assert.is(headers.get('content-encoding'), null)
    assert.is(headers.get('date'), null, 'a header that the Core did not send')
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
      const shown = ['location', 'refresh', 'x-as-answered-location', 'x-other'].map(name => got.headers.get(name))
      assert.equal(shown, [null, null, 'http://127.0.0.1:9/stolen', 'y'])
    }
    core.exchange = answered(led, '', 201)
    assert.is((await ask(`${gateway.url}/`)).headers.get('location'), 'http://127.0.0.1:9/stolen')
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
