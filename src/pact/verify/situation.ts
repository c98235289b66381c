/** Interprets an interaction (which token and which credentials its examples stand for), and makes it a spec. */
import type { Credentials } from '../../core/target.js'
import { requestOf } from '../../suite/roles.js'
import type { SendStep, Spec, Step } from '../../suite/spec.js'
import { type State, type TokenRef, UNKNOWN_TOKEN } from '../../suite/step-words.js'
import type { Variables } from '../../suite/variables.js'
import { type ContractInteraction, roleOf } from '../read/contract-file.js'
import { type Meaning, type Meanings, meaningOf, wordsOf } from '../read/meanings.js'

/** The token that an Authorization header stands for; `as written`: exactly the one in the contract. */
export type TokenKind = 'valid' | 'revoked' | 'expired' | 'never issued' | 'as written'
/** The credentials that the body of a logon stands for; `as written`: exactly those in the contract. */
export type CredentialKind = 'right' | 'wrong' | 'unknown user' | 'as written'

/** The meaning of the examples of an interaction. */
export interface Kinds {
  token: TokenKind
  credentials: CredentialKind
}

/** The conditions of an interaction, and the meaning of its examples. */
export interface Situation extends Kinds {
  /** The access control that the Core must have. */
  accessControl: 'on' | 'off'
  /** A team's own names for the values of its states; absent where there are none. */
  gives?: Meaning['gives']
}

const TOKENS: Partial<Record<State, TokenKind>> = {
  'a valid token': 'valid',
  'a revoked token': 'revoked',
  'an expired token': 'expired',
  'a token that was never issued': 'never issued',
}

const CREDENTIALS: Partial<Record<State, CredentialKind>> = {
  'right credentials': 'right',
  'wrong credentials': 'wrong',
  'an unknown user': 'unknown user',
}

/**
 * Interprets an interaction.
 *
 * Its provider state decides. A contract that expects another answer than this Core gives in that state is broken. Without a
 * state, the expected status decides about a literal token or literal credentials: where success is expected they are examples
 * of good ones, otherwise they are sent as written, and no Core knows them.
 * @returns the situation, or a sentence on why it is unclear
 */
export function situationOf({ states, status, request }: ContractInteraction, meanings: Meanings): Situation | string {
  const known: State[] = []
  const gives: Record<string, Meaning['gives'][string]> = {}
  for (const each of states) {
    const meaning = meaningOf(each, meanings)
    if (typeof meaning === 'string') return meaning
    if (meaning.state !== undefined) known.push(meaning.state)
    Object.assign(gives, meaning.gives)
  }
  const expectsSuccess = status >= 200 && status < 300
  const literal = expectsSuccess ? { token: 'valid' as const, credentials: 'right' as const } : AS_WRITTEN
  const situation: Situation = {
    ...(known.length ? AS_WRITTEN : literal),
    accessControl: 'on',
    ...(Object.keys(gives).length > 0 && { gives }),
  }
  const told = states.map(wordsOf).join(' and ')
  const tokens = known.flatMap(state => TOKENS[state] ?? [])
  const isOff = known.includes('access control off')
  const carriesToken = request?.headers.some(([name, value]) => isBearer(name, value)) ?? false
  if (new Set(tokens).size > 1 || (tokens.length && (isOff || known.includes('no token'))))
    return `its provider states contradict each other: ${told}`
  if (new Set(known.filter(state => state in CREDENTIALS)).size > 1)
    return `its provider states contradict each other: ${told}`
  if (known.includes('no token') && carriesToken) return "its provider state is 'no token', but its request carries one"
  const [token] = tokens
  if (token) situation.token = token
  // A client with a valid token got it with right credentials.
  if (token === 'valid' && expectsSuccess) situation.credentials = 'right'
  for (const state of known) situation.credentials = CREDENTIALS[state] ?? situation.credentials
  if (isOff) situation.accessControl = 'off'
  return situation
}

/** Returns the token and the credentials of one state alone. */
export function kindsOf(state: State | undefined): Kinds {
  const token = (state && TOKENS[state]) ?? 'as written'
  // A client with a valid token got it with right credentials.
  return { token, credentials: (state && CREDENTIALS[state]) ?? (token === 'valid' ? 'right' : 'as written') }
}

/** Returns the credentials of a kind. For those as written, it returns the right ones: a contract may name them elsewhere. */
export function credentialsOf(kind: CredentialKind, variables: Variables): Credentials {
  const { username = '', password = '' } = variables
  if (kind === 'wrong') return { username, password: variables['wrong-password'] ?? '' }
  return { username: (kind === 'unknown user' && variables['wrong-username']) || username, password }
}

const AS_WRITTEN = { token: 'as written', credentials: 'as written' } as const

/** Tells whether a header carries a bearer token. */
export function isBearer(name: string, value: string): boolean {
  return name.toLowerCase() === 'authorization' && /^Bearer +\S/i.test(value)
}

/** The name of the token of an interaction. */
export const TOKEN = 'a'

/** The wait after which that token has expired. */
export const PAST_LIFETIME: Step = { action: 'wait', token: TOKEN, since: 'used', span: 'past lifetime', tests: [] }

type Requests = Parameters<typeof requestOf>[0]

/** Returns the steps after which there is a token of a kind. One that is to expire still has to wait. */
function stepsTo(kind: TokenKind, requests: Requests): Step[] {
  if (kind === 'as written') return []
  const token = { name: TOKEN }
  const send = (role: 'probe' | 'revoke', more: Partial<SendStep>): Step => {
    return { ...PLAIN, request: requestOf(requests, role), role, token, expect: [], ...more }
  }
  // A refusal shows nothing where the Core refuses every token.
  const used: Step[] = [
    { action: 'logon', token: TOKEN, http: '1.1', tests: [] },
    send('probe', { expect: ['accepted'] }),
  ]
  return kind === 'revoked' ? [...used, send('revoke', {})] : used
}

/** Names the token of a kind. */
export function refOf(kind: TokenKind): TokenRef {
  return { name: kind === 'never issued' ? UNKNOWN_TOKEN : TOKEN }
}

/** Returns the step that sends a request of a contract. */
export function stepOf(
  { method, path }: { method: string; path: string },
  { token, credentials }: Kinds,
  requests: Requests,
): SendStep {
  const role = roleOf({ method, path })
  return {
    ...PLAIN,
    request: requestOf(requests, role ?? 'probe'),
    method,
    // Words of the contract are no variables.
    path: path.replaceAll('{', '%7B').replaceAll('}', '%7D'),
    ...(role && { role }),
    ...(role === 'logon' && { body: 'of the contract' }),
    ...(token !== 'as written' && { token: refOf(token) }),
    expect: role === 'logon' && credentials === 'right' ? ['issued'] : [],
    tests: ['the contract'],
    isVerified: true,
  }
}

/** Makes the spec of an interaction. @param heading how reports call it, and where it stands */
export function specOf(
  heading: Pick<Spec, 'id' | 'area' | 'title' | 'file' | 'line'>,
  situation: Situation,
  request: { method: string; path: string },
  requests: Requests,
): Spec {
  const { token, accessControl } = situation
  return {
    ...heading,
    level: 'must',
    requirements: [],
    accessControl,
    measuresLifetime: false,
    given: stepsTo(token, requests),
    steps: [...(token === 'expired' ? [PAST_LIFETIME] : []), stepOf(request, situation, requests)],
    isOwn: true,
  }
}

const PLAIN = {
  action: 'send',
  headers: {},
  without: [],
  http: '1.1',
  connection: 'kept',
  times: 1,
  tests: [],
} satisfies Partial<SendStep>
