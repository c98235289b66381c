/** Which mock Cores the matrix puts the suite to. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DefectInfo } from '../dist/mock/index.js'

/** A mock Core that the suite is run on. */
export interface Subject {
  /** The name of the defect, or of the dialect. */
  name: string
  kind: 'defect' | 'dialect'
  /** The file of the dialect; absent: the default one. */
  file?: string
  /** The ids of the specs to run; absent: all. */
  specs?: readonly string[]
  /** How many tokens the mock Core has room for; absent: as many as the dialect says. */
  maxTokens?: number
  /** How many requests the explorer may send; absent: nothing is explored. */
  explore?: number
  /** Whether the mock Core and the command line each have a process of their own. */
  inProcesses?: boolean
}

/** What is asked of the matrix. */
export interface Wanted {
  /** Parts of names; none: all. */
  parts: readonly string[]
  /** The limit of tokens for all subjects; absent: none for all, and {@link LIMITS} for some. */
  maxTokens?: number
  /** All limits for all subjects. */
  allLimits: boolean
}

/** A small device, one with as much room as a run of the suite likes to have, and one with plenty. */
export const LIMITS = [3, 10, 20] as const
/** Every how-manieth subject is also put to each limit. Odd, so that neighbours, which are alike, come with all limits in turn. */
const CROSS_SECTION = 11
/** What `--sample` takes: each area, each kind of sight, and dialects that were once accused. */
export const SAMPLE: readonly string[] = [
  'access-token-usable-once',
  'access-token-opens-users-only',
  'host-missing-answered-400',
  'host-missing-delete-revokes',
  'idle-lifetime-a-tenth-longer',
  'idle-not-reset-by-get',
  'logon-password-prolonged-accepted',
  'logon-same-token-always',
  'logon-token-unusable',
  'revoke-does-nothing',
  'revoke-ends-another-instead',
  'http10-refused-400',
  'newest-token-only',
  'rejections-419',
  'token-in-header',
]
/** Of the sample, too, but put to every spec: it concerns all of them, and each is to blame what it breaks. */
export const SAMPLE_FOR_ALL_SPECS = 'transport-rejections-answered-200'
/** What the explorer needs beside it: specs that log on, use, revoke and wait. */
const EXPLORED_WITH = ['revocation-rejects', 'access-elsewhere-without-token', 'idle-expires']
/** As many requests find nearly all of these defects from the first seed of the matrix, and each from one of three. */
const EXPLORED_REQUESTS = 2500
/** How many subjects are run in processes of their own: a start takes a second. */
const IN_PROCESSES = 12

/**
 * Chooses the subjects: each defect and dialect as it is; a cross-section, the same each time, with each limit of tokens; and a
 * sample in processes of their own. Subjects that are named are put to all three.
 *
 * @returns those that take long first, so that the others fill the time
 */
export function chooseSubjects(defects: readonly DefectInfo[], wanted: Wanted): Subject[] {
  const { parts, maxTokens, allLimits } = wanted
  const every = allOf(defects).filter(({ name }) => parts.length === 0 || parts.some(part => name.includes(part)))
  const needs = new Map(defects.map(({ name, needsTokens = 1 }) => [name, needsTokens]))
  const withLimit = (subjects: Subject[], limit: number) =>
    subjects
      .filter(
        ({ name, file }) => (needs.get(name) ?? 1) <= limit && !(file && /(?:limit|newest)-(?:\d+-)?token/.test(name)),
      )
      .map(subject => ({ ...subject, maxTokens: limit }))
  if (maxTokens !== undefined) return withLimit(every, maxTokens)
  const isNamed = parts.length > 0
  const plain = every.filter(({ explore }) => explore === undefined)
  const limited = LIMITS.flatMap((limit, index) =>
    withLimit(allLimits ? plain : isNamed ? [] : nth(plain, CROSS_SECTION, index), limit),
  )
  const step = Math.max(Math.floor(plain.length / IN_PROCESSES), 1)
  const own = isNamed ? [] : nth(plain, step, 1).slice(0, IN_PROCESSES)
  return [...own.map(subject => ({ ...subject, inProcesses: true })), ...every, ...limited]
}

/** Every subject as it is: dialects, defects, and a defect that takes a dialect of its own to be seen. */
function allOf(defects: readonly DefectInfo[]): Subject[] {
  const folder = fileURLToPath(new URL('../contracts/dialects', import.meta.url))
  const dialects = readdirSync(folder)
    .filter(file => file.endsWith('.yaml'))
    .sort()
    .map((file): Subject => ({ name: file.replace('.yaml', ''), kind: 'dialect', file: join(folder, file) }))
  // What shows only after a sequence is the explorer's: it is put to that, with a few specs that it does not fail.
  const faulty = defects.map(({ name, area }): Subject => {
    const exploring = area === 'sequence' && { explore: EXPLORED_REQUESTS, specs: EXPLORED_WITH }
    return { name, kind: 'defect', ...exploring }
  })
  // Of the default dialect's tokens only one case can be changed, and a Core that ignores the case has to meet the other too.
  const upper = dialects.find(({ name }) => name === 'token-upper-case-hex')
  const twice: Subject[] =
    upper?.file === undefined ? [] : [{ name: 'access-token-case-ignored', kind: 'defect', file: upper.file }]
  return [...dialects, ...faulty, ...twice]
}

/** Every so-manieth item, from the one of this index. */
function nth<T>(items: readonly T[], every: number, from: number): T[] {
  return items.filter((_, index) => index % every === from % every)
}

/** How a subject is called in the output. */
export function labelOf({ name, kind, file, maxTokens, inProcesses }: Subject): string {
  const how = [
    kind === 'defect' && file !== undefined && 'with upper-case tokens',
    maxTokens !== undefined && `room for ${maxTokens} tokens`,
    inProcesses && 'in processes of their own',
  ].filter(Boolean)
  return how.length === 0 ? name : `${name} (${how.join(', ')})`
}
