/** Adds bystanders to a spec: tokens that it holds only to see that a request leaves them alone. */
import type { SendStep, Spec, Step } from './spec.js'

/**
 * The bystanders of a spec by name: the oldest token, one that was just used, and the newest. Some Cores were seen to
 * mistake one of these for the token of a request.
 */
export const BYSTANDERS = ['oldest', 'used', 'newest'] as const

type Bystander = (typeof BYSTANDERS)[number]

/** Words for a bystander that is not accepted any more. */
const ENDED: Record<Bystander, string> = {
  oldest: 'a token that the request does not carry is ended: the oldest',
  used: 'a token that the request does not carry is ended: the one that was used last',
  newest: 'a token that the request does not carry is ended: the newest',
}

/**
 * Returns the spec with its bystanders. They log on around the preparation, and are looked at after the steps: at once,
 * and a moment later. Its form `narrow` has only the bystander that was just used. Its form `confirming` also looks at
 * all bystanders right before the steps, a moment after the last logon: so no effect of a logon passes for an effect of
 * the request.
 * @param spec a spec whose own tokens have other names
 * @param requirement the requirement that a dead bystander accuses
 * @param probe the name of the request that looks at them
 */
export function withBystanders(spec: Spec, requirement: string, probe: string): Spec {
  const watched = watching(spec, requirement, probe, BYSTANDERS)
  return {
    ...watched,
    narrow: watching(spec, requirement, probe, ['used']),
    confirming: watching(spec, requirement, probe, BYSTANDERS, true),
  }
}

function watching(spec: Spec, requirement: string, probe: string, names: readonly Bystander[], isSure = false): Spec {
  const look = (name: Bystander, tests: string[]) => looking(probe, name, tests)
  const logons = (those: readonly Bystander[]) => those.filter(name => names.includes(name)).map(logon)
  const before = logons(['oldest', 'used'])
  // On a new connection, as the look a moment later: where tokens are bound to connections, this look says nothing
  // about the request.
  const control: Step = { ...look('used', []), connection: 'new' }
  const pause: Step = { action: 'later', tests: [] }
  const sure = isSure ? [pause, ...(['newest', 'oldest', 'used'] as const).map(name => look(name, []))] : []
  const after = [control, ...logons(['newest']), ...sure]
  const looks = [...names].reverse().map(name => look(name, [requirement]))
  const moved = (step: number) => step + before.length + (step < spec.given.length ? 0 : after.length)
  return {
    ...spec,
    bystanders: requirement,
    given: [...before, ...spec.given, ...after],
    steps: [...spec.steps, ...looks, { action: 'later', tests: [] }, ...looks],
    ...(spec.interactions && {
      interactions: spec.interactions.map(interaction => ({ ...interaction, step: moved(interaction.step) })),
    }),
  }
}

function logon(token: Bystander): Step {
  return { action: 'logon', token, http: '1.1', tests: [] }
}

/** Makes the step that looks whether a token is accepted. Without requirements to test it is a control. */
function looking(probe: string, name: Bystander, tests: string[]): SendStep {
  return {
    action: 'send',
    request: probe,
    role: 'probe',
    token: { name },
    headers: {},
    without: [],
    http: '1.1',
    connection: 'kept',
    times: 1,
    expect: ['accepted'],
    tests,
    ...(tests.length > 0 && { otherwise: ENDED[name] }),
  }
}
