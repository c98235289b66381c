/** Makes a sequence shorter, as long as it still shows what it showed. */
import type { Action } from './lower.js'

/** What came of it. */
export interface Shrunk {
  actions: readonly Action[]
  /** Whether every action was left out once, and none could be. */
  isShortest: boolean
}

/**
 * Leaves out as many actions as it can: first many at a time, then each by itself. What uses a token goes with the logon that
 * issues it.
 * @param shows whether a shorter sequence still shows it; undefined: there is no time to look, so the shrinking ends
 */
export async function shrink(
  actions: readonly Action[],
  shows: (actions: readonly Action[]) => Promise<boolean | undefined>,
): Promise<Shrunk> {
  let left = actions
  let size = Math.max(1, Math.ceil(left.length / 2))
  for (;;) {
    let hasShrunk = false
    for (let from = left.length - 1; from >= 0; from -= size) {
      const start = Math.max(0, from - size + 1)
      const shorter = without(left, start, from + 1)
      if (shorter.length === 0 || shorter.length === left.length) continue
      const isShown = await shows(shorter)
      if (isShown === undefined) return { actions: left, isShortest: false }
      if (!isShown) continue
      left = shorter
      hasShrunk = true
      from = Math.min(from, left.length)
    }
    if (size > 1) size = Math.max(1, Math.floor(size / 2))
    else if (!hasShrunk) return { actions: left, isShortest: true }
  }
}

/** The actions without those from one index up to another, and without what needs a token that is gone then. */
export function without(actions: readonly Action[], from: number, to: number): Action[] {
  const gone = new Set(actions.slice(from, to).flatMap(({ logon }) => logon ?? []))
  const left = [...actions.slice(0, from), ...actions.slice(to)].filter(action => !gone.has(tokenOf(action) ?? ''))
  const [first, ...others] = left
  // What it was sent beside may be gone.
  return first?.beside ? [alone(first), ...others] : left
}

/** The token that an action needs. */
export function tokenOf({ token, wait }: Action): string | undefined {
  return typeof token === 'object' ? token.like : (token ?? wait?.token)
}

/** The same action several times over, with tokens of its own each time: what shows now and then shows in one of them. */
export function amplified(actions: readonly Action[], times: number): Action[] {
  return Array.from({ length: times }, (_, turn) =>
    actions.map((action, index) => {
      const named = renamed(action, name => (turn === 0 ? name : `${name}-${turn}`))
      return index === 0 ? alone(named) : named
    }),
  ).flat()
}

/** An action with its tokens called otherwise. */
export function renamed(action: Action, rename: (name: string) => string): Action {
  const { logon, token, wait } = action
  return {
    ...action,
    ...(logon !== undefined && { logon: rename(logon) }),
    ...(typeof token === 'string' && { token: token === 'unknown' ? token : rename(token) }),
    ...(typeof token === 'object' && { token: { ...token, like: rename(token.like) } }),
    ...(wait && { wait: { ...wait, token: rename(wait.token) } }),
  }
}

function alone({ beside: _, ...action }: Action): Action {
  return action
}
