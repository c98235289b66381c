/** The processes that run the Cores of a fleet: distributed, reported, stopped, and lost. */
import { availableParallelism } from 'node:os'
import { Writable } from 'node:stream'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { CoreTask } from '../dist/commands/fleet/share.js'
import { runCores } from '../dist/commands/fleet/shares.js'
import { long } from './support/long.js'

const test = suite('shares of a fleet')
const CHILD = new URL('fixtures/shares/child.mjs', import.meta.url)
const configuration = { profile: 'full', idleLifetimeMs: 5000, accessControl: 'on', only: [] as string[] } as const
/** With one processor, or few Cores, there is no child process. */
const MANY = Array.from({ length: 12 }, (_, index) => `fine-${index}`)

/** How Cores are run here. */
interface How {
  stops?: (said: string) => boolean
  file?: URL
}

/** Runs Cores of these names. @returns verdicts with reasons by name, and the messages */
async function run(names: readonly string[], { stops = () => false, file = CHILD }: How = {}) {
  const tasks = names.map(
    (name): CoreTask => ({
      head: { name, url: 'https://10.0.0.5', configuration: { ...configuration, only: [] } },
      outDir: name,
      password: 'a password',
      keys: new Uint8Array(64),
      controlKey: undefined,
      reporters: [],
    }),
  )
  let said = ''
  const ending = new AbortController()
  const output = new Writable({
    write: (chunk, _encoding, done) => {
      said += String(chunk)
      if (stops(said)) ending.abort()
      done()
    },
  })
  const how = { atATime: 100, detach: false, resumeCommand: 'core-conformance resume', board: undefined }
  const terminal = { stdout: output, stderr: output, color: false }
  const end = await runCores(tasks, { ...how, signal: ending.signal, terminal }, file)
  const told = Object.fromEntries(end.cores.map(({ name, verdict, reason }) => [name, { verdict, reason }]))
  return { end, told, said }
}

const many = availableParallelism() > 1 ? test : test.skip

const processes = (said: string) => new Set([...said.matchAll(/ in (\d+)/g)].map(([, pid]) => pid))

many('Cores are dealt out to several processes, and all that they say is told', async () => {
  process.env.CORE_PASSWORD = 'a password'
  const { end, said } = await run(MANY)
  delete process.env.CORE_PASSWORD
  assert.not.match(said, /inherits/)
  assert.equal(end.cores.map(({ name }) => name).sort(), [...MANY].sort())
  assert.is(end.requirements.length, 1, 'they are told once')
  for (const name of MANY) assert.match(said, new RegExp(`${name} in \\d+\n[^]*${name} done`))
  assert.not(processes(said).has(String(process.pid)))
})

many('a stop reaches each Core of each process', async () => {
  // A process takes four of these at a time, so no stop comes before a second one has begun.
  const names = MANY.map((_, index) => `waits-${index}`)
  const { end, said } = await run(names, { stops: text => processes(text).size > 1 })
  assert.is(end.cores.length, 12)
  for (const [, name] of said.matchAll(/(\S+) in \d+/g)) assert.match(said, `${name} done`)
})

for (const name of ['throws', 'grows', 'killed'])
  long(many as typeof test)(
    `a process that ${name}: its Cores are told as incomplete, and the others are run`,
    async () => {
      const { end, told, said } = await run([name, ...MANY])
      assert.is(end.cores.length, 13)
      assert.is(told[name]?.verdict, 'incomplete')
      assert.match(told[name]?.reason ?? '', /^the process that ran it (ended|was killed) .*; the Core was not judged$/)
      assert.is(name === 'killed', told[name]?.reason.includes('was killed (SIGKILL, by the system if memory ran out)'))
      if (name === 'grows') assert.match(told[name]?.reason ?? '', /because it ran out of memory/)
      assert.is(end.cores.find(core => core.name === name)?.advice, 'finish it with: core-conformance resume')
      assert.not.match(JSON.stringify(end) + said, /a secret/)
      const conformant = Object.values(told).filter(({ verdict }) => verdict === 'conformant')
      assert.ok(conformant.length > 0, JSON.stringify(told))
    },
  )

many('where no process can begin, that is told of each Core', async () => {
  const { told } = await run(MANY, { file: new URL('fixtures/shares/none.mjs', import.meta.url) })
  for (const { verdict, reason } of Object.values(told)) {
    assert.is(verdict, 'incomplete')
    assert.match(reason, /^the process that ran it ended/)
  }
  assert.is(Object.keys(told).length, 12)
})

test.run()
