/** Runs that leave their waits to other processes. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { reportsIn, resultIn } from './cli-support.js'
import { differences, essence, journalPath, tokensOf, undisturbed } from './support/kills.js'
import { long } from './support/long.js'
import { assertGivenBack, HOUR, linesOf, on, ran, start } from './support/stage.js'

const test = suite('detached')

/** Specs that wait for longer than a minute of an hour from the start. */
const LONG =
  'access-with-token,idle-expires*,idle-still-valid,idle-use-resets,idle-*-resets,idle-own-use-only,revocation-lasts'

long(test)('run --detach ends with all that waits begun, says pending everywhere, and keeps the tokens live', () =>
  on(HOUR, async whole => {
    // The run would stay for a wait of a minute.
    const stage = { ...whole, env: { ...whole.env, CORE_ONLY: LONG } }
    const { mock, folder } = stage
    const { stdout } = await ran(['run', '--detach'], stage, 0)
    assert.match(stdout, /pending/i)
    const { verdict, counts, tokens, texts, advice, specs } = reportsIn(folder)
    assert.is(verdict, 'pending')
    assert.ok(counts.pending > 8 && counts.failed === 0 && counts.passed > 0)
    assert.match(advice ?? '', /bin\.cjs resume$/)
    assert.match(readFileSync(join(folder, 'reports', 'junit.xml'), 'utf8'), /pending/)
    assert.match(texts, /"outcome": ?"pending"/)
    assert.is((await tokensOf(mock)).live, tokens.left)
    assert.ok(tokens.left > 8)
    for (const { id, outcome, message } of specs) if (outcome === 'pending') assert.ok(message, id)
    // Long before anything is due, the process can only leave again.
    await ran(['resume', '--detach'], stage, 0)
    assert.is(resultIn(folder).verdict, 'pending')
    assert.is(resultIn(folder).tokens.issued, tokens.issued, 'nothing was begun anew')
    assert.is((await tokensOf(mock)).live, tokens.left)
    // A Ctrl-C during the wait revokes the tokens.
    const resumed = start(['resume'], stage)
    while (linesOf(folder).filter(type => type === 'process').length < 3) await sleep(20)
    await sleep(200)
    resumed.child.kill('SIGTERM')
    assert.is((await resumed.ended).code, 3)
    assert.is(resultIn(folder).tokens.left, 0)
    await assertGivenBack(stage)
  }),
)

const WAITS =
  'access-with-token,idle-expires*,idle-own-use-only,idle-still-valid,idle-use-resets,logon-wrong-password,revocation-lasts,revocation-rejects'
const baseline = await undisturbed(WAITS)

/**
 * A machine that is too slow for a window in real time is no fault: the test then runs once more with more time. Only
 * inconclusive runs are repeated.
 */
async function withTime(use: (lifetimeMs: number) => Promise<string[]>): Promise<void> {
  let wrong: string[] = []
  for (const lifetimeMs of [4000, 10_000, 25_000, 60_000]) {
    wrong = await use(lifetimeMs)
    if (!wrong.some(text => text.includes('inconclusive'))) break
  }
  assert.equal(wrong, [])
}

test('run --detach, then resume in time: the windows are met, and no token is issued that was not needed', async () => {
  await withTime(lifetimeMs =>
    on(
      lifetimeMs,
      async stage => {
        await ran(['run', '--detach'], stage, 0)
        const before = resultIn(stage.folder)
        assert.is(before.verdict, 'pending')
        const { stdout, stderr } = await ran(['resume'], stage)
        const result = resultIn(stage.folder)
        const wrong = differences(essence(result), baseline.undisturbed)
        // The wait meets its window at the first try, or on a slow machine at the second.
        const late = result.specs.filter(({ firstTry }) => firstTry !== undefined)
        if (late.length) wrong.push(`inconclusive at first: ${late.map(({ id }) => id).join()}`)
        if (!wrong.length) assert.not.match(stdout + stderr, /pending/i)
        assert.is(result.tokens.left, 0)
        await assertGivenBack(stage)
        if (!wrong.length) assert.is(existsSync(journalPath(stage.folder)), false)
        return wrong
      },
      WAITS,
    ),
  )
})

long(test)('run --detach, then resume too late: missed windows run again, and nothing is failed for it', async () => {
  await withTime(lifetimeMs =>
    on(
      lifetimeMs,
      async stage => {
        assert.is((await ran(['run', '--detach'], stage)).code, 0)
        await sleep(lifetimeMs * 1.3)
        await ran(['resume'], stage)
        const result = resultIn(stage.folder)
        assert.is(result.counts.failed, 0)
        const again = result.specs.filter(({ firstTry }) => firstTry !== undefined).map(({ id }) => id)
        assert.ok(again.includes('idle-still-valid'), again.join())
        assert.not.ok(again.includes('idle-expires'), 'what has expired has, however late')
        assert.is(result.tokens.left, 0)
        return differences(essence(result), baseline.undisturbed)
      },
      WAITS,
    ),
  )
})

test.run()
