/** What is said of a verdict, as a user meets it: its doubts in every report, what failed it in its own word, counts that add up. */
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { verdictText } from '../dist/index.js'
import { type CoreReply, type CoreRequest, cli, inFolder, PASSWORD, resultIn, ScriptedCore } from './cli-support.js'
import { long } from './support/long.js'

const test = suite('what is said of a verdict')

type Answer = (request: CoreRequest, body: string, right: () => CoreReply) => CoreReply

const PASSED = 'access-with-token,access-unknown-token,logon-issues-token'
const REVOKED = `${PASSED},revocation-rejects,revocation-head`

const openPath: Answer = ({ method, path }, _body, right) =>
  method === 'GET' && path === '/api/v0/cores/self' ? { status: 200, body: '{"open":1}' } : right()

const revokesNothing =
  (status: number): Answer =>
  ({ method }, _body, right) =>
    method === 'DELETE' ? { status } : right()

/** What runs the program in a folder, and reads its files. */
const stageOf = (folder: string, cores: ScriptedCore[]) => ({
  folder,
  cores,
  /** Runs a command to its exit code, with the variables of a Core where it needs one. */
  at: (core: ScriptedCore | undefined, code: number, ...args: string[]) =>
    cli(args, { cwd: folder, env: core?.env ?? {}, code }),
  /** Runs against all Cores. */
  fleet: (code: number, args: string[], env = {}) => {
    const user = { CORE_USERNAME: 'anna', CORE_PASSWORD: PASSWORD, CORE_INSECURE: '1' }
    return cli(['run', ...cores.map(({ url }) => url.origin), ...args], { cwd: folder, env: { ...user, ...env }, code })
  },
  read: (path: string) => readFileSync(join(folder, path), 'utf8'),
})

/** Calls back with Cores that answer so, one after another. */
async function withCores(
  answers: (Answer | undefined)[],
  use: (stage: ReturnType<typeof stageOf>) => Promise<void>,
): Promise<void> {
  const cores: ScriptedCore[] = []
  for (const answer of answers) cores.push(await new ScriptedCore(answer ? { answer } : {}).start())
  try {
    await inFolder(folder => use(stageOf(folder, cores)))
  } finally {
    for (const core of cores) await core.stop()
  }
}

test('a doubt stands with the verdict in every report of a run and of a fleet, and in an attestation', () =>
  withCores([openPath, undefined], async ({ folder, cores, at, fleet, read }) => {
    const all = 'console,junit,json,html,markdown,badge,ctrf,tap'
    const [core] = cores
    const args = ['--profile', 'quick', '--only', 'access-with*,access-elsewhere*', '--reporter', all]
    const alone = await at(core, 0, 'run', ...args, '--out', 'one')
    const told = /[Cc]onformant, ACCESS-1 in doubt, \d+ of \d+ specs judged, quick profile/
    assert.match(alone.stdout, told)
    for (const file of ['report.md', 'badge.svg', 'report.html', 'junit.xml', 'ctrf.json'])
      assert.match(read(`one/${file}`).replaceAll('\\', ''), told, file)
    const { stdout: tap } = await at(undefined, 0, 'report', 'one/result.json', '--reporter', 'tap')
    assert.match(`${tap}${read('one/tap.txt')}`, told)

    const many = await fleet(0, [...args, '--out', 'all'], { COLUMNS: '200' })
    const ofFleet = /[Cc]onformant, ACCESS-1 in doubt \(1 of 2 Cores\)/
    assert.match(many.stdout.replace(/\s+/g, ' '), ofFleet)
    for (const file of ['report.md', 'badge.svg']) assert.match(read(`all/${file}`).replaceAll('\\', ''), ofFleet, file)
    assert.match(read('all/report.html'), /ACCESS-1 in doubt \(1 of 2 Cores\)/)
    assert.match(JSON.parse(read('all/ctrf.json')).results.summary.extra['verdict.text'], ofFleet)
    const whose = `ACCESS-1 is in doubt on ${JSON.parse(read('all/fleet.json')).cores.find((each: { url: string }) => each.url === core?.url.origin).name}: GET /api/v0/cores/self answers 200`
    const github = await cli(['report', 'all/fleet.json', '--reporter', 'github'], {
      cwd: folder,
      env: { GITHUB_ACTIONS: 'true' },
    })
    for (const text of [many.stdout, ...['report.md', 'report.html', 'ctrf.json'].map(file => read(`all/${file}`))])
      assert.ok(text.replaceAll('\\', '').replace(/\s+/g, ' ').includes(whose), `${whose}\n${text.slice(0, 3000)}`)
    assert.ok(github.stdout.includes(whose), github.stdout + github.stderr)
    assert.match(read('all/report.html'), /conformant, ACCESS-1 in doubt</, 'the row of that Core')

    const diff = await at(undefined, 0, 'diff', 'one/result.json', 'one/result.json', '--out', 'diff')
    assert.match(diff.stdout.replace(/\s+/g, ' '), told)

    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    writeFileSync(join(folder, 'key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
    writeFileSync(join(folder, 'public.pem'), publicKey.export({ type: 'spki', format: 'pem' }))
    writeFileSync(join(folder, 'core.bin'), 'firmware')
    const attested = await at(undefined, 0, 'attest', 'one/result.json', '--key', 'key.pem', '--artifact', 'core.bin')
    const { payload } = JSON.parse(read('one/attestation.intoto.jsonl'))
    const { predicate } = JSON.parse(Buffer.from(payload, 'base64').toString('utf8'))
    assert.is(predicate.result, 'WARNED')
    const { doubts, notTested } = predicate.configuration.at(-1).annotations
    const text = 'GET /api/v0/cores/self answers 200 with and without a token'
    assert.equal(doubts, [{ requirement: 'ACCESS-1', text }])
    assert.ok(notTested.includes('REVOKE-1') && !notTested.includes('ACCESS-1'), String(notTested))
    const verified = await at(undefined, 0, 'attest', 'verify', 'one/attestation.intoto.jsonl', '--key', 'public.pem')
    for (const { stdout } of [attested, verified]) {
      assert.match(stdout, /found conformant, ACCESS-1 in doubt/)
      assert.ok(stdout.includes(`In doubt: ACCESS-1: ${text}.`), stdout)
    }

    assert.match(verdictText(resultIn(folder, 'one')), told)
  }))

test('a broken reference, a changed pin and a stale list of known failures have a word each', () =>
  withCores([undefined, revokesNothing(204)], async ({ folder, cores, at, read }) => {
    const [right, broken] = cores
    writeFileSync(join(folder, 'pins.yaml'), 'logon.status: 201\n')
    writeFileSync(join(folder, 'known.yaml'), 'revocation-rejects: { reason: being mended }\n')
    const run = (core: ScriptedCore | undefined, ...args: string[]) => {
      const all = ['--reporter', 'console,junit,json,html,badge,markdown']
      return at(core, 1, 'run', '--profile', 'quick', '--only', REVOKED, ...all, ...args)
    }
    for (const [core, args, verdict, word, reason] of [
      [
        broken,
        ['--pin', 'pins.yaml'],
        'nonconformant',
        'Nonconformant',
        /2 of 5 specs that ran failed; 1 pinned fact drifted/,
      ],
      [
        right,
        ['--pin', 'pins.yaml'],
        'drifted',
        'Drifted from its pins',
        /5 specs passed, none failed; 1 pinned fact drifted/,
      ],
      [
        right,
        ['--baseline', 'known.yaml'],
        'stale baseline',
        'Stale baseline',
        /4 specs passed, none failed; 1 spec passed that the baseline knows to fail/,
      ],
    ] as const) {
      const ended = await run(core, ...args)
      const text = ended.stdout.replace(/\s+/g, ' ')
      assert.match(text, new RegExp(`[✗+] ${word}, 5 of \\d+ specs judged`))
      assert.match(text, reason)
      assert.is(resultIn(folder).verdict, verdict)
      assert.match(read('reports/junit.xml'), new RegExp(`name="verdict" value="${verdict}"`))
      assert.match(read('reports/report.html'), new RegExp(`<title>${word}, 5 of`))
      assert.match(read('reports/report.md'), new RegExp(`^# ❌ ${word}, 5 of`))
      const again = await at(undefined, 0, 'report', 'reports/result.json', '--reporter', 'console')
      assert.match(again.stdout.replace(/\s+/g, ' '), new RegExp(`${word}, 5 of`), again.stderr)
    }
    assert.match(read('reports/badge.svg'), /stale baseline, 5 of/)
  }))

test('the pins of a Core, from a variable or the configuration file, are left out on the mock Core, and that is told', () =>
  inFolder(async folder => {
    writeFileSync(join(folder, 'pins.yaml'), 'logon.status: 299\n')
    const run = ['run', '--target', 'mock', '--only', 'access-with-token', '--explore', '0', '--reporter', 'console']
    const ended = await cli(run, { cwd: folder, env: { CORE_PIN: 'pins.yaml' }, code: 0 })
    assert.match(ended.stderr, /warning: CORE_PIN is left out: pins are of a Core, and this run is against a mock Core/)
    writeFileSync(join(folder, 'core-conformance.config.yaml'), 'defaults: { pin: pins.yaml }\n')
    const other = await cli(run, { cwd: folder, code: 0 })
    assert.match(other.stderr, /pin.* is left out: pins are of a Core/)
  }))

long(test)('a known failure is bound to what was seen: another failure of the same spec is none', () =>
  withCores([revokesNothing(204), revokesNothing(405)], async ({ folder, cores, at, read }) => {
    const [silent, refuses] = cores
    const run = (core: ScriptedCore | undefined, code: number, ...args: string[]) =>
      at(core, code, 'run', '--profile', 'quick', '--only', REVOKED, '--reporter', 'console,json', ...args)
    const update = (...args: string[]) => at(undefined, 0, 'baseline', 'update', '--baseline', ...args)
    await run(silent, 1)
    await update('known.yaml', '--reason', 'log-off is not done yet')
    assert.match(
      read('known.yaml'),
      /requirement: REVOKE-1\n {2}seen: a revoked token is still accepted \(200, accepted, after POST 2xx, GET 2xx, DELETE 2xx\)/,
    )
    const known = await run(silent, 0, '--baseline', 'known.yaml')
    assert.not.match(known.stderr, /say what was seen/)

    await run(refuses, 1, '--baseline', 'known.yaml')
    const result = resultIn(folder)
    assert.equal([result.verdict, result.counts.failed, result.counts['known failure']], ['nonconformant', 2, 0])
    const message = result.specs.find(({ id }) => id === 'revocation-rejects')?.message ?? ''
    assert.match(
      message,
      /the baseline knows another failure of this spec, REVOKE-1: .*DELETE 2xx\) \(log-off is not done yet\)/,
    )

    const changed = await update('known.yaml')
    assert.match(changed.stdout, /~ revocation-rejects fails otherwise than it says/)
    assert.match(read('known.yaml'), /# before, REVOKE-1: .*DELETE 2xx\): log-off is not done yet\n.*\n {2}reason: ""/)
    assert.match(read('known.yaml'), /DELETE 4xx/)
    // The new failure needs a reason of its own.
    await run(refuses, 2, '--baseline', 'known.yaml')

    // An older entry names no symptom: it accepts any failure, and the run says so.
    writeFileSync(join(folder, 'old.yaml'), 'revocation-rejects: { reason: x }\nrevocation-head: { reason: y }\n')
    const old = await run(refuses, 0, '--baseline', 'old.yaml')
    assert.match(
      old.stderr,
      /2 entries of old\.yaml do not say what was seen, so any failure of their specs is accepted/,
    )
    await update('old.yaml')
    assert.match(
      read('old.yaml'),
      /reason: x, requirement: REVOKE-1, seen:|reason: x\n {2}requirement: REVOKE-1\n {2}seen:/,
    )
  }),
)

test('every count says of what it is, and adds up', () =>
  withCores([undefined, revokesNothing(204)], async ({ folder, cores, at, fleet, read }) => {
    writeFileSync(join(folder, 'pins.yaml'), 'logon.status: 201\nsessions: many\nhead.status: 200\n')
    const [right] = cores
    const args = ['--profile', 'quick', '--reporter', 'console,json,markdown,html', '--pin', 'pins.yaml']
    const { stdout } = await at(right, 1, 'run', ...args, '--only', `${REVOKED},idle`)
    const text = stdout.replace(/\s+/g, ' ')
    const [line, all] = / ((\d+) specs: .*?) (?:failed|pins|requirements) /.exec(text)?.slice(1) ?? []
    const parts = [...(line?.split(': ')[1] ?? '').matchAll(/(\d+) /g)].map(([, number]) => Number(number))
    const sum = parts.reduce((sum, part) => sum + part, 0)
    assert.is(sum, Number(all), line)
    assert.match(line ?? '', /✓ 5 passed – \d+ skipped – \d+ not selected/)
    assert.match(text, new RegExp(`, 5 of ${all} specs judged`))
    assert.match(text, /pins 3 pinned facts: 1 unchanged, 1 drifted, 1 not seen/)
    const { counts, specs } = resultIn(folder)
    assert.is(counts.selected, specs.filter(({ pin }) => !pin).length, 'a pinned fact is no spec')
    assert.is(counts.failed, 0)
    for (const file of ['report.md', 'report.html'])
      assert.match(read(`reports/${file}`).replace(/<[^>]*>/g, ''), new RegExp(`${all} specs: ?✓ 5 passed`), file)
    assert.match(stdout, /plan: 5 specs to run, /)

    // The row of a Core counts of the same specs as the headline.
    const of = ['--profile', 'quick', '--only', REVOKED, '--reporter', 'console,markdown', '--out', 'all']
    const many = await fleet(1, of)
    for (const told of [many.stdout.replace(/\s+/g, ' '), many.stderr, read('all/report.md')]) {
      assert.match(told, new RegExp(`5 of ${all} specs judged, none failed`))
      assert.match(told, new RegExp(`5 of ${all} specs judged, 2 failed`))
    }
    assert.match(many.stdout, new RegExp(`Nonconformant, 5 of ${all} specs judged`))
  }))

long(test)(
  'one cause is one entry, with its number of specs and one example: annotations, step summary, lists of what is known',
  () =>
    withCores([undefined, revokesNothing(204), revokesNothing(204)], async ({ folder, cores, at, fleet, read }) => {
      const [right, broken] = cores
      // More than a list of them names; the others of the area take half a minute.
      const few = `${PASSED},revocation,!revocation-unknown-token,!revocation-without-token,!*-others,!*-revocations`
      const run = (core: ScriptedCore | undefined, ...args: string[]) =>
        cli(['run', '--profile', 'quick', '--only', few, '--reporter', 'console,json,markdown,html,github', ...args], {
          cwd: folder,
          env: { ...core?.env, GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(folder, 'summary.md') },
        })
      const { stdout } = await run(broken)
      const { counts } = resultIn(folder)
      assert.ok(counts.failed > 8, String(counts.failed))
      const errors = stdout.split('\n').filter(line => line.startsWith('::error'))
      assert.is(errors.length, 1, errors.join('\n'))
      assert.match(
        errors[0] ?? '',
        new RegExp(`title=${counts.failed} specs failed for one cause%3A a revoked token is still`),
      )
      assert.match(errors[0] ?? '', /Also for this cause: .*, .* and \d+ more/)
      for (const file of ['summary.md', 'reports/report.md']) {
        const text = read(file)
        assert.is(text.match(/^### /gm)?.length, 1, file)
        assert.match(text, new RegExp(`^- seen: a revoked token is still accepted \\(${counts.failed} specs\\)$`, 'm'))
        assert.match(text, /^- spec: .*revocation-rejects/m)
        assert.ok(text.split('\n').length < 220, `${text.split('\n').length} lines`)
      }

      const update = ['baseline', 'update', '--baseline', 'known.yaml', '--reason', 'later']
      await at(undefined, 0, ...update)
      const known = await run(broken, '--baseline', 'known.yaml')
      const passed = await run(right, '--baseline', 'known.yaml')
      for (const [text, words] of [
        [
          (await at(undefined, 0, 'report', 'reports/result.json', '--reporter', 'console')).stdout,
          'unexpected passes',
        ],
        [known.stdout, 'known failures'],
      ] as const) {
        assert.is(text.match(/later/g)?.length, 1, text)
        assert.match(text, new RegExp(`[~+] ${counts.failed} ${words}: `))
      }
      assert.is(known.code, 0)
      const unexpected = passed.stdout.split('\n').filter(line => line.startsWith('::error'))
      assert.is(unexpected.length, 1, passed.stdout)
      assert.match(unexpected[0] ?? '', new RegExp(`title=${counts.failed} specs passed%2C and the baseline knows`))
      assert.is(read('reports/report.md').match(/later/g)?.length, 1)
      assert.match(read('reports/report.html'), /; also .* and \d+ more/)

      const of = ['--profile', 'quick', '--only', REVOKED, '--reporter', 'json,github', '--out', 'all']
      const many = await fleet(1, of, { GITHUB_ACTIONS: 'true' })
      const causes = many.stdout.split('\n').filter(line => line.startsWith('::error'))
      assert.is(causes.length, 1, many.stdout)
      assert.match(causes[0] ?? '', /^::error title=REVOKE-1 fails on 2 of 3 that were judged/)
    }),
)

test.run()
