import { readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { listen } from '../dist/ground/listen.js'
import type { VerifyTask } from '../dist/pact/process/model.js'
import { PactProcess } from '../dist/pact/process/process.js'
import { long } from './support/long.js'

const test = suite('the process of Pact')

const CONTRACT = JSON.stringify({
  consumer: { name: 'a' },
  provider: { name: 'b' },
  interactions: [{ description: 'd', request: { method: 'GET', path: '/' }, response: { status: 200 } }],
  metadata: { pactSpecification: { version: '2.0.0' } },
})

async function withServer(answers: boolean, use: (task: VerifyTask) => Promise<void>): Promise<void> {
  const server = createServer((_request, response) => {
    if (answers) response.end()
  })
  const { port, close } = await listen(server, 0, 'port')
  const url = `http://127.0.0.1:${port}`
  try {
    await use({ type: 'verify', contract: CONTRACT, gatewayUrl: url, statesUrl: `${url}/s`, timeoutMs: 60_000 })
  } finally {
    await close()
  }
}

const message = (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error: Error) => error.message,
  )
const folders = () => readdirSync(tmpdir()).filter(name => name.startsWith('core-conformance-pact-'))

long(test)('a Verifier that does not end is killed, and another takes its place; nothing of them stays', async () => {
  const before = folders()
  const pact = new PactProcess()
  await withServer(false, async task => {
    assert.is(await message(pact.run(task, 1500)), 'Pact did not finish within 1.5 s')
    const controller = new AbortController()
    const run = message(pact.run(task, 60_000, controller.signal))
    controller.abort()
    assert.is(await run, 'interrupted')
    assert.is(await message(pact.run(task, 60_000, AbortSignal.abort())), 'interrupted')
  })
  await withServer(true, async task => {
    assert.match(await pact.run(task, 60_000), /"result":true/)
    assert.is(folders().length, before.length + 1)
  })
  await pact.close()
  assert.equal(folders(), before)
})

test('what fails in it is told', async () => {
  const pact = new PactProcess()
  const interaction = {
    name: 'x',
    description: 'd',
    state: 's',
    comments: [],
    request: { method: 'GET', path: '/', query: [], headers: [] },
    // not an HTTP status
    response: { status: 99_999, anyRefusal: false },
  }
  const told = await message(
    pact.run({ type: 'generate', consumer: 'c', interactions: [interaction as never] }, 60_000),
  )
  assert.ok(told, 'an interaction that cannot be served is not written')
  assert.not.match(told, /\n/)
  await pact.close()
})

test.run()
