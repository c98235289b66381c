import { readFileSync } from 'node:fs'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { unpacked } from '../dist/ground/shared-values.js'
import { renderJson } from '../dist/report/json.js'
import type { RunResult } from '../dist/result.js'
import { schemaErrors } from '../dist/suite/schema.js'
import { HOSTILE } from './fixtures/results/hostile.js'
import { answered, exchange, result, spec, step } from './fixtures/results/results.js'
import * as samples from './fixtures/results/samples.js'

test('two spaces, a line feed at the end, and nothing lost', () => {
  for (const run of Object.values(samples)) {
    const text = renderJson(run)
    assert.match(text, /^\{\n {2}"schemaVersion": 2,\n {2}"suite": \{\n {4}"name": "core-conformance",\n/)
    assert.match(text, /[^\n]\n$/)
    assert.equal(unpacked(JSON.parse(text)), run)
  }
})

test('each exchange, and each value that exchanges share, stands on a line of its own', () => {
  const text = renderJson(samples.failing)
  const { specs, shared } = JSON.parse(text) as RunResult
  const values = [...specs.flatMap(({ exchanges }) => exchanges), ...(shared ?? [])]
  const lines = text.split('\n').map(line => line.trim().replace(/,$/, ''))
  for (const value of values) assert.ok(lines.includes(JSON.stringify(value)), JSON.stringify(value))
})

test('what exchanges have in common is there once: a path, a body, a field, all fields, a request, a response', () => {
  const many: [string, string][] = Array.from({ length: 70 }, (_, at) => [`X-${at}`, 'the same in each'])
  const asked = (path: string, more: [string, string][] = []) =>
    exchange({ request: { method: 'POST', path, httpVersion: '1.1', headers: [...many, ...more], body: 'the body' } })
  const variation = 'a head in pieces, 70 header fields more'
  const exchanges = [asked('/a'), asked('/a'), asked('/b'), asked('/b', [['Y', 'another']]), asked('/c')]
  const run = result([spec({ exchanges: exchanges.map(each => ({ ...each, variation })) })], { survey: [] })
  const text = renderJson(run)
  for (const once of ['"/a"', '"/b"', 'the body', 'the same in each', '{\\"users', 'a head in pieces', '"X-7"'])
    assert.is(text.split(once).length - 1, once === 'the same in each' ? 70 : 1, once)
  assert.equal(unpacked(JSON.parse(text)), run)
  assert.equal(schemaErrors('result', JSON.parse(text)), [])
  assert.equal(schemaErrors('result', run), [], 'an exchange may be whole')
})

test('hostile text survives, also broken Unicode', () => {
  for (const text of Object.values(HOSTILE)) {
    const run = result([spec({ exchanges: [answered(text)] })])
    const read = JSON.parse(Buffer.from(renderJson(run)).toString('utf8'))
    assert.equal(unpacked(read).specs, run.specs)
  }
})

test('the schema is closed everywhere, and accepts a run without specs, and every outcome of a step', () => {
  const schema = JSON.parse(readFileSync(new URL('../contracts/result.schema.json', import.meta.url), 'utf8'))
  JSON.stringify(schema, (key, part) => {
    // Conditions only name keys that are described elsewhere.
    if (/^(if|then|else|anyOf|allOf)$/.test(key)) return undefined
    if (part?.type === 'object' && part.properties) assert.is(part.additionalProperties, false, part.description)
    return part
  })
  const steps = [step({ outcome: 'not run', expected: 'x' }), step({ outcome: 'missed window' })]
  for (const run of [result([]), result([spec({ steps })])]) assert.equal(schemaErrors('result', run), [])
})

/** Each with the place of a value, and what stands there instead; nothing: the value is not there. */
const BROKEN: [name: string, place: string, value?: unknown][] = [
  ['an unknown key far below', 'specs.0.exchanges.0.request.cookie', 'x'],
  ['another version', 'schemaVersion', 3],
  ['a failure without a message', 'specs.6.message'],
  ['a pass with a message', 'specs.0.message', 'why'],
  ['a failure of what is only observed', 'specs.6.level', 'observe'],
  ['an exchange without response and error', 'specs.0.exchanges.0.response'],
  ['an expectation without what came', 'specs.6.steps.3.got'],
  ['a header of three', 'specs.0.exchanges.0.request.headers.0', ['Host', 'a', 'b']],
  ['a local time', 'startedAt', '2025-03-01T14:05:09+01:00'],
  ['credentials in the URL', 'target.url', 'https://operator:secret@10.0.0.5'],
  ['a fingerprint in lower case', 'target.certificateFingerprint', Array(32).fill('ab').join(':')],
  ['an excluded requirement without a reason', 'requirements.6.reason'],
  ['a broken pointer', 'dialect.token.pointer', 'token'],
]

for (const [name, place, value] of BROKEN) {
  test(`the schema rejects ${name}`, () => {
    // biome-ignore lint/suspicious/noExplicitAny: the point is to put into it what the type forbids
    const run: any = structuredClone(samples.failing)
    const keys = place.split('.')
    const last = keys.pop() ?? ''
    const part = keys.reduce((of, key) => of[key], run)
    if (value === undefined) assert.ok(last in part && delete part[last])
    else part[last] = value
    assert.ok(schemaErrors('result', run).length > 0)
  })
}

test.run()
