/** What a run tells of mock Cores with a defect each: which specs fail, what these accuse, and in which words. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { accusedBy, assertFailed } from './support/checked-run.js'
import { long } from './support/long.js'
import { type MemoryRun, runInMemory } from './support/memory-run.js'
import { QUICK, recordOf, specsOf } from './support/suite-run.js'

const test = suite('defects')

/** Further specs, which do not fail, and whatever else differs from a default run. */
interface More extends MemoryRun {
  beside?: string
  isLong?: true
}

/** What it shows, the defect, `REQUIREMENT by SPECS`, and what the first of these says. */
type Row = [shows: string, defect: string, accused: string, says: RegExp, more?: More]

const IN_QUICK: More = { configuration: QUICK }
const SHARED = 'idle-expires idle-expires-elsewhere idle-expires-head idle-survives-logon'
const OLDEST: More = { beside: 'idle-expires idle-still-valid idle-every-use-resets' }
const FRESH: More = { beside: 'access-with-token access-two-tokens logon-issues-token revocation-rejects' }

const ROWS: Row[] = [
  // ---- Steps that range over a family --------------------------------------------------------------------------------
  [
    'a failure names every variation that got through, not the first',
    'access-second-half-ignored',
    'ACCESS-1 by variations-token-characters',
    /got 23 of 46 got through: character 34 of 64 changed \(200 OK\); character 35 of 64 changed/,
    { isLong: true },
  ],
  [
    'a token that a logon gives once more is not revoked for it: that is no end of a token, but no new one',
    'logon+carries-valid-token→gets-a-valid-token-again',
    'LOGON-1 by variations-logons-spare-others',
    /: a valid token \(201 Created, with a token that had been issued before\)/,
  ],
  [
    'a revocation that hits: each variation that ended a token is found out, with fresh tokens',
    'revoke-shortened-token-ends-it',
    'REVOKE-2 by variations-revocation-lookalikes',
    /these end one: without its last character; its first half;/,
    { isLong: true },
  ],
  [
    'without Host, every answer that is not 406 is named',
    'host-looked-for-after-token',
    'HOST-1 by variations-host-requests',
    /got 6 of \d+ did not do so: a token that was never issued \(401 Unauthorized\); a word for a token \(401 Unauthorized\)/,
  ],
  [
    'a Core that takes one form of JSON only is accused of each that it refuses',
    'logon-escapes-refused',
    'LOGON-1 by variations-right-credentials',
    /got 5 of 13 did not do so: escapes in the password \(401 Unauthorized\); escapes in the user name/,
  ],
  // ---- Rows ------------------------------------------------------------------------------------------------------------
  [
    'a fault that takes two things at once is found in a full run, and told by these two alone',
    'access-head-with-many-headers-needs-no-token',
    'ACCESS-1 by variations-requests',
    /got through: HEAD and (70|100) header fields more \(200 OK\)/,
  ],
  [
    'a revocation that has no effect in some form is reduced to it, and its token is given back',
    'revocation+curl→does-not-end-its-token',
    'REVOKE-1 by variations-revocations',
    /: User-Agent of curl \(204 No Content, and the token is still accepted\)/,
    IN_QUICK,
  ],
  [
    'a logon that gets a token again in some form is reduced to it',
    'logon+cookie→gets-a-valid-token-again',
    'LOGON-1 by variations-logons',
    /: (a cookie|Cookie twice) \(201 Created, with a token that had been issued before\)/,
    IN_QUICK,
  ],
  [
    'a logon that gets no token in some form is reduced to it',
    'logon-with-cookie-refused',
    'LOGON-1 by variations-logons',
    /: (a cookie|Cookie twice) \(401 Unauthorized\)/,
    IN_QUICK,
  ],
  // ---- Blame -----------------------------------------------------------------------------------------------------------
  ...['', '-late'].map(
    (late): Row => [
      'a bystander that dies accuses the requirement of its spec, also when it dies a moment later',
      `revoke-without-token-ends-newest${late}`,
      'REVOKE-2 by revocation-without-token',
      /a token that the request does not carry is ended: the newest/,
    ],
  ),
  [
    'a first use that is refused fails the one spec that tests it',
    'logon-token-first-use-rejected',
    'ACCESS-2 by access-fresh-token',
    /; sent again, the same request was accepted/,
    FRESH,
  ],
  [
    'a token that works only after a while fails the one spec that tests it',
    'access-token-usable-after-300-ms',
    'ACCESS-2 by access-fresh-token',
    /; it was accepted only \d+ ms after its logon/,
    FRESH,
  ],
  [
    'a revoked token that only its old connection still takes is told so, with how to repeat it',
    'revoked+used-here→accepted',
    'REVOKE-1 by revocation-same-connection',
    /on \d+ new ones the same request is rejected.*To repeat it, send the steps up to this one on one connection/,
  ],
  [
    'a firmware that answers another status itself is not taken for a server in front',
    'host-missing-answered-400',
    'HOST-1 by host-missing-access-http11',
    /got 400 Bad Request(?!.*in front)/,
    { beside: 'host-missing-issues-nothing host-missing-revokes-nothing' },
  ],
  [
    'a logon without Host that issues a token is another thing than its answer, and that token is given back',
    'host-missing-logon-issues-token',
    'HOST-2 by host-missing-issues-nothing-http10 host-missing-issues-nothing-http11',
    /got 406 Not Acceptable, with a token that opens the API/,
    { beside: 'host-missing-logon host-missing-revokes-nothing' },
  ],
  [
    'so is a revocation without Host',
    'host-missing-delete-revokes',
    'HOST-2 by host-missing-revokes-nothing-http10 host-missing-revokes-nothing-http11',
    /expected accepted, as a fresh token is \(200 OK\); got 401/,
    { beside: 'host-missing-revoke host-missing-issues-nothing' },
  ],
  ...['dropped', 'never-answered'].map(
    (how): Row => [
      'a Core that answers nothing to a request without Host is not taken to be gone',
      how === 'dropped' ? 'host-missing-connection-dropped' : 'host-missing-never-answered',
      'HOST-1 by host-missing-access-http11 host-missing-access-http10',
      /got (no response within 0\.3 s|the connection ended)/,
      { beside: 'access-with-token', configuration: { deadlineMs: 300 } },
    ],
  ),
  [
    'a fault behind refusals of another shape is seen',
    'revoke-does-nothing',
    'REVOKE-1 by revocation-rejects',
    /rejected, as a request without a token is \(a redirect to \/login\)/,
    { beside: 'access-with-token', dialect: 'rejections-302', left: true },
  ],
  [
    'a token counts, whatever the status of its logon says',
    'any-wrong-password→refused-with-a-token',
    'LOGON-2 by logon-wrong-password',
    /got 401 Unauthorized, with a token that opens the API/,
  ],
  ...['refused', 'gets-no-token'].map(
    (effect): Row => [
      'what a connection was used for before is told from a limit of logons',
      `logon+used-here→${effect}`,
      'LOGON-1 by logon-repeated',
      /sent again at once on a new connection, the same logon got one/,
      { beside: 'logon-issues-token logon-tokens-distinct', ...IN_QUICK, left: effect !== 'refused' },
    ],
  ),
  ...['after-406-here', 'refused-logon-here'].map(
    (before): Row => [
      'what came before on a connection is told',
      `use+${before}→refused`,
      'ACCESS-2 by connections-any-past',
      /only on a connection that was used before: on \d+ new ones the same request is accepted/,
      { beside: 'access-token-lasts' },
    ],
  ),
  [
    'a token that is dead at birth accuses its logon, and not the logons after it',
    'logon+after-logon→gets-a-dead-token',
    'LOGON-1 by logon-repeated logon-at-once',
    /got 401 Unauthorized/,
    { beside: 'logon-issues-token', ...IN_QUICK },
  ],
  [
    'with a single connection, requests are still seen to end the tokens of others',
    'logon-refusal-ends-tokens',
    'LOGON-4 by logon-wrong-password',
    /a token that the request does not carry is ended/,
    { configuration: { concurrency: 1 } },
  ],
  // ---- Time ------------------------------------------------------------------------------------------------------------
  [
    'a Core that revives what has lapsed fails all who look, and none is called inconclusive',
    'idle-never-expires',
    `IDLE-1 by ${SHARED}`,
    /the token had been unused for 1 h 3 min, and is judged by an idle lifetime of 1 h/,
  ],
  [
    'a Core that lets a token die early is accused of that, and of nothing that comes later',
    'idle-lifetime-halved',
    'IDLE-3 by idle-still-valid idle-use-resets',
    /the token had been unused for 55 min 48 s, and is judged by an idle lifetime of 1 h/,
    { beside: SHARED },
  ],
  [
    'a use that keeps the oldest token of all alive is seen, as long as that is unused',
    'use→resets-the-timer-of-the-oldest',
    'IDLE-1 by idle-expires-alone',
    /the token had been unused for 1 h 3 min/,
    OLDEST,
  ],
  [
    'so is a refused logon that revives it',
    'refused-logon→revives-expired-the-newest',
    'IDLE-1 by idle-expires-alone',
    /got 200 OK.*, which had expired/,
    OLDEST,
  ],
]

for (const [shows, defect, accused, says, { beside, isLong, ...more } = {}] of ROWS)
  (isLong ? long(test) : test)(`${shows} (${defect})`, async () => {
    const [requirement = '', ...ids] = accused.replace(' by', '').split(' ')
    const [first = ''] = ids
    const result = await runInMemory(specsOf(...ids, ...(beside?.split(' ') ?? [])), { left: false, ...more, defect })
    assertFailed(result, ids)
    for (const id of ids) assert.equal(accusedBy(result, id), [requirement], id)
    assert.not.match(result.notices.join('\n'), /slowed down|room for/)
    for (const { id, outcome } of result.specs) assert.ok(/^(failed|passed)$/.test(outcome), `${id}: ${outcome}`)
    const { message, steps } = recordOf(result, first)
    assert.match(`${message}\n${steps.find(({ outcome }) => outcome === 'miss')?.seen}`, says)
  })

test.run()
