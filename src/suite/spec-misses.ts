/** Finds faults of a spec that show only in its steps together: `beside`, `save`, `interaction`, `bystanders`. */
import type { InteractionRecord } from '../result.js'
import { BYSTANDERS } from './bystanders.js'
import { type Miss, miss, type Path } from './problem.js'
import type { RawSave, RawSpec, RawStep } from './raw-step.js'
import { type Saved, TOKEN_STATES, UNKNOWN_TOKEN } from './step-words.js'
import { namesIn, tokensIn, VARIABLES } from './variables.js'

/**
 * Finds faults of `beside` in a list of steps. A request has to come before such a step. And no step may expect something of a
 * token while another issues or revokes it: the state of the token is unknown then.
 * @param revoke the name of the request that revokes; undefined where there is none
 */
export function besideMisses(steps: readonly RawStep[], revoke: string | undefined): Miss[] {
  const isRevocation = ({ send, without }: RawStep) => send !== undefined && send === revoke && without === undefined
  const isOpen = ({ expect, observe, each }: RawStep) => [expect, observe, each].every(each => each === undefined)
  const clashes = (name: string, one: RawStep, other: RawStep) => {
    if (!tokensOf(other).includes(name)) return false
    if (one.logon !== undefined || other.logon !== undefined || (isRevocation(one) && isRevocation(other))) return true
    return isRevocation(one) ? !isOpen(other) : isRevocation(other) && !isOpen(one)
  }
  const misses: Miss[] = []
  let group: RawStep[] = []
  for (const [position, step] of steps.entries()) {
    const { beside, logon, send } = step
    const isRequest = logon !== undefined || send !== undefined
    if (!beside) group = []
    else if (isRequest && group.length === 0)
      misses.push(miss("'beside' needs a logon or a request as the step before it", position, 'beside'))
    const clash = beside && group.flatMap(other => tokensOf(other).filter(name => clashes(name, other, step)))[0]
    const message = `token '${clash}' is issued or revoked by one and used by the other at the same time`
    if (clash) misses.push(miss(message, position, 'beside'))
    if (isRequest) group.push(step)
  }
  return misses
}

function tokensOf({ logon, token }: RawStep): string[] {
  if (logon !== undefined) return [logon]
  return typeof token === 'string' && token !== UNKNOWN_TOKEN ? [token] : []
}

/** Returns the values that a step saves, in the order of the file. */
export function savesOf(raw: RawSave): Saved[] {
  return Object.entries(raw).map(([name, where]) =>
    typeof where === 'string' ? { name, at: where } : { name, at: where.at, ...(where.secret && { isSecret: true }) },
  )
}

/** Returns the names of all values that the steps of a spec save. */
export function savedNames(steps: readonly RawStep[]): Set<string> {
  return new Set(steps.flatMap(({ save }) => Object.keys(save ?? {})))
}

/**
 * Finds faults in what a spec saves: a name that is taken, a value that no step uses, a value used before it is saved,
 * and a value that could come from several responses.
 */
export function saveMisses({ given = [], steps }: RawSpec): Miss[] {
  const all = [
    ...given.map((step, position) => ({ step, at: ['given', position] })),
    ...steps.map((step, position) => ({ step, at: ['steps', position] })),
  ]
  const names = savedNames(all.map(({ step }) => step))
  const misses: Miss[] = []
  const first = new Map<string, { path: Path; isUsed: boolean }>()
  /** Values saved since the last step that is not sent at the same time as another. */
  let beside = new Set<string>()
  for (const { step, at } of all) {
    if (!step.beside) beside = new Set()
    for (const key of ['path', 'headers', 'body'] as const) {
      for (const name of namesIn(step[key]).filter(each => names.has(each))) {
        const saved = first.get(name)
        if (saved) saved.isUsed = true
        const message = beside.has(name)
          ? `{${name}} is saved by a step that is sent at the same time: leave out 'beside'`
          : `{${name}} is used before it is saved: save it in a step before this one`
        if (!saved || beside.has(name)) misses.push(miss(message, ...at, key))
      }
    }
    const crowd = (['each', 'times'] as const).find(key => step[key] !== undefined)
    if (step.save && crowd !== undefined)
      misses.push(miss(`'save' does not go with '${crowd}': there are several responses`, ...at, 'save'))
    for (const name of Object.keys(step.save ?? {})) {
      const path = [...at, 'save', name]
      const isTaken = (VARIABLES as readonly string[]).includes(name)
      if (isTaken) misses.push(miss(`{${name}} is a variable of the run: choose another name`, ...path))
      if (first.has(name)) misses.push(miss(`'${name}' is saved before: choose another name`, ...path))
      else first.set(name, { path, isUsed: isTaken })
      beside.add(name)
    }
  }
  for (const [name, { path, isUsed }] of first) {
    if (!isUsed) misses.push(miss(`no later step uses {${name}}: use it, or do not save it`, ...path))
  }
  return misses
}

/** Returns the interactions of a spec, in the order of its steps. */
export function interactionsOf({ given = [], steps }: RawSpec): InteractionRecord[] {
  return [...given, ...steps].flatMap(({ interaction }, step) => (interaction ? [{ ...interaction, step }] : []))
}

/** Finds why a step cannot be an interaction of a contract. */
export function interactionMisses({ level, when }: RawSpec, step: RawStep): Miss[] {
  const state = step.interaction?.state
  if (state === undefined) return []
  const isOfToken = TOKEN_STATES.some(each => each === state)
  const carries = step.token !== undefined || tokensIn([step.path, step.headers, step.body]).length > 0
  const isOff = when?.['access-control'] === 'off'
  const told = [
    level === 'observe' && 'only a spec that can pass gives an interaction, and one that observes cannot',
    step.without?.length && 'a contract cannot say that a header is missing: mark another step',
    step.http === '1.0' && 'contracts speak HTTP/1.1: mark another step',
    isOfToken && !carries && `with '${state}' the request must carry a token`,
    !isOfToken && carries && `'${state}' does not go with a token in the request`,
    isOff !== (state === 'access control off') &&
      "'access control off' is the state of specs that are for it, and of no others",
  ]
  return told.flatMap(message => (message ? [miss(message, 'interaction')] : []))
}

/**
 * Finds why a spec cannot have bystanders. They need names of their own, logons, and a probe.
 * @param hasProbe whether a request of requests.yaml has the role `probe`
 */
export function bystanderMisses({ bystanders, given = [], steps, when }: RawSpec, hasProbe: boolean): Miss[] {
  if (bystanders === undefined) return []
  const mine = [...given, ...steps].flatMap(({ logon: name }) => name ?? [])
  const told = [
    BYSTANDERS.some(name => mine.includes(name)) &&
      `bystanders are called ${BYSTANDERS.join(', ')}: choose other names for the tokens`,
    when?.['access-control'] === 'off' && 'no request shows whether a bystander is valid with access control off',
    !hasProbe &&
      "bystanders are looked at by the request with the role 'probe', and no request has it: say 'role: probe' of one in requests.yaml",
  ]
  return told.flatMap(message => (message ? [miss(message, 'bystanders')] : []))
}
