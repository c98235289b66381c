/** Says what a change means for clients, by the rules of `contracts/diff-rules.yaml`. */
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { LOGON_REFUSED, TOKEN_REFUSED } from '../result/opened.js'
import type { ChangeKind, Consequence } from './types.js'

/** A rule: its conditions, as the head of the file explains them, and the consequence of a change that meets all of them. */
export interface Rule {
  id: string
  consequence: Consequence
  /** Why the rule has this consequence, in one sentence. */
  why: string
  kind?: ChangeKind
  fact?: string
  of?: readonly string[]
  parts?: readonly string[]
  from?: string
  to?: string
  moved?: 'less' | 'more'
  opened?: true
}

/** The words that stand for the answers to several requests: to those that every client sends, and to those to be refused. */
const ANSWERS: Readonly<Record<string, readonly string[]>> = {
  work: ['logon', 'access'],
  'token-refusals': TOKEN_REFUSED,
  refusals: [...TOKEN_REFUSED, ...LOGON_REFUSED],
}

const FILE = new URL('../../contracts/diff-rules.yaml', import.meta.url)

/** All rules, in their order: the first that holds counts. */
export const RULES = (parse(readFileSync(FILE, 'utf8')) as (Rule & { of?: string })[]).map(
  ({ of, ...rule }): Rule => ({ ...rule, ...(of !== undefined && { of: ANSWERS[of] ?? [of].flat() }) }),
)
