/** What in a request makes the fault of a mutant show: the rows of `contracts/defects/triggers.txt`. */
import { contractText } from '../../text-file.js'
import { inWords } from './moment.js'
import { type Is, testOf } from './predicates.js'

/** One thing in a request, its connection, its moment or the life of its token. */
export interface Trigger {
  /** Lower-case words with hyphens. */
  id: string
  /** A clause about the request: `has more than 64 header fields`. */
  that: string
  /** What it looks at; scores are told by it. */
  group: string
  /** Two triggers of one dimension do not go together. */
  dimension: string
  /** How likely a fault hangs on it, from 1. */
  weight: number
  /**
   * The requests that can have it. `other`: any but those of the logon path; `token`: one that carries an issued token; `dead`:
   * one that carries a token that has ended; `empty`: one that needs no valid token to be there.
   */
  on: 'any' | 'other' | 'token' | 'dead' | 'empty' | 'logon'
  /** Whether every client may do so by the reference, so that a good request with it may not be refused. */
  isPlain: boolean
  /** Whether it may stand for a limit of the Core (tokens, rates, bans), which the reference leaves open. */
  isLimitLike: boolean
  /** The dimensions and ids that do not go with it. */
  without: readonly string[]
  /** Whether only a connection over TLS can have it. */
  needsTls: boolean
  /** Whether a run that does not wait cannot have it. */
  needsWaiting: boolean
  is: Is
}

/** All that a line can say more of a trigger. */
type More = Omit<Trigger, 'id' | 'that' | 'weight' | 'is'>

const NOTHING: More = {
  group: '',
  dimension: '',
  on: 'any',
  isPlain: false,
  isLimitLike: false,
  without: [],
  needsTls: false,
  needsWaiting: false,
}

/** The words that say more of a trigger; also `on KIND`, `dimension NAME`, and `without NAME`, once for each. */
const MORE: Readonly<Record<string, Partial<More>>> = {
  plain: { isPlain: true },
  'like a limit': { isLimitLike: true },
  'over TLS': { needsTls: true },
  'after a wait': { needsWaiting: true },
  'at once': { needsWaiting: false },
}

/**
 * Reads the triggers. A line says what those below it look at, and more of them; under it stands each: its id and its weight, a
 * clause, behind a bar its test as of {@link testOf}, and behind another more of it. `fields` are header fields that only have to be
 * there, with their weights.
 */
function read(text: string): Trigger[] {
  let common = NOTHING
  return text.split('\n').flatMap(line => {
    if (line.startsWith('#') || line === '') return []
    const [words = '', ...rest] = line.trim().split(' | ')
    if (line.startsWith('  '))
      return words.startsWith('fields: ') ? fieldsOf(words, common) : rowOf(words, rest, common)
    common = moreOf({ ...NOTHING, group: words, dimension: words }, rest[0])
    return []
  })
}

function moreOf(common: More, more: string | undefined): More {
  if (more === undefined) return common
  const told = { ...common }
  for (const word of more.split(', ')) {
    const [, key, value = ''] = /^(on|dimension|without) (.+)$/.exec(word) ?? []
    const said = key ? { [key]: key === 'without' ? [...told.without, value] : value } : MORE[word]
    if (said === undefined) throw new Error(`${more}: what is "${word}"?`)
    Object.assign(told, said)
  }
  return told
}

function rowOf(words: string, [test = '', more]: readonly string[], common: More): Trigger {
  const is = testOf(test)
  if (is === undefined) throw new Error(`${words}: what is "${test}"?`)
  return { ...inWords(words), ...moreOf(common, more), is }
}

function fieldsOf(words: string, common: More): Trigger[] {
  return words
    .slice('fields: '.length)
    .split(', ')
    .map(each => {
      const [name = '', weight = ''] = each.split(' ')
      const test = `field:${name.toLowerCase()}`
      return rowOf(`${name.toLowerCase()} ${weight}: has the header ${name}`, [test, `dimension field ${name}`], common)
    })
}

/** Every trigger that goes with several effects. */
export const TRIGGERS: readonly Trigger[] = read(contractText('defects/triggers.txt'))

const EARLIER_GROUPS: readonly string[] = ['connection', 'earlier requests', 'same moment', 'token']

/** Returns what may be accused, too, where a token ends or comes back: that an earlier request, or one beside it, did so. */
export function blamedFor({ id, group }: Trigger): string[] {
  if (!EARLIER_GROUPS.includes(group)) return []
  if (/logon|logged/.test(id)) return ['LOGON-4']
  if (/revo/.test(id)) return ['REVOKE-2']
  return /406|no-host/.test(id) ? ['HOST-2'] : []
}
