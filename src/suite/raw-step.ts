/** Steps as they stand in the YAML. */
import type { Family } from './family.js'
import type { RawSave } from './save.js'
import type { Body, Change, Expectation, RequestTemplate, State } from './spec.js'

/** A step as it stands in the YAML, after the schema check. */
export interface RawStep {
  logon?: string
  send?: string
  wait?: { token: string; unused?: string | string[]; age?: string; before?: string }
  distinct?: string[]
  opaque?: string
  warm?: boolean
  later?: true
  tests?: string | string[]
  control?: true
  otherwise?: string
  consequence?: string
  method?: string
  path?: string
  headers?: Record<string, string | string[]>
  token?: string | { like: string; change: Change }
  without?: string[]
  http?: '1.0' | '1.1' | 'each'
  connection?: 'kept' | 'new' | 'resumed'
  behind?: string
  chunked?: true
  beside?: true
  body?: Body
  times?: number
  expect?: Expectation | Expectation[]
  observe?: string
  save?: RawSave
  each?: string
  only?: string | string[]
  spares?: string | string[]
  bracket?: string
  interaction?: { name: string; description: string; state: State }
}

/** What is wrong with a step; `key` names the part of it, where there is one. */
export interface StepMiss {
  key?: string
  message: string
}

/** What the steps before this one defined. {@link toStep} adds the tokens that the step issues. */
export interface StepScope {
  tokens: Set<string>
  /** Undefined when they could not all be read, so that none can be called unknown. */
  requests: ReadonlyMap<string, RequestTemplate> | undefined
  /** Undefined when they could not all be read. */
  families: ReadonlyMap<string, Family> | undefined
  /** The names of the values that steps of the spec save; absent: none. */
  saved?: ReadonlySet<string>
  /** The access control that the spec is about. */
  accessControl: 'on' | 'off'
  /** What `http: each` stands for; a spec that says it is built once for each version. */
  version: '1.0' | '1.1'
  /** What a list of `unused` stands for; a spec that has one is built once for each. */
  unused: string | undefined
}

/** The name of a token of the right shape that was never issued. */
export const UNKNOWN_TOKEN = 'unknown'
