/** Runs in the child process only. Lets Pact write a contract, after our own client has exercised each interaction. */
import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
// Imports parts of Pact: the whole takes 0.3 s more processor time, for GraphQL, messages and proxies that are not needed here.
import { matchStatus } from '@pact-foundation/pact/src/v3/matchers.js'
import { HTTPResponseStatusClass, SpecificationVersion } from '@pact-foundation/pact/src/v3/types.js'
import { PactV4 } from '@pact-foundation/pact/src/v4/index.js'
import { Transport } from '../../core/transport.js'
import { grouped } from '../../ground/grouped.js'
import { parseJson } from '../../ground/json.js'
import { exampleOf, type GenerateTask, type Interaction } from './model.js'

const PROVIDER = 'core'
/** Number of retries of an interaction. The mock server gets more time with each. */
const MAX_REPEATS = 4
const SETTLE_MS = 50
/** Longest exchange with Pact's mock server on this machine, in milliseconds. */
const DEADLINE_MS = 5000

/**
 * Writes a contract twice, each time into a new empty folder, because Pact merges with existing files.
 * @returns the text that Pact wrote
 * @throws Error where an interaction does not hold against Pact's mock server, or where the two texts differ
 */
export async function generate({ consumer, interactions }: GenerateTask): Promise<string> {
  const first = await write(consumer, interactions)
  const second = await write(consumer, interactions)
  if (first !== second) throw new Error('Pact wrote two different contracts from the same interactions')
  return first
}

async function write(consumer: string, interactions: Interaction[]): Promise<string> {
  // The parent made the working directory for this process alone.
  const dir = resolve(randomUUID())
  mkdirSync(dir)
  // One after another: parallel writes crash Pact.
  for (const interaction of interactions) await add(interaction, consumer, dir)
  return readFileSync(join(dir, `${consumer}-${PROVIDER}.json`), 'utf8')
}

/**
 * Adds an interaction to the contract in a folder. Pact's mock server sometimes (once in 150 times) answers before it has noted
 * the request, then reports the request as missing and writes nothing. So the interaction is tried again, each time with a
 * longer pause for the note.
 */
async function add(interaction: Interaction, consumer: string, dir: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await tryToAdd(interaction, consumer, dir, attempt * SETTLE_MS)
    } catch (error) {
      if (attempt === MAX_REPEATS) throw error
    }
  }
}

async function tryToAdd(interaction: Interaction, consumer: string, dir: string, settleMs: number): Promise<void> {
  const { description, states, comments, pending = false, request, response } = interaction
  const pact = new PactV4({
    consumer,
    provider: PROVIDER,
    dir,
    logLevel: 'error',
    spec: SpecificationVersion.SPECIFICATION_VERSION_V4,
  })
  const begun = pact.addInteraction()
  for (const state of states) begun.given(state)
  if (pending) begun.pending(true)
  const told = begun.uponReceiving(description)
  for (const comment of comments) told.comment(comment)
  const status = response.anyRefusal
    ? matchStatus(response.status, HTTPResponseStatusClass.ClientError)
    : response.anySuccess
      ? matchStatus(response.status, HTTPResponseStatusClass.Success)
      : response.status
  await told
    .withRequest(request.method as 'GET', request.path, builder => {
      builder.headers(Object.fromEntries(request.headers) as Record<string, string>)
      const query = [...grouped(request.query, ([name]) => name)].map(([name, own]) => [name, own.map(each => each[1])])
      if (query.length) builder.query(Object.fromEntries(query))
      const [, type] = request.headers.find(([name]) => name.toLowerCase() === 'content-type') ?? []
      if (request.body && 'json' in request.body) builder.jsonBody(request.body.json)
      else if (request.body)
        builder.body(typeof type === 'string' ? type : 'text/plain', Buffer.from(request.body.text))
    })
    .willRespondWith(status, builder => {
      if (response.headers) builder.headers(Object.fromEntries(response.headers) as Record<string, string>)
      if (response.json !== undefined) builder.jsonBody(response.json)
    })
    .executeTest(async ({ url }) => {
      await exercise(interaction, new URL(url))
      await sleep(settleMs)
    })
}

/** Sends the request of the interaction with this project's own client for Cores, and checks the answer. */
async function exercise({ request, response }: Interaction, url: URL): Promise<void> {
  const trust = { kind: 'insecure' as const }
  const transport = await Transport.create({
    target: { url, trust },
    deadlineMs: DEADLINE_MS,
    now: () => performance.now(),
  })
  const query = new URLSearchParams(request.query).toString()
  const { response: got, error } = await transport.exchange({
    method: request.method,
    path: query ? `${request.path}?${query}` : request.path,
    headers: request.headers.map(([name, value]): [string, string] => [name, String(exampleOf(value))]),
    ...(request.body && {
      body: 'json' in request.body ? JSON.stringify(exampleOf(request.body.json)) : request.body.text,
    }),
    httpVersion: '1.1',
    omitHost: false,
  })
  if (!got) throw new Error(`Pact's mock server did not answer: ${error?.message}`)
  if (got.status !== response.status)
    throw new Error(`Pact's mock server answered ${got.status} instead of ${response.status}`)
  if (response.json !== undefined && !isDeepStrictEqual(parseJson(got.body), exampleOf(response.json)))
    throw new Error("the body that Pact's mock server answered is not the one of the contract")
}
