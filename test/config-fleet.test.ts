/** The Cores that a command line names, their folders, and the share of them that runs. */
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type FleetConfig, fleetConfig, singleSettings } from '../dist/commands/fleet/config.js'
import { mergeConfig } from '../dist/commands/merge.js'
import { resumeConfig, runConfig } from '../dist/commands/one-core/config.js'
import type { Settings } from '../dist/config/settings.js'
import { missingShards } from '../dist/fleet/shard.js'
import { type GivenFiles, loaded, refusalOf } from './config-support.js'

const test = suite('fleets as configured')
const AA = Array(32).fill('AA').join(':')
const FILE = 'core-conformance.config.yaml'
const CONFIG = `defaults:
  username: ci
  insecure: true
targets:
  lab-2:
    url: https://10.0.0.2
    firmware: 4.1.0
    labels: { model: X300, rack: 7 }
  lab-1:
    url: https://10.0.0.1
    fingerprint: ${AA}
  edge.1:
    url: https://10.0.1.1:8443
    username: eve
`

interface Given extends GivenFiles {
  /** The configuration file; null: none. */
  config?: string | null
}

const settings = <T>({ config = CONFIG, files, ...given }: Given, use: (settings: Settings) => T, name = 'run') =>
  loaded(name, { ...given, files: { ...files, ...(config !== null && { [FILE]: config }) } }, use)

const fleet = (given: Given) => settings(given, fleetConfig)
const names = (config: FleetConfig | undefined) => config?.members.map(({ name }) => name)

async function refusal(given: Given): Promise<string> {
  const message = await refusalOf(fleet(given))
  assert.not.match(message, /\n|Secret/, message)
  return message
}

test('one Core is no fleet, however it is named by one word', async () => {
  for (const args of [[], ['--target', 'lab-1'], ['lab-1'], ['https://10.0.0.9'], ['--target', 'https://10.0.0.9']])
    assert.is(await fleet({ args }), undefined, args.join(' '))
  const url = (given: Given) => settings(given, made => runConfig(singleSettings(made)).target?.url.href)
  assert.is(await url({ args: ['lab-1'] }), 'https://10.0.0.1/')
  assert.is(await url({ args: ['https://10.0.0.9'], env: { CORE_URL: 'https://10.0.0.8' } }), 'https://10.0.0.9/')
  const single = await settings({ args: ['edge.1'], env: { CORE_PASSWORD_EDGE_1: 'own' } }, made =>
    runConfig(singleSettings(made)),
  )
  assert.equal([single.username, single.password, single.outDir], ['eve', 'own', 'reports'])
})

test('many Cores: repeated, with commas, by place, by pattern, from a file, all', async () => {
  const files = { 'labs.txt': '\ufeff# the rack\r\nlab-1   # first\r\n\r\nhttps://10.0.0.9\n  edge.? \n' }
  const CASES: [Given, string[]][] = [
    [{ args: ['--target', 'lab-1', '--target', 'lab-2'] }, ['lab-1', 'lab-2']],
    [{ args: ['--target', 'lab-2,lab-1'] }, ['lab-1', 'lab-2']],
    [{ args: ['lab-2', 'https://10.0.0.9:8443', 'lab-1'] }, ['10.0.0.9-8443', 'lab-1', 'lab-2']],
    [{ args: ['lab-*'] }, ['lab-1', 'lab-2']],
    [{ args: ['edge.*'] }, ['edge.1']],
    [{ args: ['lab-*', 'lab-1'] }, ['lab-1', 'lab-2']],
    [{ args: ['--targets', 'labs.txt'], files }, ['10.0.0.9', 'edge.1', 'lab-1']],
    [{ args: ['--all-targets'] }, ['edge.1', 'lab-1', 'lab-2']],
    [{ env: { CORE_URL: 'lab-1, lab-2' } }, ['lab-1', 'lab-2']],
    [{ dotenv: 'CORE_URL=lab-1,lab-2\n' }, ['lab-1', 'lab-2']],
    [{ env: { CORE_TARGETS: 'labs.txt' }, files }, ['10.0.0.9', 'edge.1', 'lab-1']],
    [{ env: { CORE_ALL_TARGETS: '1' } }, ['edge.1', 'lab-1', 'lab-2']],
    [{ args: ['lab-*'], env: { CORE_URL: 'edge.1', CORE_ALL_TARGETS: '1' } }, ['lab-1', 'lab-2']],
    [{ env: { CORE_URL: 'lab-1,lab-2' }, dotenv: 'CORE_ALL_TARGETS=1\n' }, ['lab-1', 'lab-2']],
  ]
  for (const [given, expected] of CASES) assert.equal(names(await fleet(given)), expected, JSON.stringify(given))
})

test('each Core has its own folder, credentials, trust and labels; defaults hold where it says nothing', async () => {
  const env = { CORE_PASSWORD: 'all', CORE_PASSWORD_LAB_2: 'two' }
  const config = await fleet({ args: ['lab-*', 'edge.1', 'https://10.0.0.9', '--out', 'out'], env })
  const told = config?.members.map(({ name, labels, run: { outDir, username, password, target } }) => {
    assert.is(outDir, join('out', name))
    return [name, username, password, target.trust.kind, labels, target.firmware]
  })
  assert.equal(told, [
    ['10.0.0.9', 'ci', 'all', 'insecure', {}, undefined],
    ['edge.1', 'eve', 'all', 'insecure', {}, undefined],
    ['lab-1', 'ci', 'all', 'fingerprint', {}, undefined],
    ['lab-2', 'ci', 'two', 'insecure', { model: 'X300', rack: '7' }, '4.1.0'],
  ])
  const reporters = config?.members.map(({ run }) => run.reporters)
  assert.equal(reporters, Array(4).fill(['junit', 'json', 'html']))
  const some = await fleet({ args: ['lab-*', '--reporter', 'console,ctrf'] })
  assert.equal(
    [some?.reporters, some?.members[0]?.run.reporters],
    [
      ['console', 'ctrf'],
      ['json', 'ctrf'],
    ],
  )
})

test('what the file says of all Cores is no hint that one is meant', async () => {
  assert.is(await settings({ args: ['mock'] }, made => runConfig(singleSettings(made)).target), undefined)
  assert.is(await fleet({ args: ['mock'] }), undefined)
  assert.match(await refusal({ args: ['mock', 'lab-1'] }), /^target 1: the embedded mock Core is tested alone/)
})

test('cores, detach, quiet and since', async () => {
  const config = await fleet({
    args: ['lab-*'],
    env: { CORE_CORES: '3', CORE_SINCE: 'old.json', CORE_QUIET: '1', CORE_DETACH: '1' },
  })
  assert.equal([config?.atATime, config?.since, config?.quiet, config?.detach], [3, 'old.json', true, true])
  assert.is((await fleet({ args: ['lab-*'] }))?.atATime, 200)
  const seven = CONFIG.replace('defaults:', 'defaults:\n  cores: 7')
  assert.is((await fleet({ args: ['lab-*'], config: seven }))?.atATime, 7)
  for (const named of [['lab-*'], ['lab-1'], []])
    assert.match(await refusal({ args: [...named, '--cores', '0'] }), /^--cores must be a whole number from 1 to 1000/)
  assert.match(await refusal({ args: ['lab-1', '--since', 'a.json'] }), /^--since is for many Cores/)
})

test('a share of the Cores is the same whatever their order, and all shares are all', async () => {
  const urls = Array.from({ length: 23 }, (_, index) => `https://10.0.2.${index}`)
  const share = async (order: string[], shard: string, env = {}) =>
    fleet({ args: [...order, '--shard', shard], env, config: null })
  const shares: Awaited<ReturnType<typeof share>>[] = []
  for (const number of [1, 2, 3, 4, 5]) shares.push(await share(urls, `${number}/5`))
  const all = shares.flatMap(each => names(each) ?? [])
  assert.is(new Set(all).size, 23)
  for (const each of shares) assert.ok([4, 5].includes(each?.members.length ?? 0))
  const again = await share([...urls].reverse(), '2/5')
  assert.equal(names(again), names(shares[1]))
  assert.equal(again?.shard, shares[1]?.shard)
  assert.equal([again?.shard?.number, again?.shard?.total], [2, 5])
  for (const [shard, env] of [
    ['auto', { CI_NODE_INDEX: '2', CI_NODE_TOTAL: '5' }],
    ['auto/5', { CI_NODE_INDEX: '2' }],
    ['auto/5', { JOB_COMPLETION_INDEX: '1' }],
  ] as const)
    assert.equal(names(await share(urls, shard, env)), names(shares[1]), `${shard} ${JSON.stringify(env)}`)
  assert.is((await fleet({ args: ['lab-1', '--shard', '1/1'] }))?.members.length, 1, 'one Core, too, is a fleet')
  const shards = [5, 4, 3, 2, 1].map(number => ({ number, total: 5 }))
  assert.equal([missingShards(shards), missingShards(shards.slice(1, 3)), missingShards([])], [[], [1, 2, 5], []])
})

test('what is no share', async () => {
  for (const text of ['0/2', '3/2', '1/0', '1', '1/2/3', 'a/b', '-1/2', '1/9999'])
    assert.match(await refusal({ args: ['lab-*', `--shard=${text}`] }), /^--shard must/, text)
  const CASES: [share: string, env: Record<string, string>, message: RegExp][] = [
    ['auto', {}, /none of them is set: say K\/N$/],
    ['auto', { JOB_COMPLETION_INDEX: '0' }, /say auto\/N$/],
    ['auto/3', { CI_NODE_INDEX: '1', CI_NODE_TOTAL: '5' }, /make them the same/],
    ['auto/3', { CI_NODE_INDEX: 'x' }, /CI_NODE_INDEX is no whole number/],
    ['3/3', {}, /^--shard: of 2 Cores, shard 3 of 3 has none: make no more than 2 shards$/],
  ]
  for (const [share, env, message] of CASES)
    assert.match(await refusal({ args: ['lab-*', '--shard', share], env }), message)
  assert.match(await refusal({ args: ['--shard', '1/2'] }), /^--shard is for many Cores/)
})

test('names that there are not, patterns that nothing fits, Cores that are named twice', async () => {
  const CASES: [Given, RegExp][] = [
    [{ args: ['--target', 'lab-1,lab-l'] }, /^--target: there is no target 'lab-l' in .*did you mean 'lab-[12]'\?/],
    [{ args: ['lab-1', 'lab-l'] }, /^target 2: there is no target 'lab-l' in .*did you mean/],
    [{ args: ['lab-1', 'MySecret-1'] }, /^target 2: there is no target of that name in /],
    [{ args: ['--target', 'a:Secret@b,lab-1'] }, /^--target: there is no target of that name in /],
    [{ args: ['rack-*'] }, /^target 1: the pattern fits no target of core-conformance/],
    [{ args: ['lab-*'], config: null }, /fits no target of the configuration file, since there is no /],
    [{ args: ['lab-1', 'lab-1'] }, /^target 2 names 'lab-1' that target 1 has named already/],
    [{ args: ['lab-1', 'https://10.0.0.1'] }, /are the same Core \(https:\/\/10\.0\.0\.1\)/],
    [{ args: ['https://a-b', 'https://a-b:443/'] }, /are the same Core/],
    [{ args: ['--target', 'lab-1,,lab-2'] }, /^--target has nothing between two commas/],
    [{ args: ['--target', ','] }, /^--target has nothing between two commas/],
    [{ args: ['lab-*', '--label', 'x'] }, /^--label is of one Core, and many are named/],
    [{ args: ['lab-*'], env: { CORE_CONTROL_URL: 'http://x' } }, /^CORE_CONTROL_URL is of one Core/],
    [{ args: ['https://u:Secret@h', 'lab-1'] }, /^target 1 holds credentials/],
    [{ args: ['http://h', 'lab-1'] }, /^target 1 must start with https:\/\//],
    [{ args: ['--all-targets'], config: null }, /there is no core-conformance.config.yaml that names targets/],
    [{ args: ['--all-targets'], config: 'defaults: {}\n' }, /names no targets/],
    [
      { args: ['report.html', 'lab-1'], config: `${CONFIG}  report.html: { url: "https://z" }\n` },
      /'report.html' cannot be the name of a Core in a fleet/,
    ],
    [{ args: ['LAB-1', 'lab-1'], config: `${CONFIG}  LAB-1: { url: "https://z" }\n` }, /would both have the folder/],
  ]
  for (const [given, expected] of CASES) assert.match(await refusal(given), expected, JSON.stringify(given))
})

test('a file of targets that cannot be used, with its line', async () => {
  const list = (text: string) => refusal({ args: ['--targets', 'l.txt'], files: { 'l.txt': text } })
  assert.match(await list('lab-1\n\nlab-9\n'), /^l\.txt:3: there is no target 'lab-9'/)
  assert.match(await list('lab-1 lab-2\n'), /^l\.txt:1 names more than one Core: write one a line$/)
  assert.match(await list('# nothing\n\n'), /^--targets: l\.txt names no Core/)
  assert.match(await list('lab-1\n#\nlab-1'), /^l\.txt:3 names 'lab-1' that l\.txt:1 has named already/)
  assert.match(await list('lab-1\0'), /is no text/)
  assert.match(await list('https://x/path\n'), /^l\.txt:1 must be the base URL, without a path/)
  assert.match(await refusal({ args: ['--targets', 'none.txt'] }), /^--targets: none\.txt cannot be used: /)
  assert.match(await refusal({ args: ['--targets', '.'] }), /^--targets: \. cannot be used: /)
})

test('merge: where to, what of it, since when', async () => {
  const merged = (args: string[], env = {}) => settings({ args: [...args, 'a'], env }, mergeConfig, 'merge')
  const all = await merged([])
  assert.equal([all.outDir, all.folders, all.since, all.quiet], ['reports', ['a'], undefined, false])
  assert.equal(all.reporters, ['console', 'junit', 'json', 'html', 'ctrf', 'markdown', 'badge'])
  const some = await merged(['--out', 'o', '--reporter', 'html,console', '--since', 's', '--quiet'])
  assert.equal([some.outDir, some.reporters, some.since, some.quiet], ['o', ['console', 'html'], 's', true])
  const env = { CORE_OUT: 'o', CORE_MERGE_REPORTER: 'badge', CORE_SINCE: 's', CORE_QUIET: '1', CORE_REPORTER: 'tap' }
  const told = await merged([], env)
  assert.equal([told.outDir, told.reporters, told.since, told.quiet], ['o', ['badge'], 's', true])
  assert.match(await refusalOf(merged(['--reporter', 'tap'])), /^--reporter: there is no report 'tap' here/)
})

test('resume takes its folder by place, too', async () => {
  const out = (args: string[]) => settings({ args }, made => resumeConfig(made).outDir, 'resume')
  assert.is(await out(['there']), 'there')
  assert.is(await out(['--out', 'there']), 'there')
  assert.is(await out([]), 'reports')
  const both = await refusalOf(out(['here', '--out', 'there']))
  assert.match(both, /^--out says there, and here is named beside it: name one folder$/)
})

test('a target may have its own password and key; a stray one is told', async () => {
  const env = { CORE_PASSWORD: 'all', CORE_PASSWORD_LAB_2: 'own', CORE_PASSWORD_LAB_3: 'none' }
  const passwordOf = (target: string, given = env) =>
    settings({ args: ['--target', target], env: given }, made => runConfig(made).password)
  const passwords = [await passwordOf('lab-1'), await passwordOf('lab-2'), await passwordOf('https://10.0.0.3')]
  assert.equal(passwords, ['all', 'own', 'all'])
  const stray = await settings({ args: ['lab-1', 'lab-2'], env }, ({ warnings }) => warnings.join('\n'))
  assert.match(
    stray,
    /^CORE_PASSWORD_LAB_3 means nothing here: .* has no such target; did you mean 'CORE_PASSWORD_LAB_2'\?$/,
  )
  const foreign = await settings({ args: ['--target', 'lab-2'], env }, made => made.foreign())
  assert.equal(foreign, {}, 'none of them is for another program')
  const empty = await refusalOf(passwordOf('lab-2', { ...env, CORE_PASSWORD_LAB_2: '' }))
  assert.is(empty, 'CORE_PASSWORD_LAB_2 is empty: give it a value, or leave it out')
  const secretAt = (url: string) => settings({ env }, made => made.secretAt('CORE_PASSWORD', url), 'resume')
  assert.equal([await secretAt('https://10.0.0.2'), await secretAt('https://10.0.0.1')], ['own', 'all'])
  const [none] = await settings({ env, config: null }, ({ warnings }) => warnings)
  assert.match(none ?? '', /^CORE_PASSWORD_LAB_2 means nothing here: there is no configuration file/)
})

test.run()
