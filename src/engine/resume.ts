import type { Session } from '../core/session.js'
import type { Token } from '../core/token.js'
import type { Spec } from '../suite/spec.js'
import type { RunContext } from './context.js'
import type { Resumed } from './journal.js'
import type { WaitWork } from './phases/waits.js'
import { probeWith } from './requests.js'

/** The rest of a run. */
export interface WorkLeft extends WaitWork {
  /** The tokens of the units that wait. */
  held: Set<Token>
}

/**
 * Splits the rest of a run. A unit goes on waiting where the run still holds all of its tokens. Every other spec begins
 * anew.
 * @param specs the specs without an outcome
 */
export function workLeft(specs: Spec[], resumed: Resumed | undefined, session: Session): WorkLeft {
  const byId = new Map(specs.map(spec => [spec.id, spec]))
  const waiting = (resumed?.waiting ?? []).flatMap(state => {
    const unit = state.specs.flatMap(({ spec }) => byId.get(spec) ?? [])
    const isHeld = state.specs.every(({ issued, tokens }) => {
      const numbers = [...issued, ...tokens.map(([, number]) => number)]
      return numbers.every(number => session.tokens[number] && !isGone(session.tokens[number], state.tokens[number]))
    })
    return unit.length === state.specs.length && isHeld ? [{ unit, state }] : []
  })
  const numbers = waiting.flatMap(({ state }) => Object.keys(state.tokens).map(Number))
  const held = new Set(numbers.flatMap(number => session.tokens[number] ?? []))
  const begun = new Set(waiting.flatMap(({ unit }) => unit))
  return { waiting, held, specs: specs.filter(spec => !begun.has(spec)) }
}

/** Whether a token was given back since its unit began to wait. */
function isGone({ givenBack }: Token, then: { givenBack: boolean } | undefined): boolean {
  return givenBack && then?.givenBack !== true
}

/**
 * Finds tokens that could not be given back because they were dead already: the earlier process may have revoked them.
 */
export async function noteDead(tokens: Token[], { session, parts, answers }: RunContext): Promise<void> {
  for (const token of tokens.filter(({ givenBack }) => !givenBack)) {
    // The run is out of patience. The remaining tokens are reported as not given back.
    if (session.pacer.patience.isOver) return
    if (!answers.probe.rejects(await session.exchange(probeWith(parts, token.value)))) continue
    token.rejected()
    token.revoked()
  }
}
