/** The GitLab files of the docs and the templates, checked with GitLab's own schema and run in a shell. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parse as parseYaml } from 'yaml'
import { COMMANDS } from '../dist/commands/index.js'
import { variablesOf } from '../dist/config/command.js'
import { expandedGitlab } from './support/ci-files.js'
import {
  blockOf,
  FAILING,
  FAILS,
  FEW,
  inProject,
  PACKAGE,
  resultIn,
  SHORT,
  shell,
  shellOf,
  succeeds,
  untilLastVisit,
} from './support/docs.js'
import { long } from './support/long.js'

const test = suite('docs for GitLab')

interface GitlabJob {
  script?: string[]
  before_script?: string[]
  variables?: Record<string, string>
  artifacts?: { paths?: string[]; reports?: { junit?: string } }
  needs?: { job: string }[]
  when?: string
  start_in?: string
  allow_failure?: { exit_codes: number[] }
}

function jobsOf(text: string): Map<string, GitlabJob> {
  const { stages, ...jobs } = parseYaml(text) as Record<string, GitlabJob>
  assert.ok(stages)
  return new Map(Object.entries(jobs))
}

/** Runs the shell lines of a job. As in GitLab, variables of the project beat those of the file. */
function runGitlab(job: GitlabJob | undefined, folder: string, env: Record<string, string>): Promise<string> {
  const lines = [...(job?.before_script ?? []), ...(job?.script ?? [])]
  return succeeds(lines.join('\n'), folder, { ...job?.variables, ...env })
}

long(test)('GitLab: the job', () =>
  inProject({ isVirtual: false }, async (folder, env) => {
    const job = jobsOf(expandedGitlab(folder, blockOf('ci.md', '.gitlab-ci.yml'))).get('core')
    await runGitlab(job, folder, env)
    assert.equal([resultIn(folder).verdict, job?.artifacts?.reports?.junit], ['conformant', 'reports/junit.xml'])
  }),
)

/** The expanded file of the docs that includes the templates: what it says is the same for all tests, but for its Core. */
let included: string | undefined

/** Reads the jobs of the file of the docs that includes the templates, with another Core in place of theirs. */
async function withTemplates(folder: string, env: Record<string, string>): Promise<Map<string, GitlabJob>> {
  const copy = shellOf('ci.md').find(code => code.includes('templates/*.yml')) ?? ''
  await succeeds(copy, folder, env)
  const { CORE_URL = '', CORE_USERNAME = '' } = env
  included ??= expandedGitlab(folder, blockOf('ci.md', '.gitlab-ci.yml, with the templates'), ['templates'])
  return jobsOf(
    included
      .replaceAll('https://staging-core.example', CORE_URL)
      .replace(/\bCORE_USERNAME: ci$/gm, `CORE_USERNAME: ${CORE_USERNAME}`),
  )
}

long(test)('GitLab: the templates, included', () =>
  inProject({ isVirtual: false }, async (folder, { CORE_URL: _url, CORE_USERNAME: _name, ...env }) => {
    const jobs = await withTemplates(folder, { ...env, CORE_URL: _url ?? '', CORE_USERNAME: _name ?? '' })
    assert.equal([...jobs.keys()].sort(), ['core-conformance', 'idle-hour-begin', 'idle-hour-finish'])
    const job = jobs.get('core-conformance')
    // The variables of the file are enough, beside trust and the password.
    await runGitlab(job, folder, env)
    const { verdict, target, configuration } = resultIn(folder)
    assert.equal([verdict, target.firmware, configuration.profile], ['conformant', '10.4.1', 'quick'])
    assert.is(job?.artifacts?.reports?.junit, 'reports/junit.xml')
    // A missing target must not become a run against the mock Core.
    const { code, output } = await shell(job?.script?.join('\n') ?? '', folder, {
      ...job?.variables,
      ...env,
      CORE_URL: '',
    })
    assert.is(code, 2)
    assert.match(output, /CORE_URL is empty/)
  }),
)

long(test)('GitLab: the template of the idle hour, in its two jobs, of which the first fails; both publish', () =>
  inProject(FAILING, async (folder, env) => {
    const jobs = await withTemplates(folder, env)
    const [begin, finish] = [jobs.get('idle-hour-begin'), jobs.get('idle-hour-finish')]
    assert.equal([finish?.when, finish?.start_in, begin?.artifacts?.paths], ['delayed', '65 minutes', ['reports/']])
    assert.is(finish?.needs?.[0]?.job, 'idle-hour-begin')
    for (const job of [begin, finish]) assert.is(job?.artifacts?.reports?.junit, 'reports/junit.xml')
    assert.equal(begin?.allow_failure, { exit_codes: [100] })
    const given = { ...env, ...FAILS }
    const run = (job: GitlabJob | undefined) =>
      shell((job?.script ?? []).join('\n'), folder, { ...job?.variables, ...given })
    const begun = await run(begin)
    assert.is(begun.code, 100, begun.output)
    await untilLastVisit(folder, 'failed')
    const ended = await run(finish)
    assert.is(ended.code, 1, ended.output)
    const { specs, counts } = resultIn(folder)
    assert.is(specs.find(({ id }) => id === 'idle-expires')?.outcome, 'passed', 'expiry is tested')
    assert.equal([counts.failed, counts.pending], [1, 0])
    // Where nothing waits, a failure is red at once, and the second job has nothing to do.
    const quick = { ...given, CORE_ONLY: 'revocation-rejects' }
    const alone = await shell((begin?.script ?? []).join('\n'), folder, { ...begin?.variables, ...quick })
    assert.is(alone.code, 1, alone.output)
    assert.is((await run(finish)).code, 0)
  }),
)

test('GitLab: each input of a template is used and told, and none can run as code', () => {
  const names = readdirSync(join(PACKAGE, 'templates')).filter(name => name.endsWith('.yml'))
  assert.equal(names.sort(), ['core-conformance-fleet.yml', 'core-conformance-idle-hour.yml', 'core-conformance.yml'])
  const { files } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { files: string[] }
  assert.ok(files.includes('templates'), 'what the docs tell to copy is in the package')
  for (const name of names) {
    const text = readFileSync(join(PACKAGE, 'templates', name), 'utf8')
    const [head = '', body = ''] = text.split('\n---\n')
    const { inputs } = (parseYaml(head) as { spec: { inputs: Record<string, { description?: string }> } }).spec
    for (const [input, { description }] of Object.entries(inputs)) {
      assert.ok(description, input)
      assert.ok(body.includes(`$[[ inputs.${input} ]]`), `${name}: nothing uses ${input}`)
    }
    for (const [, input = ''] of body.matchAll(/\$\[\[ inputs\.([\w-]+) \]\]/g)) assert.ok(inputs[input], input)
    // The product must know the name of each variable.
    for (const [, variable = ''] of body.matchAll(/^ +(CORE_\w+):/gm))
      assert.ok(variablesOf(COMMANDS).has(variable), variable)
    // An input inside the script would let its text run as code; only the input that is a command may.
    for (const line of body.split('\n').filter(each => /^ +- /.test(each)))
      assert.ok(!line.includes('$[[') || line.trim() === '- $[[ inputs.install ]]', line)
  }
})

long(test)('GitLab: the whole suite in four visits', () =>
  inProject(SHORT, async (folder, env) => {
    const file = blockOf('idle-hour.md', '.gitlab-ci.yml, the whole suite in four visits')
    const jobs = jobsOf(expandedGitlab(folder, file))
    assert.equal([...jobs.keys()], ['begin', 'half', 'late', 'end'])
    assert.equal(
      [...jobs.values()].map(({ start_in }) => start_in),
      [undefined, '25 minutes', '28 minutes', '10 minutes'],
    )
    // A visit too early or too late only loses time.
    for (const [name, job] of jobs) {
      // On a slow machine a visit may outlast the lifetime, and leave no work for the next ones.
      if (name !== 'begin' && resultIn(folder).verdict !== 'pending') break
      await runGitlab(job, folder, { ...env, ...FEW })
    }
    assert.is(resultIn(folder).verdict, 'conformant')
  }),
)

test.run()
