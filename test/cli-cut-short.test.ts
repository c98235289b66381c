/** Runs that end themselves, since the Core limits them for too long or is gone: alone and in a fleet, `resume` finishes them. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { cli, resultIn, type ScriptedCore, withCore } from './cli-support.js'

const test = suite('runs that end themselves')

const ONLY = 'access*,logon-issues-token'
/** How many requests the Core answers first: those of the survey, and some specs. */
const ANSWERED = 40

/** What stops the run, after some requests. */
interface Trouble {
  what: string
  how: 'alone' | 'in a fleet'
  args: string[]
  /** Where the result of the Core stands. */
  out: string
  reason: RegExp
  /** Brings it about. @returns makes the Core well again */
  begin(core: ScriptedCore): () => Promise<void> | void
}

const TROUBLES: Trouble[] = [
  {
    what: 'a Core that limits it for longer than it may take',
    how: 'in a fleet',
    args: ['run', '--all-targets', '--config', 'lab.yaml'],
    out: join('reports', 'lab-1'),
    reason: /the Core asks to slow down, now for 1 h.*--patience 2 s/,
    begin: ({ script, requests }) => {
      script.answer = (_request, _body, right) =>
        requests.length > ANSWERED ? { status: 429, headers: { 'Retry-After': '3600' } } : right()
      return () => {
        delete script.answer
      }
    },
  },
  {
    what: 'a Core that is gone',
    how: 'alone',
    args: ['run', 'lab-1', '--config', 'lab.yaml'],
    out: 'reports',
    reason: /the Core cannot be reached any more, after .*--patience 2 s/,
    begin: core => {
      let back: (() => Promise<void>) | undefined
      core.script.answer = (_request, _body, right) => {
        if (core.requests.length !== ANSWERED) return right()
        back = core.goAway()
        return 'hang'
      }
      return () => back?.()
    },
  },
]

for (const { what, how, args, out, reason, begin } of TROUBLES)
  test(`${what}, ${how}: the journal stays, and the line that is printed finishes the run`, () =>
    withCore({}, async (core, folder) => {
      const heal = begin(core)
      const { CORE_URL, CORE_PASSWORD: CORE_PASSWORD_LAB_1 = '', ...env } = core.env
      writeFileSync(join(folder, 'lab.yaml'), `targets:\n  lab-1:\n    url: ${CORE_URL}\n`)
      const given = {
        ...env,
        CORE_PASSWORD_LAB_1,
        CORE_ONLY: ONLY,
        CORE_PROFILE: 'quick',
        CORE_PATIENCE: '2s',
        CORE_EXPLORE: '0',
      }
      const first = await cli(args, { cwd: folder, env: given, code: 3 })
      const flat = first.stdout.replace(/\s+/g, ' ')
      assert.match(flat, reason)
      const [, line = ''] = /finish it with: core-conformance (resume --config lab\.yaml)/.exec(flat) ?? []
      assert.ok(line, flat)
      assert.ok(existsSync(join(folder, out, 'journal.ndjson')))
      const cut = resultIn(folder, out)
      const unjudged = new Set(cut.specs.flatMap(({ outcome, message }) => (outcome === 'skipped' ? [message] : [])))
      const repeated = [...unjudged].filter(message => /reach|slow/.test(message ?? ''))
      assert.equal(repeated, [], 'told once, above')
      assert.ok(cut.counts.passed > 0)

      await heal()
      const { CORE_EXPLORE: _, ...again } = given
      await cli(line.split(' '), { cwd: folder, env: again, code: 0 })
      assert.not(existsSync(join(folder, out, 'journal.ndjson')))
      const { counts, verdict } = resultIn(folder, out)
      assert.equal([verdict, counts.blocked], ['conformant', 0])
      assert.is(core.live.size, 0)
    }))

test.run()
