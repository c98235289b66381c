/** Pursues a contradiction: sees it again, alone, then makes its sequence as short as possible. */
import type { FindingRecord } from '../result.js'
import type { Spec } from '../suite/spec.js'
import type { Action } from './action.js'
import { accusing, type Contradiction, describe, type Found, reference, requirementOf } from './finding.js'
import type { Kind } from './kinds.js'
import { type Bounds, type Lowered, lower, Play } from './lower.js'
import { type Ledger, type Outcome, toSpec } from './sequence.js'
import { lastAlone, repeatActions, shrink } from './shrink.js'

/** How often a contradiction is tried, the first time included. */
const TRIES = 3
/** How many of those tries have to show it before it counts as repeating. */
const REPEATS = 2
/**
 * How many times a sequence is joined to itself where it shows something only now and then; `MOST_AMPLIFIED` limits the
 * actions of the result.
 */
const AMPLIFIED = [3, 8, 24]
const MOST_AMPLIFIED = 160

/** Actions between two tries. */
const HARMLESS: readonly Action[] = [{ logon: 'a' }, { send: 'probe', token: 'a' }, { send: 'probe', token: 'a' }]
const ALL_KINDS: ReadonlySet<Kind> = new Set(['issue', 'open'])

/** Means of a pursuit. */
export interface Pursuing {
  bounds: Bounds
  ledger: Ledger
  /** Runs a spec once, with no other sequence under way. */
  run: (spec: Spec) => Promise<Outcome>
  /** Whether time and requests are left to look for a shorter sequence. */
  hasTime: () => boolean
  /** How many refused logons may still be sent. */
  wrongLeft: () => number
}

/** The result of a pursuit. */
export interface Pursued {
  finding: FindingRecord
  /** The spec with its end; absent where no spec failed. */
  failed?: { spec: Spec; end: Outcome['end'] }
}

/** Pursues one contradiction. */
export async function pursue(first: Contradiction, firstEnd: Outcome['end'], means: Pursuing): Promise<Pursued> {
  const pursuit = new Pursuit(first, means)
  // Most contradictions need nothing but their last request. To see one so costs the fewest refused logons, which are scarce.
  const alone = lastAlone(first.actions)
  const isAlone = (await pursuit.shows(alone)) === true
  const { seen, tries } = isAlone ? { seen: TRIES, tries: TRIES } : await pursuit.again()
  const actions = isAlone ? alone : seen >= REPEATS ? first.actions : await pursuit.amplify()
  if (actions) {
    const shrunk = await shrink(actions, shorter => pursuit.shows(shorter))
    const steps = lower(shrunk.actions, means.bounds) ?? first.steps
    const { isShortest } = shrunk
    const shown = await pursuit.confirmed(steps, isShortest)
    if (shown) {
      const { found, end } = shown
      const finding = recordOf(found, 'confirmed', { seen, tries, isShortest }, first.steps.length)
      return { finding, failed: { spec: found.spec, end } }
    }
  }
  return unrepeated(first, firstEnd, { seen, tries }, means)
}

class Pursuit {
  constructor(
    private readonly first: Contradiction,
    private readonly means: Pursuing,
  ) {}

  /** Tries the sequence as it is. */
  async again(): Promise<Pick<FindingRecord, 'seen' | 'tries'>> {
    let seen = 1
    for (let tries = 1; tries < TRIES; tries++) if (await this.shown(this.first.steps)) seen++
    return { seen, tries: TRIES }
  }

  /**
   * Joins the sequence to itself until the result shows the contradiction each time; undefined where no length does.
   */
  async amplify(): Promise<Action[] | undefined> {
    const { bounds } = this.means
    const once = this.closed()
    for (const times of AMPLIFIED) {
      if (once.length * times > MOST_AMPLIFIED || !this.means.hasTime()) return undefined
      const actions = repeatActions(once, times)
      const steps = lower(actions, bounds)
      if (steps && (await this.shown(steps)) && (await this.shown(steps))) return actions
    }
    return undefined
  }

  /** Whether a sequence shows the contradiction each time; undefined where no time is left to see. */
  async shows(actions: readonly Action[]): Promise<boolean | undefined> {
    const { bounds, hasTime, wrongLeft } = this.means
    const steps = lower(actions, bounds)
    if (!steps?.some(({ kind }) => kind === this.first.kind)) return false
    const wrong = steps.filter(({ kind }) => kind === 'wrong' || kind === 'malformed').length
    // It is sent twice here, and twice more to be confirmed.
    if (!hasTime() || (wrong > 0 && 2 * REPEATS * wrong > wrongLeft())) return undefined
    return (await this.shown(steps)) !== undefined && (await this.shown(steps)) !== undefined
  }

  /** Runs the spec to be written until it failed twice; undefined where it does not. */
  async confirmed(
    steps: readonly Lowered[],
    isShortest: boolean,
  ): Promise<{ found: Found; end: Outcome['end'] } | undefined> {
    const { kind } = this.first
    const named = requirementOf({ steps, at: lastOf(steps, kind), kind }, isShortest)
    // A valid token that is refused now and then is not dead. Then ACCESS-2 is broken.
    for (const requirement of new Set([named, kind === 'open' ? 'ACCESS-2' : named])) {
      const found = await describe({ steps, kind }, requirement, this.means.ledger)
      let ends = 0
      for (let tries = 0; tries < TRIES; tries++) {
        await this.settle()
        const { end, at } = await this.means.run(found.spec)
        if (at === undefined) continue
        if (++ends === REPEATS) return { found, end }
      }
    }
    return undefined
  }

  /** Runs something harmless, so that effects of one try do not reach the next. */
  private async settle(): Promise<void> {
    const { bounds, ledger, run } = this.means
    const steps = lower(HARMLESS, { ...bounds, known: ALL_KINDS })
    const parts = { id: 'explored-between', title: 'something harmless', requirements: [] }
    if (steps) await run(toSpec(steps, parts, ledger))
  }

  /** Returns the sequence with each of its tokens ended, so that it can be repeated. */
  private closed(): Action[] {
    const { actions } = this.first
    const play = new Play(this.means.bounds)
    for (const action of actions) play.do(action)
    return [...actions, ...play.model.in('issued', 'doubt').map((token): Action => ({ send: 'revoke', token }))]
  }

  private async shown(steps: readonly Lowered[]): Promise<Outcome | undefined> {
    const { ledger, run } = this.means
    await this.settle()
    const requirements = [reference('ACCESS-2', ledger)]
    const parts = { id: 'explored-again', title: 'a sequence', requirements }
    const outcome = await run(toSpec(steps, parts, ledger))
    return outcome.at !== undefined && steps[outcome.at]?.kind === this.first.kind ? outcome : undefined
  }
}

/** Describes a contradiction that was seen, and cannot be shown at will. */
async function unrepeated(
  { steps, at, kind }: Contradiction,
  end: Outcome['end'],
  counts: Pick<FindingRecord, 'seen' | 'tries'>,
  { ledger }: Pursuing,
): Promise<Pursued> {
  const requirement = requirementOf({ steps, at, kind }, false)
  const found = await describe({ steps, kind }, requirement, ledger)
  // It repeats, but no time or requests were left to shorten it.
  const isRepeated = counts.seen >= REPEATS
  const state = isRepeated ? 'confirmed' : end.isCertain ? 'certain' : 'flaky'
  const finding = recordOf(found, state, { ...counts, isShortest: false }, steps.length)
  if (state === 'flaky') return { finding }
  const { text, spec } = found
  const { id, title, requirements, file, line, area } = spec
  const { record } = end
  const told = {
    ...record,
    ...{ id, title, area, requirements, file, line },
    steps: accusing(record.steps, at, requirement, kind),
    message: `${record.message ?? text}; seen in ${counts.seen} of ${counts.tries} tries${isRepeated ? '' : ', and the reference leaves no room for it'}`,
  }
  return { finding, failed: { spec, end: { ...end, record: told } } }
}

/** Writes down a finding. @param foundWith how many steps showed it first */
function recordOf(
  { id, requirement, text, merged, yaml }: Found,
  state: FindingRecord['state'],
  counts: Pick<FindingRecord, 'seen' | 'tries' | 'isShortest'>,
  foundWith: number,
): FindingRecord {
  return { id, requirement, text, state, ...counts, foundWith, steps: merged.length, yaml }
}

/** Returns the index of the last step of a kind: the one that the sequence leads to. */
function lastOf(steps: readonly Lowered[], kind: Lowered['kind']): number {
  return steps.findLastIndex(step => step.kind === kind)
}
