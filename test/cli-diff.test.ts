/** Runs against mock Cores with other dialects and with defects, and the differences between them, as a user meets them. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Diff } from '../dist/diff/types.js'
import { type MockCoreOptions, startMockCore } from '../dist/index.js'
import { schemaErrors } from '../dist/suite/schema.js'
import {
  assertSecretless,
  assertUsage,
  type CoreReply,
  type CoreRequest,
  cli,
  type Ended,
  makeFolder,
  PASSWORD,
  reportsIn,
  ScriptedCore,
} from './cli-support.js'
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

/** Two runs of one Core must also agree on specs that range over variations and connections. */
const MORE = `${SOME},${REVOKED},logon-*-password,idle-expires*,connections-behind-*,variations-host-shapes`

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
  assert.ok(secrets.size > 20, 'tokens were seen')
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
  assert.ok((comparison?.compared ?? 0) > 40, String(comparison?.compared))
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
  const states = row?.cells.slice(0, 2).map(({ state }) => state)
  assert.equal(states, ['passed', 'failed'])
  const [passed, failed] = row?.cells ?? []
  // A full run leaves out the longest variations of some specs.
  const told = [`✓ ${passed?.judged} of \\d+ passed`, `✗ ${failed?.failed.length} of \\d+ failed`]
  // On a narrow terminal each run has a line of its own.
  assert.match(several.stdout, new RegExp(told.map((cell, index) => `( +|\\n +${index + 1} +)${cell}`).join('')))
  assert.match(several.stdout, /REVOKE-1( +|\n +1 +)✓/)
})

long(test)(
  'what was refused and is accepted now is breaking, and a refusal whose status says success is not: of runs and of fleets',
  async () => {
    let refuses = { status: 401, body: '{"error":1}' }
    let isOpen = false
    const token = '0123456789abcdef0123456789abcdef'
    /** Without a token, opens what no spec judges: OPTIONS, and a path that is then answered alike with and without a token. */
    const answer = ({ method, path, headers }: CoreRequest, body: string, right: () => CoreReply): CoreReply => {
      if (isOpen && headers.authorization === `Bearer ${token}`) return { status: 200, body: '[]' }
      if (isOpen && method === 'OPTIONS') return { status: 204 }
      if (isOpen && method === 'GET' && path === '/api/v0/cores/self') return { status: 200, body: '{"open":1}' }
      if (method !== 'POST' || right().status < 400) return right()
      return isOpen && body === '{}' ? { status: 200, body: `{"session":{"token":"${token}"}}` } : refuses
    }
    const core = await new ScriptedCore({ answer }).start()
    const own = mkdtempSync(join(folder, 'opened-'))
    const { CORE_URL: _url, CORE_FINGERPRINT: _fingerprint, ...env } = core.env
    const only =
      'access-with*,access-elsewhere*,observe-options,logon-issues-token,logon-wrong-password,logon-wrong-username,logon-empty-body'
    const options = { cwd: own, env: { ...env, CORE_INSECURE: '1', CORE_ONLY: only, CORE_PROFILE: 'quick' } }
    const name = `127.0.0.1-${core.url.port}`
    const run = (out: string, ...args: string[]) => {
      const cores = [core.url.origin, core.url.origin.replace('127.0.0.1', 'localhost')]
      return cli(['run', ...cores, '--reporter', 'console,json', '--out', out, ...args], options)
    }
    const diff = async (...args: string[]) => {
      const { code, stdout, stderr } = await cli(['diff', '--out', 'diff', ...args], options)
      return { code, text: stdout.replace(/\s+/g, ' '), stderr }
    }
    const result = (out: string) => `${out}/${name}/result.json`
    try {
      assert.is((await run('old')).code, 0)
      refuses = { status: 200, body: '{"success":false,"error":{"code":401},"token":null}' }
      assert.is((await run('envelope')).code, 0)
      const risky = await diff(result('old'), result('envelope'))
      assert.is(risky.code, 0, risky.text)
      assert.match(
        risky.text,
        /risky .*! status 401 → refused \(200\) of logon-malformed, logon-wrong-password, logon-wrong-username/,
      )
      assert.is((await diff('old/fleet.json', 'envelope/fleet.json')).code, 0)
      isOpen = true
      const later = await run('open', '--since', 'envelope/fleet.json')
      const alone = await diff(result('envelope'), result('open'))
      assert.is(alone.code, 1, alone.text)
      const breaking = alone.text.split(' risky ')[0]?.split(' harmless ')[0] ?? ''
      for (const told of [
        /✗ met so far → in doubt: GET \/api\/v0\/cores\/self answers 200 with and without a .* of ACCESS-1/,
        /✗ status 401 → 204 of options/,
        /✗ status refused \(200\) → 200 of logon-malformed/,
      ])
        assert.match(breaking, told)
      assert.match(readFileSync(join(own, 'diff/diff.html'), 'utf8'), /GET \/api\/v0\/cores\/self answers 200/)
      const fleets = await diff('envelope/fleet.json', 'open/fleet.json')
      assert.is(fleets.code, 1, fleets.text)
      for (const text of [later.stdout.replace(/\s+/g, ' '), fleets.text])
        for (const told of [
          'accepts what it refused before: options.status was 401, and is 204',
          'accepts what it refused before: logon-malformed.status was refused (200), and is 200',
          'puts ACCESS-1 in doubt, which was met so far: GET /api/v0/cores/self answers 200',
        ])
          assert.ok(text.includes(`${name} ${told}`), `${told}\nis not in\n${text}`)
      const none = await diff('--reporter', 'html', 'old/fleet.json', 'open/fleet.json')
      assert.is(none.code, 2)
      assert.match(none.stderr, /--reporter: of two fleets, there is no such report; known: console, markdown, json\n/)
    } finally {
      await core.stop()
    }
  },
)

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
    [['base/result.json', 'few/result.json', '--reporter', 'junit'], /there is no report 'junit'/],
  ] as const)
    assertUsage(await cli(['diff', ...args], { cwd: folder }), message)
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

  const expired = filled.replace('reason: the', 'expires: 2020-01-01\n  reason: the')
  writeFileSync(join(folder, 'expired.yaml'), expired)
  const late = await runOn('late', { defect }, ['--baseline', 'expired.yaml'], REVOKED)
  assert.is(late.code, 1)
  assert.is(reportsIn(folder, 'late').counts.failed, 1)

  assert.is((await update('known')).stdout.split('\n')[0], 'known.yaml: 0 added, 0 changed, 0 removed, 7 kept')
  assert.is(readFileSync(path, 'utf8'), filled)
  await update('base')
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
