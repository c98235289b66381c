/**
 * Every dialect of contracts/dialects, but for those that only limit: one fixed journey through the API collects facts, which differ
 * from those of every other dialect. That each keeps the reference is what the matrix proves; limits are in mock-limits.test.ts. Over
 * 250 lines, since it is one journey.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { defaultDialect, toDialect } from '../dist/mock/dialect.js'
import { loadDialect, type MemoryCore, type MockOptions, startMemoryCore } from '../dist/mock/index.js'
import { makeFolder } from './support/folder.js'
import { type Answer, type Ask, ask, bytesOf, exchange } from './support/mock-client.js'

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

const withCore = async <T>(options: Partial<MockOptions>, use: (core: MemoryCore) => Promise<T>) =>
  use(await startMemoryCore({ ...USER, ...options }))

/** Goes through the API once and records facts. */
class Journey {
  /** The place of the token in the logon's answer, once it is known. */
  at: string | undefined

  constructor(readonly core: MemoryCore) {}

  logon(body: unknown = USER, asked: Ask = {}) {
    return ask(this.core, 'POST', LOGON, { body: typeof body === 'string' ? body : JSON.stringify(body), ...asked })
  }

  get(token: string | undefined, asked: Ask = {}, path = USERS, method = 'GET') {
    const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` }
    return ask(this.core, method, path, { ...asked, headers: { ...authorization, ...asked.headers } })
  }

  /** Logs on. Returns the token, which is the text that opens the API, with its place. */
  async mint(): Promise<{ token: string; at: string }> {
    const logon = await this.logon()
    const texts = tokenTextsOf(logon)
    const [known] = texts.filter(([at]) => at === this.at)
    if (known !== undefined) return { at: known[0], token: known[1] }
    const none = same(await this.get(undefined))
    for (const [at, token] of texts) {
      if (!/^[!-~]+$/.test(token)) continue
      if (same(await this.get(token)) !== none) {
        this.at = at
        return { token, at }
      }
    }
    throw new Error(`no token in the logon's ${logon.status} ${logon.body}`)
  }

  advance(lifetimes: number): void {
    this.core.advance(lifetimes * HOUR)
  }

  /** Returns the answers to the three requests of the reference without Host. */
  async withoutHost(http: '1.0' | '1.1', token: string): Promise<string> {
    const answers = [
      await this.get(token, { http, host: false }),
      await this.logon(USER, { http, host: false }),
      await this.get(token, { http, host: false }, LOGON, 'DELETE'),
    ]
    return [...new Set(answers.map(said))].join(' | ')
  }

  async answersOfTwo(first: Ask): Promise<number> {
    const bytes = `${bytesOf('GET', USERS, { ...first, keep: true })}${bytesOf('GET', USERS)}`
    return (await exchange(this.core, bytes)).toString('latin1').match(/HTTP\/1\.[01] \d{3} /g)?.length ?? 0
  }

  async tokenIdle(lifetimes: number): Promise<string> {
    const { token } = await this.mint()
    this.advance(lifetimes)
    return `${(await this.get(token)).status || 'hung up'}`
  }

  async facts(): Promise<object> {
    const logon = await this.logon()
    const { token, at } = await this.mint()
    const users = await this.get(token)
    const [none, again] = [await this.get(undefined), await this.get(undefined)]
    const facts = {
      logon: said(logon),
      tokenAt: at,
      tokenLength: token.length,
      logonTexts: textsOf(jsonOf(logon.body)).length,
      users: said(users),
      usersTexts: textsOf(JSON.parse(users.body)).length,
      usersHeaders: Object.keys(users.headers).filter(name => !ORDINARY.has(name)),
      usersOverHttp10: said(await this.get(token, { http: '1.0' })),
      framing: users.framing,
      version: users.version,
      gzip: users.headers['content-encoding'] === 'gzip',
      answersOfTwo: await this.answersOfTwo({}),
      core: said(await this.get(token, {}, CORE)),
      accessMode: said(await this.get(undefined, {}, `${CORE}/access_mode`)),
      head: said(await this.get(token, {}, USERS, 'HEAD')),
      options: said(await this.get(undefined, {}, USERS, 'OPTIONS')),
      longQuery: said(await this.get(token, {}, `${USERS}?long=${'x'.repeat(300)}`)),
      lowerCaseScheme: said(await this.get(undefined, { headers: { Authorization: `bearer ${token}` } })),
      none: said(none),
      rejectionsAlike: none.body === again.body,
      unknown: said(await this.get('0123456789abcdefghij')),
      wrongPassword: said(await this.logon({ ...USER, password: 'falsch' })),
      malformed: said(await this.logon('{')),
      otherType: said(await this.logon(USER, { headers: { 'Content-Type': 'text/plain' } })),
      upperCaseUser: said(await this.logon({ ...USER, username: 'ADMIN' })),
    }
    // The earlier logons may have ended the token.
    const last = (await this.mint()).token
    Object.assign(facts, {
      withoutHost: await this.withoutHost('1.1', last),
      withoutHostOverHttp10: await this.withoutHost('1.0', last),
      withoutHostAndToken: said(await this.get(undefined, { host: false })),
      answersOfTwoWithoutHost: await this.answersOfTwo({ host: false }),
      usersAfterwards: said(await this.get(last)),
      revoke: said(await this.get(last, {}, LOGON, 'DELETE')),
      revoked: said(await this.get(last)),
      revokeAgain: said(await this.get(last, {}, LOGON, 'DELETE')),
    })
    const idle = (await this.mint()).token
    this.advance(1.06)
    Object.assign(facts, {
      expired: said(await this.get(idle)),
      idle98: await this.tokenIdle(0.98),
      idle101: await this.tokenIdle(1.01),
      idle104: await this.tokenIdle(1.04),
    })
    return facts
  }
}

const ORDINARY = new Set([
  'connection',
  'content-length',
  'content-type',
  'content-encoding',
  'date',
  'transfer-encoding',
])

function said({ status, headers, body }: Answer): string {
  if (status === 0) return 'hung up'
  const type = body === '' ? 'no body' : headers['content-type']?.replace(/^\w+\//, '').replace(/;.*/, '')
  const challenge = headers['www-authenticate']
  return `${status} ${type}${challenge === undefined ? '' : `, ${challenge}`}`
}

/** Returns an answer without ids and times, which are new in each, for a comparison with another one. */
function same({ status, body }: Answer): string {
  return `${status} ${body.replace(/[0-9a-f-]{36}|\d{4}-\d\d-\d\dT[\d:.]+Z/g, '')}`
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}

/** Returns every text in the answer to a logon that may be a token, with its place and without a scheme. */
function tokenTextsOf({ headers, body }: Answer): [string, string][] {
  const inHeaders = Object.entries(headers).map(([name, value]): [string, string] => [`header ${name}`, value])
  const inCookies = [headers['set-cookie'] ?? []].flat().map((line): [string, string] => {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    return [`cookie ${name}`, value]
  })
  const number = (jsonOf(body) as { token?: unknown } | undefined)?.token
  const inNumbers: [string, string][] = typeof number === 'number' ? [['token', String(number)]] : []
  return [...textsOf(jsonOf(body)), ...inNumbers, ...inHeaders, ...inCookies].map(([at, text]) => [
    at,
    text.replace(/^Bearer /, ''),
  ])
}

/** Returns every text in a JSON value, with its path. */
function textsOf(value: unknown, path = ''): [string, string][] {
  if (typeof value === 'string') return [[path.slice(1), value]]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => textsOf(inner, `${path}.${key}`))
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
    const way = JSON.stringify(await withCore({ dialect, timeScale: STANDING }, core => new Journey(core).facts()))
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
    await withCore({ dialect: await loadDialect(pathOf(name)) }, async core => {
      assert.match(JSON.parse((await new Journey(core).logon()).body).token, shape)
    })
  }
})

test('slow answers take their time', async () => {
  const slow = [
    ['slow', 150],
    ['logon-slow', 500],
  ] as const
  for (const [name, ms] of slow) {
    await withCore({ dialect: await loadDialect(pathOf(name)) }, async core => {
      const startedMs = performance.now()
      await new Journey(core).logon()
      assert.ok(performance.now() - startedMs >= ms - 1) // a timer of Node may be early by less than a millisecond
    })
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
