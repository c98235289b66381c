/** The evidence of a failure: what a report says was seen is what was seen, and the mark stands at the answer that missed. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { cli, reportsIn, type Script, withCore } from './cli-support.js'

const test = suite('the evidence of a failure')

/** Runs specs, and returns each that failed: its steps that missed, and the lines of JUnit that bear the mark. */
function failures(script: Script, ...specs: string[]) {
  return withCore(script, async (core, cwd) => {
    const args = ['run', '--explore', '0', '--profile', 'quick', ...specs.flatMap(id => ['--only', id])]
    await cli(args, { cwd, env: core.env, code: 1 })
    const junit = readFileSync(join(cwd, 'reports', 'junit.xml'), 'utf8')
    return reportsIn(cwd)
      .specs.filter(({ outcome }) => outcome === 'failed')
      .map(({ id, steps }) => {
        const [, text = ''] = junit.split(`Spec: ${id},`)
        const [own = ''] = text.split('</testcase>')
        const marked = own.split('\n').filter(line => line.endsWith('← missed here'))
        return { id, seen: steps.find(({ outcome }) => outcome === 'miss')?.seen, marked }
      })
  })
}

const one = /^\d+\. GET \/api\/v0\/cores\/self\/users HTTP\/1.1 → 200 OK/

test('a revoked token that opens the API is told as that, however it was sent, and the control beside it is not marked', async () => {
  const forgetful: Script = { answer: ({ method }, _, right) => (method === 'DELETE' ? { status: 204 } : right()) }
  const ids = ['connections-behind-revoked-token', 'connections-resumed-revoked-token', 'revocation-rejects']
  const failed = await failures(forgetful, ...ids)
  const told = failed.map(({ id, seen }) => [id, seen])
  assert.equal(told, [
    ['connections-behind-revoked-token', 'a revoked token is accepted right behind a good one'],
    [
      'connections-resumed-revoked-token',
      'a revoked token is accepted in the resumed TLS session in which it was used',
    ],
    ['revocation-rejects', 'a revoked token is still accepted'],
  ])
  for (const { id, marked } of failed) {
    assert.is(marked.length, 1, `${id}: ${marked.join('\n')}`)
    assert.match(marked[0] ?? '', one)
  }
})

test('a refusal that breaks off is not told as an acceptance', async () => {
  const revoked = new Set<string>()
  const broken: Script = {
    answer: ({ method, headers }, _, right) => {
      const { authorization = '' } = headers
      if (method === 'DELETE') revoked.add(authorization)
      if (method !== 'GET' || !revoked.has(authorization)) return right()
      return { status: 401, body: '{"message":', headers: { 'Content-Length': '500', Connection: 'close' } }
    },
  }
  await withCore(broken, async (core, cwd) => {
    await cli(['run', '--only', 'revocation-rejects', '--explore', '0'], { cwd, env: core.env, code: 3 })
    const { outcome, message = '' } = reportsIn(cwd).specs.find(({ id }) => id === 'revocation-rejects') ?? {}
    assert.is(outcome, 'blocked')
    assert.match(message, /401 Unauthorized, but /)
    assert.not.match(message, /as a fresh token gets/)
  })
})

test('tokens whose logons broke off are told as such, and not as tokens that could not be revoked', async () => {
  const broken: Script = {
    answer: ({ method }, _, right) =>
      method === 'POST'
        ? { status: 201, body: '{"token":', headers: { 'Content-Length': '500', Connection: 'close' } }
        : right(),
  }
  await withCore(broken, async (core, cwd) => {
    await cli(['run', '--only', 'revocation-rejects', '--explore', '0'], { cwd, env: core.env })
    const told = reportsIn(cwd).notices.filter(notice => /\btokens? /.test(notice))
    assert.equal(told.length, 1)
    assert.match(told[0] ?? '', /^up to \d+ tokens? may still be live, since answers to logons did not arrive whole: /)
  })
})

test('of a Core with a shorter lifetime, that is asked before anything else, with the time that its tokens lived', async () => {
  await withCore({ lifetimeMs: 1500 }, async (core, cwd) => {
    const specs = ['--only', 'idle-still-valid,idle-use-resets,idle-early-use-resets']
    const { stdout } = await cli(['run', '--idle-lifetime', '8s', '--explore', '0', ...specs], { cwd, env: core.env })
    const note =
      /tokens ended after (.*) without use, sooner than the 8 s that this run judged by: is (.*) meant\?/.exec(stdout)
    assert.ok(note, stdout)
    assert.match(note[2] ?? '', /--idle-lifetime/)
    const [first = '', last = first] = note[1]?.match(/[\d.]+ m?s/g) ?? []
    const inMs = (text: string) => Number.parseFloat(text) * (text.endsWith('ms') ? 1 : 1000)
    assert.ok(inMs(first) <= 2500 && inMs(last) >= 1000, note[0])
  })
})

test.run()
