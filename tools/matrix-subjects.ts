/** Chooses the mock Cores of the matrix. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DefectInfo } from '../dist/mock/index.js'

/** A mock Core that the suite is run on. */
export interface Subject {
  /** The name of the defect, of the mutant, or of the dialect. */
  name: string
  kind: 'defect' | 'dialect'
  /** The file of the dialect; absent: the default one. */
  file?: string
  /** The ids of the specs to run; absent: all. */
  specs?: readonly string[]
  /** Number of tokens that the mock Core has room for; absent: as the dialect says. */
  maxTokens?: number
  /** Number of requests for the explorer; absent: no exploration. */
  explore?: number
  /** Number of requests for the explorer where it is tried from one seed only. */
  exploreRequests?: number
  /** The profile of the run; absent: the longest, since waits cost nothing here. */
  profile?: 'quick' | 'full'
  needsTls?: boolean
  /** Present where access control is off, on the mock Core and for the suite. */
  accessControl?: 'off'
  /** Whether the mock Core and the command line run in processes of their own. */
  inProcesses?: boolean
}

/** The selection that a user made. */
export interface Wanted {
  /** Parts of names; none: all. */
  parts: readonly string[]
  /** One limit of tokens for all subjects; absent: no limit for all, and {@link LIMITS} for some. */
  maxTokens?: number
  /** All limits for all subjects. */
  allLimits: boolean
}

/** A small device, one with just enough room for a run of the suite, and one with plenty. */
export const LIMITS = [3, 10, 20] as const
/** Interval of the subjects that are also run with each limit. Odd, so that similar neighbours get different limits. */
const CROSS_SECTION = 11
/** The subjects of `--sample`: each area, each way to see a defect, and dialects that were once accused. */
export const SAMPLE: readonly string[] = [
  'access-control-off',
  'access-token-usable-once',
  'access-token-opens-users-only',
  'host-missing-answered-400',
  'host-missing-delete-revokes',
  'idle-lifetime-a-tenth-longer',
  'idle-not-reset-by-get',
  'logon-password-prolonged-accepted',
  'logon-same-token-always',
  'logon-token-unusable',
  'open-needs-token-while-two-live',
  'revoke-does-nothing',
  'revoke-ends-another-instead',
  'newest-token-only',
  'rejections-200',
  'token-in-header',
]
/**
 * Honest dialects that take minutes: the mock Core lets requests wait in real time. They are acquitted, and run where they are named.
 */
export const NOT_YET: readonly string[] = [
  'limit-20-requests-a-second-waiting',
  'limit-30-requests-a-second-unanswered',
  'limit-logons-2-a-second-waiting',
  'logon-one-at-a-time',
]
/** Also of the sample, but run with every spec: the defect concerns all of them, and each must accuse what it breaks. */
export const SAMPLE_FOR_ALL_SPECS = 'access-no-token-accepted'
/** The specs that accompany the explorer: they log on, use, revoke and wait. */
export const EXPLORED_WITH = ['revocation-rejects', 'access-elsewhere-without-token', 'idle-expires']
/** This many requests find nearly all of these defects from the first seed of the matrix, and each from one of three. */
const EXPLORED_REQUESTS = 2500
/** Number of subjects in processes of their own: each start takes a second. */
const IN_PROCESSES = 12

/**
 * Chooses the subjects: each defect and dialect; a cross-section, the same each time, with each limit of tokens; and a sample
 * in processes of their own. Subjects that the user names are run in all three ways.
 *
 * @returns slow subjects first, so that the others fill the time
 */
export function chooseSubjects(defects: readonly DefectInfo[], wanted: Wanted): Subject[] {
  const { parts, maxTokens, allLimits } = wanted
  const every = allOf(defects).filter(({ name }) =>
    parts.length === 0 ? !NOT_YET.includes(name) : parts.some(part => name.includes(part)),
  )
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
  const own = isNamed
    ? []
    : nth(
        plain.filter(({ accessControl }) => accessControl === undefined),
        step,
        1,
      ).slice(0, IN_PROCESSES)
  return [...own.map(subject => ({ ...subject, inProcesses: true })), ...every, ...limited]
}

/** Returns every subject once: dialects, and defects. */
function allOf(defects: readonly DefectInfo[]): Subject[] {
  const folder = fileURLToPath(new URL('../contracts/dialects', import.meta.url))
  const dialects = readdirSync(folder)
    .filter(file => file.endsWith('.yaml'))
    .sort()
    .map((file): Subject => ({ name: file.replace('.yaml', ''), kind: 'dialect', file: join(folder, file) }))
  // A defect that shows only after a sequence goes to the explorer, with a few specs that it passes.
  const faulty = defects.map(({ name, area, needsTls, accessControl }): Subject => {
    const exploring = area === 'sequence' && { explore: EXPLORED_REQUESTS, specs: EXPLORED_WITH }
    return {
      name,
      kind: 'defect',
      ...exploring,
      ...(needsTls && { needsTls }),
      ...(accessControl && { accessControl }),
    }
  })
  return [...dialects, { name: 'access-control-off', kind: 'dialect', accessControl: 'off' }, ...faulty]
}

/** Returns every n-th item, starting at an index. */
function nth<T>(items: readonly T[], every: number, from: number): T[] {
  return items.filter((_, index) => index % every === from % every)
}

/** Names a subject in the output. */
export function labelOf({ name, maxTokens, inProcesses }: Subject): string {
  const how = [
    maxTokens !== undefined && `room for ${maxTokens} tokens`,
    inProcesses && 'in processes of their own',
  ].filter(Boolean)
  return how.length === 0 ? name : `${name} (${how.join(', ')})`
}
