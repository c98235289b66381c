import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { hint, nearest } from '../dist/suite/problem.js'
import { SelectionError, selectSpecs } from '../dist/suite/select.js'
import type { Spec } from '../dist/suite/spec.js'

const test = suite('selecting specs')

const spec = (area: string, id: string): Spec => ({
  id,
  area,
  title: id,
  level: 'must',
  requirements: [],
  accessControl: 'on',
  measuresLifetime: false,
  given: [],
  steps: [],
  file: 'x.yaml',
  line: 1,
})
const SPECS = [
  spec('host', 'host-missing-logon'),
  spec('host', 'host-missing-access'),
  spec('idle', 'idle-expires'),
  spec('logon', 'logon-issues'),
  spec('logon', 'host'),
]
const select = (...only: string[]) => selectSpecs(SPECS, only).map(({ id }) => id)
const ALL = SPECS.map(({ id }) => id)

function refusal(only: string[], label?: string): string {
  try {
    selectSpecs(SPECS, only, label)
  } catch (error) {
    assert.instance(error, SelectionError)
    return error instanceof Error ? error.message : ''
  }
  assert.unreachable(`${only} was taken`)
  return ''
}

test('nothing asked for is everything', () => assert.equal(select(), ALL))

test('ids, areas and patterns', () => {
  assert.equal(select('idle-expires'), ['idle-expires'])
  assert.equal(select('idle'), ['idle-expires'])
  assert.equal(select('*'), ALL)
  assert.equal(select('*-missing-*'), ['host-missing-logon', 'host-missing-access'])
  assert.equal(select('i*s'), ['idle-expires'])
  // An area and an id may have the same name; the selection then means both.
  assert.equal(select('host'), ['host-missing-logon', 'host-missing-access', 'host'])
})

test('the order is that of the suite, and nothing comes twice', () => {
  assert.equal(select('logon-issues', 'idle', 'idle-*', 'idle-expires'), ['idle-expires', 'logon-issues'])
})

test('a name is matched whole, in its own case, and its dots and brackets are no pattern', () => {
  for (const name of ['idle-expire', 'dle-expires', 'IDLE', 'idle.expires', 'idle-expires|host', '[a-z]*', '']) {
    assert.match(refusal([name]), /no spec and no area/)
  }
})

test('one name that matches nothing refuses all, with the nearest that there is', () => {
  assert.is(
    refusal(['idle', 'idle-expire']),
    "--only: no spec and no area is called 'idle-expire'; did you mean 'idle-expires'?",
  )
  assert.is(refusal(['hots'], 'CORE_ONLY'), "CORE_ONLY: no spec and no area is called 'hots'; did you mean 'host'?")
  assert.is(
    refusal(['revocation-survives']),
    "--only: no spec and no area is called 'revocation-survives'; areas: host, idle, logon; core-conformance list shows the specs",
  )
  assert.is(
    refusal(['missing-hostname']),
    "--only: no spec and no area is called 'missing-hostname'; did you mean 'host-missing-logon' or 'host-missing-access'?",
  )
})

test('a hint is given only where it is more help than noise', () => {
  assert.is(nearest('sned', ['send', 'wait']), 'send')
  assert.is(nearest('SEND', ['send', 'wait']), 'send')
  assert.is(nearest('<<', ['id', 'when']), undefined)
  assert.is(nearest('b', ['a']), undefined)
  assert.is(nearest('', ['a']), undefined)
  assert.is(nearest('completely-else', ['send']), undefined)
  assert.is(hint('x', []), '')
  const many = Array.from({ length: 20 }, (_, index) => `word-${index}`)
  assert.is(hint('x', many), `; known: ${many.slice(0, 12).join(', ')} and 8 more`)
})

test('what begins with ! is left out, wherever it stands; alone, of all', () => {
  assert.equal(select('host', '!host-missing-access'), ['host-missing-logon', 'host'])
  assert.equal(select('!host-*', 'host', 'idle'), ['idle-expires', 'host'])
  assert.equal(select('!host', '!idle-expires'), ['logon-issues'])
  assert.match(refusal(['!hots']), /no spec and no area is called 'hots'; did you mean 'host'\?/)
  assert.match(refusal(['idle', '!idle-expires']), /^--only: the selection leaves out everything that it names/)
})

test.run()
