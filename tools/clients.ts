/**
 * Judges the test clients repeatedly: `npm run clients [-- TIMES [PART OF A NAME [SCENARIO,…]]]`. Good clients in five
 * languages must never be accused, and each fault must be caught by its rule every time. Prints a line for each client; exit 1
 * after a wrong judgement. It takes too long for the tests, because Java and Go are compiled first.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runClient } from '../dist/client/run-client.js'
import { SCENARIOS } from '../dist/client/scenarios.js'
import { FAULTS } from '../test/support/client-faults.js'

const [times = '1', only = '', wanted = ''] = process.argv.slice(2)
const pathOf = (name: string) => fileURLToPath(new URL(`../test/fixtures/clients/${name}`, import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'clients-'))
const done = (program: string, args: string[]) =>
  spawnSync(program, args, { env: { ...process.env, GOCACHE: join(scratch, 'go') }, stdio: 'ignore' }).status === 0

/** A client with the rules that must fail, sorted; `also` may fail too. */
interface Entry {
  name: string
  command: string[]
  scenarios: readonly string[]
  rules: readonly string[]
  isThere: boolean
}

const ALL = SCENARIOS.map(({ name }) => name)
// On one shared connection, a client that gives up looks like a client that asks again at once.
const NOT_BUSY = ALL.filter(name => name !== 'too-many-requests' && name !== 'unavailable')
/** Endpoints behind the authentication, for clients that change data. */
const ROUTES = [
  { method: 'GET', path: '/api/v0/streams', answer: { status: 204 } },
  { method: 'POST', path: '/api/v0/streams', answer: { status: 201 } },
  { method: 'DELETE', path: '/api/v0/streams/{id}', answer: { status: 204 } },
]
const good = (name: string, command: string[], scenarios: readonly string[] = ALL, isThere = true): Entry => ({
  name,
  command,
  scenarios,
  rules: [],
  isThere,
})
const python = done('python3', ['--version'])
const requests = python && done('python3', ['-c', 'import requests'])
const java = done('javac', ['-d', scratch, pathOf('Client.java')])
const go = done('go', ['build', '-o', join(scratch, 'client-go'), pathOf('client.go')])
const curl = done('curl', ['--version'])
const workers = (...args: string[]) => [process.execPath, pathOf('workers.mjs'), ...args]
const noRetry = (entry: Entry): Entry => ({
  ...entry,
  name: `${entry.name}, no retry`,
  command: [...entry.command, 'no-retry'],
  scenarios: ['restart', 'restart-inside'],
  rules: ['retry'],
})
const single = [
  good('fetch', [process.execPath, pathOf('fetch.mjs')]),
  good('requests', ['python3', pathOf('requests_client.py')], ALL, requests),
  good('curl', ['bash', pathOf('curl.sh')], ALL, curl),
  good('Go', [join(scratch, 'client-go')], ALL, go),
]
const javaClient = good('Java', ['java', '-cp', scratch, 'Client'], ALL, java)
const ENTRIES: Entry[] = [
  good('node:https', [process.execPath, pathOf('client.mjs')]),
  good('http.client', ['python3', pathOf('client.py')], ALL, python),
  ...single,
  javaClient,
  good('one that writes', [process.execPath, pathOf('writes.mjs')]),
  good('ten workers, ten sockets', workers('10')),
  good('ten workers, one socket', workers('1'), NOT_BUSY),
  good('ten workers, three sockets', workers('3')),
  good('ten threads, ten sockets', ['python3', pathOf('threads.py'), 'own'], ALL, python),
  good('ten threads, one socket', ['python3', pathOf('threads.py'), 'one'], NOT_BUSY, python),
  ...single.map(noRetry),
  // java.net.http repeats a GET by itself.
  { ...noRetry(javaClient), rules: [] },
  { ...good('a storm of renewals', workers('10', 'storm'), ['token-revoked']), rules: ['few-logons', 'revokes'] },
  { ...good('ten loops', workers('10', 'loops'), ['token-revoked']), rules: ['no-loop'] },
  { ...good('ten loops, one socket', workers('1', 'loops'), ['token-revoked']), rules: ['no-loop'] },
  ...FAULTS.map(([fault, scenario, rules]) => ({
    ...good(`${fault} in ${scenario}`, [process.execPath, pathOf('client.mjs'), fault], [scenario]),
    rules,
  })),
]

let wrong = 0
const chosen = ENTRIES.filter(({ name }) => name.includes(only)).flatMap(entry => {
  const scenarios = entry.scenarios.filter(name => wanted === '' || wanted.split(',').includes(name))
  return scenarios.length === 0 ? [] : [{ ...entry, scenarios }]
})
for (const { name, command, scenarios, rules, isThere } of chosen) {
  if (!isThere) {
    console.log(`skipped  ${name}: its language is not on this machine`)
    continue
  }
  const seen = new Map<string, number>()
  for (let time = 0; time < Number(times); time += 1) {
    const result = await runClient({
      command,
      scenarios: SCENARIOS.filter(({ name }) => scenarios.includes(name)),
      env: { PATH: process.env.PATH ?? '', PYTHONDONTWRITEBYTECODE: '1', CLIENT_TIMEOUT_MS: '6000' },
      timeoutMs: 90_000,
      slowMs: 300,
      hangMs: 15_000,
      routes: ROUTES,
    })
    const failed = result.scenarios.flatMap(({ judgements }) =>
      judgements.filter(({ outcome }) => outcome === 'failed').map(({ rule }) => rule),
    )
    const open = result.scenarios.filter(({ outcome }) => outcome === 'inconclusive').map(({ scenario }) => scenario)
    const told = [...new Set(failed)].sort().join(', ') || (open.length > 0 ? `inconclusive: ${open}` : 'no rule')
    seen.set(told, (seen.get(told) ?? 0) + 1)
  }
  // Whether a late logon is answered before the client gives up depends on the machine.
  const sure = name.startsWith('impatient') ? ['patience'] : [...rules].sort()
  const isRight = [...seen.keys()].every(told =>
    sure.length === 0 ? told === 'no rule' : sure.every(rule => told.split(', ').includes(rule)),
  )
  if (!isRight) wrong += 1
  console.log(
    `${isRight ? 'right   ' : 'WRONG   '} ${name}: ${[...seen].map(([told, n]) => `${n}× ${told}`).join('; ')}`,
  )
}
rmSync(scratch, { recursive: true, force: true })
process.exitCode = wrong === 0 ? 0 : 1
