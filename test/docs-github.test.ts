/** The workflows of the docs and action.yml, checked with GitHub's own parser and run in a shell. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parse as parseYaml } from 'yaml'
import { COMMANDS } from '../dist/commands/index.js'
import { cli, inFolder } from './cli-support.js'
import { workflowOf } from './support/ci-files.js'
import {
  blockOf,
  FAILING,
  FAILS,
  inProject,
  PACKAGE,
  resultIn,
  shell,
  succeeds,
  untilLastVisit,
} from './support/docs.js'
import './support/json-modules.js'
import { long } from './support/long.js'

const { NoOperationTraceWriter } = await import('@actions/workflow-parser')
const { parseAction } = await import('@actions/workflow-parser/actions/action-parser')

const test = suite('docs for GitHub')

/** Replaces `${{ … }}` as CI does: variables and secrets by their names. */
function filled(text: string, values: Record<string, string>): string {
  return text.replaceAll(/\$\{\{ *(?:vars|secrets|inputs)\.([\w-]+) *\}\}/g, (_all, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`the docs use ${name}, which the tests do not know`)
    return value
  })
}

interface Step {
  if?: string
  run?: string
  uses?: string
  env?: Record<string, string>
}

interface Workflow {
  env?: Record<string, string>
  jobs: Record<string, { needs?: string; if?: string; steps: Step[] }>
}

/** Reads a workflow of the docs. */
const workflowIn = (first: string) => workflowOf<Workflow>(blockOf('ci.md', first), first)

/** Runs the shell lines of a job; steps that use an action belong to GitHub. */
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

long(test)('GitHub Actions: the workflow', () =>
  inProject({ isVirtual: false }, async (folder, env) => {
    const summary = join(folder, 'summary.md')
    const actions = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary }
    const output = await runJob(await workflowIn('.github/workflows/core.yml'), 'conformance', folder, {
      ...env,
      ...actions,
    })
    assert.match(output, /^::stop-commands::(\S+)\n[\s\S]*^::\1::$/m)
    assert.match(readFileSync(summary, 'utf8'), /^# ✅ Conformant, \d+ of \d+ specs judged, quick profile\n/)
  }),
)

long(test)('GitHub Actions: the idle hour, in two jobs, of which the first fails; both publish', () =>
  inProject(FAILING, async (folder, env) => {
    const { jobs } = await workflowIn('.github/workflows/core-idle.yml')
    assert.equal(Object.keys(jobs), ['begin', 'finish'])
    const output = join(folder, 'github-output')
    const given = { ...env, ...FAILS, GITHUB_OUTPUT: output }
    const codes: [run: string, code: number | null][] = []
    for (const { run, if: when } of jobs.begin?.steps ?? []) {
      const isRed = codes.some(([, code]) => code !== 0)
      // As GitHub does: after a failure, only steps that ask for it run.
      if (run !== undefined && (!isRed || when === 'always()'))
        codes.push([run, (await shell(run, folder, given)).code])
    }
    assert.equal(
      codes.map(([, code]) => code),
      [0, 1, 0],
    )
    assert.is(readFileSync(output, 'utf8'), 'left=true\n')
    assert.ok(existsSync(join(folder, 'reports', 'junit.xml')))
    assert.is(jobs.finish?.if, `\${{ always() && needs.begin.outputs.journal == 'true' }}`)
    for (const job of ['begin', 'finish']) {
      const upload = jobs[job]?.steps.find(({ uses }) => uses?.startsWith('actions/upload-artifact'))
      assert.is(upload?.if, 'always()', job)
    }
    await untilLastVisit(folder, 'failed')
    const finish = jobs.finish?.steps.flatMap(({ run }) => run ?? []).at(-1)
    const ended = await shell(finish ?? '', folder, given)
    assert.is(ended.code, 1, ended.output)
    const { specs, counts } = resultIn(folder)
    assert.is(specs.find(({ id }) => id === 'idle-expires')?.outcome, 'passed', 'expiry is tested')
    assert.equal([counts.failed, counts.pending], [1, 0])
    // Where no work is left, the second job is skipped.
    writeFileSync(output, '')
    const left = jobs.begin?.steps.find(({ if: when, run }) => when === 'always()' && run)?.run ?? ''
    assert.is((await shell(left, folder, given)).code, 0)
    assert.is(readFileSync(output, 'utf8'), '')
  }),
)

test('action.yml: the verdict is that of this run, of one Core or of a fleet; after exit 2 there is none', () =>
  inFolder(async folder => {
    const { runs } = parseYaml(readFileSync(join(PACKAGE, 'action.yml'), 'utf8')) as Action
    const script = runs.steps.at(-1)?.run ?? ''
    mkdirSync(join(folder, 'bin'))
    mkdirSync(join(folder, 'out', 'lab-1'), { recursive: true })
    const output = join(folder, 'output')
    /** Returns the output of the action after the program left these files and this exit code. */
    const told = async (code: number, files: Record<string, string>): Promise<string> => {
      const leave = Object.entries(files).map(([name, text]) => `echo '${text}' > out/${name}`)
      const program = ['#!/bin/sh', `[ "$1" != -p ] || exec "${process.execPath}" "$@"`, ...leave, `exit ${code}`]
      writeFileSync(join(folder, 'bin', 'node'), `${program.join('\n')}\n`, { mode: 0o755 })
      writeFileSync(output, '')
      const env = {
        CORE_URL: 'https://127.0.0.1:1',
        CORE_TARGETS: '',
        CORE_ALL_TARGETS: '',
        CORE_OUT: 'out',
        COMMAND: 'run',
      }
      const paths = {
        PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
        GITHUB_OUTPUT: output,
        GITHUB_ACTION_PATH: PACKAGE,
      }
      assert.is((await shell(script, folder, { ...env, ...paths })).code, code)
      return readFileSync(output, 'utf8')
    }
    assert.is(await told(1, { 'result.json': '{"verdict":"nonconformant"}' }), 'verdict=nonconformant\n')
    // A file of an earlier run does not count as new.
    assert.is(await told(2, {}), '')
    const pending = { 'result.json': '{"verdict":"pending"}', 'journal.ndjson': '{}' }
    assert.is(await told(0, pending), 'verdict=pending\njournal=true\n')
    rmSync(join(folder, 'out', 'journal.ndjson'))
    const fleet = { 'fleet.json': '{"verdict":"incomplete"}', 'lab-1/journal.ndjson': '{}' }
    assert.is(await told(3, fleet), 'verdict=incomplete\njournal=true\n')
  }))

interface Action {
  inputs: Record<string, { default?: string; required?: boolean }>
  outputs: Record<string, { value: string }>
  runs: { steps: (Step & { id?: string })[] }
}

long(test)('action.yml: valid by GitHub’s own parser, and does what the docs say of it', () =>
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
    const { jobs } = await workflowIn('.github/workflows/core-action.yml')
    const step = (jobs.conformance?.steps ?? [])[0] as Step & {
      with: Record<string, string>
    }
    for (const name of Object.keys(step.with)) assert.ok(inputs[name], name)
    const own = Object.fromEntries(Object.entries(step.with).map(([name, text]) => [name, filled(text, env)]))
    // Three specs are enough to show that inputs arrive.
    const given: Record<string, string> = { ...own, only: 'access-with*' }
    const defaults = Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.default ?? '']))
    for (const [name, { required }] of Object.entries(inputs)) assert.ok(!required || given[name], name)

    // Only the variables of the step: none of the mock Core.
    const { PATH = '', HOME = '' } = env
    const output = join(folder, 'output')
    const actions = { GITHUB_ACTIONS: 'true', GITHUB_ACTION_PATH: PACKAGE, GITHUB_OUTPUT: output }
    for (const { run = '', env: own = {} } of runs.steps) {
      // An input inside the script would let its text run as code.
      assert.not.match(run, /\$\{\{/)
      const values = Object.entries(own).map(([name, text]) => [name, filled(text, { ...defaults, ...given })])
      await succeeds(run, folder, { PATH, HOME, ...actions, ...Object.fromEntries(values) })
    }
    assert.is(readFileSync(output, 'utf8'), 'verdict=conformant\n')
    assert.match(readFileSync(join(folder, 'npm.log'), 'utf8'), /^npm ci --prefix /)
    const { profile, only } = resultIn(folder).configuration
    assert.equal([profile, only], ['quick', ['access-with*']])
  }),
)

long(test)('action.yml: what a flag is for has an input of its name, and no input runs as a script', () =>
  inFolder(async folder => {
    const { inputs, runs } = parseYaml(readFileSync(join(PACKAGE, 'action.yml'), 'utf8')) as Action
    const step = runs.steps.at(-1)
    const options = COMMANDS.find(({ name }) => name === 'run')?.options ?? []
    const flags =
      'target username fingerprint ca-file insecure label firmware profile idle-lifetime only baseline pin config reporter out detach targets all-targets cores shard since'
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
    // For the script itself it is enough that the program ends.
    mkdirSync(join(folder, 'bin'))
    writeFileSync(join(folder, 'bin', 'node'), '#!/bin/sh\necho "$@" >> asked\nexit 2\n', { mode: 0o755 })
    const names = Object.keys(step?.env ?? {})
    // One mistake at a time gets further.
    const right = {
      COMMAND: 'run',
      CORE_URL: 'https://127.0.0.1:1',
      CORE_USERNAME: 'x',
      CORE_PASSWORD: 'x',
      CORE_OUT: 'out',
    }
    // Behind no quote, behind either, and as a line of its own.
    const attacks = [`$(touch pwned)\`touch pwned\`"; touch pwned; "'; touch pwned; '`, '-h\ntouch pwned']
    for (const attack of attacks) {
      const all = Object.fromEntries(names.map(name => [name, attack]))
      const { code } = await shell(step?.run ?? '', folder, { PATH, HOME: folder, ...actions, ...all })
      assert.is(code, 2, attack)
      for (const name of names) {
        const env = { HOME: folder, ...actions, ...right, [name]: attack }
        await shell(step?.run ?? '', folder, { PATH: `${join(folder, 'bin')}:${PATH}`, ...env })
        assert.not.ok(existsSync(join(folder, 'pwned')), `${attack} in ${name}`)
      }
    }
    assert.is(
      readFileSync(join(folder, 'asked'), 'utf8').split('dist/bin.cjs').length - 1,
      attacks.length * names.length,
    )
    for (const name of names) {
      const { COMMAND, ...env }: Record<string, string> = { ...right, [name]: '$(touch pwned)`touch pwned`' }
      await cli([COMMAND ?? ''], { cwd: folder, env: { ...env, GITHUB_ACTIONS: 'true' } })
      assert.not.ok(existsSync(join(folder, 'pwned')), `in ${name}, to the program itself`)
    }
  }),
)

test.run()
