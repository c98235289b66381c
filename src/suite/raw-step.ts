/** The types of specs and their steps as they stand in the YAML. */
import type { Level } from '../result.js'
import type { Family } from './family.js'
import type { RequestTemplate } from './spec.js'
import type { Body, Change, ConnectionWay, Expectation, State } from './step-words.js'

/** `save` as it stands in the YAML, by the names of the values. */
export type RawSave = Record<string, string | { at: string; secret?: true }>

/** A step as it stands in the YAML, after the schema check. */
export interface RawStep {
  logon?: string
  send?: string
  wait?: { token: string; unused?: string | string[]; age?: string; before?: string; connection?: 'kept' }
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
  connection?: ConnectionWay
  behind?: string
  chunked?: true
  'late-body'?: true
  cut?: 'head' | 'body' | 'answer'
  assumed?: true
  again?: true
  beside?: true
  body?: Body
  times?: number
  expect?: Expectation | Expectation[]
  observe?: string
  save?: RawSave
  each?: string | string[]
  only?: string | string[]
  pairs?: true
  row?: number
  spares?: string | string[]
  bracket?: string
  spread?: true
  interaction?: { name: string; description: string; state: State }
}

/** A spec as it stands in the YAML, after the schema check. */
export interface RawSpec {
  id: string
  title: string
  requirements: string[]
  level?: Level
  when?: { 'access-control'?: 'on' | 'off'; measuring?: 'lifetime'; profile?: 'full' | 'long' }
  otherwise?: string
  consequence?: string
  alone?: boolean
  late?: true
  bystanders?: string
  given?: RawStep[]
  steps: RawStep[]
}

/** The definitions of the steps before this one. {@link toStep} adds the tokens that the step issues. */
export interface StepScope {
  tokens: Set<string>
  /** Undefined where not all could be read, so that no name can be called unknown. */
  requests: ReadonlyMap<string, RequestTemplate> | undefined
  /** Undefined where not all could be read. */
  families: ReadonlyMap<string, Family> | undefined
  /** The names of the values that steps of the spec save; absent: none. */
  saved?: ReadonlySet<string>
  /** The access control that the spec applies to. */
  accessControl: 'on' | 'off'
  /** The version for `http: each`. A spec with `http: each` is built once for each version. */
  version: '1.0' | '1.1'
  /** The value for a list of `unused`. A spec with such a list is built once for each value. */
  unused: string | undefined
}
