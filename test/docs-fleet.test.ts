/** The page about fleets and its templates, as readers use them. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parseAllDocuments, parse as parseYaml } from 'yaml'
import type { Fleet } from '../dist/fleet/types.js'
import { expandedGitlab, workflowOf } from './support/ci-files.js'
import { blockOf, inProject, PACKAGE, shell, shellOf, succeeds } from './support/docs.js'
import { makeFolder } from './support/folder.js'
import { long } from './support/long.js'
import { RACK_PASSWORD, type Rack, withRack } from './support/mock-fleet.js'

const test = suite('docs of fleets')
const template = (...path: string[]) => readFileSync(join(PACKAGE, 'templates', ...path), 'utf8')
const fleetIn = (folder: string, out = 'reports') =>
  JSON.parse(readFileSync(join(folder, out, 'fleet.json'), 'utf8')) as Fleet
const names = ({ cores }: Fleet) => cores.map(({ name }) => name)
/** Returns the shell block that holds these words. */
const block = (words: string) => {
  const found = shellOf('fleet.md').find(code => code.includes(words))
  assert.ok(found, words)
  return found ?? ''
}

/** Calls back with a project and a rack of Cores, named as in the docs, whose clocks are advanced. */
function inLab(use: (folder: string, env: Record<string, string>, rack: Rack) => Promise<void>): Promise<void> {
  return withRack({ 'lab-1': {}, 'lab-2': {}, 'edge-1': {} }, { isVirtual: true }, rack =>
    inProject({}, async (folder, { PATH = '', HOME = '' }) => {
      writeFileSync(
        join(folder, 'core-conformance.config.yaml'),
        readFileSync(join(rack.folder, 'core-conformance.config.yaml')),
      )
      await use(folder, { PATH, HOME, ...rack.env, CORE_ONLY: 'access-with-token' }, rack)
    }),
  )
}

test('the configuration file is one, and names its Cores', () =>
  inLab(async (folder, env) => {
    const file = blockOf('fleet.md', 'core-conformance.config.yaml').replace('  ca-file: lab-ca.pem', '  #')
    writeFileSync(join(folder, 'core-conformance.config.yaml'), file)
    // The addresses of the page are fictitious: an unknown name is reported before any request.
    const { code, output } = await shell("npx --no core-conformance run 'lab-*' lab-3", folder, env)
    assert.is(code, 2)
    assert.match(output, /there is no target 'lab-3' .*did you mean 'lab-[12]'/)
  }))

long(test)('ways to name Cores', () =>
  inLab(async (folder, env) => {
    writeFileSync(join(folder, 'rack.txt'), '# rack A\nlab-*\nedge-1 # the last\n')
    const lines = block('--targets rack.txt').trim().split('\n')
    const expected = [
      ['lab-1', 'lab-2'],
      ['edge-1', 'lab-1'],
      ['edge-1', 'lab-1', 'lab-2'],
      ['edge-1', 'lab-1', 'lab-2'],
    ]
    assert.is(lines.length, expected.length)
    for (const [index, line] of lines.entries()) {
      await succeeds(line, folder, env)
      assert.equal(names(fleetIn(folder)), expected[index])
    }
    assert.match(await succeeds(block('--since'), folder, env), /edge-1 was conformant, and is not in this fleet/)
    assert.match(await succeeds(block('report reports/fleet.json'), folder, env), /badge\.svg/)
    // Shards, merged.
    await succeeds(block('--shard 1/2'), folder, env)
    assert.equal([names(fleetIn(folder)), fleetIn(folder).shard], [['lab-1', 'lab-2'], undefined])
  }),
)

long(test)('detached and resumed', () =>
  withRack({ 'lab-1': {} }, {}, rack =>
    inProject({}, async (folder, { PATH = '', HOME = '' }) => {
      const file = 'core-conformance.config.yaml'
      writeFileSync(join(folder, file), readFileSync(join(rack.folder, file)))
      const env = { PATH, HOME, CORE_PASSWORD: RACK_PASSWORD, CORE_ONLY: 'access-with-token' }
      await succeeds(block('--detach'), folder, env)
      assert.is(fleetIn(folder).verdict, 'conformant')
    }),
  ),
)

long(test)('GitHub: the matrix and its merge', () =>
  inLab(async (folder, env) => {
    await succeeds(block('.github/workflows'), folder, env)
    const content = readFileSync(join(folder, '.github', 'workflows', 'core-fleet.yml'), 'utf8')
    const { jobs } = await workflowOf<ReturnType<typeof parseYaml>>(content)
    assert.is(jobs.shard.strategy.matrix.shard.length, 3)
    assert.equal([jobs.fleet.needs, jobs.fleet.if, jobs.shard.strategy['fail-fast']], ['shard', 'always()', false])
    const run = (job: { steps: { run?: string; env?: Record<string, string> }[] }) =>
      job.steps.filter(step => step.run?.includes('core-conformance'))
    for (const shard of jobs.shard.strategy.matrix.shard) {
      for (const { run: code = '', env: own = {} } of run(jobs.shard)) {
        const CORE_SHARD = own.CORE_SHARD?.replace(/\$\{\{ matrix\.shard \}\}/, String(shard)) ?? ''
        await succeeds(code, folder, { ...env, CORE_SHARD })
      }
      // Uploads and downloads as the actions do.
      await succeeds(`mkdir -p shards && mv reports shards/shard-${shard}`, folder, env)
    }
    for (const { run: code = '' } of run(jobs.fleet)) await succeeds(code, folder, env)
    assert.equal(names(fleetIn(folder)), ['edge-1', 'lab-1', 'lab-2'])
  }),
)

long(test)('GitLab: the parallel job and its merge, as gitlab-ci-local expands them', () =>
  inLab(async (folder, env) => {
    mkdirSync(join(folder, 'templates'))
    writeFileSync(join(folder, 'templates', 'core-conformance-fleet.yml'), template('core-conformance-fleet.yml'))
    const jobs = parseYaml(expandedGitlab(folder, blockOf('fleet.md', '.gitlab-ci.yml, a fleet'), ['templates']))
    const [shard, merge] = [jobs['core-fleet'], jobs['core-fleet-merge']]
    assert.equal([shard?.parallel, merge?.when], [2, 'always'])
    for (const index of [1, 2]) {
      const own = { ...shard.variables, CI_NODE_INDEX: String(index), CI_NODE_TOTAL: '2', CORE_USERNAME: 'admin' }
      await succeeds(shard.script.join('\n'), folder, { ...env, ...own })
    }
    await succeeds(merge.script.join('\n'), folder, env)
    assert.equal(names(fleetIn(folder)), ['lab-1', 'lab-2'])
    assert.is(merge.artifacts.reports.junit, 'reports/junit.xml')
  }),
)

/** Checks objects against the types of Kubernetes' own API, strictly: unknown fields, wrong types, missing ones. */
function kubernetesFaults(objects: { kind: string }[]): string {
  const folder = makeFolder()
  try {
    symlinkSync(join(PACKAGE, 'node_modules'), join(folder, 'node_modules'))
    const lines = objects.map(
      (object, index) => `export const object${index}: ${object.kind} = ${JSON.stringify(object)}`,
    )
    const head = [
      "import type { Job } from 'kubernetes-types/batch/v1'",
      "import type { ConfigMap, PersistentVolumeClaim } from 'kubernetes-types/core/v1'",
      'export type Known = ConfigMap | Job | PersistentVolumeClaim',
    ]
    writeFileSync(join(folder, 'objects.ts'), `${[...head, ...lines].join('\n')}\n`)
    const compiler = join(PACKAGE, 'node_modules', 'typescript', 'bin', 'tsc')
    const compilerOptions = { noEmit: true, strict: true, module: 'esnext', moduleResolution: 'bundler', types: [] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['objects.ts'] }))
    return spawnSync(process.execPath, [compiler, '--pretty', 'false'], {
      cwd: folder,
      encoding: 'utf8',
      timeout: 240_000,
    }).stdout
  } finally {
    rmSync(folder, { recursive: true })
  }
}

long(test)("Kubernetes: the objects are those of Kubernetes' own API", () => {
  const all = [
    ...parseAllDocuments(template('kubernetes', 'core-fleet.yaml')).map(each => each.toJS()),
    parseYaml(template('kubernetes', 'core-fleet-merge.yaml')),
  ]
  assert.is(all.length, 4)
  const [job] = all.filter(({ kind }) => kind === 'Job')
  // Those of the templates are right; one beside them is wrong.
  const faults = kubernetesFaults([...all, { ...job, spec: { ...job.spec, backofLimit: 0 } }])
  const [first = '', ...others] = faults.split('\n').filter(line => /^\S/.test(line))
  assert.equal(others, [])
  assert.match(first, /^objects\.ts\(8,.*"backofLimit"' does not exist in type 'JobSpec'/)
})

long(test)('Kubernetes: the Indexed Job and its merge', () =>
  inLab(async (folder, env) => {
    const [config, claim, job] = parseAllDocuments(template('kubernetes', 'core-fleet.yaml')).map(each => each.toJS())
    const merge = parseYaml(template('kubernetes', 'core-fleet-merge.yaml'))
    assert.equal([config.kind, claim.kind, job.kind, merge.kind], ['ConfigMap', 'PersistentVolumeClaim', 'Job', 'Job'])
    assert.equal([job.spec.completionMode, job.spec.completions, job.spec.backoffLimit], ['Indexed', 2, 0])
    const volumes = job.spec.template.spec.volumes
    assert.equal(
      [volumes[0].configMap.name, volumes[1].persistentVolumeClaim.claimName],
      [config.metadata.name, claim.metadata.name],
    )
    const own = parseYaml(config.data['core-conformance.config.yaml'])
    assert.equal(Object.keys(own.targets), ['lab-1', 'lab-2'])
    const argsOf = (each: typeof job) =>
      each.spec.template.spec.containers[0].args.join('\n').replaceAll('/reports', join(folder, 'volume'))
    assert.match(argsOf(job), /auto\/2/)
    for (const index of [0, 1]) await succeeds(argsOf(job), folder, { ...env, JOB_COMPLETION_INDEX: String(index) })
    await succeeds(argsOf(merge), folder, env)
    assert.equal(names(fleetIn(folder, join('volume', 'fleet'))), ['edge-1', 'lab-1', 'lab-2'])
    // A restarted pod, and the merge after it, find the earlier files.
    await succeeds(argsOf(merge), folder, env)
    assert.equal(readdirSync(join(folder, 'volume')).sort(), ['fleet', 'shard-0', 'shard-1'])
    // Wrong usage fails the pod.
    assert.is((await shell(argsOf(job), folder, { ...env, JOB_COMPLETION_INDEX: '7' })).code, 1)
  }),
)

test.run()
