/** What a client is judged by. A rule is data but for its look at the record; a new one is a new entry. */
import type { Rule } from './rule.js'
import { SESSION_RULES } from './rules-session.js'
import { TROUBLE_RULES } from './rules-trouble.js'
import { WIRE_RULES } from './rules-wire.js'

/** The rules, in the order in which they are told. */
export const RULES: readonly Rule[] = [...WIRE_RULES, ...SESSION_RULES, ...TROUBLE_RULES]
