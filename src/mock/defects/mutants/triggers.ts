/** What in a request makes the fault of a mutant show: the rows of `contracts/defects/triggers.txt`. */
import { type Is, knownTest } from './predicates.js'
import { inWords, tableOf } from './rows.js'

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
  /** How likely a fault hangs on it; 0 where only named defects have it. */
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

function rowOf(words: string, test: string, more: More): Trigger {
  return { ...inWords(words), ...more, is: knownTest(test) }
}

function fieldsOf(list: string, more: More): Trigger[] {
  return list.split(', ').map(each => {
    const [name = '', weight = ''] = each.split(' ')
    const words = `${name.toLowerCase()} ${weight}: has the header ${name}`
    return rowOf(words, `field:${name.toLowerCase()}`, { ...more, dimension: `field ${name}` })
  })
}

/**
 * Every trigger that goes with several effects. The heading says what they look at, and what they have in common. A row is the id, the
 * weight and a clause; the test, as of {@link knownTest}; and what more there is. `fields` are header fields that only have to be there.
 */
export const TRIGGERS: readonly Trigger[] = tableOf('triggers').flatMap(
  ({ heading: [group = '', common], row: [words = '', test = '', own] }) => {
    const more = moreOf(moreOf({ ...NOTHING, group, dimension: group }, common), own)
    const [, fields] = /^fields: (.+)$/.exec(words) ?? []
    return fields === undefined ? rowOf(words, test, more) : fieldsOf(fields, more)
  },
)

const EARLIER_GROUPS: readonly string[] = ['connection', 'earlier requests', 'same moment', 'token']

/** Returns what may be accused, too, where a token ends or comes back: that an earlier request, or one beside it, did so. */
export function blamedFor({ id, group }: Trigger): string[] {
  if (!EARLIER_GROUPS.includes(group)) return []
  if (/logon|logged/.test(id)) return ['LOGON-4']
  if (/revo/.test(id)) return ['REVOKE-2']
  return /406|no-host/.test(id) ? ['HOST-2'] : []
}
