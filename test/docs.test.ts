/** The docs as their readers take them: shell lines and workflows run as they stand there, against a mock Core. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser'
import { parseAction } from '@actions/workflow-parser/actions/action-parser'
import { startMockCore } from 'core-conformance'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parse as parseYaml } from 'yaml'
import { COMMANDS, KNOWN_ENV } from '../dist/options/index.js'
import type { RunResult } from '../dist/result.js'
import { inFolder } from './cli-support.js'

const test = suite('docs')
const PACKAGE = fileURLToPath(new URL('..', import.meta.url))
const GITLAB_CI_LOCAL = join(PACKAGE, 'node_modules', 'gitlab-ci-local', 'dist', 'index.js')
const DOCS = readdirSync(join(PACKAGE, 'docs'))
  .filter(name => name.endsWith('.md'))
  .sort()

interface Block {
  language: string
  code: string
}

/** The code blocks of a page, those within a list too. */
function blocksOf(page: string): Block[] {
  const text = readFileSync(join(PACKAGE, 'docs', page), 'utf8')
  return [...text.matchAll(/^( *)```(\w+)\n([\s\S]*?)^\1```$/gm)].map(([, indent = '', language = '', code = '']) => ({
    language,
    code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }))
}

/** The block that begins with a comment of exactly this text. */
function blockOf(page: string, first: string): string {
  const found = blocksOf(page).find(({ code }) => /^(?:#|\/\/) (.*)$/m.exec(code.split('\n')[0] ?? '')?.[1] === first)
  if (!found) throw new Error(`docs/${page} has no block '${first}'`)
  return found.code
}

const shellOf = (page: string) =>
  blocksOf(page)
    .filter(({ language }) => language === 'sh')
    .map(({ code }) => code)

/** A project in which this package is installed, with an `npx` that knows it, and an `npm` that installs nothing. */
function makeProject(folder: string): Record<string, string> {
  const bin = join(folder, '.bin')
  mkdirSync(bin)
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(PACKAGE, join(folder, 'node_modules', 'core-conformance'))
  const script = (name: string, body: string) => writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 })
  const cli = `exec "${process.execPath}" "${join(PACKAGE, 'dist', 'cli.js')}" "$@"`
  script('npx', `[ "$1" = core-conformance ] || { echo "what is $1?"; exit 9; }\nshift\n${cli}`)
  script('npm', 'echo "npm $*" >> npm.log')
  return { PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}`, HOME: folder }
}

/** Runs shell lines as a CI does, which ends at the first that fails. */
function shell(
  code: string,
  cwd: string,
  env: Record<string, string>,
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-eo', 'pipefail', '-c', code], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', text => (output += text))
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`hangs: ${code}\n${output}`))
    }, 120_000)
    child.on('close', ended => {
      clearTimeout(timer)
      resolve({ code: ended, output })
    })
  })
}

async function succeeds(code: string, cwd: string, env: Record<string, string>): Promise<string> {
  const ended = await shell(code, cwd, env)
  assert.is(ended.code, 0, `${code}\n${ended.output}`)
  return ended.output
}

/** A project, and a mock Core that its variables name. */
async function inProject(
  { idleLifetime = '1h', isVirtual = true },
  use: (folder: string, env: Record<string, string>) => Promise<void>,
): Promise<void> {
  const core = await startMockCore({ idleLifetime })
  try {
    await inFolder(async folder => {
      const control = { CORE_CONTROL_URL: core.control.url, CORE_CONTROL_KEY: core.control.key }
      await use(folder, {
        ...makeProject(folder),
        CORE_URL: core.url,
        CORE_USERNAME: core.credentials.username,
        CORE_PASSWORD: core.credentials.password,
        CORE_FINGERPRINT: core.certificateFingerprint,
        CORE_IDLE_LIFETIME: idleLifetime,
        // Where no clock is advanced, a few specs tell as much of a recipe.
        ...(isVirtual ? control : { CORE_ONLY: 'access' }),
      })
    })
  } finally {
    await core.close()
  }
}

const resultIn = (folder: string, out = 'reports') =>
  JSON.parse(readFileSync(join(folder, out, 'result.json'), 'utf8')) as RunResult

/** What a CI puts in place of `${{ … }}`: variables and secrets by their names. */
function filled(text: string, values: Record<string, string>): string {
  return text.replaceAll(/\$\{\{ *(?:vars|secrets|inputs)\.([\w-]+) *\}\}/g, (_all, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`the docs use ${name}, which the tests do not know`)
    return value
  })
}

interface Step {
  run?: string
  uses?: string
  env?: Record<string, string>
}

interface Workflow {
  env?: Record<string, string>
  jobs: Record<string, { needs?: string; steps: Step[] }>
}

/** Parses a workflow with GitHub's own parser. */
function workflowOf(first: string): Workflow {
  const content = blockOf('ci.md', first)
  const { context } = parseWorkflow({ name: first, content }, new NoOperationTraceWriter())
  assert.equal(context.errors.getErrors().map(String), [], first)
  return parseYaml(content) as Workflow
}

/** Runs the shell lines of a job; steps that use an action are GitHub's. */
async function runJob(
  workflow: Workflow,
  job: string,
  folder: string,
  env: Record<string, string>,
  over: Record<string, string> = {},
): Promise<string> {
  let output = ''
  for (const step of workflow.jobs[job]?.steps ?? []) {
    if (step.run === undefined) continue
    const own = { ...workflow.env, ...step.env }
    const values = Object.fromEntries(Object.entries(own).map(([name, text]) => [name, filled(text, env)]))
    output += await succeeds(step.run, folder, { ...env, ...values, ...over })
  }
  return output
}

/** Waits until a detached run may be finished. */
async function untilLastVisit(folder: string): Promise<void> {
  const { visits = [], verdict } = resultIn(folder)
  assert.is(verdict, 'pending')
  const at = Date.parse(visits.at(-1)?.fromAt ?? '')
  assert.ok(at > 0)
  await new Promise(resolve => setTimeout(resolve, Math.max(0, at - Date.now()) + 200))
}

/** For recipes that wait: few specs and a short lifetime, or every test would take an hour. */
const SHORT = { idleLifetime: '8s', isVirtual: false }
const FEW = { CORE_ONLY: 'access-with-token,idle-expires*' }

test('every page with shell lines is run here', () => {
  const pages = DOCS.filter(page => shellOf(page).length > 0)
  assert.equal(pages, [
    'ci.md',
    'client.md', // in docs-mock-core.test.ts
    'contracts.md',
    'differences.md',
    'firmware-release.md',
    'idle-hour.md',
    'reading-a-report.md',
    'writing-specs.md',
  ])
  for (const page of DOCS) {
    const text = readFileSync(join(PACKAGE, 'docs', page), 'utf8')
    for (const [, link = ''] of text.matchAll(/\]\(([\w-]+\.md)\)/g)) assert.ok(DOCS.includes(link), `${page}: ${link}`)
  }
})

test('between two releases: the shell lines', () =>
  inProject({}, async (folder, env) => {
    const files = shellOf('differences.md').filter(code => !code.includes('released'))
    assert.is(files.length, 1)
    // The same Core stands for both.
    for (const code of files) {
      assert.match(await succeeds(code.replaceAll(' …', ''), folder, env), /no difference/i)
    }
  }))

test('between two live Cores: the configuration file and the shell lines', () =>
  inProject({}, async (folder, given) => {
    const {
      CORE_URL = '',
      CORE_USERNAME = '',
      CORE_CONTROL_URL = '',
      CORE_PASSWORD = '',
      CORE_CONTROL_KEY = '',
    } = given
    const { CORE_FINGERPRINT: _trust, ...env } = given
    const candidate = await startMockCore({ username: 'admin' })
    try {
      const file = blockOf('differences.md', 'core-conformance.config.yaml')
        .replace('https://10.0.0.5', `${CORE_URL}\n    control-url: ${CORE_CONTROL_URL}`)
        .replace('https://10.0.0.6', `${candidate.url}\n    control-url: ${candidate.control.url}`)
        .replace('username: ci', `username: ${CORE_USERNAME}`)
      writeFileSync(join(folder, 'core-conformance.config.yaml'), file)
      const [code = ''] = shellOf('differences.md').filter(each => each.includes('released'))
      const own = {
        CORE_PASSWORD,
        CORE_CONTROL_KEY,
        CORE_PASSWORD_CANDIDATE: candidate.credentials.password,
        CORE_CONTROL_KEY_CANDIDATE: candidate.control.key,
      }
      const { CORE_USERNAME: _user, CORE_CONTROL_URL: _control, ...rest } = env
      const output = await succeeds(code, folder, { ...rest, ...own })
      assert.match(output, /^released 10\.4\.1 → candidate 10\.5\.0-rc1: no differences; 1\d\d specs compared$/m)
      assert.is(resultIn(folder, 'reports/2-candidate').configuration.profile, 'quick')
      assert.is(resultIn(folder, 'reports/1-released').target.label, 'released')
    } finally {
      await candidate.close()
    }
  }))

test('in CI: the shell lines', () =>
  inProject({}, async (folder, env) => {
    for (const code of shellOf('ci.md')) {
      const output = await succeeds(code, folder, env)
      if (code.includes('grep -c')) assert.match(output, /^1\d\d$/m)
    }
    assert.equal(readdirSync(join(folder, 'reports')).sort(), [
      'badge.svg',
      'ctrf.json',
      'junit.xml',
      'report.md',
      'result.json',
    ])
  }))

test('in CI: the configuration file', () =>
  inProject({}, async (folder, { CORE_URL = '', CORE_FINGERPRINT = '', CORE_USERNAME = '', ...env }) => {
    const file = blockOf('ci.md', 'core-conformance.config.yaml')
      .replace('https://staging-core.example', CORE_URL)
      .replace(/AA(:AA)+/, CORE_FINGERPRINT)
      .replace('username: ci', `username: ${CORE_USERNAME}`)
    writeFileSync(join(folder, 'core-conformance.config.yaml'), file)
    await succeeds('npx core-conformance run --target staging --profile pull-request', folder, env)
    assert.is(resultIn(folder).configuration.profile, 'quick')
    assert.ok(readdirSync(join(folder, 'reports')).includes('report.md'))
  }))

test('GitHub Actions: the workflow', () =>
  inProject({ isVirtual: false }, async (folder, env) => {
    const summary = join(folder, 'summary.md')
    const actions = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary }
    const output = await runJob(workflowOf('.github/workflows/core.yml'), 'conformance', folder, { ...env, ...actions })
    assert.match(output, /^::stop-commands::(\S+)\n[\s\S]*^::\1::$/m)
    assert.match(readFileSync(summary, 'utf8'), /^# ✅ Conformant\n/)
  }))

test('GitHub Actions: the idle hour, in two jobs', () =>
  inProject(SHORT, async (folder, env) => {
    const workflow = workflowOf('.github/workflows/core-idle.yml')
    assert.equal(Object.keys(workflow.jobs), ['begin', 'finish'])
    await runJob(workflow, 'begin', folder, env, FEW)
    await untilLastVisit(folder)
    await runJob(workflow, 'finish', folder, env, FEW)
    const { verdict, counts } = resultIn(folder)
    assert.equal([verdict, counts.pending], ['conformant', 0])
  }))

interface GitlabJob {
  script?: string[]
  before_script?: string[]
  variables?: Record<string, string>
  artifacts?: { paths?: string[]; reports?: { junit?: string } }
  needs?: { job: string }[]
  when?: string
  start_in?: string
}

/**
 * The jobs of a GitLab file with all that it includes, as gitlab-ci-local expands them and takes them for valid by GitLab's
 * own schema.
 */
function gitlabJobs(folder: string, file: string): Map<string, GitlabJob> {
  writeFileSync(join(folder, '.gitlab-ci.yml'), file)
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'ignore' })
  // It looks for files where git knows them, and for the project in the address of the remote.
  git('init')
  git('remote', 'add', 'origin', 'git@gitlab.example:group/project.git')
  git('add', '--force', '.gitlab-ci.yml', ...(existsSync(join(folder, 'templates')) ? ['templates'] : []))
  const { PATH = '' } = process.env
  const ended = spawnSync(process.execPath, [GITLAB_CI_LOCAL, '--preview'], {
    cwd: folder,
    env: { PATH, HOME: folder },
    encoding: 'utf8',
    timeout: 60_000,
  })
  if (ended.status !== 0) throw new Error(ended.stderr)
  const { stages, ...jobs } = parseYaml(ended.stdout) as Record<string, GitlabJob>
  assert.ok(stages)
  return new Map(Object.entries(jobs))
}

/** Runs the shell lines of a job; like GitLab, variables of the project beat those of the file. */
function runGitlab(job: GitlabJob | undefined, folder: string, env: Record<string, string>): Promise<string> {
  const lines = [...(job?.before_script ?? []), ...(job?.script ?? [])]
  return succeeds(lines.join('\n'), folder, { ...job?.variables, ...env })
}

test('GitLab: the job', () =>
  inProject({ isVirtual: false }, async (folder, env) => {
    const job = gitlabJobs(folder, blockOf('ci.md', '.gitlab-ci.yml')).get('core')
    await runGitlab(job, folder, env)
    assert.equal([resultIn(folder).verdict, job?.artifacts?.reports?.junit], ['conformant', 'reports/junit.xml'])
  }))

/** The file of the docs that includes the templates, with another Core in place of theirs. */
async function withTemplates(folder: string, env: Record<string, string>): Promise<Map<string, GitlabJob>> {
  const copy = shellOf('ci.md').find(code => code.includes('templates/*.yml')) ?? ''
  await succeeds(copy, folder, env)
  const { CORE_URL = '', CORE_USERNAME = '' } = env
  const file = blockOf('ci.md', '.gitlab-ci.yml, with the templates')
  return gitlabJobs(
    folder,
    file.replaceAll('https://staging-core.example', CORE_URL).replaceAll('username: ci', `username: ${CORE_USERNAME}`),
  )
}

test('GitLab: the templates, included', () =>
  inProject({ isVirtual: false }, async (folder, { CORE_URL: _url, CORE_USERNAME: _name, ...env }) => {
    const jobs = await withTemplates(folder, { ...env, CORE_URL: _url ?? '', CORE_USERNAME: _name ?? '' })
    assert.equal([...jobs.keys()].sort(), ['core-conformance', 'idle-hour-begin', 'idle-hour-finish'])
    const job = jobs.get('core-conformance')
    // What the file gives is enough, beside trust and the password.
    await runGitlab(job, folder, env)
    const { verdict, target, configuration } = resultIn(folder)
    assert.equal([verdict, target.firmware, configuration.profile], ['conformant', '10.4.1', 'quick'])
    assert.is(job?.artifacts?.reports?.junit, 'reports/junit.xml')
    // A target that nobody gave is no run against the mock Core.
    const { code, output } = await shell(job?.script?.join('\n') ?? '', folder, {
      ...job?.variables,
      ...env,
      CORE_URL: '',
    })
    assert.is(code, 2)
    assert.match(output, /CORE_URL is empty/)
  }))

test('GitLab: the template of the idle hour, in its two jobs', () =>
  inProject(SHORT, async (folder, env) => {
    const jobs = await withTemplates(folder, env)
    const [begin, finish] = [jobs.get('idle-hour-begin'), jobs.get('idle-hour-finish')]
    assert.equal([finish?.when, finish?.start_in, begin?.artifacts?.paths], ['delayed', '65 minutes', ['reports/']])
    assert.is(finish?.needs?.[0]?.job, 'idle-hour-begin')
    await runGitlab(begin, folder, { ...env, ...FEW })
    await untilLastVisit(folder)
    await runGitlab(finish, folder, { ...env, ...FEW })
    assert.is(resultIn(folder).verdict, 'conformant')
  }))

test('GitLab: the check of the templates sees what is wrong, and each input is used and told', () =>
  inFolder(async folder => {
    mkdirSync(join(folder, 'templates'))
    const names = readdirSync(join(PACKAGE, 'templates')).filter(name => name.endsWith('.yml'))
    assert.equal(names.sort(), ['core-conformance-idle-hour.yml', 'core-conformance.yml'])
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
      // What a variable is called has to be known to the product.
      for (const [, variable = ''] of body.matchAll(/^ +(CORE_\w+):/gm)) assert.ok(KNOWN_ENV.has(variable), variable)
      // An input in the script itself would let its text run; that which is a command is one.
      for (const line of body.split('\n').filter(each => /^ +- /.test(each)))
        assert.ok(!line.includes('$[[') || line.trim() === '- $[[ inputs.install ]]', line)
    }
    const right = readFileSync(join(PACKAGE, 'templates', 'core-conformance.yml'), 'utf8')
    const include = 'include:\n  - local: templates/t.yml\n'
    writeFileSync(join(folder, 'templates', 't.yml'), right.replace('when: always', 'when: sometimes'))
    assert.throws(() => gitlabJobs(folder, include), /sometimes|allowed|when/)
  }))

test('GitLab: the whole suite in four visits is a valid file', () =>
  inFolder(async folder => {
    const jobs = gitlabJobs(folder, blockOf('idle-hour.md', '.gitlab-ci.yml, the whole suite in four visits'))
    assert.equal([...jobs.keys()], ['begin', 'half', 'late', 'end'])
    assert.equal(
      [...jobs.values()].map(({ start_in }) => start_in),
      [undefined, '25 minutes', '28 minutes', '10 minutes'],
    )
    for (const { script = [], before_script } of jobs.values()) {
      assert.equal(before_script, ['npm ci'])
      assert.match(script.join(), /^npx core-conformance (run|resume)( --detach)?$/)
    }
  }))

/** The stages of the Jenkinsfile, each with its shell lines. */
function jenkinsStages(): Map<string, string[]> {
  const text = readFileSync(join(PACKAGE, 'templates', 'Jenkinsfile'), 'utf8')
  // Braces and quotes in comments and strings are none.
  const bare = text.replace(/'[^'\n]*'/g, "''").replace(/\/\/.*$/gm, '')
  assert.is((bare.match(/\{/g) ?? []).length, (bare.match(/\}/g) ?? []).length)
  assert.not.match(bare.replaceAll("''", ''), /'/)
  const stages = text.split(/^ *stage\('(\w+)'\) \{$/m).slice(1)
  return new Map(
    stages.flatMap((name, at) =>
      at % 2 ? [] : [[name, [...(stages[at + 1] ?? '').matchAll(/^ *sh '(.*)'$/gm)].map(([, line = '']) => line)]],
    ),
  )
}

test('Jenkins: the shell lines of the Jenkinsfile that the docs copy', async () => {
  const stages = jenkinsStages()
  assert.equal([...stages.keys()], ['Quick', 'Begin', 'Wait', 'Finish'])
  const copy = shellOf('ci.md').find(code => code.includes('Jenkinsfile')) ?? ''
  const run = async (
    stage: string,
    folder: string,
    { CORE_USERNAME = '', CORE_PASSWORD = '', ...env }: Record<string, string>,
  ) => {
    const lines = stages.get(stage) ?? []
    assert.is(lines.length, 2, stage)
    for (const line of lines) await succeeds(line, folder, { ...env, CORE_USR: CORE_USERNAME, CORE_PSW: CORE_PASSWORD })
  }
  await inProject({ isVirtual: false }, async (folder, env) => {
    await succeeds(copy, folder, env)
    assert.is(
      readFileSync(join(folder, 'Jenkinsfile'), 'utf8'),
      readFileSync(join(PACKAGE, 'templates', 'Jenkinsfile'), 'utf8'),
    )
    await run('Quick', folder, env)
    assert.is(resultIn(folder).verdict, 'conformant')
  })
  // The flag of the file beats the variable, and is as long as the idle hour; here the quick ones are enough.
  const few = (stages.get('Begin') ?? []).map(line => line.replace(/--only "[^"]*"/, `--only "${FEW.CORE_ONLY}"`))
  assert.is.not(few.join(), (stages.get('Begin') ?? []).join())
  stages.set('Begin', few)
  await inProject(SHORT, async (folder, env) => {
    await run('Begin', folder, env)
    await untilLastVisit(folder)
    await run('Finish', folder, env)
    assert.is(resultIn(folder).verdict, 'conformant')
  })
})

interface Action {
  inputs: Record<string, { default?: string; required?: boolean }>
  outputs: Record<string, { value: string }>
  runs: { steps: (Step & { id?: string })[] }
}

test('action.yml: valid by GitHub’s own parser, and does what the docs say of it', () =>
  inProject({ isVirtual: false }, async (folder, env) => {
    const content = readFileSync(join(PACKAGE, 'action.yml'), 'utf8')
    const parsed = parseAction({ name: 'action.yml', content }, new NoOperationTraceWriter())
    assert.equal(parsed.context.errors.getErrors().map(String), [])
    const broken = parseAction(
      { name: 'action.yml', content: content.replace('using:', 'use:') },
      new NoOperationTraceWriter(),
    )
    assert.ok(broken.context.errors.getErrors().length > 0, 'the parser sees what is wrong')

    const { inputs, outputs, runs } = parseYaml(content) as Action
    assert.match(outputs.verdict?.value ?? '', /^\$\{\{ steps\.conformance\.outputs\.verdict \}\}$/)
    const step = (workflowOf('.github/workflows/core-action.yml').jobs.conformance?.steps ?? [])[0] as Step & {
      with: Record<string, string>
    }
    for (const name of Object.keys(step.with)) assert.ok(inputs[name], name)
    const given = Object.fromEntries(Object.entries(step.with).map(([name, text]) => [name, filled(text, env)]))
    const defaults = Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.default ?? '']))
    for (const [name, { required }] of Object.entries(inputs)) assert.ok(!required || given[name], name)

    // Nothing but what the step gives: no variable of the mock Core.
    const { PATH = '', HOME = '' } = env
    const output = join(folder, 'output')
    const actions = { GITHUB_ACTIONS: 'true', GITHUB_ACTION_PATH: PACKAGE, GITHUB_OUTPUT: output }
    for (const { run = '', env: own = {} } of runs.steps) {
      // An input in the script itself would let its text run.
      assert.not.match(run, /\$\{\{/)
      const values = Object.entries(own).map(([name, text]) => [name, filled(text, { ...defaults, ...given })])
      await succeeds(run, folder, { PATH, HOME, ...actions, ...Object.fromEntries(values) })
    }
    assert.is(readFileSync(output, 'utf8'), 'verdict=conformant\n')
    assert.match(readFileSync(join(folder, 'npm.log'), 'utf8'), /^npm ci --prefix /)
    assert.is(resultIn(folder).configuration.profile, 'quick')
  }))

test('action.yml: what a flag is for has an input of its name, and no input runs as a script', () =>
  inFolder(async folder => {
    const { inputs, runs } = parseYaml(readFileSync(join(PACKAGE, 'action.yml'), 'utf8')) as Action
    const step = runs.steps.at(-1)
    const options = COMMANDS.find(({ name }) => name === 'run')?.options ?? []
    const flags =
      'target username fingerprint ca-file insecure label firmware profile idle-lifetime only baseline pin config reporter out detach'
    for (const flag of flags.split(' ')) {
      assert.ok(inputs[flag], flag)
      const env = Object.entries(step?.env ?? {}).find(([, text]) => text === `\${{ inputs.${flag} }}`)?.[0] ?? ''
      assert.is(env, options.find(option => option.flag === flag)?.env, flag)
    }
    const page = readFileSync(join(PACKAGE, 'docs', 'ci.md'), 'utf8')
    for (const name of Object.keys(inputs))
      assert.ok(page.includes(`\`${name}\``), `docs/ci.md says nothing of ${name}`)
    const { PATH = '' } = process.env
    const actions = { GITHUB_ACTIONS: 'true', GITHUB_ACTION_PATH: PACKAGE, GITHUB_OUTPUT: join(folder, 'output') }
    for (const attack of [
      '$(touch pwned)',
      '`touch pwned`',
      '"; touch pwned; "',
      "'; touch pwned; '",
      'x\ntouch pwned',
      '-h; touch pwned',
    ]) {
      const values = Object.keys(step?.env ?? {}).map(name => [name, attack])
      const { code } = await shell(step?.run ?? '', folder, {
        PATH,
        HOME: folder,
        ...actions,
        ...Object.fromEntries(values),
      })
      assert.is(code, 2, attack)
      for (const name of Object.keys(step?.env ?? {})) {
        // One at a time gets further.
        const one = {
          COMMAND: 'run',
          CORE_URL: 'https://127.0.0.1:1',
          CORE_USERNAME: 'x',
          CORE_PASSWORD: 'x',
          CORE_OUT: 'out',
        }
        await shell(step?.run ?? '', folder, { PATH, HOME: folder, ...actions, ...one, [name]: attack })
        assert.not.ok(existsSync(join(folder, 'pwned')), `${attack} in ${name}`)
      }
    }
  }))

test('validating a firmware release', () =>
  inProject({}, async (folder, { CORE_URL = '', CORE_USERNAME = '', CORE_FINGERPRINT: _none, ...env }) => {
    const file = blockOf('firmware-release.md', 'core-conformance.config.yaml')
      .replace('https://10.0.0.5', CORE_URL)
      .replace('username: admin', `username: ${CORE_USERNAME}`)
    writeFileSync(join(folder, 'core-conformance.config.yaml'), file)
    let output = ''
    // The release before, which the same Core stands for.
    await succeeds('npx core-conformance run --target candidate --quiet --out reports/10.4.1', folder, env)
    for (const code of shellOf('firmware-release.md')) output += await succeeds(code, folder, env)
    assert.match(output, /no differences; 1\d\d specs compared/)
    assert.ok(readdirSync(join(folder, 'reports/10.5.0-rc1')).includes('diff.html'))
    assert.is(resultIn(folder, 'reports/10.5.0-rc1').configuration.profile, 'full')
    assert.ok(readdirSync(join(folder, 'reports/10.5.0-rc1')).includes('report.md'))
  }))

test('reading a report', () =>
  inProject({}, async (folder, env) => {
    let output = ''
    for (const code of shellOf('reading-a-report.md')) output += await succeeds(code, folder, env)
    assert.match(output, /^conformant$/m)
    assert.match(output, /^TAP version 14$/m)
    assert.equal(readdirSync(join(folder, 'reports', 'again')).sort(), ['ctrf.json', 'report.html', 'report.md'])
  }))

test('writing specs', () =>
  inProject({}, async (folder, env) => {
    mkdirSync(join(folder, 'specs-own'))
    writeFileSync(join(folder, 'specs-own', 'session.yaml'), blockOf('writing-specs.md', 'specs-own/session.yaml'))
    let output = ''
    const { CORE_URL: _url, CORE_USERNAME: _user, CORE_PASSWORD: _password, CORE_FINGERPRINT: _trust, ...rest } = env
    const { CORE_CONTROL_URL: _control, CORE_CONTROL_KEY: _key, ...mock } = rest
    for (const code of shellOf('writing-specs.md')) output += await succeeds(code, folder, mock)
    assert.match(output, /1 spec passed/)
    assert.match(output, /revo/)
  }))

test('contracts', () =>
  inProject({}, async (folder, env) => {
    for (const code of shellOf('contracts.md')) {
      await succeeds(code.replace('https://10.0.0.5', env.CORE_URL ?? ''), folder, env)
    }
    assert.equal(readdirSync(join(folder, 'contracts')), ['web-app-core.json'])
    assert.match(readFileSync(join(folder, 'core.yaml'), 'utf8'), /^openapi: "?3\.1/m)
  }))

test('the idle hour: resume, and resume --abandon', async () => {
  for (const line of shellOf('idle-hour.md').join('').trim().split('\n')) {
    await inProject(SHORT, async (folder, env) => {
      const journal = () => readdirSync(join(folder, 'reports')).includes('journal.ndjson')
      await succeeds('npx core-conformance run --detach', folder, { ...env, ...FEW })
      assert.ok(journal())
      const output = await succeeds(line, folder, { ...env, ...FEW })
      assert.not(journal())
      if (line.includes('--abandon')) assert.match(output, /None of the \d+ tokens of the run is live any more/)
      else assert.equal([resultIn(folder).verdict, resultIn(folder).tokens.left], ['conformant', 0])
    })
  }
})

test.run()
