/** Compares two fleets, Core by Core. */
import { duration } from '../duration.js'
import { type DoubtSource, isOpened, newDoubts } from '../result/opened.js'
import type { RequirementState } from '../result.js'
import { byName } from './fleet.js'
import { isJudged } from './patterns.js'
import type { CoreChange, Fleet, FleetCore, Since } from './types.js'

/** The kinds of changes, worst first. */
const KINDS: readonly CoreChange['kind'][] = [
  'fails now',
  'opened',
  'in doubt',
  'verdict',
  'fixed',
  'gone',
  'added',
  'firmware',
]

/**
 * Lists what changed since an earlier fleet. Two Cores are the same if their names are equal.
 * @param file path of the earlier fleet, as the user wrote it
 */
export function sinceOf(earlier: Fleet, later: Fleet, file: string): Since {
  const before = new Map(earlier.cores.map(core => [core.name, core]))
  const now = new Map(later.cores.map(core => [core.name, core]))
  const both = later.cores.flatMap(core => {
    const old = before.get(core.name)
    return old ? [{ old, core }] : []
  })
  const added = later.cores.filter(({ name }) => !before.has(name))
  // A Core that is not in this shard may be in another one.
  const gone = later.shard && !earlier.shard ? [] : earlier.cores.filter(({ name }) => !now.has(name))
  const changes = [
    ...both.flatMap(({ old, core }) => changesOf(old, core)),
    ...added.map(({ name, verdict }) => ({ core: name, kind: 'added' as const, was: null, is: verdict })),
    ...gone.map(({ name, verdict }) => ({ core: name, kind: 'gone' as const, was: verdict, is: null })),
  ]
  return {
    file,
    startedAt: earlier.startedAt,
    compared: both.length,
    notices: noticesOf(earlier, later, both),
    changes: changes.sort(
      (a, b) => byName({ name: a.core }, { name: b.core }) || KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind),
    ),
  }
}

/**
 * Whether a requirement fails now that did not fail before, a Core accepts now what it refused before, or turned from conformant
 * to nonconformant or drifted.
 */
export function isWorse({ changes }: Since): boolean {
  return changes.some(
    ({ kind, is, was, seen }) =>
      kind === 'fails now' ||
      kind === 'opened' ||
      (kind === 'in doubt' && seen !== undefined) ||
      (kind === 'verdict' && was === 'conformant' && (is === 'nonconformant' || is === 'drifted')),
  )
}

function changesOf(old: FleetCore, core: FleetCore): CoreChange[] {
  const changes: CoreChange[] = []
  const tell = (kind: CoreChange['kind'], was: string | undefined, is: string | undefined, more = {}) =>
    changes.push({ core: core.name, kind, was: was ?? null, is: is ?? null, ...more })
  if (old.verdict !== core.verdict) tell('verdict', old.verdict, core.verdict)
  if (old.firmware !== core.firmware) tell('firmware', old.firmware, core.firmware)
  // Where access control was off in one of the runs, nothing was protected that could be opened.
  if (old.configuration.accessControl === core.configuration.accessControl) {
    for (const [fact, was] of Object.entries(old.statuses ?? {})) {
      const is = core.statuses?.[fact] ?? null
      if (isOpened(fact, was, is)) tell('opened', String(was), String(is), { fact })
    }
    for (const { requirement, was, text } of newDoubts(sourceOf(old), sourceOf(core)))
      tell('in doubt', was, 'in doubt', { requirement, ...(text !== undefined && { seen: text }) })
  }
  for (const requirement of Object.keys(core.states).sort()) {
    const [was, is] = [old.states[requirement], core.states[requirement]]
    const [failed, fails] = [isFailing(was), isFailing(is)]
    if (fails && !failed) tell('fails now', was, is, { requirement, specs: accusing(core, requirement) })
    // A requirement that was not judged this time is not fixed.
    if (failed && !fails && isJudged(is)) tell('fixed', was, is, { requirement, specs: accusing(old, requirement) })
  }
  return changes
}

function sourceOf({ states, doubts = [] }: FleetCore): DoubtSource {
  return { states, doubts }
}

/** Whether a state is a failure. A known failure counts: clients meet it all the same. */
function isFailing(state: RequirementState | undefined): boolean {
  return state === 'not met' || state === 'known failure'
}

function accusing({ against }: FleetCore, requirement: string): string[] {
  return against.filter(({ requirements }) => requirements.includes(requirement)).map(({ id }) => id)
}

function noticesOf(earlier: Fleet, later: Fleet, both: readonly { old: FleetCore; core: FleetCore }[]): string[] {
  const notices: string[] = []
  if (earlier.suite.version !== later.suite.version)
    notices.push(`the suite is another: ${earlier.suite.version} then, ${later.suite.version} now`)
  else if (earlier.suite.specsDigest !== later.suite.specsDigest)
    notices.push('the specs are not the same: what fails now may not have been tested then')
  for (const { old, core } of both) {
    const [was, is] = [old.configuration, core.configuration]
    if (was.profile !== is.profile)
      notices.push(`${core.name} was run with the ${was.profile} profile then, with the ${is.profile} profile now`)
    if (was.idleLifetimeMs !== is.idleLifetimeMs)
      notices.push(
        `${core.name} was run at a lifetime of ${duration(was.idleLifetimeMs)} then, of ${duration(is.idleLifetimeMs)} now`,
      )
    if (old.url !== core.url) notices.push(`${core.name} was at ${old.url} then, and is at ${core.url} now`)
  }
  return notices
}
