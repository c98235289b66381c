/** The shell lines of the docs, run as they stand, against a mock Core. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { blockOf, DOCS, FEW, inProject, PACKAGE, resultIn, SHORT, shellOf, succeeds } from './support/docs.js'
import { long } from './support/long.js'
import { withRack } from './support/mock-fleet.js'

const test = suite('docs')

test('every page with shell lines is run here', () => {
  const pages = DOCS.filter(page => shellOf(page).length > 0)
  assert.equal(pages, [
    'attestation.md', // in cli-attest.test.ts
    'ci.md',
    'client.md', // in docs-mock-core.test.ts
    'contracts.md',
    'differences.md',
    'doctor.md', // in cli-init.test.ts
    'exploring.md',
    'firmware-release.md',
    'fleet.md', // in docs-fleet.test.ts
    'idle-hour.md',
    'reading-a-report.md',
    'reporters.md',
    'writing-specs.md',
  ])
  for (const page of DOCS) {
    const text = readFileSync(join(PACKAGE, 'docs', page), 'utf8')
    for (const [, link = ''] of text.matchAll(/\]\(([\w-]+\.md)\)/g)) assert.ok(DOCS.includes(link), `${page}: ${link}`)
  }
})

/** Every file that a user gets to read, and the sources of messages. */
function shipped(): string[] {
  const names = ['docs', 'templates', 'README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'action.yml', 'Containerfile']
  return [...names, '.github', 'src', 'contracts', 'specs'].flatMap(name => {
    const path = join(PACKAGE, name)
    if (!statSync(path).isDirectory()) return [path]
    const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter(each => each.isFile())
    return files.map(each => join(each.parentPath, each.name))
  })
}

test('nothing that is shipped lets npx fetch the package: anybody could publish one of that name', () => {
  const fetching = shipped().filter(path => /\bnpx (?!--no )(-\S+ )*core-conformance/.test(readFileSync(path, 'utf8')))
  assert.equal(fetching, [])
})

test('no riddles: phrases that nobody would say to a colleague', () => {
  const riddles =
    /roads from here|holds no machine|can be had|nor can a configuration|no defect can fail|seen to come to|(it|that) says nothing of the Core|takes back this many|one wait after another|in the place of --/i
  const found = shipped().flatMap(path => riddles.exec(readFileSync(path, 'utf8'))?.[0] ?? [])
  assert.equal(found, [])
})

long(test)('between two releases: the shell lines', () =>
  inProject({}, async (folder, env) => {
    const files = shellOf('differences.md').filter(code => !code.includes('released'))
    assert.is(files.length, 1)
    // One Core stands for both.
    for (const code of files) {
      assert.match(await succeeds(code.replaceAll(' …', ''), folder, env), /no difference/i)
    }
  }),
)

long(test)('between two Cores at hand: the shell lines', () =>
  withRack({ released: {}, candidate: {} }, { isVirtual: true }, rack =>
    inProject({}, async (folder, { PATH = '', HOME = '' }) => {
      const file = readFileSync(join(rack.folder, 'core-conformance.config.yaml'))
      writeFileSync(join(folder, 'core-conformance.config.yaml'), file)
      const [code = ''] = shellOf('differences.md').filter(each => each.includes('released'))
      const env = { PATH, HOME, ...rack.env, CORE_ONLY: 'access-with-token,revocation-rejects' }
      assert.match(await succeeds(code, folder, env), /^ *released → candidate: no differences; 2 specs compared\.$/m)
    }),
  ),
)

long(test)('exploring: the shell line', () =>
  inProject({}, async (folder, env) => {
    for (const code of shellOf('exploring.md')) {
      assert.match(
        await succeeds(code, folder, env),
        /explored\s+\d+ requests in \d+ sequences? \(seed 1\), nothing found/,
      )
    }
  }),
)

long(test)('in CI: the shell lines', () =>
  inProject({}, async (folder, env) => {
    for (const code of shellOf('ci.md')) {
      const output = await succeeds(code, folder, env)
      if (code.includes('grep -c')) assert.match(output, /^[1-9]\d$/m)
    }
    assert.equal(readdirSync(join(folder, 'reports')).sort(), [
      'badge.svg',
      'ctrf.json',
      'junit.xml',
      'report.md',
      'result.json',
    ])
  }),
)

test('in CI: the configuration file', () =>
  inProject({}, async (folder, { CORE_URL = '', CORE_FINGERPRINT = '', CORE_USERNAME = '', ...env }) => {
    const file = blockOf('ci.md', 'core-conformance.config.yaml')
      .replace('https://staging-core.example', CORE_URL)
      .replace(/AA(:AA)+/, CORE_FINGERPRINT)
      .replace('username: ci', `username: ${CORE_USERNAME}`)
    writeFileSync(join(folder, 'core-conformance.config.yaml'), file)
    await succeeds('npx --no core-conformance run --target staging --profile pull-request', folder, env)
    assert.is(resultIn(folder).configuration.profile, 'quick')
    assert.ok(readdirSync(join(folder, 'reports')).includes('report.md'))
  }))

long(test)('validating a firmware release', () =>
  inProject({}, async (folder, { CORE_URL = '', CORE_USERNAME = '', CORE_FINGERPRINT: _none, ...env }) => {
    const file = blockOf('firmware-release.md', 'core-conformance.config.yaml')
      .replace('https://10.0.0.5', CORE_URL)
      .replace('username: admin', `username: ${CORE_USERNAME}`)
    writeFileSync(join(folder, 'core-conformance.config.yaml'), file)
    let output = ''
    // The same Core stands for the earlier release.
    await succeeds('npx --no core-conformance run --target candidate --quiet --out reports/10.4.1', folder, env)
    for (const code of shellOf('firmware-release.md')) output += await succeeds(code, folder, env)
    assert.match(output, /no differences; \d\d specs compared/)
    assert.ok(readdirSync(join(folder, 'reports/10.5.0-rc1')).includes('diff.html'))
    assert.is(resultIn(folder, 'reports/10.5.0-rc1').configuration.profile, 'full')
    assert.ok(readdirSync(join(folder, 'reports/10.5.0-rc1')).includes('report.md'))
  }),
)

test('reading a report', () =>
  inProject({}, async (folder, env) => {
    let output = ''
    for (const code of shellOf('reading-a-report.md')) output += await succeeds(code, folder, env)
    assert.match(output, /^conformant$/m)
    assert.match(output, /^TAP version 14$/m)
    assert.equal(readdirSync(join(folder, 'reports', 'again')).sort(), ['ctrf.json', 'report.html', 'report.md'])
  }))

test('a reporter of your own', () =>
  inProject({}, async (folder, env) => {
    writeFileSync(join(folder, 'wiki.mjs'), blockOf('reporters.md', 'wiki.mjs'))
    for (const code of shellOf('reporters.md')) {
      await succeeds(code, folder, env)
      assert.is(readFileSync(join(folder, 'reports', 'wiki.txt'), 'utf8'), `= ${env.CORE_URL}: conformant =\n`)
    }
  }))

long(test)('writing specs', () =>
  inProject({}, async (folder, env) => {
    mkdirSync(join(folder, 'specs-own'))
    writeFileSync(join(folder, 'specs-own', 'session.yaml'), blockOf('writing-specs.md', 'specs-own/session.yaml'))
    mkdirSync(join(folder, 'specs-streams'))
    for (const name of ['requirements', 'requests', 'streams']) {
      const path = `specs-streams/${name}.yaml`
      writeFileSync(join(folder, path), blockOf('writing-specs.md', path))
    }
    let output = ''
    const { CORE_URL: _url, CORE_USERNAME: _user, CORE_PASSWORD: _password, CORE_FINGERPRINT: _trust, ...rest } = env
    const { CORE_CONTROL_URL: _control, CORE_CONTROL_KEY: _key, ...mock } = rest
    for (const code of shellOf('writing-specs.md')) output += await succeeds(code, folder, mock)
    assert.match(output, /1 spec passed/)
    assert.match(output, /revo/)
    assert.match(output, /STREAM-2/)
  }),
)

long(test)('contracts', () =>
  inProject({}, async (folder, env) => {
    for (const code of shellOf('contracts.md')) {
      await succeeds(code.replace('https://10.0.0.5', env.CORE_URL ?? ''), folder, env)
    }
    assert.equal(readdirSync(join(folder, 'contracts')), ['web-app-core.json'])
    assert.match(readFileSync(join(folder, 'core.yaml'), 'utf8'), /^openapi: "?3\.1/m)
  }),
)

long(test)('the idle hour: resume, and resume --abandon', async () => {
  for (const line of shellOf('idle-hour.md').join('').trim().split('\n')) {
    await inProject(SHORT, async (folder, env) => {
      const journal = () => readdirSync(join(folder, 'reports')).includes('journal.ndjson')
      await succeeds('npx --no core-conformance run --detach', folder, { ...env, ...FEW })
      assert.ok(journal())
      const output = await succeeds(line, folder, { ...env, ...FEW })
      assert.not(journal())
      if (line.includes('--abandon')) assert.match(output, /None of the \d+ tokens of the run is live any more/)
      else assert.equal([resultIn(folder).verdict, resultIn(folder).tokens.left], ['conformant', 0])
    })
  }
})

test.run()
