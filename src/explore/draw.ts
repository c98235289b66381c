/** Draws sequences of commands from a seed. */
import type FastCheck from 'fast-check'

/**
 * The kinds of commands that a sequence can be rich in. A fault that counts requests shows only where many of one kind
 * come in a row. So each sequence has its mood, and not a little of everything.
 */
// biome-ignore format: the columns of the table
const MOODS = [
  'mixed', 'logons', 'uses', 'refusals', 'revocations', 'bursts', 'forms',
  'rows', 'late', 'host', 'wrong', 'words', 'ageing', 'expiries',
] as const
/** See {@link MOODS}. */
export type MoodName = (typeof MOODS)[number]
type PerMood<Moods extends readonly string[]> = { [mood in keyof Moods]: number }

/**
 * The commands, with their weights in each mood. The token of a command is picked when the command is played: only then the
 * tokens are known.
 */
// biome-ignore format: a table
const WEIGHTS = {
  'logon':                        [5, 2, 2, 2, 4, 2, 3, 4, 3, 5, 3, 3, 3, 5],
  'use':                          [5, 3, 2, 6, 2, 3, 4, 8, 2, 6, 5, 3, 5, 4],
  'use often':                    [0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  'look at a dead token':         [3, 3, 2, 0, 2, 3, 5, 5, 3, 3, 3, 2, 2, 6],
  'look often':                   [0, 0, 0, 3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  'revoke':                       [4, 3, 4, 4, 4, 1, 3, 5, 1, 2, 3, 4, 0, 1],
  'revoke in vain':               [3, 0, 0, 0, 4, 0, 2, 3, 1, 0, 0, 0, 0, 1],
  'no token':                     [3, 2, 3, 0, 2, 0, 3, 4, 2, 3, 0, 0, 0, 0],
  'unknown token':                [3, 4, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  'be refused often':             [0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  'wrong logon':                  [1, 2, 0, 0, 0, 0, 2, 8, 2, 0, 4, 2, 2, 0],
  'without Host':                 [4, 0, 2, 0, 0, 0, 2, 8, 4, 7, 0, 0, 3, 0],
  'wait':                         [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 1],
  'let expire':                   [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 4],
  'age and expire':               [0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 3, 4],
  'later':                        [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0],
  'burst':                        [0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0],
  'churn':                        [0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  'log on in a row':              [1, 6, 0, 0, 2, 0, 0, 0, 1, 0, 3, 0, 0, 0],
  'use in turn':                  [0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  'again':                        [3, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0],
  'revoke several':               [0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  'look-alike':                   [2, 0, 0, 0, 0, 0, 5, 6, 1, 0, 0, 6, 0, 1],
  'in other words':               [0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 6, 0, 1],
  'log on in other words':        [2, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 3, 0, 0],
  'in another place':             [2, 0, 0, 0, 0, 0, 5, 3, 1, 0, 0, 3, 0, 0],
  'without Host, in other words': [0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0],
  'revoke in other words':        [0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0],
  'revoke a look-alike':          [0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0],
  'look around':                  [0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0],
  'several at once':              [0, 0, 0, 0, 0, 8, 0, 6, 0, 0, 0, 0, 0, 0],
  'behind another':               [0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0],
  'use late':                     [0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0],
  'rest':                         [0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0],
} satisfies Record<string, PerMood<typeof MOODS>>
/** See {@link WEIGHTS}. */
export type CommandName = keyof typeof WEIGHTS

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
    const sequence = fc.array(command(fc, mood), { ...(mood === 'rows' ? LONG : LENGTH), size: 'max' })
    // The seeds lie far apart, so that no sequence resembles the next.
    const [commands = []] = fc.sample(sequence, { seed: (seed + Math.imul(number + 1, 0x9e3779b1)) | 0, numRuns: 1 })
    return { mood, commands }
  }
}

function command(fc: typeof FastCheck, mood: MoodName): FastCheck.Arbitrary<Command> {
  const pick = fc.nat(MOST_PICKED)
  const column = MOODS.indexOf(mood)
  const all = (Object.keys(WEIGHTS) as CommandName[]).map(name => ({
    weight: WEIGHTS[name][column] ?? 0,
    arbitrary: fc.record({ name: fc.constant(name), pick, other: pick, form: pick }),
  }))
  return fc.oneof(...all.filter(({ weight }) => weight > 0))
}
