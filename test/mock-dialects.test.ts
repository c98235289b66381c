/**
 * Every dialect of contracts/dialects, on the wire: one fixed journey through the API collects facts. Exactly the facts of the
 * table differ from those of the default dialect, and every dialect keeps the reference.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { defaultDialect, toDialect } from '../dist/mock/dialect.js'
import { loadDialect, type MockCore, type MockOptions, startMockCore } from '../dist/mock/index.js'
import { isShort } from './support/long.js'
import { type Answer, type Ask, ask, bytesOf, exchange, resumeSessions } from './support/mock-client.js'
import { DEFAULT, DIFFERS, type Facts } from './support/mock-dialects.js'

const LOGON = '/api/v0/logon'
const USERS = '/api/v0/cores/self/users'
const CORE = '/api/v0/cores/self'
const HOUR = 3_600_000
const USER = { username: 'admin', password: 'geheim' }
const FOLDER = new URL('../contracts/dialects/', import.meta.url)
const NAMES = readdirSync(FOLDER).map(file => file.replace(/\.yaml$/, ''))
/** Those that are shown to do as they say. All of them take 20 s of processor time, so a short run takes each fourth. */
const SHOWN = isShort ? NAMES.filter((name, index) => name === 'default' || index % 4 === 0) : NAMES
const pathOf = (name: string) => new URL(`${name}.yaml`, FOLDER).pathname

async function withCore<T>(options: Partial<MockOptions>, use: (core: MockCore) => Promise<T>): Promise<T> {
  const core = await startMockCore({ ...USER, ...options })
  try {
    return await use(core)
  } finally {
    await core.close()
  }
}

/** Goes through the API once and records facts. */
class Journey {
  /** The place of the token in the logon's answer, once it is known. */
  at: string | undefined

  /** @param restMs pause before each logon, so that a rate of logons allows it */
  constructor(
    readonly core: MockCore,
    readonly restMs = 0,
  ) {
    // No dialect concerns resumption.
    resumeSessions(core)
  }

  logon(body: unknown = USER, asked: Ask = {}) {
    return ask(this.core, 'POST', LOGON, { body: typeof body === 'string' ? body : JSON.stringify(body), ...asked })
  }

  get(token: string | undefined, asked: Ask = {}, path = USERS, method = 'GET') {
    const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` }
    return ask(this.core, method, path, { ...asked, headers: { ...authorization, ...asked.headers } })
  }

  /** Logs on. Returns the token, which is the text that opens the API, with its place. */
  async mint(): Promise<{ token: string; at: string }> {
    this.core.advance(this.restMs)
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

  async advance(lifetimes: number): Promise<void> {
    const { url, key } = this.core.control
    const headers = { Authorization: `Bearer ${key}` }
    const body = JSON.stringify({ ms: lifetimes * HOUR })
    const { status } = await fetch(`${url}/advance`, { method: 'POST', headers, body })
    assert.is(status, 200)
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

  /** Counts the answers to two requests on one connection. */
  async answersOfTwo(first: Ask): Promise<number> {
    const bytes = `${bytesOf('GET', USERS, { ...first, keep: true })}${bytesOf('GET', USERS)}`
    return (await exchange(this.core, bytes)).toString('latin1').match(/HTTP\/1\.[01] \d{3} /g)?.length ?? 0
  }

  async tokenIdle(lifetimes: number): Promise<string> {
    const { token } = await this.mint()
    await this.advance(lifetimes)
    return `${(await this.get(token)).status}`
  }

  /** Describes 22 logons at a time, and their tokens. */
  async logons(): Promise<string> {
    const taken = await this.logon()
    await this.advance(2)
    const answers = await Promise.all(Array.from({ length: 22 }, () => this.logon()))
    const isTaken = (answer: Answer) => answer.status === taken.status && tokenTextsOf(answer).length > 0
    const refused = answers.find(answer => !isTaken(answer))
    const none = same(await this.get(undefined))
    const opening = await Promise.all(
      answers
        .filter(isTaken)
        .map(async answer => same(await this.get(tokenTextsOf(answer).find(([at]) => at === this.at)?.[1])) !== none),
    )
    // On a busy machine a few seconds may have passed.
    const told = refused?.headers['retry-after']
    const after = told?.includes('GMT') ? 'a date' : Math.ceil(Number(told) / 10) * 10
    const then = refused && `, then ${refused.status || 'hung up'}, Retry-After ${after || 'not told'}`
    const valid = opening.filter(Boolean).length
    // The number within a second depends on the machine.
    if (this.restMs > 0 && opening.length < 22) return `some of 22, ${valid === opening.length && 'all valid'}${then}`
    return `${opening.length} of 22, ${valid} valid${then ?? ''}`
  }

  async facts(): Promise<Facts> {
    const logon = await this.logon()
    const { token, at } = await this.mint()
    this.core.advance(this.restMs)
    const users = await this.get(token)
    const [none, again] = [await this.get(undefined), await this.get(undefined)]
    const facts: Record<string, unknown> = {
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
    await this.advance(1.06)
    Object.assign(facts, {
      expired: said(await this.get(idle)),
      idle98: await this.tokenIdle(0.98),
      idle101: await this.tokenIdle(1.01),
      idle104: await this.tokenIdle(1.04),
    })
    return facts as unknown as Facts
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

/** Describes an answer in a few words. */
function said({ status, headers, body }: Answer): string {
  const type = body === '' ? 'no body' : headers['content-type']?.replace(/^\w+\//, '').replace(/;.*/, '')
  const challenge = headers['www-authenticate']
  return `${status} ${type}${challenge === undefined ? '' : `, ${challenge}`}`
}

/** Returns an answer without ids and times, which are new in each, for a comparison with another one. */
function same({ status, body }: Answer): string {
  return `${status} ${body.replace(/[0-9a-f-]{36}|\d{4}-\d\d-\d\dT[\d:.]+Z/g, '')}`
}

/** Returns JSON, or else the text. */
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

/** Collects the facts of all dialects, some at a time. */
async function collect(): Promise<Map<string, Facts | Error>> {
  const found = new Map<string, Facts | Error>()
  const waiting = [...SHOWN]
  const work = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const dialect = await loadDialect(pathOf(name))
      const { tokens, logons } = dialect.limits
      const limited = name === 'default' || tokens !== undefined || logons !== undefined
      const facts = withCore({ dialect }, async core => {
        // Pauses longer than the period where the journey would reach a rate limit.
        const journey = new Journey(core, logons?.perMs === 1000 ? 1500 : 0)
        const facts = await journey.facts()
        // An unlimited dialect needs no burst, which would take longer than all the rest.
        return limited ? { ...facts, logons: await journey.logons() } : facts
      })
      found.set(name, await facts.catch(error => error as Error))
    }
  }
  await Promise.all(Array.from({ length: 6 }, work))
  return found
}

const collected = await collect()
const factsOf = (name: string): Facts => {
  const facts = collected.get(name)
  if (facts === undefined || facts instanceof Error) throw facts ?? new Error(`no dialect ${name}`)
  return facts
}

if (process.env.SHOW) {
  console.log(JSON.stringify(Object.fromEntries([...collected].map(([n, f]) => [n, f instanceof Error ? f.stack : f]))))
  process.exit()
}

for (const name of SHOWN) {
  test(`${name} does as it says and keeps the reference`, () => {
    const facts = factsOf(name)
    const differs = Object.entries(facts).filter(([fact, value]) => {
      return JSON.stringify(value) !== JSON.stringify(DEFAULT[fact as keyof Facts])
    })
    assert.equal(Object.fromEntries(differs), DIFFERS[name])

    const status = (words: string) => Number(words.slice(0, 3))
    assert.ok(status(facts.logon) < 300)
    assert.ok(facts.tokenLength >= 8)
    for (const rejection of [facts.none, facts.unknown, facts.revoked, facts.expired]) {
      assert.ok(status(rejection) >= 400 && status(rejection) < 500)
    }
    assert.is(facts.usersAfterwards, facts.users)
    assert.match(facts.withoutHost, /^406 [^|]+$/)
    assert.match(
      facts.withoutHostOverHttp10,
      facts.usersOverHttp10 === facts.users ? /^406 [^|]+$/ : /^(?:505|400) [^|]+$/,
    )
    assert.is(facts.idle104, facts.expired.slice(0, 3))
  })
}

test('every dialect is in the table, and differs from every other', () => {
  const ways = new Set(Object.values(DIFFERS).map(facts => JSON.stringify(facts)))
  // Eight dialects show the same facts as another one. slow and logon-slow differ from the default in time only, which is
  // measured below. expiry-swept differs from expiry-late in the moment of expiry: see mock-device.test.ts. The three limits of
  // connections and the two ways to hang up differ in connections: see mock-connections.test.ts.
  assert.is(ways.size, NAMES.length - 8)
  assert.equal(Object.keys(DIFFERS).sort(), [...NAMES].sort())
  assert.ok(NAMES.length >= 24)
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

test('logons are taken again after the Retry-After', async () => {
  await withCore({ dialect: await loadDialect(pathOf('limit-logon-rate')) }, async core => {
    const journey = new Journey(core)
    for (let i = 0; i < 20; i += 1) assert.is((await journey.logon()).status, 201)
    const refused = await journey.logon()
    assert.is(refused.status, 429)
    await journey.advance((Number(refused.headers['retry-after']) * 1_000) / HOUR)
    assert.is((await journey.logon()).status, 201)
  })
})

test('a revocation makes room for another token', async () => {
  await withCore({ dialect: await loadDialect(pathOf('limit-5-tokens')) }, async core => {
    const journey = new Journey(core)
    const bodies = []
    for (let i = 0; i < 5; i += 1) bodies.push((await journey.logon()).body)
    assert.is((await journey.logon()).status, 403)
    await journey.get(JSON.parse(bodies[2] ?? '').token, {}, LOGON, 'DELETE')
    assert.is((await journey.logon()).status, 201)
  })
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
  const folder = await mkdtemp(join(tmpdir(), 'dialect-'))
  const file = join(folder, 'mine.yaml')
  const message = async (text: string) => {
    await writeFile(file, text)
    return loadDialect(file).then(
      () => 'loaded',
      error => error.message.replaceAll(file, 'mine.yaml'),
    )
  }
  try {
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
  } finally {
    await rm(folder, { recursive: true })
  }
})

test.run()
