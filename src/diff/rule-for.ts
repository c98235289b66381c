/** Finds the rule for a change. */
import { isOpened } from '../result/opened.js'
import { parts } from './names.js'
import { RULES, type Rule } from './rules.js'
import type { Change } from './types.js'

/** Returns the first rule that holds for a change. */
export function ruleFor(change: Change): Rule {
  const found = RULES.find(rule => holds(rule, change))
  if (!found) throw new Error('the last rule holds for all')
  return found
}

function holds({ kind, fact, of, parts: some, from, to, moved, opened }: Rule, change: Change): boolean {
  const { first, last } = parts(change.subject)
  return (
    (kind === undefined || kind === change.kind) &&
    (fact === undefined || (change.kind === 'fact' && (fact === last || fact === change.subject))) &&
    (of === undefined || of.includes(first)) &&
    (some === undefined || some.includes(change.part ?? '')) &&
    (from === undefined || isOf(change.was, from)) &&
    (to === undefined || isOf(change.is, to)) &&
    (moved === undefined || movement(change) === moved) &&
    (opened === undefined || (change.kind === 'fact' && isOpened(change.subject, change.was, change.is)))
  )
}

function isOf(value: Change['was'], kind: string): boolean {
  const isIn = (hundred: number) => typeof value === 'number' && Math.floor(value / 100) === hundred
  switch (kind) {
    case 'nothing':
      return value === null
    case 'no answer':
      return typeof value === 'string' && value.startsWith('no answer')
    case '2xx':
      return isIn(2)
    case 'not 2xx':
      return typeof value === 'number' && !isIn(2)
    case '4xx':
      return isIn(4)
    case 'not 4xx':
      return typeof value === 'number' && !isIn(4)
    case 'nullable':
      return typeof value === 'string' && value.split(' or ').includes('null')
    default:
      return value !== null && String(value) === kind
  }
}

function movement({ was, is }: Change): 'less' | 'more' | undefined {
  if (typeof was !== 'number' || typeof is !== 'number' || was === is) return undefined
  return is < was ? 'less' : 'more'
}
