/** Draws sequences of commands from a seed. */
import type FastCheck from 'fast-check'

/** The commands. The token of a command is picked when the command is played: only then the tokens are known. */
export const COMMANDS = [
  'logon',
  'use',
  'use often',
  'look at a dead token',
  'look often',
  'revoke',
  'revoke in vain',
  'no token',
  'unknown token',
  'be refused often',
  'wrong logon',
  'without Host',
  'wait',
  'let expire',
  'age and expire',
  'later',
  'burst',
  'churn',
  'log on in a row',
  'use in turn',
  'again',
  'revoke several',
  'look-alike',
  'in other words',
  'log on in other words',
  'in another place',
  'without Host, in other words',
  'revoke in other words',
  'revoke a look-alike',
  'look around',
  'two at once',
  'behind another',
  'use late',
  'rest',
] as const
/** See {@link COMMANDS}. */
export type CommandName = (typeof COMMANDS)[number]

/** One command, with numbers from 0 that decide its details. */
export interface Command {
  name: CommandName
  pick: number
  other: number
  /** Picks the ways in which its requests depart from the plain one. */
  form: number
}

/** A drawn sequence. */
export interface Drawn {
  /** The kind of commands that it has most of. */
  mood: MoodName
  commands: Command[]
}

type Weights = Partial<Record<CommandName, number>>

/**
 * The kinds of commands that a sequence can be rich in. A fault that counts requests shows only where many of one kind
 * come in a row. So each sequence has its mood, and not a little of everything.
 */
const MOODS = {
  mixed: {
    logon: 5,
    use: 5,
    'look at a dead token': 3,
    revoke: 4,
    'revoke in vain': 3,
    'no token': 3,
    'unknown token': 3,
    'without Host': 4,
    'wrong logon': 1,
    'log on in a row': 1,
    'log on in other words': 2,
    'look-alike': 2,
    'in another place': 2,
    again: 3,
    later: 1,
  },
  logons: {
    churn: 3,
    'log on in a row': 6,
    logon: 2,
    revoke: 3,
    use: 3,
    'look at a dead token': 3,
    'no token': 2,
    'unknown token': 4,
    'wrong logon': 2,
  },
  uses: {
    logon: 2,
    'use often': 5,
    'use in turn': 4,
    use: 2,
    revoke: 4,
    'look at a dead token': 2,
    'unknown token': 2,
    'no token': 3,
    'without Host': 2,
  },
  refusals: { logon: 2, 'be refused often': 6, 'look often': 3, revoke: 4, use: 6 },
  revocations: {
    logon: 4,
    'log on in a row': 2,
    revoke: 4,
    'revoke several': 4,
    'revoke in vain': 4,
    use: 2,
    'look at a dead token': 2,
    'look often': 1,
    again: 2,
    'no token': 2,
  },
  bursts: { logon: 2, burst: 4, 'two at once': 8, use: 3, revoke: 1, 'look at a dead token': 3, later: 1 },
  forms: {
    logon: 3,
    use: 4,
    revoke: 3,
    'no token': 3,
    'look at a dead token': 5,
    'look-alike': 5,
    'in other words': 3,
    'in another place': 5,
    'log on in other words': 4,
    'wrong logon': 2,
    'without Host': 2,
    'revoke in vain': 2,
  },
  rows: {
    logon: 4,
    use: 8,
    revoke: 5,
    rest: 2,
    'no token': 4,
    'look at a dead token': 5,
    'look-alike': 6,
    'in another place': 3,
    'without Host': 8,
    'without Host, in other words': 2,
    'log on in other words': 1,
    'wrong logon': 8,
    'revoke in vain': 3,
    'revoke in other words': 3,
    'revoke a look-alike': 4,
    'behind another': 5,
    'two at once': 6,
    'look around': 1,
  },
  late: {
    logon: 3,
    'log on in a row': 1,
    'use late': 4,
    'age and expire': 3,
    use: 2,
    'no token': 2,
    'look at a dead token': 3,
    'look-alike': 1,
    'in another place': 1,
    'wrong logon': 2,
    'revoke in vain': 1,
    'without Host': 4,
    revoke: 1,
    'look around': 1,
  },
  host: { logon: 5, 'without Host': 7, again: 2, use: 6, revoke: 2, 'look at a dead token': 3, 'no token': 3 },
  wrong: { logon: 3, 'wrong logon': 4, 'log on in a row': 3, use: 5, revoke: 3, 'look at a dead token': 3, later: 1 },
  words: {
    logon: 3,
    use: 3,
    revoke: 4,
    'look-alike': 6,
    'in other words': 6,
    'log on in other words': 3,
    'in another place': 3,
    'without Host, in other words': 3,
    'wrong logon': 2,
    'look at a dead token': 2,
  },
  ageing: {
    logon: 3,
    wait: 9,
    'let expire': 2,
    'age and expire': 3,
    use: 5,
    'look at a dead token': 2,
    'without Host': 3,
    'wrong logon': 2,
  },
  expiries: {
    logon: 5,
    'let expire': 4,
    'age and expire': 4,
    wait: 1,
    use: 4,
    'look at a dead token': 6,
    revoke: 1,
    'revoke in vain': 1,
    'look-alike': 1,
    'in other words': 1,
  },
} as const satisfies Record<string, Weights>
/** See {@link MOODS}. */
export type MoodName = keyof typeof MOODS

/** The moods without waits, in the order in which they take turns: every other sequence has each request in a form. */
export const QUICK_MOODS: readonly MoodName[] = (
  ['mixed', 'logons', 'revocations', 'uses', 'bursts', 'refusals', 'host', 'wrong', 'words', 'forms'] as const
).flatMap((mood): MoodName[] => ['rows', mood])
/** The moods with waits, in the order in which they take turns. */
export const SLOW_MOODS: readonly MoodName[] = ['late', 'ageing', 'late', 'expiries']

/** Number of commands in a sequence. */
const LENGTH = { minLength: 8, maxLength: 24 }
/** The same where each has a form: more of them share the logons. */
const LONG = { minLength: 20, maxLength: 40 }
const MOST_PICKED = 9999

/** Draws sequences from a seed: the same seed gives the same sequences. Loads fast-check when it is first needed. */
export async function sequenceDrawer(seed: number): Promise<(mood: MoodName, number: number) => Drawn> {
  const { default: fc } = await import('fast-check')
  return (mood, number) => {
    const sequence = fc.array(command(fc, MOODS[mood]), { ...(mood === 'rows' ? LONG : LENGTH), size: 'max' })
    // The seeds lie far apart, so that no sequence resembles the next.
    const [commands = []] = fc.sample(sequence, { seed: (seed + Math.imul(number + 1, 0x9e3779b1)) | 0, numRuns: 1 })
    return { mood, commands }
  }
}

function command(fc: typeof FastCheck, weights: Weights): FastCheck.Arbitrary<Command> {
  const pick = fc.nat(MOST_PICKED)
  const each = COMMANDS.flatMap(name => {
    const weight = weights[name]
    return weight === undefined
      ? []
      : [{ weight, arbitrary: fc.record({ name: fc.constant(name), pick, other: pick, form: pick }) }]
  })
  return fc.oneof(...each)
}
