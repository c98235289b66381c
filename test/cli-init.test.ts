/** `init` and `completion`, as a user meets them: files in a folder, real shells; and the page about the first run. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parse as parseYaml } from 'yaml'
import { main } from '../dist/cli.js'
import { COMMANDS } from '../dist/commands/index.js'
import { assertUsage, cli, inFolder, PASSWORD, withMock } from './cli-support.js'
import { workflowOf } from './support/ci-files.js'
import { inProject, PACKAGE, shellOf, succeeds } from './support/docs.js'
import { isShort, long } from './support/long.js'
import { Screen } from './support/screen.js'

const test = suite('init and completion')
const FILE = 'core-conformance.config.yaml'
const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()

long(test)('a configuration that a run takes, and a workflow that GitHub would take', () =>
  withMock({ username: 'anna', password: PASSWORD }, async (core, folder) => {
    const args = ['init', core.url, '--username', 'anna', '--name', 'lab-1']
    const made = await cli(args, { cwd: folder, code: 0 })
    assert.equal(filesIn(folder), ['.github/workflows/core.yml', FILE, 'package.json'])
    assert.match(
      made.stdout,
      /^✓ core-conformance\.config\.yaml\n✓ \.github\/workflows\/core\.yml\n✓ package\.json: .*\n\nNext:\n {2}npm pack /,
    )
    assert.is(core.state().requests, 0, 'nothing is sent')
    const content = readFileSync(join(folder, '.github', 'workflows', 'core.yml'), 'utf8')
    const { jobs } = await workflowOf<ReturnType<typeof parseYaml>>(content)
    const [step] = jobs.conformance.steps.filter((each: { env?: object }) => each.env)
    assert.is(step.env.CORE_URL, 'lab-1')
    // The variables of the workflow, after doctor has said how to trust the certificate.
    const env = { CORE_PASSWORD: PASSWORD }
    const trust = ['--fingerprint', core.certificateFingerprint]
    await cli(['doctor', 'lab-1', '--write', ...trust], { cwd: folder, env })
    const run = await cli(step.run.split(' ').slice(3), {
      cwd: folder,
      env: { ...env, CORE_URL: step.env.CORE_URL, CORE_ONLY: 'access-with-token', CORE_PROFILE: 'quick' },
    })
    assert.is(run.code, 0, run.stdout + run.stderr)
  }),
)

test('the CI that the folder has files of; what is there stays', () =>
  inFolder(async folder => {
    writeFileSync(join(folder, '.gitlab-ci.yml'), 'mine: {}\n')
    const gitlab = await cli(['init'], { cwd: folder, code: 0 })
    assert.equal(filesIn(folder), ['.gitlab-ci.yml', FILE, 'package.json', 'templates/core-conformance.yml'])
    assert.is(readFileSync(join(folder, '.gitlab-ci.yml'), 'utf8'), 'mine: {}\n')
    assert.match(gitlab.stdout, /– \.gitlab-ci\.yml is there, and stays as it is: add to it: include/)
    assert.match(gitlab.stdout, /write the address of your Core into core-conformance\.config\.yaml/)
    assert.match(gitlab.stdout, /masked variable CORE_PASSWORD and, .* CORE_USERNAME/)
    // Nobody said who logs on, and no name is invented.
    assert.match(gitlab.stdout, /write who logs on into core-conformance\.config\.yaml/)
    assert.match(readFileSync(join(folder, FILE), 'utf8'), /\n {4}url: [^\n]+\n {4}# username: write here who logs on/)
    assert.equal(Object.keys(parseYaml(readFileSync(join(folder, FILE), 'utf8')).targets), ['staging'])
    mkdirSync(join(folder, 'other'))
    const before = readFileSync(join(folder, FILE), 'utf8')
    const jenkins = await cli(['init', 'https://10.0.0.9', '--ci', 'jenkins', '--name', 'lab'], { cwd: folder })
    assert.is(jenkins.code, 0)
    assert.match(readFileSync(join(folder, 'Jenkinsfile'), 'utf8'), /CORE_URL = 'lab'/)
    assert.is(readFileSync(join(folder, FILE), 'utf8'), before)
    await inFolder(async empty => {
      assert.is((await cli(['init', '--ci', 'none'], { cwd: empty })).code, 0)
      assert.equal(filesIn(empty), [FILE])
      for (const [args, pattern] of [
        [['init', '--ci', 'travis'], /--ci must be github, gitlab, jenkins or none/],
        [['init', 'https://10.0.0.9/api'], /must be the base URL, without a path/],
        [['init', '--name', 'a b'], /--name must be a name of letters/],
        [['completion', 'tcsh'], /there is a completion for bash, zsh, fish, and for no other shell/],
        [['completion'], /completion needs SHELL/],
      ] as const)
        assertUsage(await cli([...args], { cwd: empty }), pattern)
    })
  }))

long(test)('the package becomes a dependency, from a file and never from a registry', () =>
  inFolder(async folder => {
    const path = join(folder, 'package.json')
    const init = async () => (await cli(['init', '--ci', 'none'], { cwd: folder })).stdout
    assert.not.match(await init(), /package\.json/, 'nothing here needs it')
    writeFileSync(path, '{\n\t"name": "web-app",\n\t"devDependencies": {\n\t\t"typescript": "^5.0.0"\n\t}\n}\n')
    const [, line = ''] = /^ {2}(npm pack \S+ \S+) && npm install /m.exec(await init()) ?? []
    const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'))
    const tarball = `core-conformance-${version}.tgz`
    const text = readFileSync(path, 'utf8')
    assert.is(
      text,
      `{\n\t"name": "web-app",\n\t"devDependencies": {\n\t\t"core-conformance": "file:${tarball}",\n\t\t"typescript": "^5.0.0"\n\t}\n}\n`,
    )
    for (const printed of (await init()).split('\n').filter(each => each.includes('core-conformance ')))
      assert.is(spawnSync('bash', ['-n', '-c', printed]).status, 0, printed)
    // The line makes the file that the dependency names.
    if (!isShort) {
      const env = { PATH: process.env.PATH ?? '', HOME: folder }
      assert.match(await succeeds(`${line} --dry-run --ignore-scripts`, folder, env), new RegExp(`^${tarball}$`, 'm'))
    }
    assert.match(await init(), /– package\.json has core-conformance, and stays as it is\n/)
    assert.is(readFileSync(path, 'utf8'), text)
    writeFileSync(path, '{ "name":')
    assert.match(await init(), /– package\.json stays as it is, since it is no JSON object\n/)
    assert.is(readFileSync(path, 'utf8'), '{ "name":')
  }),
)

/** Returns the words that are offered at the end of a line, as the script of a shell asks for them. */
async function offers(folder: string, ...words: string[]): Promise<string[]> {
  const stdout = new Screen()
  const stdin = Readable.from(['core-conformance', ...words].map(word => `${word}\n`))
  await main(['completion', 'words'], { stdin, stdout, stderr: new Screen(), env: {}, cwd: folder })
  return stdout.text.split('\n').flatMap(line => line.split('\t')[0] || [])
}

/** Returns the words that bash offers at the end of a line. */
function offered(folder: string, ...words: string[]): string[] {
  const line = ['core-conformance', ...words]
  const script = `source ./completion.bash
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _core_conformance; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr, status } = spawnSync('bash', ['--norc', '-c', script, 'bash', ...line], {
    cwd: folder,
    env: { ...process.env, PATH: `${folder}:${process.env.PATH}` },
    encoding: 'utf8',
  })
  assert.is(status, 0, stderr)
  return stdout.split('\n').filter(Boolean)
}

test('bash offers every command, its options, and what they choose from', () =>
  inFolder(async folder => {
    await withNames(folder)
    const first = [...new Set(COMMANDS.map(({ name }) => name.split(' ')[0] ?? ''))]
    assert.equal(offered(folder, ''), [...first, '--version', '--help'])
    assert.equal(offered(folder, 'run', '--access-control', 'of'), ['off'])
    assert.equal(await offers(folder, 'dif'), ['diff'])
    assert.equal(await offers(folder, 'contracts', ''), ['generate', 'verify', 'states', 'openapi'])
    for (const { name, options } of COMMANDS.filter(({ options }) => options.length > 0)) {
      const flags = options.map(({ flag }) => `--${flag}`)
      assert.equal(await offers(folder, ...name.split(' '), '--'), [...flags, '--help'], name)
    }
    assert.ok((await offers(folder, 'run', '--reporter', '')).includes('junit'))
  }))

/** Puts the program, the completion script of bash and a configuration file into a folder. */
async function withNames(folder: string): Promise<void> {
  symlinkSync(join(PACKAGE, 'dist', 'bin.cjs'), join(folder, 'core-conformance'))
  writeFileSync(join(folder, 'completion.bash'), (await cli(['completion', 'bash'], { cwd: folder })).stdout)
  const targets = ['lab-1', 'lab-2', 'edge'].map(name => `  ${name}: { url: "https://127.0.0.1:1" }\n`).join('')
  writeFileSync(join(folder, FILE), `targets:\n${targets}profiles:\n  nightly: { measure-lifetime: true }\n`)
}

test('targets and profiles of the file, specs and requirements, and what may follow a comma are offered', () =>
  inFolder(async folder => {
    await withNames(folder)
    for (const [line, wanted] of [
      ['run lab', ['lab-1', 'lab-2']],
      ['doctor ', ['lab-1', 'lab-2', 'edge']],
      ['run --target lab-1,ed', ['lab-1,edge']],
      ['run --profile ', ['quick', 'full', 'long', 'nightly']],
      ['run --only access,revocation-rej', ['access,revocation-rejects']],
      ['list --only !revocation-rej', ['!revocation-rejects']],
      ['list --only = revocation-rej', ['revocation-rejects']],
      ['explain REVOKE-2', ['REVOKE-2', 'REVOKE-20']],
      ['explain lock-', ['lock-out']],
      ['run --reporter console,jun', ['console,junit']],
      ['mock --defect revoke-does-n', ['revoke-does-nothing']],
      // Values that are no names are those of the shell: files.
      ['run --out lab', []],
      // The file that the line names counts, and a broken one is no reason to write into the line.
      ['run --config other.yaml ', ['rack']],
      ['run --config broken.yaml ', []],
    ] as const) {
      writeFileSync(join(folder, 'other.yaml'), 'targets: { rack: { url: "https://127.0.0.1:1" } }\n')
      writeFileSync(join(folder, 'broken.yaml'), 'targets: [')
      assert.equal(await offers(folder, ...line.split(' ')), wanted, line)
    }
  }))

test('zsh and fish take theirs, where they are', () =>
  inFolder(async folder => {
    for (const shell of ['zsh', 'fish']) {
      const { stdout } = await cli(['completion', shell], { cwd: folder, code: 0 })
      writeFileSync(join(folder, `completion.${shell}`), stdout)
      // What it offers then is what bash offers, each word with what it means.
      assert.match(stdout, /\| \S+ completion words 2>\/dev\/null/, shell)
      const { error, status, stderr } = spawnSync(shell, ['-n', `completion.${shell}`], {
        cwd: folder,
        encoding: 'utf8',
      })
      if (!error) assert.equal([status, stderr], [0, ''], shell)
    }
    const asked = (line: string) => {
      const code = `source completion.fish; complete -C '${line}'`
      return spawnSync('fish', ['--no-config', '-c', code], {
        cwd: folder,
        env: { ...process.env, HOME: folder, PATH: `${folder}:${process.env.PATH}` },
        encoding: 'utf8',
      })
    }
    await withNames(folder)
    const { error, stdout } = asked('core-conformance run --prof')
    if (error) return
    assert.match(stdout, /^--profile\t/)
    assert.match(asked('core-conformance attest ').stdout, /^verify\t/m)
    assert.match(asked('core-conformance run --target lab-1,ed').stdout, /^lab-1,edge\n/)
    assert.match(asked('core-conformance run --profile=').stdout, /^--profile=quick$/m)
    assert.match(asked('core-conformance explain REVOKE-').stdout, /^REVOKE-1\nREVOKE-2\n/)
    assert.match(asked('core-conformance run --ca-file completion.b').stdout, /^completion\.bash/)
  }))

test('the shell lines of its page', () =>
  inProject({}, async (folder, { PATH = '', HOME = '', CORE_PASSWORD = '', CORE_URL = '', CORE_USERNAME = '' }) => {
    const [code = ''] = shellOf('doctor.md')
    const lines = code.trim().split('\n')
    assert.is(lines.length, 4)
    const env = { PATH, HOME, CORE_PASSWORD, CORE_ONLY: 'access-with-token' }
    const [init = '', doctor = '', pin = '', run = ''] = lines
    await succeeds(
      init.replace('https://10.0.0.5', CORE_URL).replace('--username ci', `--username ${CORE_USERNAME}`),
      folder,
      env,
    )
    // The certificate is not trusted yet: doctor shows its SHA-256.
    const told = await succeeds(`${doctor.split('#')[0]} || [ $? -eq 3 ]`, folder, env)
    const [, fingerprint = ''] = /# fingerprint: (\S+)/.exec(told) ?? []
    assert.match(await succeeds(pin.replace('SHA256', fingerprint), folder, env), /It can be tested from here\./)
    await succeeds(run, folder, env)
    assert.ok(existsSync(join(folder, 'reports', 'result.json')))
  }))

test.run()
