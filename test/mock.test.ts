import { readdirSync, readFileSync } from 'node:fs'
import { request as httpsRequest } from 'node:https'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { MockCore, MockOptions } from '../dist/mock/index.js'
import { ask, raw, withMockCore } from './support/mock-client.js'

const LOGON = '/api/v0/logon'
const USERS = '/api/v0/cores/self/users'
const JSON_BODY = '{"username":"admin","password":"geheim"}'

async function mint(core: MockCore, body = JSON_BODY): Promise<string> {
  return JSON.parse((await ask(core, 'POST', LOGON, { body })).body).token
}

const withCore = (use: (core: MockCore, lines: string[]) => Promise<void>, options: Partial<MockOptions> = {}) => {
  const lines: string[] = []
  return withMockCore({ log: line => lines.push(line), ...options }, core => use(core, lines))
}

test('a logon without Host is answered 406 and issues nothing, whether its body has come or not', () =>
  withCore(async core => {
    const head = `POST ${LOGON} HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: ${JSON_BODY.length}\r\n`
    const whole = await raw(core, `${head}Connection: close\r\n\r\n${JSON_BODY}`)
    const old = await raw(core, `${head.replace('1.1', '1.0')}\r\n${JSON_BODY}`)
    const waiting = await raw(core, `${head}Expect: 100-continue\r\n\r\n`)
    const bodiless = await raw(core, `${head}\r\n`)
    for (const text of [whole, old, waiting, bodiless]) {
      assert.match(text, /^HTTP\/1\.1 406 Not Acceptable\r\n/)
      assert.match(text, /\r\n\r\n\{"code":406,"message":"Not Acceptable"\}$/)
    }
    assert.is(core.state().tokens.issued, 0)
  }))

test('a connection goes on after a 406, also when the body came late', () =>
  withCore(async core => {
    const first = `POST ${LOGON} HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc`
    const text = await raw(core, `${first}GET / HTTP/1.1\r\nHost: core\r\nConnection: close\r\n\r\n`)
    assert.match(text, /^HTTP\/1\.1 406 [\s\S]*\}HTTP\/1\.1 404 /)
  }))

test('two Authorization headers are none, although Node would show the first', () =>
  withCore(async core => {
    const line = `Authorization: Bearer ${await mint(core)}\r\n`
    const head = `GET ${USERS} HTTP/1.1\r\nHost: core\r\nConnection: close\r\n`
    assert.match(await raw(core, `${head}${line}\r\n`), /^HTTP\/1\.1 200 /)
    assert.match(await raw(core, `${head}${line}${line}\r\n`), /^HTTP\/1\.1 401 /)
  }))

test('pipelined requests are answered in order, each after the effect of the one before', () =>
  withCore(async core => {
    const head = `Host: core\r\nAuthorization: Bearer ${await mint(core)}\r\n`
    const get = `GET ${USERS} HTTP/1.1\r\n${head}`
    const revoke = `DELETE ${LOGON} HTTP/1.1\r\n${head}Content-Length: 5\r\n\r\nabcde`
    const text = await raw(core, `${get}\r\n${revoke}${get}Connection: close\r\n\r\n`)
    assert.equal(text.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 204', 'HTTP/1.1 401'])
  }))

test('Expect: 100-continue is told to go on', () =>
  withCore(async core => {
    const text = await new Promise<string>((resolve, reject) => {
      const headers = { 'Content-Type': 'application/json', Expect: '100-continue', 'Content-Length': JSON_BODY.length }
      const req = httpsRequest(core.url + LOGON, { method: 'POST', headers, ca: core.certificatePem, agent: false })
      req.on('continue', () => req.end(JSON_BODY))
      req.on('response', res => res.resume().on('end', () => resolve(`${res.statusCode}`))).on('error', reject)
      req.flushHeaders()
    })
    assert.is(text, '201')
    const length = `Content-Type: application/json\r\nContent-Length: ${JSON_BODY.length}\r\n`
    const impatient = `POST ${LOGON} HTTP/1.1\r\nHost: core\r\nExpect: 100-continue\r\n${length}\r\n${JSON_BODY}`
    const kept = await raw(core, `${impatient}GET / HTTP/1.1\r\nHost: core\r\nConnection: close\r\n\r\n`)
    assert.equal(kept.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 100', 'HTTP/1.1 201', 'HTTP/1.1 404'])
    const odd = await raw(core, 'GET / HTTP/1.1\r\nHost: core\r\nExpect: miracles\r\nConnection: close\r\n\r\n')
    assert.match(odd, /^HTTP\/1\.1 404 /)
  }))

test('every request leaves one line: time, method, path, status, duration, Host, token', () =>
  withCore(async (core, lines) => {
    const token = await mint(core)
    await ask(core, 'GET', USERS, { headers: { Authorization: `Bearer ${token}` } })
    await ask(core, 'GET', `${USERS}?sort=name`)
    await raw(core, 'GET /api HTTP/1.0\r\n\r\n')
    const time = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z'
    const expected = [
      `POST ${LOGON} 201 \\d+\\.\\dms host=yes token=no`,
      `GET ${USERS} 200 \\d+\\.\\dms host=yes token=yes`,
      `GET ${USERS} 401 \\d+\\.\\dms host=yes token=no`,
      'GET /api 406 \\d+\\.\\dms host=no token=no',
    ]
    assert.is(lines.length, expected.length)
    expected.forEach((line, i) => {
      assert.match(lines[i] ?? '', new RegExp(`^${time} ${line}$`))
    })
  }))

test('no token, no password, and nothing that commands a terminal gets into the log', () =>
  withCore(
    async (core, lines) => {
      const password = 'ge/heim %'
      const token = await mint(core, JSON.stringify({ username: 'admin', password }))
      const spelled = (text: string, times = 1): string =>
        times === 0
          ? text
          : spelled(
              text.replace(/./g, c => `%${c.charCodeAt(0).toString(16).padStart(2, '0')}`),
              times - 1,
            )
      const paths = [
        `/api/${token}`,
        `/api/${token.toUpperCase()}`,
        `/api/x${token}x`,
        `${USERS}?token=${token}`,
        `${USERS}#${token}`,
        `https://admin:geheim@core/api/${spelled(token)}`,
        `/${encodeURIComponent(password)}`,
        `/${encodeURI(password)}`,
        `/${spelled(password)}`,
        `/${spelled(spelled(password))}`,
        `/%${'25'.repeat(20)}67e/heim`,
        '/%1b[31m%0d%0a2026 GET / 200',
        '/back\\slash"quote',
        `/${'long/'.repeat(1_000)}`,
      ]
      for (const path of paths) {
        const target = path.replaceAll(' ', '%20')
        await raw(core, `GET ${target} HTTP/1.0\r\nHost: core\r\nAuthorization: Bearer ${token}\r\n\r\n`)
      }
      await ask(core, 'POST', LOGON, { headers: { Authorization: `Basic ${token}` }, body: JSON_BODY })
      assert.is(lines.length, paths.length + 2)
      const all = lines.join('\n')
      assert.not.match(all.toLowerCase(), new RegExp(`${token}|heim|%68%65%69%6d|%2568`))
      assert.is(all.match(/<concealed>/g)?.length, 9)
      for (const line of lines) {
        assert.match(line, /^[\x20-\x7e…]+$/)
        assert.ok(line.length < 300)
      }
      assert.ok(all.includes('/%1b[31m%0d%0a2026%20GET%20/%20200'))
      assert.ok(all.includes('/back\\u005cslash"quote'))
    },
    { password: 'ge/heim %' },
  ))

test('a log that throws costs no answer', () =>
  withCore(
    async core => {
      assert.is((await ask(core, 'GET', USERS)).status, 401)
    },
    {
      log: () => {
        throw new Error('the log is full')
      },
    },
  ))

test('the mock shares no code with the rest of the project but its ground floor, and its door is cheap to import', () => {
  const folder = new URL('../src/mock/', import.meta.url)
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts')) continue
    const file = new URL(name, folder)
    for (const [, from = ''] of readFileSync(file, 'utf8').matchAll(/(?:from|import|import\() ?'([^']+)'/g)) {
      const inside = from.startsWith('.') && new URL(from, file).href.startsWith(folder.href)
      assert.ok(
        inside ||
          /^(?:node:[\w/]+|selfsigned|ms|yaml|fastest-levenshtein|ajv|(?:\.\.\/)+ground\/[\w-]+\.js)$/.test(from),
        `${name} imports ${from}`,
      )
    }
  }
  const door = readFileSync(new URL('../dist/mock/index.js', import.meta.url), 'utf8')
  assert.not.match(door, /^(?:import|export .* from) /m)
})

test.run()
