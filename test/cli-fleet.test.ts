/** `run` and `resume` of many Cores, as a user meets them: processes, TLS sockets, files. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { validate as validateCtrf } from 'ctrf'
import { parse as parseJunit2json, type TestSuites } from 'junit2json'
import { parse as parseTestResults } from 'test-results-parser'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { coreWithout } from '../dist/fleet/core.js'
import { fleetOf } from '../dist/fleet/fleet.js'
import type { Fleet } from '../dist/fleet/types.js'
import type { RunResult } from '../dist/result.js'
import { schemaErrors } from '../dist/suite/schema.js'
import { assertSecretless, assertUsage, Cli, cli, resultIn } from './cli-support.js'
import { long } from './support/long.js'
import { startMeetingRelays } from './support/meeting.js'
import { liveTokens, RACK_PASSWORD, type Rack, type RackCore, withRack } from './support/mock-fleet.js'
import { checkHtml, checkMarkdown, checkXml } from './support/report-checks.js'

const test = suite('fleets')

/** Fast specs, and one with a clock that is advanced. */
const SOME = 'access-with-token,access-unknown-token,revocation-rejects,idle-expires'
/** Specs for real time: some wait, some do not. */
const WAITING = 'access-with-token,idle-expires,idle-use-resets,revocation-rejects'
const DEFECT = 'revoke-does-nothing'

const fleetIn = (folder: string, out = 'reports'): Fleet => {
  const fleet = JSON.parse(readFileSync(join(folder, out, 'fleet.json'), 'utf8')) as Fleet
  assert.equal(schemaErrors('fleet', fleet), [])
  return fleet
}
const resultOf = (folder: string, name: string, out = 'reports') => resultIn(folder, join(out, name))
const verdicts = ({ cores }: Fleet) => Object.fromEntries(cores.map(({ name, verdict }) => [name, verdict]))
const outcomes = ({ specs }: RunResult) => specs.map(({ id, outcome }) => `${id} ${outcome}`)
const hasJournal = (folder: string, name: string) => existsSync(join(folder, 'reports', name, 'journal.ndjson'))

function earlierFleet(): Fleet {
  const configuration = { profile: 'full', idleLifetimeMs: 5000, accessControl: 'on', only: [] } as const
  const head = { name: 'lab-1', url: 'https://10.0.0.5', configuration: { ...configuration, only: [] } }
  const core = coreWithout(head, { verdict: 'nonconformant', reason: 'of old' }, '2026-01-01T00:00:00.000Z')
  return fleetOf({
    suite: { name: 'core-conformance', version: '0.1.0', specsDigest: 'ab'.repeat(32) },
    cores: [core],
    startedAt: '2026-01-01T00:00:00.000Z',
    durationMs: 0,
    reports: [],
    requirements: [],
  })
}

function assertNoPassword(folder: string): void {
  const files = readdirSync(join(folder, 'reports'), { recursive: true, withFileTypes: true })
  const texts = files.filter(file => file.isFile()).map(file => readFileSync(join(file.parentPath, file.name), 'utf8'))
  assertSecretless(texts, [RACK_PASSWORD])
}

long(test)('Cores that are right, wrong, out of reach and silent: each is told, and none stops another', () =>
  withRack(
    { 'lab-1': {}, 'lab-2': { defect: DEFECT }, away: { kind: 'gone' }, mute: { kind: 'silent' } },
    { isVirtual: true, more: { 'lab-2': 'firmware: 4.2.0', 'lab-1': 'labels: { model: X300 }' } },
    async rack => {
      const { folder, env } = rack
      const args = ['run', '--all-targets', '--only', SOME, '--deadline', '700ms']
      const { stdout, stderr } = await cli(args, { cwd: folder, env, code: 1 })
      const fleet = fleetIn(folder)
      assert.equal(verdicts(fleet), {
        away: 'untestable',
        'lab-1': 'conformant',
        'lab-2': 'nonconformant',
        mute: 'untestable',
      })
      assert.is(fleet.verdict, 'nonconformant')
      assert.is(fleet.reason, '1 of 4 Cores is nonconformant, 2 are untestable, 1 is conformant')
      const [, first, second] = fleet.cores
      assert.equal([first?.labels, second?.firmware], [{ model: 'X300' }, '4.2.0'])
      const against = second?.against.flatMap(({ requirements }) => requirements)
      assert.equal(against, ['REVOKE-1'])
      // The files of a single run.
      for (const name of Object.keys(verdicts(fleet)))
        assert.equal(
          readdirSync(join(folder, 'reports', name)).sort(),
          ['junit.xml', 'report.html', ...(name === 'lab-2' ? ['reproduce'] : []), 'result.json'],
          name,
        )
      assert.equal(readdirSync(join(folder, 'reports', 'lab-2', 'reproduce')), ['revocation-rejects.sh'])
      assert.is((await liveTokens(rack))['lab-1'], 0)
      // The console: one plain line for each Core, and every failure with its Core.
      for (const name of Object.keys(verdicts(fleet))) assert.match(stdout, new RegExp(`^. ${name} +\\w+`, 'm'))
      assert.match(stdout, /REVOKE-1: /)
      assert.match(stdout, /on a single Core of the 2 that were judged: lab-2/)
      assert.match(stdout, /^Reports: .*reports\/\*\/reproduce\/\*\.sh$/m)
      assert.match(stderr, /✗ lab-2 is nonconformant: \d+ of \d+ specs judged, 1 failed/)
      assert.not((stdout + stderr).includes('\u001b'))
      for (const line of stdout.split('\n').filter(text => !text.startsWith('Reports:')))
        assert.ok(line.length <= 80, line)
      assertNoPassword(folder)
      await checkFiles(folder, fleet)
    },
  ),
)

/** Checks the reports of a fleet with independent tools. */
async function checkFiles(folder: string, fleet: Fleet): Promise<void> {
  const read = (name: string) => readFileSync(join(folder, 'reports', name), 'utf8')
  const results = fleet.cores.map(({ name }) => ({ name, ...resultOf(folder, name) }))
  // What could not be tested is a case, too.
  const cases = results.flatMap(({ specs, verdict }) =>
    verdict === 'untestable' && !specs.some(({ outcome }) => outcome === 'blocked') ? [...specs, verdict] : specs,
  ).length
  const junit = read('junit.xml')
  await checkXml(junit)
  const suites = (await parseJunit2json(junit)) as TestSuites
  assert.is(suites.tests, cases)
  const told = suites.testsuite?.flatMap(({ name, testcase = [] }) =>
    testcase.map(each => [`core-conformance.${name}`, each.classname, each.name]),
  )
  assert.is(new Set(told?.map(names => names.join(' '))).size, cases, 'no case is called as another')
  for (const [suite, classname] of told ?? []) assert.is(classname, suite)
  for (const { name, specs } of results) {
    const own = suites.testsuite?.filter(each => each.name?.startsWith(`${name}.`)) ?? []
    const failed = own.reduce((sum, { failures = 0 }) => sum + failures, 0)
    assert.equal([own.length > 0, failed], [true, specs.filter(({ outcome }) => outcome === 'failed').length], name)
  }
  assert.is(parseTestResults({ type: 'junit', files: [join(folder, 'reports', 'junit.xml')] }).total, cases)
  const ctrf = JSON.parse(read('ctrf.json'))
  assert.ok((validateCtrf(ctrf) as { valid: boolean }).valid)
  assert.is(ctrf.results.summary.tests, cases)
  await checkHtml(read('report.html'))
  checkMarkdown(read('report.md'))
  assert.match(read('badge.svg'), /1 of 4 Cores nonconformant/)
  // Every cell links to a target that exists.
  const links = [...read('report.html').matchAll(/href="([^"#]+)#([^"]+)"/g)]
  assert.ok(links.length > 20)
  const pages = new Map(fleet.cores.map(({ name }) => [name, read(join(name, 'report.html'))]))
  for (const [, path = '', anchor = ''] of links)
    assert.ok(pages.get(path.replace('/report.html', ''))?.includes(`id="${anchor}"`), `${path}#${anchor}`)
}

long(test)('a fleet again: what another one left is gone, and what changed is told', () =>
  withRack({ 'lab-1': {}, 'lab-2': {}, 'lab-3': {} }, { isVirtual: true }, async ({ folder, env }) => {
    const run = (args: string[]) => cli(['run', '--only', 'access-with-token', ...args], { cwd: folder, env })
    assert.is((await run(['lab-*'])).code, 0)
    writeFileSync(join(folder, 'old.json'), readFileSync(join(folder, 'reports', 'fleet.json')))
    const { code, stdout } = await run(['lab-1', 'lab-3', '--since', 'old.json', '--quiet'])
    assert.is(code, 0, stdout)
    assert.not(
      existsSync(join(folder, 'reports', 'lab-2', 'result.json')),
      'nobody may take it for a part of this fleet',
    )
    assert.equal(fleetIn(folder).since?.changes, [{ core: 'lab-2', kind: 'gone', was: 'conformant', is: null }])
    assert.match(stdout, /lab-2 was conformant, and is not in this fleet/)
    assert.not.match(stdout, /^. lab-1 /m, 'quiet tells of nothing that is right')
    // A report of the result says the same as the run did, for the fleet and for each Core. A report elsewhere links to pages
    // there.
    const page = readFileSync(join(folder, 'reports', 'report.html'), 'utf8')
    for (const file of ['report.html', 'lab-1/report.html', 'junit.xml']) rmSync(join(folder, 'reports', file))
    const again = await cli(['report'], { cwd: folder, env: {}, code: 0 })
    assert.match(again.stdout, /lab-2 was conformant, and is not in this fleet/)
    assert.is(readFileSync(join(folder, 'reports', 'report.html'), 'utf8'), page)
    assert.ok(existsSync(join(folder, 'reports', 'lab-1', 'report.html')))
    assert.ok(existsSync(join(folder, 'reports', 'junit.xml')))
    const elsewhere = ['report', 'reports/fleet.json', '--out', 'there', '--reporter', 'html,ctrf,tap']
    assert.is((await cli(elsewhere, { cwd: folder, env: {} })).code, 0)
    assert.equal(readdirSync(join(folder, 'there')).sort(), ['ctrf.json', 'lab-1', 'lab-3', 'report.html'])
    assert.equal(readdirSync(join(folder, 'there', 'lab-3')).sort(), ['ctrf.json', 'report.html', 'tap.txt'])
    rmSync(join(folder, 'reports', 'lab-3', 'result.json'))
    const lost = await cli(['report', 'reports/fleet.json', '--reporter', 'html'], { cwd: folder, env: {}, code: 3 })
    assert.match(lost.stderr, /lab-3: reports\/lab-3\/result\.json cannot be used/)
    // A run of one Core is not a fleet.
    assert.is((await run(['lab-1'])).code, 0)
    assert.not(existsSync(join(folder, 'reports', 'fleet.json')))
    assertUsage(
      await run(['lab-*', '--since', 'reports/result.json']),
      /reports\/result\.json cannot be used as the result of a fleet: it is the result of a single run/,
    )
  }),
)

test('what is missing is told before anything is sent', () =>
  withRack({ 'lab-1': {}, 'lab-2': {} }, {}, async ({ folder }) => {
    const { stderr } = await cli(['run', 'lab-*', '--only', SOME], { cwd: folder, env: {}, code: 2 })
    assert.match(stderr, /no password for lab-1, lab-2: set CORE_PASSWORD_LAB_1 or CORE_PASSWORD/)
    assert.not(existsSync(join(folder, 'reports')))
  }))

/** Real time: a busy machine needs room. */
const LIFETIME_MS = 12_000
/** For runs that never come to their end: any machine has all of their Cores wait at once. */
const LONG_MS = 600_000
const rackOf = (names: string[], idleLifetime = LIFETIME_MS): Record<string, RackCore> =>
  Object.fromEntries(names.map(name => [name, { idleLifetime }]))
const timed = (ms: number) => {
  return ['--idle-lifetime', `${ms}ms`, '--idle-tolerance', '20%', '--only', WAITING, '--explore', '0']
}
const TIMED = timed(LIFETIME_MS)

async function untilWaiting({ folder, cores }: Rack, running: Cli): Promise<void> {
  let over = false
  void running.ended.then(() => {
    over = true
  })
  const waits = (name: string) => {
    const path = join(folder, 'reports', name, 'journal.ndjson')
    return existsSync(path) && readFileSync(path, 'utf8').includes('"type":"waits"')
  }
  while (!Object.keys(cores).every(waits)) {
    if (over) throw new Error(`it ended before all waited:\n${running.stdout}\n${running.stderr}`)
    await sleep(50)
  }
}

/** Tells whether a Core has been asked for a token that its journal does not know yet. */
function isLoggingOn(folder: string, name: string): boolean {
  const text = readFileSync(join(folder, 'reports', name, 'journal.ndjson'), 'utf8')
  const count = (type: string) => text.split(`"type":"${type}"`).length
  return count('logon') > count('logon-answered')
}

/** Kills a run at a moment in which no logon is in flight: nobody could give back a token that only the Core knows. */
async function killAtRest({ folder, cores }: Rack, { child, ended }: Cli): Promise<void> {
  for (let isAtRest = false; !isAtRest && child.exitCode === null; ) {
    child.kill('SIGSTOP')
    await sleep(50)
    isAtRest = !Object.keys(cores).some(name => isLoggingOn(folder, name))
    child.kill(isAtRest ? 'SIGKILL' : 'SIGCONT')
    if (!isAtRest) await sleep(50)
  }
  assert.is((await ended).signal, 'SIGKILL')
}

long(test)('killed in the middle, resumed: the same outcomes, and no token is left', () =>
  withRack(rackOf(['lab-1', 'lab-2']), {}, async rack => {
    const { folder, env } = rack
    // The earlier fleet stands where this one will be written. It is gone when the run is resumed.
    mkdirSync(join(folder, 'reports'))
    writeFileSync(join(folder, 'reports', 'fleet.json'), JSON.stringify(earlierFleet()))
    const args = ['run', 'lab-*', '--since', 'reports/fleet.json', ...TIMED]
    const running = new Cli(args, { cwd: folder, env })
    await untilWaiting(rack, running)
    await killAtRest(rack, running)
    assert.equal(fleetIn(folder), earlierFleet(), 'the earlier one stays until this one has an end')
    const open = JSON.parse(readFileSync(join(folder, 'reports', 'unfinished-fleet.json'), 'utf8')) as Fleet
    assert.match(open.since?.notices.join() ?? '', /has not ended/)
    assert.is(open.verdict, 'incomplete', 'a fleet that was killed says so')
    const haveResults = open.cores.map(({ hasResult }) => hasResult)
    assert.equal(haveResults, [false, false])
    assert.match((await cli(['run', 'lab-*', ...TIMED], { cwd: folder, env })).stderr, /was left unfinished .*resume/)
    await cli(['resume', 'reports'], { cwd: folder, env, code: 0 })
    assert.equal(verdicts(fleetIn(folder)), { 'lab-1': 'conformant', 'lab-2': 'conformant' })
    const [first = [], other] = ['lab-1', 'lab-2'].map(name => outcomes(resultOf(folder, name)))
    assert.ok(first.every(outcome => / passed$/.test(outcome)))
    assert.equal(other, first)
    assert.equal(await liveTokens(rack), { 'lab-1': 0, 'lab-2': 0 })
    assert.not(hasJournal(folder, 'lab-1'))
    const { since } = fleetIn(folder)
    assert.equal([since?.file, since?.compared], ['reports/fleet.json', 1])
    const changes = since?.changes.map(({ core, kind, is }) => [core, kind, is])
    assert.equal(changes, [
      ['lab-1', 'verdict', 'conformant'],
      ['lab-2', 'added', 'conformant'],
    ])
    assert.not(existsSync(join(folder, 'reports', 'earlier-fleet.json')), 'a fleet that has ended keeps no copy')
    // The next resume only has to write the files of the fleet.
    await cli(['resume', '--quiet'], { cwd: folder, env, code: 0 })
    assert.is(fleetIn(folder).counts.conformant, 2)
    assert.equal(fleetIn(folder).since, since)
  }),
)

long(test)('SIGTERM gives back all tokens of all Cores, also of those whose turn had not come', () =>
  withRack(rackOf(['lab-1', 'lab-2'], LONG_MS), {}, async rack => {
    const { folder, env } = rack
    const running = new Cli(['run', 'lab-*', ...timed(LONG_MS), '--cores', '1'], { cwd: folder, env })
    await untilWaiting({ ...rack, cores: { 'lab-1': { url: '' } } }, running)
    running.child.kill('SIGTERM')
    const { stderr } = await running.ends(3)
    assert.equal(await liveTokens(rack), { 'lab-1': 0, 'lab-2': 0 })
    const { cores, verdict } = fleetIn(folder)
    assert.is(verdict, 'incomplete')
    assert.match(cores[1]?.reason ?? '', /interrupted before its run began/)
    assert.is(stderr.match(/Interrupted:/g)?.length, 1)
    const abandoned = await cli(['resume', '--abandon'], { cwd: folder, env })
    assert.match(abandoned.stdout, /^lab-2: The run was given no token, and its journal is removed\.$/m)
  }),
)

long(test)('--abandon: a journal that cannot be opened stops no other; all other tokens are given back at once', () =>
  withRack(rackOf(['lab-1', 'lab-2', 'lab-3'], LONG_MS), {}, async rack => {
    const { folder, env, cores } = rack
    const [, ...meeting] = Object.values(cores)
    const relays = await startMeetingRelays(meeting.map(({ url }) => Number(new URL(url).port)))
    try {
      const path = join(folder, 'core-conformance.config.yaml')
      const relayed = meeting.reduce(
        (text, { url }, index) => text.replace(url, `https://127.0.0.1:${relays.ports[index]}`),
        readFileSync(path, 'utf8'),
      )
      writeFileSync(path, relayed)
      const running = new Cli(['run', 'lab-*', ...timed(LONG_MS)], { cwd: folder, env })
      await untilWaiting(rack, running)
      await killAtRest(rack, running)
      const journals = () => Object.keys(cores).map(name => hasJournal(folder, name))
      const wrong = await cli(['resume'], { cwd: folder, env: { CORE_PASSWORD: 'another' }, code: 2 })
      assert.match(wrong.stderr, /lab-1: .*was sealed with another password/)
      relays.meet()
      const own = { ...env, CORE_PASSWORD_LAB_1: 'another' }
      const { stdout, stderr } = await cli(['resume', '--abandon'], { cwd: folder, env: own, code: 3 })
      assert.match(stderr, /lab-1: .*was sealed with another password/)
      const told = [...stdout.matchAll(/^(lab-\d): .*journal is removed\.$/gm)].map(([, name]) => name)
      assert.equal(told, ['lab-2', 'lab-3'], 'in order')
      assert.equal(journals(), [true, false, false])
      const { 'lab-1': kept = 0, ...others } = await liveTokens(rack)
      assert.equal([kept > 0, others], [true, { 'lab-2': 0, 'lab-3': 0 }])
      assert.is((await cli(['resume', '--abandon'], { cwd: folder, env })).code, 0)
      assert.equal([journals()[0], (await liveTokens(rack))['lab-1']], [false, 0])
    } finally {
      await relays.close()
    }
  }),
)

long(test)('a fleet that is detached says when to come back, and resume ends it', () =>
  withRack({ 'lab-1': {}, 'lab-2': {} }, {}, async rack => {
    const { folder, env } = rack
    const only = ['--only', 'access-with-token,idle-expires', '--explore', '0']
    const begun = await new Cli(['run', 'lab-*', '--detach', ...only], { cwd: folder, env }).ends(0)
    const fleet = fleetIn(folder)
    assert.equal([fleet.verdict, fleet.counts.pending, fleet.visits?.length], ['pending', 2, 1])
    assert.match(begun.stdout, /come back/)
    assert.match(begun.stdout, /→ finish it with: \S+ \S+bin\.cjs resume$/m)
    assert.ok(hasJournal(folder, 'lab-1') && hasJournal(folder, 'lab-2'))
    await new Cli(['resume', '--detach'], { cwd: folder, env }).ends(0)
    assert.is(fleetIn(folder).verdict, 'pending')
    await cli(['resume', '--abandon'], { cwd: folder, env, code: 0 })
    assert.equal(await liveTokens(rack), { 'lab-1': 0, 'lab-2': 0 })
  }),
)

/** Returns a fleet without the values that differ from run to run. */
function timeless({ startedAt: _s, durationMs: _d, cores, shard: _sh, reports: _r, notices: _n, ...fleet }: Fleet) {
  return { ...fleet, cores: cores.map(({ startedAt: _s, durationMs: _d, tokens: _t, ...core }) => core) }
}

long(test)('shards on several machines, merged: equal to one run but for times', () =>
  withRack(
    { 'lab-1': {}, 'lab-2': { defect: DEFECT }, 'lab-3': {}, away: { kind: 'gone' } },
    { isVirtual: true, more: { 'lab-1': 'labels: { model: X300 }' } },
    async ({ folder, env }) => {
      const only = ['--only', 'access-with-token,revocation-rejects']
      const run = (args: string[], more = {}) => cli(args, { cwd: folder, env: { ...env, ...more } })
      assert.is((await run(['run', '--all-targets', ...only])).code, 1)
      for (const number of [1, 2]) {
        const share = { CI_NODE_INDEX: String(number), CI_NODE_TOTAL: '2' }
        const args = ['run', '--all-targets', '--shard', 'auto', '--out', `shards/${number}`, ...only]
        const { stdout, stderr } = await run(args, share)
        assert.match(stdout, new RegExp(`shard ${number} of 2`), stderr)
      }
      const merged = await run(['merge', 'shards', '--out', 'all'])
      assert.is(merged.code, 1, merged.stdout + merged.stderr)
      assert.equal(timeless(fleetIn(folder, 'all')), timeless(fleetIn(folder)))
      assert.equal(outcomes(resultOf(folder, 'lab-2', 'all')), outcomes(resultOf(folder, 'lab-2')))
      assert.ok(existsSync(join(folder, 'all', 'lab-2', 'report.html')))
      const script = (out: string) => readFileSync(join(folder, out, 'lab-2/reproduce/revocation-rejects.sh'), 'utf8')
      assert.is(script('all'), script('reports'))
      const names = (out: string) =>
        readFileSync(join(folder, out, 'junit.xml'), 'utf8').match(/<testcase name="[^"]*" classname="[^"]*"/g)
      assert.equal(names('all'), names('reports'))
      // Two equal fleets can be compared.
      const same = await run(['diff', 'reports/fleet.json', 'all/fleet.json', '--out', 'd'])
      assert.match(same.stdout, /^Nothing changed since /)
      assert.is(same.code, 0, same.stdout + same.stderr)
      // An incomplete fleet says so. Parts of different fleets are refused by name.
      const part = await run(['merge', 'shards/1', '--out', 'part', '--quiet', '--reporter', 'json'])
      assert.match(fleetIn(folder, 'part').reason, /; shard 2 of 2 is missing$/)
      assert.is(part.code, fleetIn(folder, 'part').counts.nonconformant ? 1 : 3)
      const refused = async (args: string[], expected: RegExp) => {
        assertUsage(await run(['merge', ...(args.includes('--out') ? [] : ['--out', 'none']), ...args]), expected)
        assert.not(existsSync(join(folder, 'none')))
      }
      await refused(['shards/1', 'reports'], /shards\/1 is a shard, and reports is none/)
      await refused(['reports', 'reports/lab-1'], /lab-1 is in reports and in reports\/lab-1/)
      await refused(['nowhere'], /nowhere is no folder/)
      await refused(['d'], /there is neither fleet\.json nor result\.json in d/)
      await refused(['all', '--out', 'all'], /all is what would be written to/)
      await run(['run', 'lab-3', '--profile', 'quick', '--out', 'quick', ...only, '--reporter', 'json'])
      await refused(
        ['reports/lab-1', 'quick'],
        /lab-1 in reports\/lab-1 was run with the full profile, a lifetime of 1 h, .* lab-3 in quick was run with the quick profile/,
      )
      const text = readFileSync(join(folder, 'quick', 'result.json'), 'utf8')
      writeFileSync(
        join(folder, 'quick', 'result.json'),
        text.replace(/"specsDigest": "(.)/, (_all, digit) => `"specsDigest": "${digit === '0' ? '1' : '0'}`),
      )
      await refused(['reports/lab-1', 'quick'], /reports\/lab-1 and quick are of different specs/)
      // Single results make a fleet, too.
      const two = ['reports/lab-1', 'reports/lab-3/result.json']
      const singles = await run(['merge', ...two, '--out', 'two', '--reporter', 'json'])
      assert.is(singles.code, 0, singles.stderr)
      assert.equal(verdicts(fleetIn(folder, 'two')), { 'lab-1': 'conformant', 'lab-3': 'conformant' })
    },
  ),
)

test.run()
