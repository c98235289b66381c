/** Builds the inputs for tests of contracts. */
import type { BuildOptions } from '../dist/pact/make/build.js'
import type { ExchangeRecord, InteractionRecord, SpecRecord } from '../dist/result.js'
import { PROBE, type SpecChange, spec as specOf } from './fixtures/results/results.js'

export const DIALECT: BuildOptions['dialect'] = {
  token: { pointer: '/token', length: 8, alphabet: 'hex (lower case)' },
  acceptedStatus: 200,
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
  path = PROBE,
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

export const spec = (interactions: InteractionRecord[], change: SpecChange = {}): SpecRecord =>
  specOf({ id: 'a-spec', interactions, ...change })
