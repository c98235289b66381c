/** `attest` and `attest verify` as a user meets them: processes, keys, files; and other tools that read the files. */
import { execFileSync } from 'node:child_process'
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { sealed } from '../dist/attest/dsse.js'
import type { Statement } from '../dist/attest/statement.js'
import { renderJson } from '../dist/report/json.js'
import type { RunResult } from '../dist/result.js'
import { assertSecretless, assertUsage, Cli, cli, inFolder } from './cli-support.js'
import { conformant, failing, interrupted, quick } from './fixtures/results/samples.js'
import { shellOf } from './support/docs.js'
import { long } from './support/long.js'
import { RACK_PASSWORD, withRack } from './support/mock-fleet.js'

const test = suite('attestations')
const FIRMWARE = 'the bytes of a firmware'
const SOME_SHA256 = 'ab'.repeat(32)

function keysIn(folder: string, name = 'attest', type: 'ed25519' | 'P-256' | 'P-384' = 'ed25519'): string[] {
  const { privateKey, publicKey } =
    type === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: type })
  const files = [join(folder, `${name}.key`), join(folder, `${name}.pub`)]
  writeFileSync(files[0] ?? '', privateKey.export({ type: 'pkcs8', format: 'pem' }))
  writeFileSync(files[1] ?? '', publicKey.export({ type: 'spki', format: 'pem' }))
  return files
}

/** Calls back with a folder with a result, a firmware and keys. */
function withResult(result: RunResult, use: (folder: string) => Promise<void>): Promise<void> {
  return inFolder(async folder => {
    mkdirSync(join(folder, 'reports'))
    writeFileSync(join(folder, 'reports', 'result.json'), renderJson(ofCore(result)))
    writeFileSync(join(folder, 'core-4.2.0.bin'), FIRMWARE)
    keysIn(folder)
    await use(folder)
  })
}

const ofCore = (result: RunResult): RunResult => ({
  ...result,
  time: 'real',
  target: { ...result.target, kind: 'core' },
})
const ATTEST = ['attest', '--artifact', 'core-4.2.0.bin', '--key', 'attest.key']
const VERIFY = ['attest', 'verify', '--key', 'attest.pub', '--artifact', 'core-4.2.0.bin']
const envelopeIn = (folder: string, out = 'reports') =>
  JSON.parse(readFileSync(join(folder, out, 'attestation.intoto.jsonl'), 'utf8'))
const statementIn = (folder: string, out = 'reports') =>
  JSON.parse(Buffer.from(envelopeIn(folder, out).payload, 'base64').toString()) as Statement

test('a result is attested and verified, by processes; what others know of the formats holds', () =>
  withResult(conformant, async folder => {
    const made = await new Cli(ATTEST, { cwd: folder }).ends(0)
    assert.match(made.stdout, /^Attested: reports\/attestation\.intoto\.jsonl\nSigned with the key [0-9a-f]{64}\n/)
    for (const claim of [/It claims:\n {2}core-4\.2\.0\.bin \(sha256 [0-9a-f]{64}\): the Core kept the/, /not claim:/])
      assert.match(made.stdout, claim)
    const { _type, subject, predicateType, predicate } = statementIn(folder)
    assert.equal(
      [_type, predicateType],
      ['https://in-toto.io/Statement/v1', 'https://in-toto.io/attestation/test-result/v0.1'],
    )
    const digest = execFileSync('sha256sum', ['core-4.2.0.bin'], { cwd: folder, encoding: 'utf8' }).split(' ')[0]
    assert.equal(subject, [{ name: 'core-4.2.0.bin', digest: { sha256: digest } }])
    const result = execFileSync('sha256sum', ['reports/result.json'], { cwd: folder, encoding: 'utf8' }).split(' ')[0]
    const evidence = predicate.configuration.map(({ name, uri, digest }) => [name, uri ?? digest?.sha256])
    assert.equal(evidence, [
      ['core-conformance', `pkg:npm/core-conformance@${conformant.suite.version}`],
      ['specs', conformant.suite.specsDigest],
      ['result.json', result],
    ])
    assert.equal(predicate.failedTests, [])
    assert.ok(predicate.passedTests.length > 0)
    assert.is(predicate.configuration[2]?.annotations?.idleLifetimeMs, conformant.configuration.idleLifetimeMs)
    // Checks the signature by the words of the DSSE specification, without our code.
    const { payloadType, payload, signatures } = envelopeIn(folder)
    const body = Buffer.from(payload, 'base64')
    assert.is(payloadType, 'application/vnd.in-toto+json')
    const encoded = Buffer.concat([Buffer.from(`DSSEv1 28 ${payloadType} ${body.length} `), body])
    const key = createPublicKey(readFileSync(join(folder, 'attest.pub')))
    assert.ok(verify(null, encoded, key, Buffer.from(signatures[0].sig, 'base64')))
    const held = await cli(VERIFY, { cwd: folder, code: 0 })
    assert.match(held.stdout, /^✓ reports\/attestation\.intoto\.jsonl holds: .*, and of core-4\.2\.0\.bin\n/)
    assert.not.match(held.stdout, /was not looked at/)
    const without = await cli(VERIFY.slice(0, 4), { cwd: folder })
    assert.match(without.stdout, /The firmware was not looked at: give its file with --artifact/)
    // Equal evidence gives equal bytes.
    const first = readFileSync(join(folder, 'reports', 'attestation.intoto.jsonl'))
    assert.is((await cli(ATTEST, { cwd: folder })).code, 0)
    assert.equal(readFileSync(join(folder, 'reports', 'attestation.intoto.jsonl')), first)
  }))

test('what was changed, signed by another, or is of something else does not hold', () =>
  withResult(conformant, async folder => {
    assert.is((await cli(ATTEST, { cwd: folder })).code, 0)
    const file = join(folder, 'reports', 'attestation.intoto.jsonl')
    const whole = readFileSync(file, 'utf8')
    const refuted = async (pattern: RegExp, args = VERIFY) => {
      const { stdout } = await cli(args, { cwd: folder, code: 1 })
      assert.match(stdout, pattern)
      assert.not.match(stdout, /It claims/, 'nothing of it is told')
    }
    const { payload, ...rest } = JSON.parse(whole)
    const changed = Buffer.from(payload, 'base64').toString().replace('core-4.2.0', 'core-4.3.0')
    writeFileSync(file, JSON.stringify({ ...rest, payload: Buffer.from(changed).toString('base64') }))
    await refuted(/does not hold: it is not signed with the key [0-9a-f]{64}, or it was changed since/)
    writeFileSync(file, JSON.stringify({ ...rest, payload, payloadType: 'text/plain' }))
    await refuted(/not signed with the key/)
    writeFileSync(file, whole)
    const [, stranger = ''] = keysIn(folder, 'stranger')
    await refuted(/not signed with the key/, [...VERIFY.slice(0, 2), '--key', stranger])
    writeFileSync(join(folder, 'core-4.2.0.bin'), 'another firmware')
    await refuted(/it is of another firmware: core-4\.2\.0\.bin with the SHA-256/)
    writeFileSync(join(folder, 'core-4.2.0.bin'), FIRMWARE)
    // A different result, even one that differs by a space only.
    const result = join(folder, 'reports', 'result.json')
    writeFileSync(result, `${readFileSync(result, 'utf8')} `)
    await refuted(/it is not of reports\/result\.json: result\.json is another one than was signed/)
  }))

test('whoever holds the key can still sign no more than the result bears', () =>
  withResult(failing, async folder => {
    assert.is((await cli(ATTEST, { cwd: folder })).code, 0, 'a failure is attested, too')
    assert.equal(statementIn(folder).predicate.result, 'FAILED')
    const { stdout } = await cli(VERIFY, { cwd: folder })
    assert.match(stdout, /the Core did not keep the authentication reference\.\n/)
    assert.match(stdout, /Failed: /)
    const lie = statementIn(folder)
    lie.predicate.result = 'PASSED'
    const key = createPrivateKey(readFileSync(join(folder, 'attest.key')))
    const file = join(folder, 'reports', 'attestation.intoto.jsonl')
    const signed = (value: unknown) =>
      writeFileSync(file, JSON.stringify(sealed(Buffer.from(JSON.stringify(value)), key, 'x')))
    signed(lie)
    const refused = await cli(VERIFY, { cwd: folder, code: 1 })
    assert.match(refused.stdout, /what it says of result is not what that result bears/)
    for (const strange of [{}, [], 'text', { ...lie, predicateType: 'x' }, { ...lie, predicate: {} }, null]) {
      signed(strange)
      const { code, stdout } = await cli(VERIFY, { cwd: folder })
      assert.equal([code, /it is no statement of a test result/.test(stdout)], [1, true], JSON.stringify(strange))
    }
    // The same bytes as something else: signed by the right key, by the words of the DSSE specification.
    const payload = Buffer.from(JSON.stringify({ ...lie, predicate: { ...lie.predicate, result: 'FAILED' } }))
    const encoded = Buffer.concat([Buffer.from(`DSSEv1 10 text/plain ${payload.length} `), payload])
    const sig = sign(null, encoded, key).toString('base64')
    const envelope = {
      payloadType: 'text/plain',
      payload: payload.toString('base64'),
      signatures: [{ keyid: 'x', sig }],
    }
    writeFileSync(file, JSON.stringify(envelope))
    const { code, stdout: told } = await cli(VERIFY, { cwd: folder })
    assert.equal([code, /the key signed it, but it is no statement of a test result/.test(told)], [1, true], told)
  }))

test('what was left out stands in the statement and in words', () =>
  withResult(
    {
      ...quick,
      configuration: { ...quick.configuration, profile: 'quick', only: ['revocation*'], idleLifetimeMs: 20_000 },
    },
    async folder => {
      const { stdout } = await cli(ATTEST, { cwd: folder })
      assert.is(statementIn(folder).predicate.result, 'WARNED')
      for (const limit of ['\\d+ of \\d+ specs judged', 'quick profile', 'at a lifetime of 20 s'])
        assert.match(stdout, new RegExp(`Limit: ${limit}\\.`))
      const { limits } = statementIn(folder).predicate.configuration[2]?.annotations ?? {}
      assert.is(limits?.length, stdout.match(/Limit:/g)?.length)
    },
  ))

test('a file that is named after another version than the result is told of, and only such a one', () =>
  withResult(conformant, async folder => {
    for (const [firmware, name, isOther] of [
      ['4.3.0', 'core-4.2.0.bin', true],
      ['4.2.0', 'core-4.2.0.bin', false],
      ['4.2.0 (build 77)', 'Core_X300_4_2_0_signed.img', false],
      ['10.5.0-rc2', 'core-10.5.0-rc1.bin', true],
      ['4.20', 'core-4.2.bin', true],
      ['nightly', 'core-4.2.0.bin', false],
    ] as const) {
      const result = ofCore({ ...conformant, target: { ...conformant.target, firmware } })
      writeFileSync(join(folder, 'reports', 'result.json'), renderJson(result))
      const subject = ['--digest', SOME_SHA256, '--subject', name, '--key', 'attest.key']
      const made = await cli(['attest', ...subject], { cwd: folder })
      const held = await cli(VERIFY.slice(0, 4), { cwd: folder })
      for (const { code, stderr } of [made, held]) {
        assert.is(code, 0)
        const warning = `core-conformance: warning: ${name} does not look like firmware ${firmware}, which`
        assert.is(stderr.startsWith(warning), isOther, `${firmware}, ${name}: ${stderr}`)
        assert.is(stderr === '', !isOther)
      }
    }
  }))

long(test)('a fleet: each Core by the digest of its result; nothing of it can be exchanged', () =>
  withRack({ 'lab-1': {}, 'lab-2': {} }, {}, async ({ folder, env }) => {
    const only = ['--only', 'access-with-token,revocation-rejects', '--firmware', '4.2.0', '--quiet']
    assert.is((await cli(['run', 'lab-*', ...only], { cwd: folder, env })).code, 0)
    writeFileSync(join(folder, 'core-4.2.0.bin'), FIRMWARE)
    keysIn(folder, 'attest', 'P-256')
    const made = await cli(ATTEST, { cwd: folder, env: {}, code: 0 })
    const { predicate } = statementIn(folder)
    assert.equal(predicate.passedTests, [
      'lab-1/access-with-token',
      'lab-1/revocation-rejects',
      'lab-2/access-with-token',
      'lab-2/revocation-rejects',
    ])
    assert.match(made.stdout, /2 Cores kept .*\n[\s\S]*lab-2: https:\/\/127\.0\.0\.1:\d+, said to run 4\.2\.0, /)
    assertSecretless([made.stdout, JSON.stringify(predicate)], [RACK_PASSWORD])
    // The attestation moves with its whole folder, and belongs to it.
    cpSync(join(folder, 'reports'), join(folder, 'release'), { recursive: true })
    const moved = [...VERIFY, 'release/attestation.intoto.jsonl']
    assert.is((await cli(moved, { cwd: folder, env: {} })).code, 0)
    const [one = '', two = ''] = ['lab-1', 'lab-2'].map(name => join(folder, 'release', name, 'result.json'))
    writeFileSync(one, readFileSync(two))
    const exchanged = await cli(moved, { cwd: folder, env: {}, code: 1 })
    assert.match(exchanged.stdout, /lab-1\/result\.json is another one than was signed/)
  }),
)

test('what cannot be attested, and files that are none, are told with what to do', () =>
  withResult(conformant, async folder => {
    const usage = async (args: string[], pattern: RegExp, env = {}) =>
      assertUsage(await cli(args, { cwd: folder, env }), pattern)
    const result = join(folder, 'reports', 'result.json')
    writeFileSync(result, renderJson(ofCore(interrupted)))
    await usage(ATTEST, /cannot be attested: it is incomplete \(.*finish it, or run again/)
    writeFileSync(result, renderJson({ ...conformant, target: { ...conformant.target, kind: 'mock' } }))
    await usage(ATTEST, /it is of a mock Core, which is no firmware/)
    // Another mock Core, by its URL: its clock was advanced, and no Core has a clock for that.
    writeFileSync(result, renderJson({ ...ofCore(conformant), time: 'virtual' }))
    await usage(ATTEST, /it is of a mock Core, which is no firmware/)
    writeFileSync(result, renderJson(ofCore(conformant)))
    await usage(['attest', '--key', 'attest.key'], /no firmware is named: give its file with --artifact/)
    await usage(
      ['attest', '--artifact', 'core-4.2.0.bin'],
      /there is no key to sign with: .* openssl genpkey -algorithm ed25519/,
    )
    await usage([...ATTEST, '--digest', SOME_SHA256], /--artifact and --digest exclude each other/)
    const digest = (text: string, ...more: string[]) => ['attest', '--digest', text, '--key', 'attest.key', ...more]
    await usage(digest(SOME_SHA256), /--digest names no firmware: name it with --subject/)
    await usage(digest('x', '--subject', 'y'), /must be a SHA-256: 64 hex digits/)
    await usage(['attest', '--artifact', 'none.bin', '--key', 'attest.key'], /none\.bin cannot be used: there is no/)
    await usage([...ATTEST.slice(0, 3), '--key', 'core-4.2.0.bin'], /it holds no private key in PEM/)
    await usage(['attest', 'verify', '--key', 'attest.key'], /holds a private key: give the public one/)
    await usage(['attest', 'verify'], /there is no key to check the signature with/)
    await usage(VERIFY, /attestation\.intoto\.jsonl cannot be used as an attestation: there is no/)
    await usage([...VERIFY, 'core-4.2.0.bin'], /is no DSSE envelope/)
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    writeFileSync(join(folder, 'rsa.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
    await usage([...ATTEST.slice(0, 3), '--key', 'rsa.key'], /of another kind: give one of Ed25519, or ECDSA/)
    assert.not(existsSync(join(folder, 'reports', 'attestation.intoto.jsonl')))
    // Only the variable opens an encrypted key.
    const own = generateKeyPairSync('ed25519').privateKey
    const encrypted = own.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'Kanari' })
    writeFileSync(join(folder, 'closed.key'), encrypted)
    const closed = [...ATTEST.slice(0, 3), '--key', 'closed.key']
    await usage(closed, /it is encrypted, and CORE_ATTEST_PASSPHRASE is not set/)
    await usage(closed, /CORE_ATTEST_PASSPHRASE does not open it/, { CORE_ATTEST_PASSPHRASE: 'wrong' })
    assert.is((await cli(closed, { cwd: folder, env: { CORE_ATTEST_PASSPHRASE: 'Kanari' } })).code, 0)
    assert.is((await cli(ATTEST, { cwd: folder })).code, 0)
    rmSync(result)
    await usage(VERIFY, /there is neither result\.json nor fleet\.json beside/)
  }))

test('the shell lines of its page', () =>
  withResult(conformant, async folder => {
    const lines = shellOf('attestation.md').flatMap(code => code.trim().split('\n'))
    assert.is(lines.length, 4)
    for (const line of lines) {
      const [program = '', ...args] = line.replace(/^npx --no /, '').split(/\s+/)
      if (program === 'openssl') execFileSync(program, args, { cwd: folder, stdio: 'ignore' })
      else {
        await cli(args, { cwd: folder, code: 0 })
      }
    }
  }))

test.run()
