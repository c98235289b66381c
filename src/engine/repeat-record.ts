/** Makes a failed spec of what the judge doubted, where it repeats. */
import type { Exchange } from '../core/exchange.js'
import { count, listed } from '../ground/count.js'
import type { StepRecord } from '../result.js'
import type { Contradiction, ContradictionKind } from '../run/judge/contradictions.js'
import { type Requirement, referenceTo, type Spec } from '../suite/spec.js'
import type { Attempt } from './phases/phase.js'
import { toExchangeRecord } from './record.js'
import { pathOnly } from './requests.js'
import { unrunRecord } from './spec-end.js'
import type { Played } from './stage.js'

/** How often a sequence has to show the same. */
export const TIMES = 3

/** A sequence that shows a contradiction each time. */
export interface Shown extends Played {
  contradiction: Contradiction
  /** The id of the requirement that it breaks. */
  breaks: string
}

/** What should hold, and what was seen, by the kind of contradiction. */
const WORDS: Record<ContradictionKind, { holds: string; expected: string; seen: string }> = {
  'logon refused': {
    holds: 'right credentials get a token',
    expected: 'a token',
    seen: 'a logon with the right credentials was refused',
  },
  'logon empty': {
    holds: 'right credentials get a token',
    expected: 'a token',
    seen: 'a logon with the right credentials gave no token',
  },
  'issued twice': {
    holds: 'each logon gives a token of its own',
    expected: 'a new token',
    seen: 'a logon gave a token that another one had given',
  },
  'dead at birth': {
    holds: 'a logon gives a valid token',
    expected: 'accepted, as a fresh token is',
    seen: 'a token that a logon had just issued was refused',
  },
  died: {
    holds: 'a token stays valid that nobody revoked',
    expected: 'accepted, as a fresh token is',
    seen: 'a token died that nobody had revoked',
  },
  'came back': {
    holds: 'a valid token is accepted',
    expected: 'accepted, as a fresh token is',
    seen: 'a valid token was refused, and accepted again later',
  },
  outlived: {
    holds: 'an unused token expires',
    expected: 'refused',
    seen: 'a token was accepted after more than its lifetime without use',
  },
  revived: {
    holds: 'an expired token stays expired',
    expected: 'refused',
    seen: 'an expired token was accepted again',
  },
  'kept alive': {
    holds: 'a revoked token is refused',
    expected: 'refused',
    seen: 'a token was accepted after its revocation',
  },
  'revocation refused': {
    holds: 'a valid token can be revoked',
    expected: 'accepted',
    seen: 'the revocation of a valid token was refused',
  },
  'unknown accepted': {
    holds: 'a token that was never issued is refused',
    expected: 'refused',
    seen: 'a token was accepted that was never issued',
  },
}

/** Makes a failed spec of what was shown. Its id says the requirement, since each is told once. */
export function told({ contradiction, breaks, exchanges, looks }: Shown, requirement: Requirement): Attempt {
  const { holds, expected, seen } = WORDS[contradiction.kind]
  const { told: got, sentAt } = contradiction.entry
  const at = exchanges.findIndex(exchange => exchange.sentAt === sentAt)
  const isRequest = (exchange: Exchange, index: number) => index !== at && !looks.has(exchange)
  const requests = exchanges.flatMap((exchange, index) => (isRequest(exchange, index) ? [index] : []))
  const spec: Spec = {
    id: `found-${breaks.toLowerCase()}-again`,
    area: 'found',
    title: `${holds}, also behind ${count(requests.length, 'request')} of this run`,
    level: 'must',
    requirements: [referenceTo(requirement)],
    accessControl: 'on',
    measuresLifetime: false,
    given: [],
    steps: [],
    file: '',
    line: 0,
  }
  const given = requests.map((index): StepRecord => {
    const { method = '', path = '' } = exchanges[index]?.request ?? {}
    return { text: `${method} ${pathOnly(path)}`, kind: 'given', outcome: 'ok', exchanges: [index] }
  })
  const behind = listed(given.map(({ text }) => text))
  const colon = got.indexOf(': ')
  const step: StepRecord = {
    text: `${got.slice(0, colon)}${behind && `, behind ${behind}`}`,
    kind: 'check',
    outcome: 'miss',
    expected,
    got: got.slice(colon + 2),
    requirements: [breaks],
    seen,
    exchanges: [...exchanges.keys()].filter(index => !requests.includes(index)),
    missed: [at],
  }
  const again = `in each of ${TIMES} tries${behind && ` behind ${behind}`}, with nothing else under way`
  const atMs = exchanges[0]?.sentAt ?? sentAt
  const record = {
    ...unrunRecord(spec, 'failed', `${got}, where it should be ${expected}; seen ${again}`),
    atMs,
    durationMs: sentAt - atMs,
    steps: [...given, step],
    exchanges: exchanges.map(toExchangeRecord),
  }
  return { spec, end: { record, facts: {} } }
}
