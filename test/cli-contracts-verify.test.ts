/** Contracts verified by the product as its users meet it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { XMLValidator } from 'fast-xml-parser'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  assertSecretless,
  Cli,
  cli,
  type Ended,
  inFolder,
  makeFolder,
  PASSWORD,
  type Reply,
  type Script,
  ScriptedCore,
  withCore,
} from './cli-support.js'

const test = suite('contracts verify')

const SPECS =
  'access-with-token,access-without-token*,logon-issues-token,logon-wrong-password,revocation-rejects,idle-expires'
const fixture = (name: string) =>
  fileURLToPath(new URL(`fixtures/contracts/${name}-literal-tokens.json`, import.meta.url))
/** What the words of the fixtures mean. */
const STATES = [
  '--state',
  'the user exists=right credentials,the user is logged on=a valid token',
  '--state',
  'the Core is up=nothing,the token was revoked, by its user=a revoked token',
]

interface Verified extends Ended {
  junit: string
}

async function verify(folder: string, args: string[], env: Record<string, string> = {}): Promise<Verified> {
  const ended = await cli(['contracts', 'verify', ...args], { cwd: folder, env })
  const junit = readFileSync(join(folder, 'reports/contracts.junit.xml'), 'utf8')
  assert.is(XMLValidator.validate(junit), true)
  assert.not.ok((ended.stdout + ended.stderr + junit).includes('\u001b'))
  return { ...ended, junit }
}

/** A contract of the scripted Core as it is; made once. */
let contract = ''
/** The same, held to the statuses seen. */
let pinned = ''
test.before(async () => {
  const folder = makeFolder()
  const core = await ScriptedCore.start({ lifetimeMs: 1000 })
  // Held to what was seen, so that each departure shows.
  const strict = ['--fields', 'all', '--strict-token']
  const args = ['run', '--only', SPECS, '--consumer', 'app', '--idle-lifetime', '1s', ...strict]
  const { code, stdout, stderr } = await cli(args, { cwd: folder, env: core.env })
  assert.is(code, 0, stdout + stderr)
  await core.close()
  contract = join(folder, 'contracts/app-core.json')
  const pin = ['contracts', 'generate', '--consumer', 'pinned', '--pin-statuses']
  assert.is((await cli(pin, { cwd: folder })).code, 0)
  pinned = join(folder, 'contracts/pinned-core.json')
})

test('on the mock Core, in virtual time: exit 0, with a report for CI', () =>
  inFolder(async folder => {
    await cli(['run', '--only', SPECS, '--consumer', 'app'], { cwd: folder })
    const { code, stdout, stderr, junit } = await verify(folder, ['contracts/app-core.json'])
    assert.is(code, 0, stdout + stderr)
    assert.is(stderr, '')
    assert.match(stdout, /^app-core\n {2}✓ a logon, given right credentials\n/)
    assert.match(stdout, /\n✓ Verified\n {2}7 interactions verified, all hold\n/)
    assert.match(stdout, /\nReport: reports\/contracts\.junit\.xml\n$/)
    assert.match(junit, /tests="7" failures="0" errors="0" skipped="0"/)
    assert.match(
      junit,
      /<testcase name="a request for the users, given an expired token" classname="core-conformance\.app-core" file="contracts\/app-core\.json" line="\d+"/,
    )
  }))

test('on a Core of the user, with one real wait for what is about expiry; no token stays, no secret shows', () =>
  withCore({ lifetimeMs: 1000 }, async (core, folder) => {
    const env = {
      ...core.env,
      CORE_IDLE_LIFETIME: '1s',
      LOG_LEVEL: 'trace',
      RUST_LOG: 'trace',
      PACT_LOG_LEVEL: 'trace',
      HTTP_PROXY: 'http://127.0.0.1:1',
      http_proxy: 'http://127.0.0.1:1',
    }
    // The same contract under another name: two interactions wait, together.
    writeFileSync(join(folder, 'b-core.json'), readFileSync(contract))
    const { code, stdout, stderr, junit } = await verify(folder, [contract, 'b-core.json'], env)
    assert.is(code, 0, stdout + stderr)
    assert.match(stdout, /14 interactions verified, all hold/)
    assert.is(core.live.size, 0)
    assertSecretless([stdout, stderr, junit], core.secrets)
  }))

/** Departures of a Core, and what is told of each. */
const DEPARTURES: [what: string, answer: NonNullable<Script['answer']>, told: RegExp[]][] = [
  [
    'another status of the logon',
    ({ method }, _body, right) => (method === 'POST' && right().status === 200 ? { ...right(), status: 201 } : right()),
    [/✗ a logon, given right credentials\n\n {6}step +status\n {6}expected +200\n {6}got +201\n/],
  ],
  [
    'the token in another field',
    ({ method }, _body, right) => {
      const reply: Reply = right()
      return method === 'POST' && reply.status === 200
        ? { ...reply, body: (reply.body ?? '').replace('{"session":{"token":', '{"data":{"bearer":') }
        : reply
    },
    [
      /✗ a logon, given right credentials\n\n {6}step +body\n {6}expected +the fields session\n {6}got +the fields data\n/,
    ],
  ],
  [
    'another record of users',
    ({ method }, _body, right) => {
      const reply: Reply = right()
      return method === 'GET' && reply.status === 200 ? { ...reply, body: '[{"name":7},{"id":1}]' } : reply
    },
    [
      /step +body at \$\[0\]\.name\n {6}expected +the same type as 'text' \(String\)\n {6}got +7\n/,
      /step +body at \$\[1\]\n {6}expected +the fields name\n {6}got +the fields id\n/,
    ],
  ],
  [
    'a wrong password that gets a token',
    ({ method }, body, right) =>
      method === 'POST' && right().status !== 200 && body.includes('password')
        ? { status: 200, body: '{"session":{"token":"kanari-token-of-nobody-0123456789abc"}}' }
        : right(),
    [/✗ a logon, given wrong credentials\n\n {6}step +status\n {6}expected +client error \(400–499\)\n {6}got +200\n/],
  ],
]
for (const [what, answer, told] of DEPARTURES) {
  test(`broken by ${what}: exit 1, with what was expected and what came`, () =>
    withCore({ answer }, async (core, folder) => {
      const held = what === 'another status of the logon' ? pinned : contract
      const { code, stdout, stderr, junit } = await verify(folder, [held, '--profile', 'quick'], core.env)
      assert.is(code, 1, stdout + stderr)
      assert.match(stdout, /✗ Broken\n {2}1 of 7 interactions does not hold\n/)
      for (const pattern of told) assert.match(stdout, pattern)
      assert.match(junit, /failures="1"/)
      assertSecretless([stdout, stderr, junit], [...core.secrets, 'kanari-token-of-nobody'])
    }))
}

test('a revocation that revokes nothing breaks the contract, and the tokens are still asked back', () => {
  const deleted: string[] = []
  const answer: Script['answer'] = ({ method, headers }, _body, right) => {
    if (method !== 'DELETE' || !headers.host) return right()
    deleted.push(headers.authorization ?? '')
    return { status: 204 }
  }
  return withCore({ answer }, async (core, folder) => {
    const { code, stdout } = await verify(folder, [contract, '--profile', 'quick'], core.env)
    assert.is(code, 1)
    assert.match(
      stdout,
      /✗ a request for the users, given a revoked token\n\n {6}step +status\n {6}expected +client error/,
    )
    for (const token of core.issued) assert.ok(deleted.includes(`Bearer ${token}`), token)
  })
})

test('a revocation that fails leaves open what a revoked token gets', () => {
  const answer: Script['answer'] = ({ method, headers }, _body, right) =>
    method === 'DELETE' && headers.host ? { status: 503 } : right()
  return withCore({ answer }, async (core, folder) => {
    const { code, stdout } = await verify(folder, [contract, '--profile', 'quick'], core.env)
    assert.is(code, 1, 'a revocation is an interaction, too')
    const told = stdout.replace(/\s+/g, ' ')
    assert.match(
      told,
      /! a request for the users, given a revoked token blocked its provider state could not be brought about: the revocation was answered 503/,
    )
    assert.match(told, /tokens could not be revoked/)
  })
})

test('a Core that refuses everything keeps no contract: a rejection needs a control', () => {
  let logons = 0
  const answer: Script['answer'] = ({ method }, _body, right) => {
    if (method === 'POST') logons++
    // The survey is served well, and after it nothing opens the API.
    return method === 'GET' && logons > 2 ? { status: 401, body: '{}' } : right()
  }
  return withCore({ answer }, async (core, folder) => {
    const { code, stdout } = await verify(folder, [contract, '--profile', 'quick'], core.env)
    assert.is(code, 3, stdout)
    const told = stdout.replace(/\s+/g, ' ')
    assert.match(told, /! a request for the users, given a revoked token/)
    assert.match(told, /could not be brought about: a token that was issued for it was not accepted: 401/)
    assert.is(core.live.size, 0)
  })
})

test('contracts of other tools, in which tokens are literal examples', () =>
  withCore({ lifetimeMs: 1000 }, async (core, folder) => {
    const env = { ...core.env, CORE_IDLE_LIFETIME: '1s' }
    // Its dialect is not the mock's: what differs is found, and nothing else.
    const { code, stdout, junit } = await verify(folder, [fixture('v2'), fixture('v3'), fixture('v4'), ...STATES], env)
    assert.is(code, 1, stdout)
    const failures = [...junit.matchAll(/<testcase name="([^"]*)"[^>]*>\s*<failure message="([^"]*)"/g)]
    assert.equal(
      failures.map(([, name, message]) => `${name}: ${message}`),
      [
        'logging on, given the user exists: status: expected 201, got 200; body: expected the fields token, got the fields session',
        'listing users, given the user is logged on: body at $[0]: expected the fields id, got the fields name',
      ],
    )
    assert.is(core.live.size, 0)
    assertSecretless([stdout, junit], core.secrets)
  }))

test('what is pending may fail, and that is told', () =>
  inFolder(async folder => {
    const { code, stdout, junit } = await verify(folder, [fixture('v4')])
    assert.is(code, 0, stdout)
    assert.match(
      stdout,
      /– a feature that is not there yet, given a valid token\n {6}skipped +it is pending, and does not hold: status:/,
    )
    assert.match(stdout, /2 of 3 interactions verified, none is broken/)
    assert.match(junit, /skipped="1"/)
  }))

test('a literal token is replaced where it is to be good, and only there', () => {
  const seen: string[] = []
  const answer: Script['answer'] = ({ method, headers }, body, right) => {
    seen.push(`${method} ${headers.authorization ?? ''} ${body}${headers['accept-encoding'] ?? ''}`)
    return right()
  }
  return withCore({ answer }, async (core, folder) => {
    await verify(folder, [fixture('v2'), ...STATES, '--profile', 'quick'], core.env)
    // The interaction that expects a 401 and tells no state is sent as it is written.
    assert.is(seen.filter(line => line.startsWith('GET Bearer abc123')).length, 1)
    assert.not.ok(seen.some(line => /s3cret|gzip|placeholder/.test(line)))
    assert.ok(seen.some(line => line.startsWith('POST') && line.includes(JSON.stringify(PASSWORD))))
  })
})

test('a state that nobody explained fails, with what to do', () =>
  inFolder(async folder => {
    const { code, stdout, junit } = await verify(folder, [fixture('v2')])
    assert.is(code, 3)
    assert.match(
      stdout,
      /unknown provider state 'the user exists'; say what it means with\s+--state 'the user exists=STATE'/,
    )
    assert.match(stdout, /\? Incomplete\n {2}2 of 4 interactions could not be verified\n/)
    assert.match(junit, /errors="2"/)
  }))

test('the quick profile leaves out what is about expiry, and says so', () =>
  withCore({}, async (core, folder) => {
    const { code, stdout, junit } = await verify(folder, [contract, '--profile', 'quick'], core.env)
    assert.is(code, 0, stdout)
    assert.match(
      stdout,
      /– a request for the users, given an expired token\n {6}skipped +it is about an expired token, which --profile quick\s+leaves out/,
    )
    assert.match(stdout, /6 of 7 interactions verified, none is broken/)
    assert.match(junit, /skipped="1"/)
  }))

test('what needs another access control could not be verified', () =>
  inFolder(async folder => {
    const args = ['run', '--access-control', 'off', '--only', 'access-open', '--consumer', 'open']
    assert.is((await cli(args, { cwd: folder })).code, 0)
    const on = await verify(folder, ['contracts/open-core.json'])
    assert.is(on.code, 3)
    assert.match(on.stdout, /it needs a Core with access control off \(--access-control\)/)
    const off = await verify(folder, ['contracts/open-core.json', '--access-control', 'off'])
    assert.is(off.code, 0, off.stdout)
  }))

test('a Core that is out of reach, or refuses the credentials: exit 3, with advice', () =>
  inFolder(async folder => {
    const core = await ScriptedCore.start()
    const { env } = core
    const refused = await verify(folder, [contract], { ...env, CORE_PASSWORD: 'another' })
    assert.is(refused.code, 3)
    assert.match(
      refused.stdout,
      /! Untestable\n {2}the credentials were refused: 401 Unauthorized\n {2}→ check CORE_USERNAME and CORE_PASSWORD\n/,
    )
    await core.close()
    const gone = await verify(folder, [contract], env)
    assert.is(gone.code, 3)
    assert.match(gone.stdout, /nothing is listening at 127\.0\.0\.1/)
    assert.match(gone.junit, /errors="7"/)
  }))

test('a Core that stops to answer: not verified, and the rest is', () => {
  const answer: Script['answer'] = ({ method, headers }, _body, right) =>
    method === 'GET' && headers.authorization === 'Bearer abc123' ? 'never' : right()
  return withCore({ answer }, async (core, folder) => {
    const args = [fixture('v2'), ...STATES, '--profile', 'quick', '--deadline', '500ms']
    const { code, stdout } = await verify(folder, args, core.env)
    assert.is(code, 1, stdout)
    assert.match(
      stdout,
      /! listing users with a token of yesterday, with no state told\n {6}blocked +the Core did not answer: no response within 0\.5 s/,
    )
    assert.is(core.live.size, 0)
  })
})

test('Ctrl-C during the wait: exit 3, and every token is revoked', () =>
  withCore({}, async (core, folder) => {
    const run = new Cli(['contracts', 'verify', contract], { cwd: folder, env: core.env })
    await run.until(/Waiting: /)
    assert.is(core.live.size, 1)
    run.child.kill('SIGINT')
    const { code, stdout } = await run.ended
    assert.is(code, 3)
    assert.match(stdout, /\? Incomplete\n {2}the verification was interrupted\n/)
    assert.is(core.live.size, 0)
  }))

test('files that are no contracts: exit 2, before anything is sent', () =>
  withCore({}, async (core, folder) => {
    const refused = async (...files: string[]) => {
      const { code, stderr, stdout } = await cli(['contracts', 'verify', ...files], { cwd: folder, env: core.env })
      assert.equal([code, stdout], [2, ''])
      return stderr
    }
    assert.match(await refused(), /contracts verify needs FILE…: contracts, in Pact specification 2, 3 or 4/)
    assert.match(await refused('gone.json'), /gone\.json cannot be read: there is no such file/)
    writeFileSync(join(folder, 'x.json'), '{')
    assert.match(await refused(contract, 'x.json'), /x\.json is no contract that can be verified: it is not JSON/)
    writeFileSync(join(folder, 'x.json'), '{"$schema":"https://json-schema.org/draft/2020-12/schema"}')
    assert.match(
      await refused('x.json'),
      /x\.json is a JSON Schema, and no contract: left out\n.*none of the files is a contract/,
    )
    assert.match(await refused(contract, contract), /is named twice/)
    assert.is(core.requests, 0)
  }))

test.run()
