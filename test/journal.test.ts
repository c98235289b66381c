/** The journal of a run: the seal, the file, and its reading by another process. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import argon2 from 'hash-wasm/dist/argon2.umd.min.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Exchange } from '../dist/core/exchange.js'
import { Token } from '../dist/core/token.js'
import type { EndState, Resumed, SurveyState, UnitState } from '../dist/engine/journal.js'
import { ConfigError } from '../dist/ground/config-error.js'
import { JOURNAL_FILE, JOURNAL_VERSION, MOST_BYTES, type ProcessLine, type RunLine } from '../dist/journal/line.js'
import { OwnKey } from '../dist/journal/own-key.js'
import { claimed, isAtWork, thisProcess } from '../dist/journal/process.js'
import { isFull, readJournal, runClock, sealOf as sealOfJournal } from '../dist/journal/read.js'
import { replay } from '../dist/journal/replay.js'
import { Seal } from '../dist/journal/seal.js'
import { JournalWriter } from '../dist/journal/write.js'
import { spec as specRecord } from './fixtures/results/results.js'
import { inFolder } from './support/folder.js'
import { long } from './support/long.js'
import { runLineOf } from './support/run-line.js'
import { CONFIGURATION } from './support/suite-run.js'

const SALT = '00112233445566778899aabbccddeeff'
const PASSWORD = 'Kanari "pw" &<ä>/3'
const VALUE = 'kanari-token-0123456789abcdef'

const test = suite('journal')

/** Deriving a key is slow on purpose. */
const seals = new Map<string, Promise<Seal>>()
function sealOf(password: string): Promise<Seal> {
  const made = seals.get(password) ?? Seal.of(password, SALT)
  seals.set(password, made)
  return made
}

test('what was closed is opened with the same password, salt and context, and with no other', async () => {
  const mine = await Seal.of(PASSWORD, SALT)
  const again = await Seal.of(PASSWORD, SALT)
  for (const text of ['', 'x', VALUE, 'ä\u2028"\n', 'x'.repeat(100_000)]) {
    const closed = mine.close(text, 'token')
    assert.is(again.open(closed, 'token'), text)
    assert.throws(() => mine.open(closed, 'secret'), /another password, or changed/)
    assert.throws(() => mine.open(closed, ''), /another password, or changed/)
  }
  const closed = mine.close(VALUE, 'token')
  for (const other of [
    await Seal.of(`${PASSWORD} `, SALT),
    await Seal.of('', SALT),
    await Seal.of(PASSWORD, `ff${SALT.slice(2)}`),
  ])
    assert.throws(() => other.open(closed, 'token'), /another password, or changed/)
})

test('a key costs what OWASP recommends, whoever tries passwords', async () => {
  const { argon2id } = argon2
  const costs: number[][] = []
  argon2.argon2id = (options => {
    const { memorySize, iterations, parallelism } = options
    costs.push([memorySize, iterations, parallelism])
    return argon2id(options)
  }) as typeof argon2id
  try {
    await Seal.of(PASSWORD, SALT)
  } finally {
    argon2.argon2id = argon2id
  }
  // One of the five settings that OWASP's Password Storage Cheat Sheet calls equal, in KB and passes.
  assert.equal(costs, [[7 * 1024, 5, 1]])
})

test('no byte can be changed, and nothing cut off, unseen', async () => {
  const mine = await sealOf(PASSWORD)
  const bytes = Buffer.from(mine.close(VALUE, 'token'), 'base64')
  for (let index = 0; index < bytes.length; index++) {
    const changed = Buffer.from(bytes)
    changed[index] = (changed[index] ?? 0) ^ 1
    assert.throws(() => mine.open(changed.toString('base64'), 'token'), /another password, or changed/, `byte ${index}`)
  }
  for (const cut of [0, 5, 12, 20, 28, bytes.length - 1]) {
    assert.throws(() => mine.open(bytes.subarray(0, cut).toString('base64'), 'token'), /another password, or changed/)
  }
  assert.throws(() => mine.open('no base64 !', 'token'), /another password, or changed/)
})

test('a code is of the text, of what stands before it and of the key', async () => {
  const mine = await sealOf(PASSWORD)
  const others = [mine.mac('a', 'c'), mine.mac('b', 'b'), mine.mac('', 'a\nb'), (await sealOf('other')).mac('a', 'b')]
  assert.match(mine.mac('a', 'b'), /^[\w+/]{43}=$/)
  assert.is(mine.mac('a', 'b'), mine.mac('a', 'b'))
  for (const other of others) assert.is.not(other, mine.mac('a', 'b'))
  assert.is.not(Seal.embedded(SALT).mac('a', 'b'), Seal.embedded(`ff${SALT.slice(2)}`).mac('a', 'b'))
})

test('the same text is never sealed alike, and does not show', async () => {
  const mine = await sealOf(PASSWORD)
  const all = Array.from({ length: 50 }, () => mine.close(VALUE, 'token'))
  assert.is(new Set(all).size, 50)
  assert.is(new Set(all.map(text => text.slice(0, 16))).size, 50, 'the nonces differ')
  for (const text of all) assert.not.ok(Buffer.from(text, 'base64').includes(VALUE))
  assert.match(Seal.salt(), /^[0-9a-f]{32}$/)
  assert.is.not(Seal.salt(), Seal.salt())
})

// ---- A key of its own ---------------------------------------------------------------------------------------------

/** Begins a journal with a key of its own. @param own the folder of keys */
async function beginWithKey(folder: string, own: string) {
  const key = OwnKey.make(PASSWORD, own)
  if (!key) throw new Error('no key can be kept here')
  const { run } = await runLine()
  const { salt, seal: mine } = key
  const line = { ...run, salt, ownKey: key.told, check: mine.close('journal', 'check') }
  const writer = JournalWriter.begin(folder, line, 0, mine, unbroken)
  key.begin(sealed => writer.key(sealed))
  return { key, writer }
}

test('at first it is in a file of the user, then in the journal, and the password opens both', () =>
  inFolder(async folder => {
    const own = join(folder, 'own')
    const { key, writer } = await beginWithKey(folder, own)
    writer.room(7)
    assert.equal(readdirSync(own), [`journal-${key.salt}`])
    assert.is(statSync(join(own, `journal-${key.salt}`)).mode & 0o777, 0o600)
    assert.is(replay(opened(folder), await sealOfJournal(opened(folder), PASSWORD, own), 0).room, 7)
    const fails = async (password: string, from: string | undefined, message: RegExp) => {
      const error = await sealOfJournal(opened(folder), password, from).catch((error: unknown) => error)
      assert.instance(error, ConfigError)
      assert.match((error as ConfigError).message, message)
    }
    await fails(`${PASSWORD}2`, own, /was sealed with another password than this/)
    for (const from of [undefined, join(folder, 'nobody')])
      await fails(PASSWORD, from, /has no key: its run was killed within its first seconds, .* Resume it there; or/)
    await Promise.all([key.intoJournal(), key.intoJournal()])
    writer.room(3)
    writer.close()
    assert.equal(readdirSync(own), [])
    assert.is(opened(folder).lines.filter(({ type }) => type === 'key').length, 1)
    assert.is(replay(opened(folder), await sealOfJournal(opened(folder), PASSWORD, undefined), 0).room, 3)
    await fails(`${PASSWORD}2`, own, /was sealed with another password than this/)
    // Nothing in the file is the key, or the password.
    const text = readFileSync(join(folder, JOURNAL_FILE), 'utf8')
    for (const form of ['base64', 'hex', 'latin1'] as const)
      assert.not.match(text, Buffer.from(key.seal.keys).toString(form))
    assert.not.match(text, 'Kanari')
  }))

test('a run that ends before leaves nothing; one that goes on puts the key into its journal by itself', () =>
  inFolder(async folder => {
    const own = join(folder, 'own')
    const short = await beginWithKey(folder, own)
    short.key.forget()
    short.writer.close()
    assert.equal(readdirSync(own), [])
    rmSync(join(folder, JOURNAL_FILE))
    const { writer } = await beginWithKey(folder, own)
    while (!opened(folder).lines.some(({ type }) => type === 'key')) await sleep(20)
    writer.close()
    await sealOfJournal(opened(folder), PASSWORD, undefined)
    assert.equal(readdirSync(own), [])
  }))

test('a key that its journal did not take stays with the user', () =>
  inFolder(async folder => {
    const own = join(folder, 'own')
    const { key, writer } = await beginWithKey(folder, own)
    writer.close()
    await key.intoJournal()
    assert.equal(readdirSync(own), [`journal-${key.salt}`])
    await sealOfJournal(opened(folder), PASSWORD, own)
    key.forget()
    assert.equal(readdirSync(own), [])
  }))

test('where no file can be kept for this user alone, there is no such key', () =>
  inFolder(async folder => {
    const open = join(folder, 'open')
    mkdirSync(open)
    chmodSync(open, 0o777)
    for (const own of [undefined, open, join('/dev/null', 'x'), '/proc/none/x'])
      assert.is(OwnKey.make(PASSWORD, own), undefined, own)
  }))

// ---- The file -----------------------------------------------------------------------------------------------------

async function runLine(): Promise<{ run: RunLine; mine: Seal }> {
  const mine = await sealOf(PASSWORD)
  return { run: runLineOf(mine, { salt: SALT }), mine }
}

const unbroken = (error: Error) => {
  throw error
}

async function begin(folder: string): Promise<{ writer: JournalWriter; mine: Seal; path: string }> {
  const { run, mine } = await runLine()
  return { writer: JournalWriter.begin(folder, run, 0, mine, unbroken), mine, path: join(folder, JOURNAL_FILE) }
}

function opened(folder: string) {
  const journal = readJournal(folder)
  if (!journal) throw new Error('there is no journal')
  return journal
}

test('one JSON object a line, for its owner only, and at once in the file', () =>
  inFolder(async folder => {
    const { writer, path } = await begin(folder)
    assert.is(statSync(path).mode & 0o777, 0o600)
    writer.room(7)
    writer.leaves(['x'])
    const lines = readFileSync(path, 'utf8').split('\n')
    assert.is(lines.pop(), '')
    const types = lines.map(line => (JSON.parse(line) as { type: string }).type)
    assert.equal(types, ['run', 'count', 'process', 'room', 'leaves'])
    writer.close()
    writer.close()
    writer.room(9)
    assert.is(readFileSync(path, 'utf8').split('\n').length, 6, 'nothing is written any more')
  }))

test('a file that is there already, or a link in its place, is not written to', () =>
  inFolder(async folder => {
    const { run, mine } = await runLine()
    const other = join(folder, 'precious')
    writeFileSync(other, 'mine')
    symlinkSync(other, join(folder, JOURNAL_FILE))
    assert.throws(() => JournalWriter.begin(folder, run, 0, mine, unbroken), /EEXIST/)
    assert.is(readFileSync(other, 'utf8'), 'mine')
  }))

test('half a last line is left out, and does not run into what another process writes', () =>
  inFolder(async folder => {
    const { writer, mine, path } = await begin(folder)
    writer.room(7)
    writer.close()
    writeFileSync(path, '{"type":"room","tok', { flag: 'a' })
    assert.is(opened(folder).lines.length, 3)
    const next = JournalWriter.goOn(folder, 5000, mine, unbroken)
    next.room(3)
    next.close()
    const { lines, process: last } = opened(folder)
    const types = lines.map(({ type }) => type)
    assert.equal(types, ['run', 'process', 'room', 'process', 'room'])
    assert.is(last.runMs, 5000)
    assert.is(replay(opened(folder), mine, 0).room, 3)
  }))

test('a line in the middle that is broken is told with its place, and the file is not used', () =>
  inFolder(async folder => {
    const { writer, mine, path } = await begin(folder)
    writer.room(7)
    writer.close()
    const [first, second, third, fourth] = readFileSync(path, 'utf8').split('\n')
    for (const broken of ['{"type":', 'x', '[]', 'null', '"type"', '{"kind":"room"}', '']) {
      writeFileSync(path, [first, second, third, broken, fourth, ''].join('\n'))
      assert.throws(
        () => readJournal(folder),
        (error: unknown) =>
          error instanceof ConfigError && error.message.startsWith(`${path}:4 is no line of a journal`),
        broken,
      )
    }
    writeFileSync(path, [third, second, first, ''].join('\n'))
    assert.throws(() => readJournal(folder), /:1 is not the beginning of a journal/)
    writeFileSync(path, [first, third, second, ''].join('\n'))
    assert.throws(() => readJournal(folder), /:2 does not count the lines/)
    // A sealed line without a place in the chain.
    const secret = JSON.stringify({ type: 'secrets', sealed: mine.close('[]', 'secrets') })
    writeFileSync(path, [first, second, third, fourth, secret, ''].join('\n'))
    assert.throws(() => replay(opened(folder), mine, 0), /:5 has no number or no code\. The file was changed/)
  }))

test('whatever is done to the lines is refused with the line, and half a last line is not', () =>
  inFolder(async folder => {
    const { writer, mine, path } = await begin(folder)
    for (const tokens of [7, 6, 5, 4]) writer.room(tokens)
    writer.issued(token())
    writer.close()
    const text = readFileSync(path, 'utf8')
    const lines = text.split('\n').slice(0, -1)
    mkdirSync(join(folder, 'other'))
    const later = await begin(join(folder, 'other'))
    later.writer.room(7)
    later.writer.close()
    const others = readFileSync(later.path, 'utf8').split('\n')
    const at = (index: number) => lines[index] ?? ''
    const without = (...gone: number[]) => lines.filter((_, index) => !gone.includes(index))
    const replaced = (index: number, line: string) => lines.map((each, place) => (place === index ? line : each))
    const trials: [what: string, lines: string[], RegExp][] = [
      ['the URL', replaced(0, at(0).replace('https://127.0.0.1', 'https://127.0.0.9')), /:1 is not as it was written/],
      ['white space', replaced(3, at(3).replace('"tokens":7', '"tokens": 7')), /:4 is not as it was written/],
      ['a value', replaced(4, at(4).replace('"tokens":6', '"tokens":9')), /:5 is not as it was written/],
      ['the number', replaced(4, at(4).replace('"n":4', '"n":5')), /:5 is number 5 .* where number 4 was written/],
      ['a code', replaced(4, at(4).replace(/"mac":"./, '"mac":"_')), /:5 is not as it was written/],
      ['a line left out', without(4), /:5 is number 5 of the journal and stands where number 4 was written/],
      [
        'a line doubled',
        [...lines.slice(0, 5), at(4), ...lines.slice(5)],
        /:6 is number 4 .* missing, doubled or moved/,
      ],
      ['the last line doubled', [...lines, at(7)], /:9 is number 7 .* where number 8 was written/],
      ['two lines swapped', [...lines.slice(0, 4), at(5), at(4), ...lines.slice(6)], /:5 is number 5/],
      ['the end cut off', without(7), /:2 says 7 lines, and 6 are there: the last ones are missing/],
      ['and the count lowered', replaced(1, at(1).replace('7', '5')).slice(0, 6), /:2 is not as it was written/],
      ['the count of another', replaced(1, others[1] ?? ''), /:2 says 3 lines, and 7 are there/],
      ['a line of another journal', replaced(3, others[3] ?? ''), /:4 is not as it was written/],
      [
        'a line in between',
        [...lines.slice(0, 4), '{"type":"room","tokens":9}', ...lines.slice(4)],
        /:5 has no number/,
      ],
    ]
    for (const [what, changed, message] of trials) {
      writeFileSync(path, `${changed.join('\n')}\n`)
      assert.throws(() => replay(opened(folder), mine, 0), message, what)
      assert.throws(() => JournalWriter.goOn(folder, 0, mine, unbroken), message, what)
      assert.is(readFileSync(path, 'utf8'), `${changed.join('\n')}\n`, `${what}: the file is left as it is`)
    }
    // Killed in the middle of a line: the count covers the lines before.
    for (const half of ['{', at(7).slice(0, 40), at(7)]) {
      writeFileSync(path, `${text}${half}`)
      assert.is(replay(opened(folder), mine, 0).room, 4)
    }
  }))

test('a line and the secrets before it may be uncounted, since their process was killed in between, and no more', () =>
  inFolder(async folder => {
    const { writer, mine, path } = await begin(folder)
    const early = readFileSync(path, 'utf8').split('\n')[1]
    writer.room(7)
    const late = readFileSync(path, 'utf8').split('\n')[1]
    writer.secret('one', 'token a')
    writer.secret('two', 'token b')
    writer.room(4)
    writer.close()
    const [first, , ...others] = readFileSync(path, 'utf8').split('\n')
    const at = (count: string | undefined) => writeFileSync(path, [first, count, ...others].join('\n'))
    at(late)
    const { room, secrets } = replay(opened(folder), mine, 0)
    assert.is(room, 4)
    const values = secrets.map(({ value }) => value)
    assert.equal(values, ['one', 'two'])
    at(early)
    assert.throws(() => replay(opened(folder), mine, 0), /:2 says 2 lines, and 5 are there/)
    at(late)
    const next = JournalWriter.goOn(folder, 0, mine, unbroken)
    next.room(3)
    next.close()
    assert.is(replay(opened(folder), mine, 0).room, 3)
  }))

test('a secret that no line brings along is in the file when the event is over', () =>
  inFolder(async folder => {
    const { writer, mine } = await begin(folder)
    writer.secret('one', 'token a')
    assert.is(opened(folder).lines.length, 2)
    await new Promise(resolve => setTimeout(resolve, 0))
    await new Promise(resolve => setImmediate(resolve))
    assert.equal(replay(opened(folder), mine, 0).secrets, [{ value: 'one', label: 'token a' }])
    writer.secret('two', 'token b')
    writer.close()
    assert.is(replay(opened(folder), mine, 0).secrets.length, 2)
  }))

test('a pipe, a device or a file of many megabytes in its place is refused unread', () =>
  inFolder(async folder => {
    const path = join(folder, JOURNAL_FILE)
    symlinkSync('/dev/zero', path)
    assert.throws(() => readJournal(folder), /is a device, and not a file: move it away/)
    rmSync(path)
    execFileSync('mkfifo', [path])
    assert.throws(() => readJournal(folder), /is a pipe \(FIFO\), and not a file/)
    rmSync(path)
    writeFileSync(path, '')
    truncateSync(path, MOST_BYTES + 1)
    assert.throws(() => readJournal(folder), /is larger than 20 MB/)
  }))

test('another version, none at all, and one that was killed at its beginning', () =>
  inFolder(async folder => {
    const path = join(folder, JOURNAL_FILE)
    assert.is(readJournal(folder), undefined)
    assert.is(readJournal(join(folder, 'none')), undefined)
    const { run } = await runLine()
    const process = JSON.stringify({ type: 'process', ...thisProcess(0) })
    for (const text of [
      '',
      '{"type":"ru',
      `${JSON.stringify({ type: 'run', ...run })}\n`,
      `${JSON.stringify({ type: 'run', ...run })}\n{"type"`,
    ]) {
      writeFileSync(path, text)
      assert.is(readJournal(folder), undefined, text)
    }
    rmSync(path)
    const { writer } = await begin(folder)
    writer.close()
    const [first, count] = readFileSync(path, 'utf8').split('\n')
    writeFileSync(path, [first, count, ''].join('\n'))
    assert.is(readJournal(folder), undefined, 'without its process')
    writeFileSync(path, `${JSON.stringify({ type: 'run', ...run, version: JOURNAL_VERSION + 1 })}\n${process}\n`)
    assert.throws(
      () => readJournal(folder),
      /was written by another version of core-conformance: finish it with that one, or remove it/,
    )
    // As version 1 wrote it, without a count.
    writeFileSync(path, `${JSON.stringify({ type: 'run', ...run, version: 1 })}\n${process}\n`)
    assert.throws(() => readJournal(folder), /was written by another version/)
    mkdirSync(join(folder, 'folder', JOURNAL_FILE), { recursive: true })
    assert.throws(
      () => readJournal(join(folder, 'folder')),
      /cannot be read \(EISDIR\): fix that, or move the file away/,
    )
  }))

/** As long as a token may be, of characters that cannot be compressed. */
const longToken = (number: number) => token(number, randomBytes(49_152).toString('base64'))

long(test)('a journal that would grow beyond 20 MB is full: that is told once, and what is in it can be resumed', () =>
  inFolder(async folder => {
    const { run, mine } = await runLine()
    const told: string[] = []
    const path = join(folder, JOURNAL_FILE)
    const writer = JournalWriter.begin(folder, run, 0, mine, ({ message }) => told.push(message))
    for (let number = 0; number < 400; number++) {
      const each = longToken(number)
      writer.issued(each)
      if (number === 3) each.revoked()
      if (number === 3) writer.changed(each)
    }
    assert.equal(told, ['it has grown to 19 MB, since this Core answers at length'])
    assert.ok(statSync(path).size < MOST_BYTES)
    for (let again = 0; again < 2; again++) {
      const journal = opened(folder)
      assert.ok(isFull(journal))
      const { tokens } = replay(journal, mine, 0)
      assert.ok(tokens.length > 250, `${tokens.length}`)
      assert.is(tokens[3]?.givenBack, true)
      // The journal still names the process that works on it.
      const next = JournalWriter.goOn(folder, again, mine, ({ message }) => told.push(message))
      assert.is(opened(folder).process.runMs, again)
      next.issued(longToken(0))
      next.close()
    }
    assert.is(told.length, 3)
    assert.ok(statSync(path).size < MOST_BYTES)
  }),
)

test('a file that cannot be written any more is told once', () =>
  inFolder(async folder => {
    const { run, mine } = await runLine()
    const told: Error[] = []
    const writer = JournalWriter.begin(folder, run, 0, mine, error => told.push(error))
    closeSync((writer as unknown as { file: number }).file)
    writer.room(1)
    writer.room(2)
    writer.secret('x', 'y')
    assert.is(told.length, 1)
    assert.match(told[0]?.message ?? '', /EBADF/)
  }))

// ---- Replay -------------------------------------------------------------------------------------------------------

const reading = (ms: number) => ({
  sentAt: ms,
  receivedAt: ms + 10,
  wall: { sentAt: 1e12 + ms, receivedAt: 1e12 + ms + 10 },
})

function token(number = 0, value = VALUE): Token {
  return new Token(`token ${number}`, value, reading(100 * number), true, number)
}

function exchange(body = ''): Exchange {
  const request = { method: 'GET', path: '/', headers: [], httpVersion: '1.1' as const, omitHost: false }
  const response = {
    status: 200,
    statusText: 'OK',
    httpVersion: '1.1',
    headers: [],
    body,
    bodyBytes: body.length,
    complete: true,
  }
  return { request, response, ...reading(5) }
}

async function replayed(processes: ((writer: JournalWriter) => void)[], doubtMs = 0): Promise<Resumed> {
  return inFolder(async folder => {
    const { run, mine } = await runLine()
    for (const [index, write] of processes.entries()) {
      const writer = index
        ? JournalWriter.goOn(folder, index, mine, unbroken)
        : JournalWriter.begin(folder, run, 0, mine, unbroken)
      write(writer)
      writer.close()
    }
    return replay(opened(folder), mine, doubtMs)
  })
}

const ENDED = (id: string): EndState => ({ record: specRecord({ id }), facts: { seen: id } })

function never(): never {
  throw new Error('the suite is empty')
}

test('an empty journal: nothing but the beginning', async () => {
  assert.equal(await replayed([() => {}]), {
    startedAt: new Date('2030-01-02T03:04:05.000Z'),
    secrets: [],
    tokens: [],
    refusedLogons: 0,
    refunded: 0,
    lostUntil: [],
    ended: [],
    waiting: [],
    doubts: [],
    events: [],
  })
})

test('the survey, secrets, the room, the certificate and what happened to the Core', async () => {
  const event = { kind: 'no answers', text: 'no request was answered', fromMs: 3000, untilMs: 6000, specs: ['x'] }
  const survey: SurveyState = {
    dialect: {
      token: null,
      logonStatus: 201,
      acceptedStatus: 200,
      rejectedStatus: 401,
      unknownTokenStatus: 401,
      http10: true,
      sessions: 'many',
      lifetime: null,
      refused: null,
      warmUp: null,
      backEnds: null,
      latency: null,
    },
    answers: { probe: { accepted: { status: 200, body: '' }, refusals: [], signs: [], tells: false }, others: [] },
    paths: [['elsewhere', '/api/y']],
    tokenPointer: '/token',
    exchanges: [exchange('x'.repeat(70_000))],
  }
  const resumed = await replayed([
    writer => {
      writer.surveyed(survey)
      writer.happened(event)
      writer.secret(VALUE, 'token a')
      writer.room(9)
    },
    writer => {
      writer.secret('more', 'withheld')
      writer.room(4)
      writer.certificate('AA:BB')
    },
  ])
  const { exchanges, ...others } = resumed.survey ?? never()
  const { exchanges: _, ...wanted } = survey
  assert.equal(others, wanted)
  assert.is(exchanges[0]?.response?.body.length, 8192, 'of a large body no more is kept than is ever shown')
  assert.equal(resumed.secrets, [
    { value: VALUE, label: 'token a' },
    { value: 'more', label: 'withheld' },
  ])
  assert.is(resumed.room, 4)
  assert.is(resumed.certificateFingerprint, 'AA:BB')
  assert.equal(resumed.events, [event])
})

test('tokens by their numbers, over processes, as they were at last', async () => {
  const { tokens } = await replayed([
    writer => {
      writer.issued(token(0))
      writer.issued(token(1, 'other'))
      const back = token(1, 'other')
      back.revoked()
      writer.changed(back)
      const again = token(0)
      again.revoked()
      writer.changed(again)
      again.accepted()
      writer.changed(again)
    },
    writer => writer.issued(token(2, 'third')),
  ])
  const known = tokens.map(({ value, givenBack, label }) => [value, givenBack, label])
  assert.equal(known, [
    [VALUE, false, 'token 0'],
    ['other', true, 'token 1'],
    ['third', false, 'token 2'],
  ])
  assert.equal(tokens[1]?.issued, reading(100))
})

test('logons that were never answered, of each process, with a lifetime to live from when they were sent', async () => {
  const before = Date.now()
  const { lostUntil } = await replayed(
    [
      writer => {
        const first = writer.loggingOn()
        writer.loggingOn()
        first()
      },
      writer => {
        writer.loggingOn()()
        writer.loggingOn()
      },
    ],
    500,
  )
  assert.is(lostUntil.length, 2)
  const { idleLifetimeMs, idleTolerance } = CONFIGURATION
  for (const ms of lostUntil) {
    const sentMs = ms - idleLifetimeMs * (1 + idleTolerance) - 500
    assert.ok(sentMs >= before && sentMs <= Date.now())
  }
})

test('refused logons count for good; those of specs that have to run again may be spent anew', async () => {
  const run = (writer: JournalWriter, spec: string, ends: boolean) => {
    writer.refusing(spec)
    if (ends) writer.ended(ENDED(spec))
  }
  const one = await replayed([
    writer => {
      run(writer, 'x', true)
      run(writer, 'y', false)
    },
  ])
  assert.equal([one.refusedLogons, one.refunded], [2, 1])
  // However often a spec began, once it has ended it has spent what an undisturbed one spends.
  const more = await replayed([
    writer => run(writer, 'y', false),
    writer => run(writer, 'y', false),
    writer => run(writer, 'y', true),
    () => {},
  ])
  assert.equal([more.refusedLogons, more.refunded], [3, 2])
})

test('specs that have ended, each with its last outcome', async () => {
  const second = { ...ENDED('x'), facts: { seen: 'again' } }
  const { ended } = await replayed([
    writer => {
      writer.ended(ENDED('x'))
      writer.ended(ENDED('y'))
    },
    writer => writer.ended(second),
  ])
  assert.equal(ended, [second, ENDED('y')])
})

function waitingUnit(ids: string[], held: Token): UnitState {
  const spec = (id: string) => ({ next: 2, atMs: 5, tokens: [['a', 0]] as [string, number][], issued: [0], spec: id })
  const specs = ids.map(id => ({
    ...spec(id),
    steps: [],
    exchanges: [exchange()],
    facts: { seen: id },
    firstTry: 'late',
  }))
  const { value: _, ...state } = held.state()
  return { specs, tokens: { [held.number]: state } }
}

test('units that wait, with their tokens as they were then; those that went on are told no more', async () => {
  const held = token(0)
  held.used(reading(700), true)
  held.lapse()
  held.rejected()
  const { waiting, tokens } = await replayed([
    writer => {
      writer.issued(token(0))
      writer.waits(waitingUnit(['x', 'y'], held))
      writer.waits(waitingUnit(['z'], held))
      writer.waits(waitingUnit(['w'], held))
      writer.leaves(['w'])
    },
    writer => writer.leaves(['z']),
  ])
  assert.equal(waiting, [waitingUnit(['x', 'y'], held)])
  assert.is(tokens[0]?.value, VALUE)
  assert.equal(tokens[0]?.certainUse, reading(700))
  assert.equal([tokens[0]?.lapsed, tokens[0]?.seenDead], [true, true])
})

test('a token that was given back since is so, whatever it was when the wait began', async () => {
  const { tokens, waiting } = await replayed([
    writer => {
      const held = token(0)
      writer.issued(held)
      writer.waits(waitingUnit(['x'], held))
      held.revoked()
      writer.changed(held)
    },
  ])
  assert.is(tokens[0]?.givenBack, true)
  assert.is(waiting[0]?.tokens[0]?.givenBack, false)
})

test('where the clocks cannot be trusted, every reading is widened to both sides', async () => {
  const { tokens } = await replayed([writer => writer.issued(token(1))], 1000)
  const wide = { sentAt: 100 - 1000, receivedAt: 110 + 1000, wall: { sentAt: 1e12 - 900, receivedAt: 1e12 + 1110 } }
  for (const key of ['issued', 'certainUse', 'possibleUse'] as const) assert.equal(tokens[0]?.[key], wide)
})

test('another password is told from a file that was changed', () =>
  inFolder(async folder => {
    const { writer } = await begin(folder)
    writer.close()
    const other = await sealOf('other')
    assert.throws(
      () => replay(opened(folder), other, 0),
      /was sealed with another password than this: set CORE_PASSWORD/,
    )
  }))

// ---- Processes and clocks -----------------------------------------------------------------------------------------

const LINUX = process.platform === 'linux'

/** Makes the line that a process writes about itself. */
function lineOf(pid: number): ProcessLine {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const born = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  return { ...thisProcess(0), pid, born }
}

test('this process is not in its own way, also where its number is that of the one before', () => {
  const mine = thisProcess(0)
  assert.is(mine.pid, process.pid)
  assert.is(isAtWork(mine), false)
  assert.is(isAtWork({ ...mine, born: '1' }), false)
})

test('another one is at work while it lives; not another of its number, nor on another start of the machine', async () => {
  if (!LINUX) return
  const child = spawn('sleep', ['60'])
  const { pid = -1 } = child
  try {
    const line = lineOf(pid)
    assert.is(isAtWork(line), true)
    assert.is(isAtWork({ ...line, born: String(Number(line.born) - 1) }), false)
    assert.is(isAtWork({ ...line, boot: 'another' }), false)
    // Where the system does not tell the start of a process, its number alone counts.
    assert.is(isAtWork({ ...line, born: '' }), true)
  } finally {
    child.kill('SIGKILL')
  }
  const line = thisProcess(0)
  await once(child, 'exit')
  assert.is(isAtWork({ ...line, pid, born: '5' }), false)
  assert.is(isAtWork({ ...line, pid, born: '' }), false)
})

test('one that has ended and was not taken note of is not at work', async () => {
  if (!LINUX) return
  // The shell becomes a sleep, which never asks for the end of its child.
  const parent = spawn('sh', ['-c', 'sleep 0.2 & echo $!; exec sleep 60'])
  try {
    const [text] = (await once(parent.stdout, 'data')) as [Buffer]
    const pid = Number(text.toString())
    const line = lineOf(pid)
    assert.is(isAtWork(line), true)
    while (!/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) await sleep(20)
    assert.is(isAtWork(line), false)
  } finally {
    parent.kill('SIGKILL')
  }
})

test('a claim ends with its process, and at once where that was killed; nobody else takes it away', () =>
  inFolder(async folder => {
    const path = join(folder, `${JOURNAL_FILE}.lock`)
    const claim = () => claimed(folder, () => (existsSync(path) ? readFileSync(path, 'utf8') : ''))
    const own = claim()
    assert.ok(own)
    assert.not(existsSync(path))
    assert.is(
      claimed(folder, () => claimed(folder, () => 'twice')),
      undefined,
      'one at a time',
    )
    const module = new URL('../dist/journal/process.js', import.meta.url).href
    const code = `import { claimed } from '${module}'; claimed(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`
    const { signal } = spawnSync(process.execPath, ['--input-type=module', '-e', code, folder])
    assert.is(signal, 'SIGKILL')
    const left = readFileSync(path, 'utf8')
    if (LINUX) assert.is(claim(), own, 'the killed process left nothing in the way')
    /** Leaves a claim of some age behind, and tries to take it. */
    const after = (text: string, ageS: number) => {
      writeFileSync(path, text)
      utimesSync(path, Date.now() / 1000 - ageS, Date.now() / 1000 - ageS)
      const taken = claim() !== undefined
      rmSync(path, { force: true })
      return taken
    }
    const changed = (key: string) => JSON.stringify({ ...JSON.parse(left), [key]: 'another' })
    // Where nothing can be known of the holder, the age decides.
    for (const text of [changed('boot'), changed('space'), '', '{', 'null', '[]'])
      assert.equal([after(text, 0), after(text, 60)], [false, true], text)
    if (!LINUX) return
    assert.equal([after(left, 0), after(left, 60)], [true, true])
    assert.equal(
      [after(own, 0), after(own, 60)],
      [false, false],
      'a process that runs, even if it was stopped for a minute',
    )
    // The number is used again.
    assert.is(after(JSON.stringify({ ...JSON.parse(own), born: '5' }), 0), true)
    assert.equal(readdirSync(folder), [])
  }))

test('the clock of a run goes on while nobody works on it', async () => {
  const line = thisProcess(5000)
  await sleep(30)
  const here = runClock(line)
  assert.ok(here.nowMs >= 5025 && here.nowMs < 60_000, `${here.nowMs}`)
  assert.is(here.doubtMs, LINUX ? 0 : 5000)
  // On another machine, or after a restart, there are only wall clocks, and those may differ.
  const elsewhere = runClock({ ...line, boot: 'another', wallMs: Date.now() - 60_000, machineMs: 1e12 })
  assert.ok(elsewhere.nowMs >= 65_000 && elsewhere.nowMs < 70_000)
  assert.is(elsewhere.doubtMs, 5000)
  // the clock never goes back
  assert.is(runClock({ ...line, boot: 'another', wallMs: Date.now() + 60_000 }).nowMs, 5000)
})

test.run()
