/** Makes a sequence shorter while it still shows its contradiction. */
import type { Action } from './action.js'
import { plainer } from './forms.js'

/** The result of shrinking. */
export interface Shrunk {
  actions: readonly Action[]
  /** Whether leaving out any single action was tried, and failed. */
  isShortest: boolean
}

/** Whether a shorter sequence still shows the contradiction; undefined: no time is left, so shrinking ends. */
type Shows = (actions: readonly Action[]) => Promise<boolean | undefined>

/**
 * Leaves out as many actions as possible: first many at a time, then single ones. Without a logon, the actions with its
 * token go too. Then it makes the requests that are left as plain as possible.
 */
export async function shrink(actions: readonly Action[], shows: Shows): Promise<Shrunk> {
  const fewer = await shorten(actions, shows)
  return fewer.isShortest ? simplify(fewer.actions, shows) : fewer
}

async function shorten(actions: readonly Action[], shows: Shows): Promise<Shrunk> {
  let left = actions
  let size = Math.max(1, Math.ceil(left.length / 2))
  for (;;) {
    let hasShrunk = false
    for (let before = left.length; before > 0; ) {
      const some = (size > 1 ? removable(left) : [...left.keys()]).filter(index => index < before).slice(-size)
      const [first] = some
      if (first === undefined) break
      before = first
      const shorter = leavingOut(left, new Set(some))
      if (shorter.length === 0) continue
      const isShown = await shows(shorter)
      if (isShown === undefined) return { actions: left, isShortest: false }
      if (!isShown) continue
      left = shorter
      hasShrunk = true
    }
    if (size > 1) size = Math.max(1, Math.floor(size / 2))
    else if (!hasShrunk) return { actions: left, isShortest: true }
  }
}

/** Returns the last action, with what it cannot be without: the logon of its token, and what it is sent beside. */
export function lastAlone(actions: readonly Action[]): Action[] {
  const kept = new Set([actions.length - 1])
  if (actions.at(-1)?.beside) kept.add(actions.length - 2)
  for (const index of [...kept]) {
    const action = actions[index]
    for (const token of action ? [tokenOf(action), action.behind] : [])
      if (token !== undefined) kept.add(actions.findIndex(({ logon }) => logon === token))
  }
  return actions.filter((_, index) => kept.has(index))
}

/** Returns the indexes of the actions that the last one, which mostly shows the contradiction, can be without. */
function removable(actions: readonly Action[]): number[] {
  const last = actions.at(-1)
  const token = last && tokenOf(last)
  return [...actions.keys()].filter(
    index => index < actions.length - 1 && (token === undefined || actions[index]?.logon !== token),
  )
}

/** Leaves out what a request departs by and need not. */
async function simplify(actions: readonly Action[], shows: Shows): Promise<Shrunk> {
  let left = actions
  for (let index = 0; index < left.length; index++) {
    for (;;) {
      const action = left[index]
      let simpler: readonly Action[] | undefined
      for (const one of action ? plainer(action) : []) {
        const tried = left.map((each, at) => (at === index ? one : each))
        const isShown = await shows(tried)
        if (isShown === undefined) return { actions: left, isShortest: false }
        if (isShown) simpler = tried
        if (isShown) break
      }
      if (!simpler) break
      left = simpler
    }
  }
  return { actions: left, isShortest: true }
}

/** Returns the actions without those from one index to another, and without those that need a token of theirs. */
export function without(actions: readonly Action[], from: number, to: number): Action[] {
  return leavingOut(actions, new Set([...actions.keys()].slice(from, to)))
}

function leavingOut(actions: readonly Action[], indexes: ReadonlySet<number>): Action[] {
  const isLeft = (_action: Action, index: number) => !indexes.has(index)
  const gone = new Set(actions.flatMap(({ logon }, index) => (indexes.has(index) ? (logon ?? []) : [])))
  const left = actions
    .filter(isLeft)
    .filter(action => !gone.has(tokenOf(action) ?? '') && !gone.has(action.behind ?? ''))
  const [first, ...others] = left
  // The action that it was sent beside may be gone.
  return first?.beside ? [alone(first), ...others] : left
}

/** Returns the token that an action needs. */
export function tokenOf({ token, wait }: Action): string | undefined {
  return typeof token === 'object' ? token.like : (token ?? wait?.token)
}

/**
 * Repeats actions several times, each time with other tokens: a fault that shows now and then shows in one of the
 * repeats.
 */
export function repeatActions(actions: readonly Action[], times: number): Action[] {
  return Array.from({ length: times }, (_, turn) =>
    actions.map((action, index) => {
      const named = renamed(action, name => (turn === 0 ? name : `${name}-${turn}`))
      return index === 0 ? alone(named) : named
    }),
  ).flat()
}

/** Returns an action with its tokens renamed. */
function renamed(action: Action, rename: (name: string) => string): Action {
  const { logon, token, wait, behind } = action
  return {
    ...action,
    ...(logon !== undefined && { logon: rename(logon) }),
    ...(typeof token === 'string' && { token: token === 'unknown' ? token : rename(token) }),
    ...(typeof token === 'object' && { token: { ...token, like: rename(token.like) } }),
    ...(wait && { wait: { ...wait, token: rename(wait.token) } }),
    ...(behind !== undefined && { behind: rename(behind) }),
  }
}

function alone({ beside: _, ...action }: Action): Action {
  return action
}
