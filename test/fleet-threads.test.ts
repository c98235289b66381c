/** The threads that run the Cores of a fleet: distributed, reported, stopped, and lost. */
import { availableParallelism } from 'node:os'
import { Writable } from 'node:stream'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type ReadyCore, runCores } from '../dist/commands/fleet/cores.js'
import { Seal } from '../dist/journal/seal.js'
import { long } from './support/long.js'

const test = suite('threads of a fleet')
const THREAD = new URL('fixtures/threads/fleet-thread.mjs', import.meta.url)
const configuration = { profile: 'full', idleLifetimeMs: 5000, accessControl: 'on', only: [] as string[] } as const

/** Runs Cores of these names. @returns verdicts with reasons by name, and the messages */
async function run(names: readonly string[], { stopMs, file = THREAD }: { stopMs?: number; file?: URL } = {}) {
  const seal = Seal.embedded(Seal.salt())
  const ready = names.map(
    (name): ReadyCore => ({
      head: { name, url: 'https://10.0.0.5', configuration: { ...configuration, only: [] } },
      outDir: name,
      isNew: true,
      password: 'a password',
      seal,
      controlKey: undefined,
      reporters: [],
    }),
  )
  let said = ''
  const stderr = new Writable({
    write: (chunk, _encoding, done) => {
      said += String(chunk)
      done()
    },
  })
  const ending = new AbortController()
  const timer = stopMs === undefined ? undefined : setTimeout(() => ending.abort(), stopMs)
  const how = { atATime: 100, detach: false, resumeCommand: 'core-conformance resume', board: undefined }
  const end = await runCores(ready, { ...how, signal: ending.signal, terminal: { stderr } }, file)
  clearTimeout(timer)
  const told = Object.fromEntries(end.cores.map(({ name, verdict, reason }) => [name, { verdict, reason }]))
  return { end, told, said }
}

test('Cores are dealt out to as many threads as there are processors, and all that they say is told', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(name => `waits-${name}`)
  const { end, said } = await run(names)
  assert.equal(end.cores.map(({ name }) => name).sort(), names)
  assert.is(end.requirements.length, 1, 'they are told once')
  for (const name of names) assert.match(said, new RegExp(`${name} on \\d+\n[^]*${name} done`))
  const threads = new Set([...said.matchAll(/ on (\d+)/g)].map(([, id]) => id))
  assert.is(threads.size, Math.min(8, availableParallelism()))
})

test('a stop reaches each Core', async () => {
  const { end, said } = await run(['waits'], { stopMs: 500 })
  assert.equal(
    end.cores.map(({ verdict }) => verdict),
    ['conformant'],
  )
  assert.match(said, /waits done/)
})

for (const name of ['ends', 'throws', 'grows'])
  long(test)(`a thread that ${name}: its Cores are told as incomplete, and the others are run`, async () => {
    // As many as there may be threads, so that at least one runs beside the one that ends.
    const beside = Array.from({ length: 8 }, (_, index) => `fine-${index}`)
    const { end, told, said } = await run([name, ...beside])
    assert.is(end.cores.length, 9)
    assert.is(told[name]?.verdict, 'incomplete')
    assert.match(told[name]?.reason ?? '', /^the thread that ran it ended .*; the Core was not judged$/)
    if (name === 'grows') assert.match(told[name]?.reason ?? '', /because it ran out of memory/)
    assert.is(end.cores.find(core => core.name === name)?.advice, 'finish it with: core-conformance resume')
    assert.not.match(JSON.stringify(end) + said, /a secret/)
    const conformant = Object.values(told).filter(({ verdict }) => verdict === 'conformant')
    assert.ok(conformant.length > 0, JSON.stringify(told))
  })

test('where no thread can begin, that is told of each Core', async () => {
  const { told } = await run(['a', 'b', 'c', 'd'], { file: new URL('fixtures/threads/none.mjs', import.meta.url) })
  for (const { verdict, reason } of Object.values(told)) {
    assert.is(verdict, 'incomplete')
    assert.match(reason, /^the thread that ran it ended/)
  }
  assert.is(Object.keys(told).length, 4)
})

test.run()
