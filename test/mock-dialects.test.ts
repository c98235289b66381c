/**
 * Every dialect of contracts/dialects, but for those that only limit: on one fixed journey through the API, the answers differ from
 * those of every other dialect. That each keeps the reference is what the matrix proves; limits are in mock-limits.test.ts.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Dialect, defaultDialect, toDialect } from '../dist/mock/dialect.js'
import { loadDialect, type MemoryCore, type MockOptions, startMemoryCore } from '../dist/mock/index.js'
import { makeFolder } from './support/folder.js'
import { type Ask, ask, bytesOf, exchange } from './support/mock-client.js'

const LOGON = '/api/v0/logon'
const USERS = '/api/v0/cores/self/users'
const CORE = '/api/v0/cores/self'
const HOUR = 3_600_000
const USER = { username: 'admin', password: 'geheim' }
const FOLDER = new URL('../contracts/dialects/', import.meta.url)
const NAMES = readdirSync(FOLDER).map(file => file.replace(/\.yaml$/, ''))
/** The speed of a clock that stands still, but for what is advanced. */
const STANDING = 1e-9
const pathOf = (name: string) => new URL(`${name}.yaml`, FOLDER).pathname

async function coreOf(options: Partial<MockOptions>): Promise<MemoryCore> {
  return startMemoryCore({ ...USER, ...options })
}

const logOn = (core: MemoryCore, body = JSON.stringify(USER)) => ask(core, 'POST', LOGON, { body })

/** Goes through the API once on a Core with a dialect. @returns its answers, with a star in place of each token */
async function journey(dialect: Dialect): Promise<string[]> {
  const tokens: string[] = []
  const core = await coreOf({ dialect, timeScale: STANDING, issued: token => tokens.push(token) })
  const told: string[] = []
  const tell = async (method: string, path: string, asked: Ask = {}) => {
    const { status, version, framing, headers, body } = await ask(core, method, path, asked)
    const { date: _, 'content-length': __, ...others } = headers
    const text = JSON.stringify([status, version, framing, others, body])
    const hidden = tokens.reduce((left, token) => left.replaceAll(token, '*'), text)
    // Ids and times are new in each answer.
    told.push(hidden.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z|[\w.-]{20,}/g, ''))
  }
  const withToken = (more: Ask = {}, scheme = 'Bearer'): Ask => {
    return { ...more, headers: { Authorization: `${scheme} ${tokens.at(-1)}` } }
  }
  const pair = async (first: Ask) => {
    const bytes = `${bytesOf('GET', USERS, { ...first, keep: true })}${bytesOf('GET', USERS)}`
    told.push(String((await exchange(core, bytes)).toString('latin1').match(/HTTP\/1\.[01] \d{3} /g)?.length))
  }
  const right = { body: JSON.stringify(USER) }
  await tell('POST', LOGON, right)
  told.push(String(tokens[0]?.length))
  await tell('GET', USERS, withToken())
  await tell('GET', USERS, withToken({ http: '1.0' }))
  await tell('GET', CORE, withToken())
  await tell('HEAD', USERS, withToken())
  await tell('GET', `${USERS}?long=${'x'.repeat(300)}`, withToken())
  await tell('GET', USERS, withToken({}, 'bearer'))
  await tell('GET', `${CORE}/access_mode`)
  await tell('OPTIONS', USERS)
  await pair({})
  await tell('GET', USERS)
  const [one, other] = [await ask(core, 'GET', USERS), await ask(core, 'GET', USERS)]
  told.push(`alike: ${one.body === other.body}`)
  await tell('GET', USERS, { headers: { Authorization: 'Bearer 0123456789abcdefghij' } })
  await tell('POST', LOGON, { body: JSON.stringify({ ...USER, password: 'falsch' }) })
  await tell('POST', LOGON, { body: '{' })
  await tell('POST', LOGON, { ...right, headers: { 'Content-Type': 'text/plain' } })
  await tell('POST', LOGON, { body: JSON.stringify({ ...USER, username: 'ADMIN' }) })
  // The earlier logons may have ended the token.
  await logOn(core)
  for (const http of ['1.1', '1.0'] as const) {
    await tell('GET', USERS, withToken({ http, host: false }))
    await tell('POST', LOGON, { ...right, http, host: false })
    await tell('DELETE', LOGON, withToken({ http, host: false }))
  }
  await pair({ host: false })
  await tell('GET', USERS, withToken())
  await tell('DELETE', LOGON, withToken())
  await tell('GET', USERS, withToken())
  await tell('DELETE', LOGON, withToken())
  for (const lifetimes of [1.06, 0.98, 1.01, 1.04]) {
    await logOn(core)
    core.advance(lifetimes * HOUR)
    await tell('GET', USERS, withToken())
  }
  return told
}

test('every dialect that shows in one connection after another differs from every other', async () => {
  // slow and logon-slow differ from the default in time only, which is measured below. expiry-swept differs from expiry-late in the
  // moment of expiry: see mock-device.test.ts. Ways to end a connection differ there: see mock-connections.test.ts.
  const elsewhere = /^(?:logon-)?slow$|^expiry-swept$|^connection-(?:close-unannounced|reset)$/
  const names = NAMES.filter(name => !elsewhere.test(name))
  const ways = new Map<string, string>()
  for (const name of names) {
    const dialect = await loadDialect(pathOf(name))
    if (Object.keys(dialect.limits).length > 0 || dialect.logon.takesMs) continue
    const way = (await journey(dialect)).join('\n')
    assert.is(ways.get(way), undefined, name)
    ways.set(way, name)
  }
  assert.ok(ways.size >= 24)
})

test('every file names its schema in its first line, and has a title of its own', async () => {
  const titles = await Promise.all(NAMES.map(async name => (await loadDialect(pathOf(name))).title))
  assert.is(new Set(titles).size, NAMES.length)
  for (const name of NAMES) {
    assert.match(
      readFileSync(pathOf(name), 'utf8'),
      /^# yaml-language-server: \$schema=\.\.\/dialect\.schema\.json\ntitle: /,
    )
  }
})

test('tokens look as their dialect says', async () => {
  const shapes: [string, RegExp][] = [
    ['default', /^[0-9a-f]{64}$/],
    ['token-8-characters', /^[a-z0-9]{8}$/],
    ['token-2-kilobytes', /^[0-9a-f]{2048}$/],
    ['token-digits', /^\d{20}$/],
    ['token-upper-case-hex', /^[0-9A-F]{32}$/],
    ['token-token68', /^~-\._\+\/[\w\-.~+/]{60}==$/],
    ['token-jwt', /^eyJ[\w-]+\.eyJ[\w-]+\.[\w-]{43}$/],
  ]
  for (const [name, shape] of shapes) {
    const core = await coreOf({ dialect: await loadDialect(pathOf(name)) })
    assert.match(JSON.parse((await logOn(core)).body).token, shape)
  }
})

test('slow answers take their time', async () => {
  const slow = [
    ['slow', 150],
    ['logon-slow', 500],
  ] as const
  for (const [name, ms] of slow) {
    const core = await coreOf({ dialect: await loadDialect(pathOf(name)) })
    const startedMs = performance.now()
    await logOn(core)
    assert.ok(performance.now() - startedMs >= ms - 1) // a timer of Node may be early by less than a millisecond
  }
})

test('completing a complete dialect changes nothing', async () => {
  assert.equal(toDialect({}), defaultDialect)
  for (const name of NAMES) {
    const dialect = await loadDialect(pathOf(name))
    assert.equal(toDialect(dialect), dialect)
    assert.equal(JSON.parse(JSON.stringify(dialect)), dialect)
  }
})

test('what is wrong with a file is said, with its place', async () => {
  const folder = makeFolder()
  const file = join(folder, 'mine.yaml')
  const message = async (text: string) => {
    await writeFile(file, text)
    return loadDialect(file).then(
      () => 'loaded',
      error => error.message.replaceAll(file, 'mine.yaml'),
    )
  }
  assert.is(await message(''), 'loaded')
  assert.is(
    await message('title: x\nhttp01: false\n'),
    "mine.yaml:2:1: there is no key 'http01' here; did you mean 'http10'?",
  )
  assert.is(
    await message('answers:\n  loggdOn: { status: 200 }\n  revoked: { status: "204" }\n'),
    "mine.yaml:2:3: there is no key 'loggdOn' here; did you mean 'loggedOn'?\nmine.yaml:3:14: must be integer",
  )
  assert.is(await message('delivery: { statusLine: 1.0 }\n'), 'mine.yaml:1:13: must be "1.1" or "1.0"')
  assert.is(
    await message('answers:\n  hostMissing: { status: 400 }\n'),
    "mine.yaml:2:18: there is no key 'status' here; known: headers, body, as, delivery",
  )
  assert.is(await message('token: { length: 3 }\n'), 'mine.yaml:1:10: must be >= 6')
  assert.is(
    await message('token: { alphabet: "abc=" }\n'),
    'mine.yaml:1:10: must be two or more of letters, digits and -._~+/',
  )
  assert.match(await message('title: "x\n'), /^mine\.yaml:\d+:\d+: not valid YAML: /)
  assert.is(await message('- title\n'), 'mine.yaml:1:1: must be object')
  assert.is(
    await loadDialect(join(folder, 'none.yaml')).catch(error => error.message),
    `${join(folder, 'none.yaml')}: cannot be read: there is no such file`,
  )
})

test.run()
