/** Runs against the Cores of a test, and checks everything that must hold for every run. */
import * as assert from 'uvu/assert'
import { accused } from '../../dist/result/accused.js'
import type { RunResult, StepRecord } from '../../dist/result.js'
import { type ScriptedCore, withCore } from './scripted-core.js'
import { type RunWith, recordOf, run, specsOf, withOutcome } from './suite-run.js'

/** Exceptions from the rules for every run. */
export interface Allowed {
  /** Whether unrevoked tokens are allowed at the end. */
  left?: boolean
}

/** Asserts everything that must hold for every run, on any Core. */
export function assertSound(result: RunResult, core: ScriptedCore, { left = false }: Allowed = {}): void {
  const text = JSON.stringify(result)
  for (const secret of [core.password, ...core.sessions.keys()]) {
    assert.not.ok(text.includes(secret), `the result holds ${secret}`)
  }
  if (!left) {
    assert.equal(core.left, [], 'every token was asked back')
    assert.is(result.tokens.left, 0)
  }
  assert.is(result.specs.length, result.counts.selected)
  for (const { id, outcome, message } of result.specs) {
    if (outcome !== 'passed') assert.ok(message, `${id} is ${outcome} and says why`)
  }
}

/** Runs the suite once against the Core of a test. */
export async function runOn(core: ScriptedCore, options: RunWith & Allowed = {}): Promise<RunResult> {
  let result: RunResult | undefined
  await withCore(core, async () => {
    result = await run(core, options)
    assertSound(result, core, options)
  })
  if (!result) throw new Error('no result')
  return result
}

/** Returns the messages of these specs, one a line. */
export function messages(result: RunResult, ids: string[]): string {
  return ids.map(id => `${id}: ${recordOf(result, id).message}`).join('\n')
}

/** Returns the requirements that a spec accuses. */
export const accusedBy = (result: RunResult, id: string): string[] => accused(recordOf(result, id)).map(each => each.id)

/** Returns the first step of a spec that checks something. */
export const checked = (result: RunResult, id: string): StepRecord | undefined =>
  recordOf(result, id).steps.find(({ kind }) => kind === 'check')

/** Asserts that no spec failed. */
export function assertNoneFailed(result: RunResult): void {
  const failed = withOutcome(result, 'failed')
  assert.equal(failed, [], messages(result, failed))
}

/** Asserts that exactly these specs failed. */
export function assertFailed(result: RunResult, ids: string[]): void {
  const failed = withOutcome(result, 'failed')
  assert.equal([...failed].sort(), [...ids].sort(), messages(result, failed))
}

/** Runs only these specs. */
export const only = (...ids: string[]): RunWith => ({ specs: specsOf(...ids) })

/** A cross-section of the suite: specs that do not wait. */
export const CROSS_SECTION = only(
  'access-with-token',
  'access-without-token',
  'access-unknown-token',
  'access-token-changed',
  'access-head-without-token',
  'access-revoke-without-token',
  'access-elsewhere-without-token',
  'access-other-connection',
  'access-two-tokens',
  'host-missing-logon',
  'host-missing-access',
  'host-missing-access-http10',
  'host-missing-revoke',
  'host-missing-issues-nothing',
  'host-missing-revokes-nothing-http10',
  'logon-issues-token',
  'logon-tokens-distinct',
  'logon-wrong-password',
  'logon-missing-password',
  'logon-refused-spares-tokens',
  'revocation-rejects',
  'revocation-same-connection',
  'revocation-survives-logon',
  'revocation-spares-others',
  'revocation-spares-older',
  'revocation-unknown-token',
  'observe-revoked-token',
)
