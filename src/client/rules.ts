/** Lists the rules that clients are judged by. Each rule is data with one function, `judge`. A new rule is a new entry. */
import type { Rule } from './rule.js'
import { SESSION_RULES } from './rules-session.js'
import { TROUBLE_RULES } from './rules-trouble.js'
import { WIRE_RULES } from './rules-wire.js'

/** All rules, in the order in which reports show them. */
export const RULES: readonly Rule[] = [...WIRE_RULES, ...SESSION_RULES, ...TROUBLE_RULES]
