/** What the judge doubts is sent once more: what repeats accuses, with the fewest requests that show it. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isRepeatable } from '../dist/report/reproduce.js'
import { place } from '../dist/report/words.js'
import type { RunResult, SpecRecord } from '../dist/result.js'
import { runInMemory } from './support/memory-run.js'
import { specsOf } from './support/suite-run.js'

const test = suite('memory repeat')
const [LOGON, USERS] = ['POST /api/v0/logon', 'GET /api/v0/cores/self/users']

/** Returns what a run found by repeating; the run is nonconformant for it, and the requirement not met. */
function repeated({ specs, verdict, requirements }: RunResult): SpecRecord {
  const [found, ...others] = specs.filter(({ area }) => area === 'found')
  assert.ok(found, 'nothing was found')
  assert.is(others.length, 0)
  assert.is(verdict, 'nonconformant')
  const [{ id } = { id: '' }] = found.requirements
  assert.is(requirements.find(requirement => requirement.id === id)?.state, 'not met')
  assert.is(found.id, `found-${id.toLowerCase()}-again`)
  return found
}

const textsOf = ({ steps }: SpecRecord) => steps.map(({ text }) => text)

test('a dead token behind two uses is accused, and nothing else is left of what came before it', async () => {
  const defect = 'logon+after-two-uses-here→gets-a-dead-token'
  const found = repeated(await runInMemory(specsOf('host-missing-revokes-nothing'), { defect }))
  assert.is(found.requirements[0]?.id, 'LOGON-1')
  assert.equal(textsOf(found), [USERS, USERS, LOGON, `${USERS}, behind ${USERS}, ${USERS}, ${LOGON}`])
  assert.match(
    found.message ?? '',
    /401 Unauthorized, .+ in each of 3 tries behind GET .+ POST .+, with nothing else under/,
  )
  const last = found.steps.at(-1)
  assert.is(last?.got, '401 Unauthorized')
  const [missed = -1] = last?.missed ?? []
  assert.is(found.exchanges[missed]?.response?.status, 401)
  // It is in no file, so no command repeats it.
  assert.not(isRepeatable(found))
  assert.is(place(found), 'made by this run')
})

test('the second use on a connection is accused where it is refused, and accepted on another one', async () => {
  const found = repeated(
    await runInMemory(specsOf('access-two-tokens'), { defect: 'use+second-on-connection→refused' }),
  )
  assert.is(found.requirements[0]?.id, 'ACCESS-2')
  assert.equal(textsOf(found), [USERS, `${USERS}, behind ${USERS}`])
})

test('a logon that gives the token again that it carries is accused: what it carries is one of its own', async () => {
  const defect = 'logon+carries-valid-token+after-logon-here→gets-a-valid-token-again'
  const found = repeated(await runInMemory(specsOf('logon-with-token-spares-it'), { defect }))
  assert.is(found.requirements[0]?.id, 'LOGON-1')
  assert.equal(textsOf(found), [LOGON, `${LOGON}, behind ${LOGON}`])
})

test('what it sends leaves no token', async () => {
  let live = Number.NaN
  const result = await runInMemory(specsOf('access-two-tokens'), {
    defect: 'use+second-on-connection→refused',
    answered: (_, { core }) => {
      live = core.state().tokens.live
    },
  })
  repeated(result)
  assert.is(result.tokens.left, 0)
  assert.is(live, 0)
})

test('after a failure nothing is sent once more, since all else may follow from it', async () => {
  const result = await runInMemory(specsOf('access-two-tokens', 'access-token-lasts'), {
    defect: 'use+second-on-connection→refused',
  })
  assert.equal(
    result.specs.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id),
    ['access-token-lasts'],
  )
})

test.run()
