/** Builds the inputs for tests of contracts. */
import type { Dialect, ExchangeRecord, InteractionRecord, SpecRecord } from '../dist/result.js'

export const DIALECT: Dialect = {
  token: { pointer: '/token', length: 8, alphabet: 'hex (lower case)' },
  logonStatus: 201,
  acceptedStatus: 200,
  rejectedStatus: 401,
  unknownTokenStatus: 401,
  http10: true,
  sessions: 'many',
  lifetime: null,
  refused: ['status=401'],
  warmUp: null,
  backEnds: null,
  latency: null,
}

/** The description of an exchange. */
export interface Told {
  method?: string
  path?: string
  headers?: [string, string][]
  request?: string
  status?: number
  type?: string
  answered?: [string, string][]
  body?: string
}

export function exchange({
  method = 'GET',
  path = '/api/v0/cores/self/users',
  headers = [['Accept', 'application/json']],
  request,
  status = 200,
  type = 'application/json; charset=utf-8',
  answered = [],
  body = '',
}: Told = {}): ExchangeRecord {
  return {
    atMs: 0,
    durationMs: 1,
    request: {
      method,
      path,
      httpVersion: '1.1',
      headers: [['Host', 'core'], ...headers, ['Connection', 'close']],
      ...(request !== undefined && { body: request }),
    },
    response: {
      status,
      statusText: '',
      httpVersion: '1.1',
      headers: [...(type ? [['content-type', type] as [string, string]] : []), ...answered],
      body,
      bodyBytes: body.length,
      complete: true,
    },
  }
}

export const mark = (more: Partial<InteractionRecord> = {}): InteractionRecord => ({
  name: 'users',
  description: 'a request',
  state: 'a valid token',
  step: 0,
  ...more,
})

export function spec(marks: InteractionRecord[], more: Partial<SpecRecord> = {}): SpecRecord {
  const exchanges = more.exchanges ?? [exchange()]
  return {
    id: 'a-spec',
    area: 'mine',
    title: 'it holds',
    level: 'must',
    requirements: [{ id: 'DOOR-1', section: 'Doors', text: 'A door opens.' }],
    file: 'x.yaml',
    line: 1,
    interactions: marks,
    outcome: 'passed',
    atMs: 0,
    durationMs: 0,
    steps: exchanges.map((_, index) => ({ text: 'a step', kind: 'check', outcome: 'ok', exchanges: [index] })),
    exchanges,
    ...more,
  }
}
