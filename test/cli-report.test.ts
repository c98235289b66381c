import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { renderJson } from '../dist/report/json.js'
import type { RunResult } from '../dist/result.js'
import { assertSecretless, cli, inFolder, withCore } from './cli-support.js'
import { failing } from './fixtures/results/samples.js'

const test = suite('report')

test('a kept history is judged anew by report, which says what it sees otherwise', () =>
  withCore({}, async (core, folder) => {
    const some = ['--only', 'access-two-tokens,revocation-rejects', '--reporter', 'console,json']
    await cli(['run', ...some, '--keep-history'], { cwd: folder, env: core.env, code: 0 })
    const path = join(folder, 'reports', 'result.json')
    const text = readFileSync(path, 'utf8')
    assertSecretless([text], core.secrets)
    const result = JSON.parse(text) as RunResult
    const { history } = result
    assert.ok(history)
    assert.equal(history.doubts, [])
    const doubts = [{ requirement: 'LOGON-4', text: 'a token died' }]
    const told = JSON.stringify({ ...result, history: { ...history, doubts } })
    const { entries } = history
    // A run begins with the logon of the survey, and ends by giving its tokens back.
    assert.equal([entries[0]?.kind, entries.at(-1)?.kind], ['logon', 'revocation'])
    assert.ok(entries.filter(({ kind }) => kind === 'logon').every(({ issued }) => /^token \d+$/.test(issued ?? '')))
    const same = await cli(['report', '--reporter', 'console'], { cwd: folder })
    assert.not.match(same.stdout, /judged anew/)

    // As if a good token had been refused once, which the run did not see.
    const uses = entries.filter(
      ({ kind, answer, token }) => kind === 'use' && answer === 'accepted' && token === 'token 1',
    )
    const second = uses[1]
    assert.ok(second && uses.length > 2)
    Object.assign(second, { answer: 'refused', status: 401, told: 'GET /api/v0/cores/self/users: 401 Unauthorized' })
    writeFileSync(path, JSON.stringify(result))
    const anew = await cli(['report', '--reporter', 'console'], { cwd: folder, code: 0 })
    assert.match(anew.stdout, /Incomplete/)
    assert.match(
      anew.stdout.replace(/\s+/g, ' '),
      /judged anew by core-conformance \S+ .*: ACCESS-2 is in doubt, which the run did not see/,
    )

    // The other way round: the run told a doubt that is explained by now.
    writeFileSync(path, told)
    const explained = await cli(['report', '--reporter', 'console'], { cwd: folder })
    assert.match(
      explained.stdout.replace(/\s+/g, ' '),
      /what left LOGON-4 in doubt is explained by now; the run told: a token died/,
    )
    assert.match(explained.stdout, /Conformant/)
  }))

test('reports go beside the result; only those that were asked for', () =>
  inFolder(async folder => {
    writeFileSync(join(folder, 'old.json'), renderJson(failing))
    const { code, stdout, stderr } = await cli(['report', 'old.json', '--reporter', 'html'], { cwd: folder })
    assert.equal([code, stdout, stderr], [0, 'Reports: report.html\n', ''])
    assert.equal(readdirSync(folder).sort(), ['old.json', 'report.html'])
    const quiet = await cli(['report', 'old.json', '--reporter', 'console', '--quiet'], { cwd: folder, code: 0 })
    assert.match(quiet.stdout, /Nonconformant/)
    assert.not.match(quiet.stdout, /Reports:/)
  }))

test('what is no result is refused in a line, with exit 2, and nothing is written', () =>
  inFolder(async folder => {
    writeFileSync(join(folder, 'other.json'), '{"schemaVersion": 1}')
    for (const args of [['none.json'], ['other.json'], []]) {
      const { code, stdout, stderr } = await cli(['report', ...args, '--out', 'new'], { cwd: folder })
      assert.equal([code, stdout], [2, ''])
      assert.match(stderr, /^core-conformance: [^\n]+ cannot be used as the result of a run: [^\n]+\n$/)
    }
    assert.not.ok(existsSync(join(folder, 'new')))
  }))

test.run()
