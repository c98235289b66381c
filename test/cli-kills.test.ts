/** Runs that are killed at random points with SIGKILL, in real time, and finished by other processes. */
import { randomInt } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { randomFrom } from '../dist/ground/random.js'
import { killAndResume, undisturbed } from './support/kills.js'
import { long } from './support/long.js'

const test = suite('kills')

/** Specs of each kind of wait, and one of each other kind. `npm run kills` takes the whole suite, and a seed. */
const ONLY =
  'idle-expires*,idle-own-use-only,idle-still-valid,idle-use-resets,access-with-token,access-unknown-token,host-missing-logon*,logon-issues-token,logon-wrong-*,revocation-rejects,revocation-lasts,observe-expired-token,observe-form-logon'

long(test)(
  'kills in a row: verdict, outcomes and facts are those of an undisturbed run, and no token is forgotten',
  async () => {
    const seed = randomInt(2 ** 31)
    const random = randomFrom(seed)
    const baseline = await undisturbed(ONLY)
    let kills = 0
    let resumes = 0
    // The first run is killed several times in a row, even while it is resumed; the others once.
    for (let trial = 0; kills < 3 || resumes === 0; trial++) {
      const killsAt = trial === 0 ? [0.3, random() / 2, random() / 2] : [random()]
      const found = await killAndResume({ only: ONLY, ...baseline, killsAt })
      assert.equal(found.wrong, [], `seed ${seed}, trial ${trial}, killed at ${killsAt.join(', ')} of the time`)
      kills += found.kills
      resumes += found.resumes
      assert.ok(trial < 40, `${kills} kills and ${resumes} runs to resume in ${trial} trials`)
    }
  },
)

test('chance is the same for the same seed', () => {
  const numbers = (seed: number) => Array.from({ length: 5 }, randomFrom(seed))
  assert.equal(numbers(7), numbers(7))
  assert.not.equal(numbers(7), numbers(8))
  for (const number of numbers(9)) assert.ok(number >= 0 && number < 1)
})

test.run()
