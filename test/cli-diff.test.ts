/** Runs against mock Cores with other dialects and with defects, and the differences between them, as a user meets them. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Diff } from '../dist/diff/types.js'
import { type MockCoreOptions, startMockCore } from '../dist/index.js'
import { renderJson } from '../dist/report/json.js'
import { schemaErrors } from '../dist/suite/schema.js'
import {
  assertSecretless,
  cli,
  type Ended,
  makeFolder,
  PASSWORD,
  type Reply,
  reportsIn,
  ScriptedCore,
} from './cli-support.js'
import { conformant, interrupted } from './fixtures/results/samples.js'
import { long } from './support/long.js'

const folder = makeFolder()
const secrets = new Set([PASSWORD])
const test = suite('diff, pins and baselines')

test.after(() => rmSync(folder, { recursive: true, force: true }))

/** Specs that show a dialect, a pin or one of the defects here. */
const SOME =
  'observe,access-with*,access-unknown-token,host-missing-access*,idle-expires,logon-issues-token,logon-wrong-*,revocation-rejects'

/** Specs that a Core fails that does not revoke, or that it passes beside. */
const REVOKED =
  'access-with*,logon-issues-token,revocation-rejects,revocation-same-connection,revocation-head,revocation-elsewhere,revocation-before-use,revocation-lasts,revocation-repeated,revocation-spares-others'

/** Specs that a Core fails whose token is always the same, or that it passes beside. */
const SAME = 'access-with*,logon-issues-token,logon-tokens-distinct,logon-repeated'

/** Two runs of one Core must also agree on specs of each area, and on specs that range over variations and connections. */
const MORE = `${SOME},${REVOKED},${SAME},logon-*-password,logon-*-body,host-missing-*,idle-expires*,idle-still-valid,connections-behind-*,connections-resumed-*,variations-host-shapes,variations-wrong-credentials`

/** A comparison because of one requirement needs the specs that show it. */
const FOR: Record<string, string> = {
  base: MORE,
  held: MORE,
  'revoke-does-nothing': REVOKED,
}

/** Runs the suite against a mock Core, with reports in the folder of that name. */
async function runOn(
  name: string,
  mock: MockCoreOptions = {},
  args: string[] = [],
  some = FOR[name] ?? SOME,
): Promise<Ended & { sent: number }> {
  const core = await startMockCore({ username: 'anna', password: PASSWORD, ...mock })
  const { url, certificateFingerprint, control } = core
  try {
    const where = ['--target', url, '--fingerprint', certificateFingerprint, '--control-url', control.url]
    const env = {
      CORE_USERNAME: 'anna',
      CORE_PASSWORD: PASSWORD,
      CORE_CONTROL_KEY: control.key,
      CORE_ONLY: some,
      CORE_REPORTER: 'console,junit,json',
    }
    const ended = await cli(['run', '--quiet', ...where, '--out', name, ...args], { cwd: folder, env })
    for (const { headers } of core.requests) {
      const token = /^Bearer ([0-9a-f]{64})$/.exec(headers.authorization ?? '')?.[1]
      if (token) secrets.add(token)
    }
    return { ...ended, sent: core.state().requests }
  } finally {
    await core.close()
  }
}

/** Runs `diff` on these runs and returns its output with its files. */
async function diffOf(...names: string[]): Promise<Ended & { diff: Diff; found: string[] }> {
  const ended = await cli(['diff', '--out', 'diff', ...names.map(name => `${name}/result.json`)], { cwd: folder })
  const diff = JSON.parse(readFileSync(join(folder, 'diff/diff.json'), 'utf8')) as Diff
  assert.equal(schemaErrors('diff', diff), [])
  const files = ['diff.md', 'diff.html'].map(name => readFileSync(join(folder, 'diff', name), 'utf8'))
  const texts = [ended.stdout, ended.stderr, JSON.stringify(diff), ...files]
  assertSecretless(texts, [...secrets].slice(0, 20))
  for (const secret of secrets) for (const text of texts) assert.not(text.includes(secret))
  const [first] = diff.comparisons
  const found = (first?.differences ?? []).map(({ rule, subject }) => `${rule} ${subject}`)
  return { ...ended, diff, found }
}

test.before(async () => {
  assert.is((await runOn('base')).code, 0)
  assert.ok(secrets.size > 50, 'tokens were seen')
})

long(test)('two runs of the same Core have no differences, and pins of the one hold in the other', async () => {
  const held = await runOn('held', {}, ['--pin', 'base/result.json'])
  assert.is(held.code, 0, held.stdout)
  const pinned = reportsIn(folder, 'held').specs.filter(({ pin }) => pin)
  assert.is(pinned.length, Object.keys(reportsIn(folder, 'base').facts).length)
  assert.ok(pinned.every(({ outcome }) => outcome === 'passed'))
  const { code, diff, found, stdout } = await diffOf('base', 'held')
  assert.equal([code, found], [0, []])
  const [comparison] = diff.comparisons
  assert.ok((comparison?.compared ?? 0) > 70, String(comparison?.compared))
  assert.equal(comparison?.notices, [])
  assert.match(stdout, /✓ No differences/)
  assert.match(stdout, /Reports: diff\/diff\.md, diff\/diff\.html, diff\/diff\.json/)
})

test('GitHub obeys nothing of what is told of Cores', async () => {
  const { code, stdout } = await cli(['diff', '--out', 'fenced', 'base/result.json', 'base/result.json'], {
    cwd: folder,
    env: { GITHUB_ACTIONS: 'true' },
  })
  assert.is(code, 0)
  assert.match(stdout, /^::stop-commands::(\S+)\n[\s\S]*no differences[\s\S]*\n::\1::\nReports: /)
})

long(test)('a defect is a breaking change of the specs that it breaks, and fixed the other way', async () => {
  const defect = 'revoke-does-nothing'
  assert.is((await runOn(defect, { defect })).code, 1)
  const ids = reportsIn(folder, defect)
    .specs.filter(({ outcome }) => outcome === 'failed')
    .map(({ id }) => id)
  const all = await diffOf('base', defect)
  assert.is(all.code, 1)
  const broken = all.found.flatMap(text => /^spec-fails (.*)/.exec(text)?.[1] ?? [])
  assert.equal(broken.sort(), ids.sort())
  assert.ok(broken.includes('revocation-rejects'))
  assert.not.ok(all.found.some(text => text.startsWith('spec-fixed')))
  for (const { kind, subject, why } of all.diff.comparisons[0]?.notCompared ?? []) {
    assert.not(kind === 'spec' && broken.includes(subject), why)
  }
  const back = await diffOf(defect, 'base')
  assert.ok(back.found.includes('spec-fixed revocation-rejects'))
  assert.not.ok(back.found.some(text => text.startsWith('spec-fails')))
  const several = await diffOf('base', defect, 'base')
  const row = several.diff.matrix.find(({ requirement }) => requirement === 'REVOKE-1')
  assert.equal(
    row?.cells.slice(0, 2).map(({ state }) => state),
    ['passed', 'failed'],
  )
  const [passed, failed] = row?.cells ?? []
  // A full run leaves out the longest variations of some specs.
  const told = [`✓ ${passed?.judged} of \\d+ passed`, `✗ ${failed?.failed.length} of \\d+ failed`]
  // On a narrow terminal each run has a line of its own.
  assert.match(several.stdout, new RegExp(told.map((cell, index) => `( +|\\n +${index + 1} +)${cell}`).join('')))
  assert.match(several.stdout, /REVOKE-1( +|\n +1 +)✓/)
})

test('what was refused and is accepted now is breaking, whatever the specs could compare: of runs and of fleets', async () => {
  let isOpen = false
  /** Without a token, opens what no spec judges: OPTIONS, and a path that is then answered alike with and without a token. */
  const answer = ({ method, url }: IncomingMessage, _body: string, right: () => Reply): Reply => {
    if (isOpen && method === 'OPTIONS') return { status: 204 }
    return isOpen && method === 'GET' && url === '/api/v0/cores/self' ? { status: 200, body: '{"open":1}' } : right()
  }
  const cores = [await ScriptedCore.start({ answer }), await ScriptedCore.start()]
  const urls = cores.map(({ url }) => url)
  const own = mkdtempSync(join(folder, 'opened-'))
  const { CORE_URL: _url, CORE_FINGERPRINT: _fingerprint, ...env } = cores[0]?.env ?? {}
  const options = { cwd: own, env: { ...env, CORE_INSECURE: '1', CORE_ONLY: 'access,observe-options,!*-every-*' } }
  const run = (out: string, ...args: string[]) =>
    cli(['run', ...urls, '--profile', 'quick', '--reporter', 'console,json', '--out', out, ...args], options)
  try {
    assert.is((await run('old')).code, 0)
    isOpen = true
    const later = await run('new', '--since', 'old/fleet.json')
    assert.is(later.code, 0)
    const [name] = readdirSync(join(own, 'new')).filter(name => name.endsWith(new URL(urls[0] ?? '').port))
    const result = (out: string) => `${out}/${name}/result.json`
    const alone = await cli(['diff', '--out', 'diff', result('old'), result('new')], options)
    assert.is(alone.code, 1, alone.stdout)
    const breaking = alone.stdout.split('\nrisky')[0]?.split('\nharmless')[0]?.replace(/\s+/g, ' ') ?? ''
    assert.match(
      breaking,
      /✗ met so far → in doubt: GET \/api\/v0\/cores\/self answers 200 with and without a .* of ACCESS-1/,
    )
    assert.match(breaking, /✗ status 401 → 204 of options/)
    const page = readFileSync(join(own, 'diff/diff.html'), 'utf8')
    assert.match(page, /GET \/api\/v0\/cores\/self answers 200/)
    const fleets = await cli(['diff', '--out', 'diff', 'old/fleet.json', 'new/fleet.json'], options)
    assert.is(fleets.code, 1, fleets.stdout)
    for (const { stdout } of [later, fleets]) {
      const text = stdout.replace(/\s+/g, ' ')
      assert.match(text, new RegExp(`${name} accepts what it refused before: options.status was 401, and is 204`))
      assert.match(
        text,
        new RegExp(`${name} puts ACCESS-1 in doubt, which was met so far: GET /api/v0/cores/self answers 200`),
      )
    }
    const none = await cli(['diff', '--reporter', 'html', 'old/fleet.json', 'new/fleet.json'], options)
    assert.is(none.code, 2)
    assert.match(none.stderr, /--reporter: of two fleets, there is no such report; known: console, markdown, json\n/)
    const same = await cli(['diff', '--out', 'diff', 'new/fleet.json', 'new/fleet.json'], options)
    assert.is(same.code, 0, same.stdout)
  } finally {
    for (const core of cores) await core.close()
  }
})

test('a refusal whose status says success is no acceptance: of runs and of fleets, and what is accepted later is', async () => {
  let refuses = { status: 401, body: '{"error":1}' }
  let isToken = false
  const token = '0123456789abcdef0123456789abcdef'
  const answer = ({ method, headers }: IncomingMessage, body: string, right: () => Reply): Reply => {
    if (isToken && headers.authorization === `Bearer ${token}`) return { status: 200, body: '[]' }
    if (method !== 'POST' || right().status < 400) return right()
    return isToken && body === '{}' ? { status: 200, body: `{"session":{"token":"${token}"}}` } : refuses
  }
  const core = await ScriptedCore.start({ answer })
  const own = mkdtempSync(join(folder, 'refused-'))
  const only = 'logon-issues-token,logon-wrong-password,logon-wrong-username,logon-empty-body'
  const options = { cwd: own, env: { ...core.env, CORE_ONLY: only } }
  const run = async (out: string) => {
    const args = ['run', core.url, core.url.replace('127.0.0.1', 'localhost'), '--insecure']
    const ended = await cli([...args, '--profile', 'quick', '--reporter', 'json', '--out', out], options)
    return { ...ended, result: `${out}/${readdirSync(join(own, out)).find(name => name.includes('127'))}/result.json` }
  }
  const diff = async (...files: string[]) => {
    const { code, stdout } = await cli(['diff', '--reporter', 'console', ...files], options)
    return { code, text: stdout.replace(/\s+/g, ' ') }
  }
  try {
    const old = await run('old')
    refuses = { status: 200, body: '{"success":false,"error":{"code":401},"token":null}' }
    const envelope = await run('envelope')
    assert.equal([old.code, envelope.code], [0, 0], envelope.stdout)
    const { code, text } = await diff(old.result, envelope.result)
    assert.is(code, 0, text)
    assert.match(
      text,
      /risky .*! status 401 → refused \(200\) of logon-malformed, logon-wrong-password, logon-wrong-username/,
    )
    const fleets = await diff('old/fleet.json', 'envelope/fleet.json')
    assert.is(fleets.code, 0, fleets.text)
    isToken = true
    const open = await run('open')
    assert.match(
      (await diff(envelope.result, open.result)).text,
      /breaking .*✗ status refused \(200\) → 200 of logon-malformed/,
    )
    assert.match(
      (await diff('envelope/fleet.json', 'open/fleet.json')).text,
      /accepts what it refused before: logon-malformed.status was refused \(200\), and is 200/,
    )
  } finally {
    await core.close()
  }
})

test('an unfinished run is compared as far as it got, and that is not taken for the whole', async () => {
  for (const [name, result] of Object.entries({ whole: conformant, part: interrupted })) {
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, 'result.json'), renderJson(result))
  }
  const { code, stdout } = await diffOf('whole', 'part')
  assert.is(code, 3)
  assert.match(stdout, /\? Nothing breaking seen, but a run is unfinished/)
})

test('runs that have nothing in common, and files that are no results', async () => {
  assert.is((await runOn('few', {}, ['--only', 'access-with-token'])).code, 0)
  assert.is((await runOn('other', {}, ['--only', 'idle-expires'])).code, 0)
  const { code, stdout, diff } = await diffOf('few', 'other')
  assert.is(code, 3)
  assert.match(stdout, /\? Nothing could be compared/)
  assert.match(
    diff.comparisons[0]?.notices[0] ?? '',
    /only access-with-token in the earlier one, only idle-expires in the later one/,
  )
  writeFileSync(join(folder, 'not.json'), '{"a": 1}')
  for (const [args, message] of [
    [['base/result.json'], /diff needs RESULT…/],
    [['base/result.json', 'not.json'], /not\.json cannot be used as the result of a run: it is JSON of another kind/],
    [['base/result.json', 'none.json'], /'none\.json' is nothing to compare: there is no such file/],
    [['base/result.json', 'https://10.0.0.5'], /operand 2 is a Core, and diff compares results: run it first/],
    [['base/result.json', 'few/result.json', '--reporter', 'junit'], /there is no report 'junit'/],
    [['base/result.json', 'few/result.json', '--profile=quick'], /--profile is an option of run, not of diff/],
  ] as const) {
    const ended = await cli(['diff', ...args], { cwd: folder })
    assert.is(ended.code, 2, ended.stderr)
    assert.match(ended.stderr, message)
  }
})

long(test)('pins: a drift fails the run with the old and the new', async () => {
  writeFileSync(
    join(folder, 'pins.yaml'),
    '# what our client relies on\nexpired-token.status: 403\nlogon.status: 201\n',
  )
  const drifted = await runOn('drifted', {}, ['--pin', 'pins.yaml'])
  assert.is(drifted.code, 1)
  assert.match(drifted.stdout, /1 pinned fact drifted/)
  const { specs, texts } = reportsIn(folder, 'drifted')
  const { message, line, file } = specs.find(({ id }) => id === 'pin-expired-token.status') ?? {}
  assert.equal([message, line, file], ['pinned: expired-token.status was 403, and is 401', 2, 'pins.yaml'])
  assert.match(texts, /failure message="pinned: expired-token\.status was 403, and is 401"/)
  assert.equal((await diffOf('base', 'drifted')).found, [], 'the Core is the same')

  writeFileSync(join(folder, 'wrong.yaml'), 'logon.statsu: 201\n')
  const wrong = await runOn('wrong', {}, ['--pin', 'wrong.yaml'])
  assert.equal([wrong.code, wrong.sent], [2, 0])
  assert.match(wrong.stderr, /wrong\.yaml:1:1: no spec observes 'logon\.statsu'; did you mean 'logon\.status'/)
})

long(test)('a baseline: written, refused until it has reasons, and then believed', async () => {
  const defect = 'revoke-does-nothing'
  const update = (from: string, ...more: string[]) =>
    cli(['baseline', 'update', '--from', `${from}/result.json`, '--baseline', 'known.yaml', ...more], { cwd: folder })
  const written = await update(defect)
  assert.is(written.code, 0)
  assert.match(written.stdout, /^\+ revocation-rejects$/m)
  const empty = await runOn('empty', { defect }, ['--baseline', 'known.yaml'])
  assert.equal([empty.code, empty.sent], [2, 0])
  assert.match(empty.stderr, /known\.yaml:3:3: 'reason' is empty/)
  assert.not(existsSync(join(folder, 'empty')), 'nothing was begun')

  const path = join(folder, 'known.yaml')
  const filled = readFileSync(path, 'utf8').replaceAll('reason: ""', 'reason: the log-off is not done yet')
  writeFileSync(path, filled)
  const known = await runOn('known', { defect }, ['--baseline', 'known.yaml'], REVOKED)
  assert.is(known.code, 0, known.stdout)
  const { verdict, counts, texts } = reportsIn(folder, 'known')
  assert.equal([verdict, counts.failed], ['conformant', 0])
  assert.is(counts['known failure'], reportsIn(folder, defect).counts.failed)
  assert.match(texts, /<skipped message="known: the log-off is not done yet\. Seen: /)
  assertSecretless([known.stdout, known.stderr, texts], [PASSWORD])
  assert.equal((await diffOf(defect, 'known')).found, [], 'that it is known is no difference')

  const fixed = await runOn('fixed', {}, ['--baseline', 'known.yaml'], REVOKED)
  assert.is(fixed.code, 1)
  assert.match(fixed.stdout, /specs passed that the baseline knows to fail/)
  const expired = filled.replace('reason: the', 'expires: 2020-01-01\n  reason: the')
  writeFileSync(join(folder, 'expired.yaml'), expired)
  const late = await runOn('late', { defect }, ['--baseline', 'expired.yaml'], REVOKED)
  assert.is(late.code, 1)
  assert.is(reportsIn(folder, 'late').counts.failed, 1)

  copyFileSync(path, join(folder, 'kept.yaml'))
  assert.is((await update('known')).stdout.split('\n')[0], 'known.yaml: 0 added, 0 changed, 0 removed, 7 kept')
  assert.is(readFileSync(path, 'utf8'), filled)
  await update('fixed')
  assert.is(readFileSync(path, 'utf8').trim(), '{}')

  writeFileSync(join(folder, 'unknown.yaml'), 'revocation-reject:\n  reason: x\n')
  const unknown = await runOn('unknown', {}, ['--baseline', 'unknown.yaml'])
  assert.equal([unknown.code, unknown.sent], [2, 0])
  assert.match(
    unknown.stderr,
    /unknown\.yaml:1:1: there is no spec 'revocation-reject'; did you mean 'revocation-rejects'/,
  )
})

test.run()
