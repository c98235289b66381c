/** A mock Core modelled on the Core of a run: in a run against it, the suite sees the same dialect and the same facts. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Dialect, loadDialect } from '../dist/mock/index.js'
import type { RunResult } from '../dist/result.js'
import { makeFolder } from './support/folder.js'
import { long } from './support/long.js'
import { runInMemory } from './support/memory-run.js'
import { SPECS, specsOf } from './support/suite-run.js'

const folder = makeFolder()
const test = suite('dialect of a result')

/** Specs that show the parts of a dialect or facts; the matrix runs all other specs on each dialect. */
const TELLING = SPECS.filter(
  ({ id, area, given, steps }) =>
    area === 'observe' ||
    /^(logon-wrong-password|logon-malformed-body|host-missing-access|host-doubled|host-empty)/.test(id) ||
    [...given, ...steps].some(step => step.action === 'send' && step.observe !== undefined && step.each === undefined),
)

/** The token's place and the framing show in the survey and in each answer; the answers themselves are the default's. */
const FRAMED = specsOf(
  'logon-wrong-password',
  'observe-access',
  'observe-logon',
  'observe-no-token',
  'observe-revocation',
  'observe-revoked-token',
  'observe-scheme-case',
)

/** With those, the specs that a dialect shows in beyond them. */
const framedAnd = (...ids: string[]) => [...FRAMED, ...specsOf(...ids)]

/** The specs of a missing Host, with each version of HTTP. */
const hostless = (where: string) => [`host-missing-${where}-http11`, `host-missing-${where}-http10`]

function withStatus(exchanges: RunResult['specs'][number]['exchanges'], status: number) {
  return exchanges.map(exchange => ({ ...exchange, response: exchange.response && { ...exchange.response, status } }))
}

async function dialectOf(result: unknown): Promise<{ dialect: Dialect; notes: string[] }> {
  const file = join(folder, 'result.json')
  writeFileSync(file, typeof result === 'string' ? result : JSON.stringify(result))
  const notes: string[] = []
  return { dialect: await loadDialect(file, note => notes.push(note)), notes }
}

const DIALECTS: [name: string, specs: typeof SPECS][] = [
  ['token-nested', FRAMED],
  ['token-in-header', FRAMED],
  ['token-in-cookie', FRAMED],
  ['token-as-number', FRAMED],
  ['token-with-scheme', FRAMED],
  ['token-jwt', FRAMED],
  ['headers-many', FRAMED],
  ['chunked', FRAMED],
  ['rejections-html', TELLING],
  ['revocation-always-204', framedAnd('observe-revocation-repeated', 'observe-revocation-without-token')],
  ['http10-refused', framedAnd(...hostless('access'), 'observe-head')],
  ['newest-token-only', framedAnd(...hostless('access'), 'observe-concurrent-tokens')],
  ['users-forbidden', framedAnd('observe-head', 'observe-access-mode', 'observe-other-version')],
  ['options-open', framedAnd('observe-options', 'observe-head')],
  ['host-406-html', framedAnd(...hostless('access'), ...hostless('access-no-token'), 'host-empty', 'host-doubled')],
]

for (const [index, [name, specs]] of DIALECTS.entries()) {
  const every = index < 3 ? test : long(test)
  every(`as ${name}`, async () => {
    const original = await runInMemory(specs, { dialect: name })
    const { dialect, notes } = await dialectOf(original)
    const replica = await runInMemory(specs, { dialect })
    // Speed is no part of a dialect.
    assert.equal({ ...replica.dialect, latency: null }, { ...original.dialect, latency: null })
    assert.equal(replica.facts, original.facts)
    assert.is(replica.verdict, 'conformant')
    assert.match(notes.join('\n'), /^A run does not show how many tokens or logons a Core takes/m)
    assert.match(dialect.title, /^As https:\/\/mock-core answered on \d{4}-/)
  })
}

long(test)('what cannot be said by a dialect is told', async () => {
  const faulty = await runInMemory([...TELLING, ...specsOf('access-without-token')], {
    defect: 'access-no-token-accepted',
  })
  const { notes, dialect } = await dialectOf({
    ...faulty,
    dialect: { ...faulty.dialect, sessions: 'same' },
    specs: faulty.specs.map(spec =>
      spec.id === 'host-empty' ? { ...spec, exchanges: withStatus(spec.exchanges, 406) } : spec,
    ),
    configuration: { ...faulty.configuration, accessControl: 'off', idleLifetimeMs: 30_000, probePath: '/api/v0/x' },
  })
  const told = notes.join('\n')
  assert.match(told, /Every logon gave the same token/)
  assert.match(told, /with access control off/)
  assert.match(told, /an empty Host as a missing one/)
  assert.match(told, /an idle lifetime of 30000 ms/)
  assert.match(told, /asked for \/api\/v0\/x/)
  assert.match(told, /Its faults are no dialect.*access-without-token-http11/)
  assert.is(dialect.answers.tokenMissing.status, 401)
})

test('a result that is broken, or of another format, is refused in a sentence', async () => {
  const suiteOf = { suite: { name: 'core-conformance' } }
  const refused = (result: unknown) =>
    dialectOf(result).then(
      () => 'taken',
      (error: Error) => error.message,
    )
  assert.match(await refused({ ...suiteOf, schemaVersion: 99 }), /result\.json: a result of format 99; .* format 2$/)
  assert.match(await refused({ ...suiteOf, schemaVersion: 2 }), /shows no logon with a token/)
  assert.match(
    await refused({ ...suiteOf, schemaVersion: 2, survey: [7, null, { request: [] }], specs: 'x' }),
    /no logon/,
  )
  assert.match(await refused('{"suite": '), /not valid YAML/)
  assert.match(await refused({ suite: 1 }), /there is no key 'suite' here/)
})

test.run()
