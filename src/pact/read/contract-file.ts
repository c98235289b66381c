/** Reads contracts: Pact files of specification 1 to 4, from any author. */

import { basename } from 'node:path'
import { ConfigError } from '../../ground/config-error.js'
import { count } from '../../ground/count.js'
import { isFields, parseJson } from '../../ground/json.js'
import { inert } from '../../report/inert.js'
import type { ProviderState } from './meanings.js'

/** One interaction of a contract that is to be verified. */
export interface ContractInteraction {
  description: string
  /** Its provider states, in their order; mostly one or none. */
  states: ProviderState[]
  /** Undefined for messages, which cannot be verified on a Core: they do not use HTTP. */
  request: { method: string; path: string; headers: [name: string, value: string][] } | undefined
  /** The expected status, from its example. */
  status: number
  /** Whether it may fail, because the consumer does not rely on it yet. */
  pending: boolean
  /** Its id at the broker; absent elsewhere. */
  id?: string
  /** The 1-based line of its description in the file. */
  line: number
  /** The contract with only this interaction, as JSON. */
  alone: string
}

/** A contract. */
export interface Contract {
  /** As the user named it, or its URL. */
  file: string
  consumer: string
  provider: string
  interactions: ContractInteraction[]
  /** Whether the broker allows all of it to fail, because it never held on this branch. */
  pending?: boolean
  /** The URL where a broker takes results; absent elsewhere. */
  resultsUrl?: string
}

type Fields = Record<string, unknown>

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const nameOf = (value: unknown): string => (isFields(value) ? textOf(value.name) : '')

/**
 * Reads a contract.
 * @param file the name of the file in messages
 * @returns undefined for a JSON Schema, which lies beside contracts in some folders
 * @throws ContractError when it is neither
 */
export function parseContract(text: string, file: string): Contract | undefined {
  const value = parseJson(text)
  if (value === undefined) throw wrong(file, 'it is not JSON')
  if (!isFields(value)) throw wrong(file, 'it is not a JSON object')
  if (isDeeper(value, MOST_LEVELS)) throw wrong(file, `it is nested more than ${MOST_LEVELS} levels deep`)
  if (typeof value.$schema === 'string' && !('interactions' in value)) return undefined
  const { interactions, messages } = value
  const consumer = nameOf(value.consumer)
  const provider = nameOf(value.provider)
  if (!consumer || !provider) throw wrong(file, 'it does not name its consumer and its provider')
  if (!Array.isArray(interactions)) {
    throw wrong(
      file,
      Array.isArray(messages) ? 'it is about messages, and a Core speaks HTTP' : 'it has no interactions',
    )
  }
  if (interactions.length > MOST_INTERACTIONS)
    throw wrong(
      file,
      `it has ${count(interactions.length, 'interaction')}, and no more than ${MOST_INTERACTIONS} are taken`,
    )
  if (isFields(value.metadata) && value.metadata.plugins !== undefined)
    throw wrong(file, 'it needs plugins of Pact, which are programs, and none is run here')
  if (generatorsOf(interactions).some(regex => longestOf(regex) > MOST_GENERATED))
    throw wrong(file, `a generator in it would make a text of more than ${count(MOST_GENERATED, 'character')}`)
  if (!interactions.length) throw wrong(file, 'its list of interactions is empty')
  const lines = descriptionLines(text)
  const resultsUrl = linkOf(value, 'pb:publish-verification-results')
  return {
    file,
    consumer,
    provider,
    ...(resultsUrl !== undefined && { resultsUrl }),
    interactions: interactions.map((interaction, index) => {
      if (!isFields(interaction) || !textOf(interaction.description))
        throw wrong(file, `interaction ${index + 1} has no description`)
      return read(interaction, value, lines(textOf(interaction.description)))
    }),
  }
}

/** Names a contract in reports. */
export function contractName({ file, consumer, provider }: Contract): string {
  if (isUrl(file)) return `${consumer}-${provider}`
  return basename(file).replace(/\.json$/i, '')
}

/** Tells whether a contract was named by a URL. */
export function isUrl(file: string): boolean {
  return /^https?:\/\//i.test(file)
}

/** Deepest nesting; deeper than any contract about this API. Pact itself gives up at 128. */
const MOST_LEVELS = 100
/** Longest generated text, in characters; far longer than in any request of this API. */
const MOST_GENERATED = 100_000
/** Most interactions of a contract; each takes about a second. */
const MOST_INTERACTIONS = 1000

/** Tells whether a value is nested deeper than `levels`. Uses no recursion, which a hostile file could exhaust. */
function isDeeper(value: unknown, levels: number): boolean {
  let layer: unknown[] = [value]
  for (let depth = 0; layer.length; depth++) {
    if (depth > levels) return true
    layer = layer.flatMap(each => (typeof each === 'object' && each !== null ? Object.values(each) : []))
  }
  return false
}

function wrong(file: string, what: string): ContractError {
  return new ContractError(
    `${inert(file)} is no contract that can be verified: ${what}; give a Pact file of specification 1 to 4`,
  )
}

function read(interaction: Fields, contract: Fields, line: number): ContractInteraction {
  const { request, response } = interaction
  const isHttp = interaction.type === undefined || interaction.type === 'Synchronous/HTTP'
  return {
    description: textOf(interaction.description),
    states: statesOf(interaction),
    request: isHttp && isFields(request) ? requestOf(request) : undefined,
    status: isFields(response) && typeof response.status === 'number' ? response.status : 200,
    pending: interaction.pending === true,
    ...(typeof interaction._id === 'string' && { id: interaction._id }),
    line,
    // Made on demand: all of them together multiply the size of the contract.
    get alone() {
      // A pending interaction is verified like the rest; only its outcome counts differently.
      const { pending: _, ...rest } = interaction
      return JSON.stringify({ ...contract, interactions: [rest] })
    },
  }
}

/** Returns the target of a link in a broker's document; undefined where it has no such link. */
export function linkOf(document: unknown, name: string): string | undefined {
  const links = isFields(document) ? document._links : undefined
  const link = isFields(links) ? links[name] : undefined
  return (isFields(link) && textOf(link.href)) || undefined
}

/** Reads `providerState` of specification 1 and 2, and `providerStates` of 3 and 4. */
function statesOf({ providerState, provider_state: older, providerStates }: Fields): ProviderState[] {
  const states = Array.isArray(providerStates)
    ? providerStates.map(state => ({
        name: nameOf(state),
        params: isFields(state) && isFields(state.params) ? state.params : {},
      }))
    : [providerStates, providerState, older].map(state => ({ name: textOf(state), params: {} }))
  return states.filter(({ name }) => name !== '')
}

function requestOf(request: Fields): ContractInteraction['request'] {
  const headers = isFields(request.headers) ? request.headers : {}
  return {
    method: (textOf(request.method) || 'GET').toUpperCase(),
    path: textOf(request.path) || '/',
    headers: Object.entries(headers).map(([name, value]) => [name, [value].flat().map(String).join(', ')]),
  }
}

/** Finds the line of each description. A repeated description gives its lines in turn. */
function descriptionLines(text: string): (description: string) => number {
  const from = new Map<string, number>()
  const seen = { at: 0, line: 1 }
  return description => {
    const wanted = JSON.stringify(description)
    const at = text.indexOf(wanted, from.get(wanted) ?? 0)
    if (at < 0) return 1
    from.set(wanted, at + 1)
    // Mostly the calls follow the order of the file.
    if (at < seen.at) Object.assign(seen, { at: 0, line: 1 })
    for (let next = text.indexOf('\n', seen.at); next >= 0 && next < at; next = text.indexOf('\n', next + 1))
      Object.assign(seen, { at: next + 1, line: seen.line + 1 })
    return seen.line
  }
}

/** Most repetitions that Pact makes for `*`, `+` and `{n,}`. */
const UNBOUNDED = 20

/**
 * Returns an upper bound for the length of texts from a regular expression. Counts alternatives as a sequence.
 * @param regex as a contract has it
 */
export function longestOf(regex: string): number {
  const sums = [0]
  let last = 0
  for (const [token, repeat, least, most] of regex.matchAll(TOKEN)) {
    if (repeat !== undefined) {
      // `?`, `*` and `+`; then `{5}`, `{5,}`, `{5,9}`: without a comma there is no `most`.
      const open = repeat === '?' ? 1 : Number(least ?? 0) + UNBOUNDED
      const times = least !== undefined && most === undefined ? Number(least) : Number(most || open)
      sums.push((sums.pop() ?? 0) + last * (times - 1))
      last *= times
    } else if (token === '(') sums.push(0)
    else if (token === ')' && sums.length > 1) {
      last = sums.pop() ?? 0
      sums.push((sums.pop() ?? 0) + last)
    } else {
      last = 1
      sums.push((sums.pop() ?? 0) + 1)
    }
  }
  return sums.reduce((total, sum) => total + sum, 0)
}

/** A repetition, or something to repeat: an escaped character, a class, a parenthesis, a character. */
const TOKEN = /([*+?]|\{(\d+)(?:,(\d*))?\})|\\.|\[(?:\\.|[^\]\\])*\]|[\s\S]/g

/** Returns the regular expressions of an interaction's generators, at any depth. */
export function generatorsOf(value: unknown, isGenerator = false): string[] {
  if (typeof value !== 'object' || value === null) return []
  const { type, regex } = value as { type?: unknown; regex?: unknown }
  const own = isGenerator && type === 'Regex' && typeof regex === 'string' ? [regex] : []
  return [
    ...own,
    ...Object.entries(value).flatMap(([key, inner]) => generatorsOf(inner, isGenerator || key === 'generators')),
  ]
}

/**
 * An error that the user of a contract command can correct: a name, a file, a state. Exit code 2; the message says what to do.
 */
export class ContractError extends ConfigError {}

/** The path of the logon, as the reference states it. */
export const LOGON_PATH = '/api/v0/logon'

/** Returns the role of a request of a contract. */
export function roleOf({ method, path }: { method: string; path: string }): 'logon' | 'revoke' | undefined {
  if (path.split('?', 1)[0] !== LOGON_PATH) return undefined
  return method === 'POST' ? 'logon' : method === 'DELETE' ? 'revoke' : undefined
}
