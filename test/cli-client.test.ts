import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { XMLValidator } from 'fast-xml-parser'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Cli, cli, inFolder } from './cli-support.js'
import { long } from './support/long.js'

const test = suite('client, on the command line')
const CLIENT = fileURLToPath(new URL('fixtures/clients/client.mjs', import.meta.url))
const command = (...fault: string[]) => ['--', process.execPath, CLIENT, ...fault]

/** Writes a client of its own, and returns the arguments that start it. */
function written(folder: string, code: string): string[] {
  writeFileSync(join(folder, 'client.mjs'), code)
  return ['--', process.execPath, join(folder, 'client.mjs')]
}

/** Logs on, and has its token in a header field. */
const LOGS_ON = `
  const { CORE_URL, CORE_USERNAME: username, CORE_PASSWORD: password } = process.env
  const body = JSON.stringify({ username, password })
  const headers = { Accept: 'application/json', 'Content-Type': 'application/json' }
  const { token } = await (await fetch(CORE_URL + '/api/v0/logon', { method: 'POST', headers, body })).json()
  const Authorization = 'Bearer ' + token
  const logOff = () => fetch(CORE_URL + '/api/v0/logon', { method: 'DELETE', headers: { Authorization } })
`

function junitIn(folder: string, out = 'reports'): string {
  const text = readFileSync(join(folder, out, 'client.junit.xml'), 'utf8')
  assert.is(XMLValidator.validate(text), true)
  return text
}

test('a wrong one: exit 1, and every report says which rule, what was expected, what came, where, and what to change', () =>
  inFolder(async folder => {
    const args = ['client', '--scenario', 'token-revoked', '--out', 'a/b', ...command('gives-up')]
    const { stdout } = await cli(args, { cwd: folder, code: 1 })
    for (const text of [stdout.replace(/\s+/g, ' '), junitIn(folder, 'a/b')])
      assert.match(
        text,
        /renewal.*rejected logs on again.*then no other logon.*request 3 \(GET \/api\/v0\/\S+ → 401\)/s,
      )
    assert.match(junitIn(folder, 'a/b'), /<failure [^>]*type="should"/)
    assert.match(junitIn(folder, 'a/b'), /Change: when a request is rejected/)
    const [, end = ''] = stdout.split('\nWhat to change\n')
    assert.match(end, /^✗ renewal: when a request is rejected, log on again/m)
    assert.match(end, /seen in +token-revoked/)
    assert.match(end, /> 3\. GET \/api\/v0\/cores\/self\/users → 401, token 1, revoked/)
    assert.match(end, / 2\. GET \/api\/v0\/cores\/self\/users → 200, token 1, valid/)
  }))

long(test)('one that cannot be judged: exit 3, with advice; and one that cannot be started leaves the report', () =>
  inFolder(async folder => {
    const few = await cli(['client', '--scenario', 'normal', ...command('one-request')], { cwd: folder, code: 3 })
    assert.match(few.stdout, /next +let the command make at least 3/)
    assert.match(junitIn(folder), /<error [^>]*type="inconclusive"/)
    const none = await cli(['client', '--scenario', 'normal', '--', './nothing-here'], { cwd: folder, code: 2 })
    assert.match(none.stderr, /could not be started: there is no command '\.\/nothing-here': name a program after --/)
    assert.is(none.stdout, '')
    assert.match(junitIn(folder), /<error [^>]*type="inconclusive"/)
    // One cause is told once.
    const idle = ['client', '--scenario', 'normal,restart,token-expires', ...command('idle')]
    const silent = await cli(idle, { cwd: folder, code: 3 })
    assert.match(silent.stdout, /^\? normal, token-expires, restart$/m)
    assert.is(silent.stdout.match(/CORE_URL/g)?.length, 1, silent.stdout)
    assert.match(silent.stdout, /could not be judged in any scenario: it sent nothing/)
  }),
)

test('what is left out by name, and what no scenario told, is said', () =>
  inFolder(async folder => {
    const left = ['--ignore', 'token-elsewhere', '--allow-any-certificate']
    const args = ['client', '--scenario', 'normal', ...left, ...command('cookie')]
    const { stdout } = await cli(args, { cwd: folder, code: 0 })
    const told = stdout.replace(/\s+/g, ' ')
    assert.match(told, /Not judged .*token-elsewhere, certificate: left out by name/)
    assert.match(told, /renewal, .*: no scenario that could show it was run/)
    assert.match(told, /No scenario tells how a client keeps its password/)
    assert.match(junitIn(folder), /<skipped message="left out by --ignore/)
  }))

long(test)('endpoints of its own by --routes; a path that the mock Core does not have is told', () =>
  inFolder(async folder => {
    const streams = written(
      folder,
      `${LOGS_ON}
       for (let n = 0; n < 3; n += 1) {
         const answer = await fetch(CORE_URL + '/api/v0/streams/' + n, { headers: { Authorization } })
         if (answer.status !== 200) process.exitCode = 1
         await answer.text()
       }
       await logOff()`,
    )
    const run = (code: number, ...args: string[]) =>
      cli(['client', '--scenario', 'normal', ...args, ...streams], { cwd: folder, code })
    const missing = await run(3)
    assert.match(missing.stdout, /asked for what the mock Core does not have/)
    assert.match(missing.stdout.replace(/\s+/g, ' '), /Not there GET \/api\/v0\/streams\/0, GET .*--routes/)
    writeFileSync(join(folder, 'routes.yaml'), 'GET /api/v0/streams/{id}: { body: { name: main } }\n')
    await run(0, '--routes', 'routes.yaml')
    const wrong = await run(2, '--routes', 'none.yaml')
    assert.match(wrong.stderr, /--routes: the file cannot be used:\n.*no such file/)
  }),
)

long(test)('a client that does not end is killed with its children, and a Ctrl-C ends it too', () =>
  inFolder(async folder => {
    const options = { cwd: folder, env: { TMPDIR: folder } } // other tests use the common folder at the same time
    // A shell that waits for its child: both must end.
    const parent = written(
      folder,
      `import { spawn } from 'node:child_process'
       const child = spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'])
       console.error('child', child.pid)
       setInterval(() => {}, 1000)`,
    )
    const isThere = (pid: number) => {
      try {
        process.kill(pid, 0)
        return !/^State:\s+Z/m.test(
          existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, 'utf8') : '',
        )
      } catch {
        return false
      }
    }
    const gone = async (pid: number) => {
      for (let tries = 0; isThere(pid) && tries < 100; tries += 1) await new Promise(resolve => setTimeout(resolve, 50))
      return !isThere(pid)
    }
    const args = ['client', '--scenario', 'normal', '--timeout', '1s', ...parent]
    const late = await cli(args, options)
    assert.is(late.code, 3)
    assert.match(late.stdout, /had not ended after \d s, and was killed/)
    assert.ok(await gone(Number(/child (\d+)/.exec(late.stderr)?.[1])))

    const stopped = new Cli(['client', ...parent], options)
    const [, pid] = await stopped.until(/child (\d+)/)
    stopped.child.kill('SIGINT')
    const { code, stdout } = await stopped.ended
    assert.is(code, 3)
    assert.match(stdout, /\? normal/)
    assert.not.match(stdout, /^\S token-expires/m)
    assert.ok(await gone(Number(pid)))
    assert.equal(readdirSync(folder).sort(), ['client.mjs', 'reports'])
    assert.match(junitIn(folder), /it was interrupted/)
  }),
)

test('a process that the command leaves behind with its output open holds nothing up', () =>
  inFolder(async folder => {
    const leaves = written(
      folder,
      `import { spawn } from 'node:child_process'
       const left = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 8000)'], { detached: true, stdio: 'inherit' })
       console.error('left')
       left.unref()
       process.exit(7)`,
    )
    const startMs = performance.now()
    const { stdout, stderr } = await cli(['client', '--scenario', 'normal', ...leaves], { cwd: folder })
    assert.match(stdout, /it ended with exit code 7/)
    assert.match(stderr, /^left$/m)
    assert.ok(performance.now() - startMs < 7_000)
  }))

test('the command gets the Core and nothing that was meant for us; its password shows nowhere', () =>
  inFolder(async folder => {
    const client = written(
      folder,
      `import { readFileSync, writeFileSync } from 'node:fs'
       const pem = readFileSync(process.env.CORE_CA_FILE, 'utf8')
       writeFileSync('env.json', JSON.stringify({ ...process.env, pem, argv: process.argv.slice(2) }))`,
    )
    const env = { CORE_INSECURE: '1', CORE_CONTROL_KEY: 'k', OTHER: 'kept', NO_PROXY: 'example.org' }
    const args = ['client', '--scenario', 'normal', ...client, '--scenario', 'x']
    const { stdout, stderr } = await cli(args, { cwd: folder, env, code: 3 })
    const got = JSON.parse(readFileSync(join(folder, 'env.json'), 'utf8'))
    assert.match(got.CORE_URL, /^https:\/\/127\.0\.0\.1:\d+$/)
    assert.match(got.pem, /^-----BEGIN CERTIFICATE-----/)
    assert.equal(
      [got.CORE_USERNAME, got.CORE_SCENARIO, got.OTHER, got.CORE_INSECURE, got.CORE_CONTROL_KEY],
      ['client', 'normal', 'kept', undefined, undefined],
    )
    assert.equal([got.NO_PROXY, got.argv], ['example.org,127.0.0.1,localhost', ['--scenario', 'x']])
    assert.is(existsSync(got.CORE_CA_FILE), false)
    assert.not.ok((stdout + stderr + junitIn(folder)).includes(got.CORE_PASSWORD.slice(0, 24)))
  }))

test('what a client prints is passed on without its secrets, and fails the rule of its own', () =>
  inFolder(async folder => {
    const prints = written(
      folder,
      `${LOGS_ON}
       for (let n = 0; n < 3; n += 1)
         await (await fetch(CORE_URL + '/api/v0/cores/self/users', { headers: { Authorization } })).text()
       await logOff()
       console.log('all went well')
       process.stdout.write('half of it: ' + password.slice(0, 9))
       await new Promise(resolve => setTimeout(resolve, 300))
       console.log(password.slice(9) + ', and that is all')
       console.log(token.toUpperCase())
       console.log(token.slice(0, 24))
       console.log(token.slice(0, 5) + '\\x1b[31m' + token.slice(5) + '\\x1b[0m')
       console.log("\\x1b[31mred\\x1b[0m")
       console.error(body)
       console.error(Buffer.from(Authorization).toString('base64'))
       process.stderr.write('no end of line')`,
    )
    const args = ['client', '--scenario', 'normal', ...prints]
    const { stdout, stderr } = await cli(args, { cwd: folder, code: 1 })
    for (const line of ['all went well', 'half of it: [password], and that is all', 'no end of line'])
      assert.ok(stderr.includes(line), stderr)
    assert.match(stderr, /"password":"\[password\]/)
    assert.ok(stderr.includes('\x1b[31mred\x1b[0m'), 'a color without a secret stays')
    const lines = ['password in line 2', 'token in line 3', 'token in line 4'].map(each => `its ${each} of stdout`)
    const got = `${lines.join(', ')} and 3 more lines`
    const text = stdout.replace(/\s+/g, ' ')
    assert.ok(text.includes(`secrets-in-output (should)`) && text.includes(got), text)
    const failure = '<failure message="expected: neither its password nor a token stands in what it prints'
    assert.ok(junitIn(folder).includes(failure))
    assert.not.match(stdout + stderr + junitIn(folder), /[0-9a-f]{15}/i)
  }))

test('a password in a path is told, and not repeated', () =>
  inFolder(async folder => {
    const { stdout } = await cli(['client', '--scenario', 'normal', ...command('password-in-path')], { cwd: folder })
    assert.match(stdout, /<concealed>/)
    assert.match(stdout, /the password, in the path/)
    assert.not.match(stdout + junitIn(folder), /[0-9a-f]{24}/)
  }))

long(test)('wrong usage: exit 2, before anything is run', () =>
  inFolder(async folder => {
    writeFileSync(join(folder, 'file'), '')
    for (const [args, told] of [
      [[], /client needs -- COMMAND…: the client's command/],
      [['--dialect', 'none.yaml', ...command()], /--dialect: the file cannot be used/],
      [['--out', 'file', ...command()], /Cannot create the folder file/],
    ] as const) {
      const { stderr } = await cli(['client', ...args], { cwd: folder, code: 2 })
      assert.match(stderr, told)
    }
  }),
)

test.run()
