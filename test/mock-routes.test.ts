/** Additions of a test to a mock Core: endpoints, refusals of some requests, requests to wait for. */
import { execFileSync, spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { loadRoutes, type MockCore, type MockOptions } from '../dist/mock/index.js'
import { inFolder } from './support/folder.js'
import { type Ask, ask, logOn, withMockCore } from './support/mock-client.js'

const test = suite('what a test adds to a mock Core')
const LOGON = '/api/v0/logon'
const USERS = '/api/v0/cores/self/users'

const withCore = (options: Partial<MockOptions>, use: (core: MockCore, token: Ask) => Promise<void>) =>
  withMockCore(options, async core => use(core, await logOn(core)))

test('an endpoint of its own, behind the authentication', () =>
  withCore({}, async (core, token) => {
    const path = '/api/v0/streams/7'
    assert.is((await ask(core, 'GET', path, token)).status, 404)
    core.on('GET', '/api/v0/streams', { body: [{ id: 1 }] })
    const off = core.on('GET', '/api/v0/streams/{id}', async ({ params, query, headers }) => ({
      headers: { 'X-Kind': headers.accept ?? '' },
      body: { id: params.id, page: query.get('page') },
    }))
    core.on('POST', '/api/v0/streams', ({ json }) => ({ status: 201, body: json }))
    core.on('DELETE', '/api/v0/streams/{id}', {})
    core.on('PUT', '/api/v0/streams/{id}', () => {
      throw new Error('not today')
    })
    assert.is((await ask(core, 'GET', path)).status, 401)
    const one = await ask(core, 'GET', `${path}?page=2`, { headers: { ...token.headers, Accept: 'text/x' } })
    assert.equal([one.status, one.headers['x-kind'], JSON.parse(one.body)], [200, 'text/x', { id: '7', page: '2' }])
    assert.is((await ask(core, 'GET', '/api/v0/streams', token)).body, '[{"id":1}]')
    const made = await ask(core, 'POST', '/api/v0/streams', { ...token, body: '{"a":1}' })
    assert.equal([made.status, made.body, made.headers['content-type']], [201, '{"a":1}', 'application/json'])
    assert.is((await ask(core, 'DELETE', path, token)).status, 204)
    const broken = await ask(core, 'PUT', path, token)
    assert.equal(
      [broken.status, JSON.parse(broken.body).message],
      [500, `the handler of PUT ${path} failed: not today`],
    )
    core.advance('61 min')
    assert.is((await ask(core, 'GET', path, token)).status, 401)
    assert.is(core.requests.at(-2)?.status, 500)
    off()
    core.reset()
    const fresh = await logOn(core)
    assert.is((await ask(core, 'GET', path, fresh)).status, 404)
    assert.is((await ask(core, 'GET', '/api/v0/streams', fresh)).status, 200)
  }))

test('an endpoint of its own that cannot be is told', () =>
  withCore({}, async core => {
    const on = core.on as (...given: unknown[]) => unknown
    assert.throws(() => on('get', '/api/v0/x', {}), /must be upper-case/)
    assert.throws(() => on('GET', '/v0/x', {}), /must begin with \/api\//)
    assert.throws(() => on('POST', LOGON, {}), /cannot be replaced/)
    assert.throws(() => on('GET', '/api/v0/x', { users: [] }), /has a key 'users'.*goes into body/)
    assert.throws(() => on('GET', '/api/v0/x', { status: 42 }), /status must be a whole number/)
  }))

test('refusals of some requests only, with Retry-After, beside each other', () =>
  withCore({}, async (core, token) => {
    core.refuseNext(1, 429, { method: 'GET', path: USERS, retryAfter: 7 })
    core.refuseNext(1, 500, { method: 'DELETE' })
    assert.is((await ask(core, 'GET', '/api/v0/cores/self', token)).status, 200)
    const refused = await ask(core, 'GET', USERS, token)
    assert.equal([refused.status, refused.headers['retry-after']], [429, '7'])
    assert.is((await ask(core, 'GET', USERS, token)).status, 200)
    assert.is((await ask(core, 'DELETE', LOGON, token)).status, 500)
    assert.is((await ask(core, 'DELETE', LOGON, token)).status, 204)
  }))

test('a request is waited for, by method and path or by a function', () =>
  withCore({}, async (core, token) => {
    const first = await core.waitForRequest({ method: 'POST', path: LOGON })
    assert.is(first.status, 201)
    const later = core.waitForRequest(({ path }) => path === USERS, { timeout: '5s' })
    core.delayNext(1, 50)
    await Promise.all([later, ask(core, 'GET', USERS, token)])
    const { status, durationMs, number } = await later
    assert.is(status, 200)
    assert.ok((durationMs ?? 0) >= 45)
    const none = core.waitForRequest({ path: USERS }, { after: number, timeout: 2_000 }).catch(({ message }) => message)
    await ask(core, 'GET', '/api/v0/cores/self', token)
    assert.match(
      await none,
      /no such request was answered within 2000 ms; what came meanwhile: GET \/api\/v0\/cores\/self/,
    )
    const wrong = await core.waitForRequest({ url: USERS } as object).catch(({ message }) => message)
    assert.match(wrong, /by method and path, not by 'url'/)
  }))

test('its certificate is for the names that a client knows it by', () =>
  withCore({ names: ['core.example', '10.0.0.5'] }, async core => {
    const certificate = new X509Certificate(core.certificatePem)
    for (const name of ['core.example', 'localhost']) assert.ok(certificate.checkHost(name), name)
    for (const address of ['10.0.0.5', '127.0.0.1']) assert.ok(certificate.checkIP(address), address)
    const changed = await core.changeCertificate()
    assert.is.not(changed, core.certificatePem)
    assert.instance(await ask(core, 'GET', USERS).catch((error: Error) => error), Error)
    assert.is((await ask({ ...core, certificatePem: changed }, 'GET', USERS)).status, 401)
  }))

test('endpoints from a file: a short list, or an OpenAPI document by its examples', () =>
  inFolder(async folder => {
    const file = (text: string) => {
      const path = join(folder, 'routes.yaml')
      writeFileSync(path, text)
      return loadRoutes(path)
    }
    assert.equal(await file('GET /api/v0/streams: { body: [] }\nDELETE /api/v0/streams/{id}:\n'), [
      { method: 'GET', path: '/api/v0/streams', answer: { body: [] } },
      { method: 'DELETE', path: '/api/v0/streams/{id}', answer: {} },
    ])
    const document = `
openapi: 3.1.0
servers: [{ url: 'https://core.example/api/v0' }]
paths:
  /logon: { post: { responses: { '201': { description: x } } } }
  /streams:
    get:
      responses:
        '404': { description: none }
        '200':
          description: all
          content:
            application/json:
              schema: { type: array, items: { $ref: '#/components/schemas/Stream' } }
    delete: { responses: { '204': { description: gone } } }
components:
  schemas:
    Stream:
      type: object
      properties:
        name: { type: string, example: main }
        rate: { type: integer, minimum: 25 }
`
    assert.equal(await file(document), [
      {
        method: 'GET',
        path: '/api/v0/streams',
        answer: { status: 200, body: [{ name: 'main', rate: 25 }], headers: { 'Content-Type': 'application/json' } },
      },
      { method: 'DELETE', path: '/api/v0/streams', answer: { status: 204 } },
    ])
    const told = (text: string) => file(text).then(String, ({ message }) => message)
    assert.match(await told('streams: []'), /routes\.yaml: 'streams' is no endpoint: write a method and a path/)
    assert.match(await told('GET /v0/x: {}'), /a path must begin with \/api\//)
    assert.match(await told('[]'), /neither an OpenAPI document nor a list/)
    assert.match(await told('openapi: 3.1.0\npaths: {}'), /there is no endpoint in it/)
    assert.match(await loadRoutes(join(folder, 'none')).catch(({ message }) => message), /there is no such file/)
    execFileSync('mkfifo', [join(folder, 'pipe')])
    assert.match(await loadRoutes(join(folder, 'pipe')).catch(({ message }) => message), /pipe: is a pipe \(FIFO\)/)
    assert.match(await loadRoutes('/dev/zero').catch(({ message }) => message), /^\/dev\/zero: is a device, and not/)
  }))

test('it loads by require(), also where there is no import()', () =>
  inFolder(async folder => {
    const entry = createRequire(import.meta.url).resolve('core-conformance')
    assert.ok(existsSync(entry) && entry.endsWith('.cjs'))
    const script = join(folder, 'own.cjs')
    // Imitates a test runner that gives each file a context: without a callback for import(), which then throws.
    writeFileSync(
      script,
      `const { readFileSync } = require('node:fs')
       const { createRequire } = require('node:module')
       const vm = require('node:vm')
       const code = '(function (exports, require, module, __filename) {' + readFileSync(${JSON.stringify(entry)}, 'utf8') + '})'
       const module_ = { exports: {} }
       new vm.Script(code).runInThisContext()(module_.exports, createRequire(${JSON.stringify(entry)}), module_, ${JSON.stringify(entry)})
       module_.exports.startMockCore({ dialect: { token: { length: 20 } }, defect: 'revoke-does-nothing' })
         .then(core => core.close()).then(() => console.log('closed'))`,
    )
    const { stdout, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' })
    assert.is(stdout, 'closed\n', stderr)
  }))

test.run()
