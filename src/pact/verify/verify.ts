/** Verifies contracts on a live Core: a run whose specs are their interactions. */
import { redactorFor } from '../../core/redactor-for.js'
import type { Verify } from '../../engine/context.js'
import type { RunOptions } from '../../engine/options.js'
import { presentable } from '../../engine/record.js'
import { runSuite } from '../../engine/run.js'
import { INTERRUPTED as NOT_ENDED, unrunRecord } from '../../engine/spec-end.js'
import { countOutcomes, type Judgement } from '../../engine/verdict.js'
import { count, numbered } from '../../ground/count.js'
import type { RunResult, SpecRecord, Verdict } from '../../result.js'
import { PactProcess } from '../process/process.js'
import { type Contract, type ContractInteraction, contractName } from '../read/contract-file.js'
import { type Meanings, wordsOf } from '../read/meanings.js'
import { MAX_BODY_BYTES } from './gateway.js'
import { type Difference, PENDING } from './outcome.js'
import { type Situation, situationOf, specOf } from './situation.js'
import { verifyOne } from './verify-one.js'

/** What is verified, beside the run that does it. */
export interface Verifying {
  contracts: Contract[]
  /** The meanings of a team's own provider states. */
  meanings: Meanings
  /** Further secrets that no output may show, with their labels in reports. */
  secrets?: readonly { value: string; label: string }[]
}

const INTERRUPTED = 'it was interrupted'
const QUICK = 'it is about an expired token, which --profile quick leaves out'
const NOT_HTTP = 'it is not about HTTP, and a Core speaks nothing else'

type Work = ReturnType<typeof workOf>

/**
 * Verifies contracts on a Core. Each interaction is a spec: the run brings its provider state about; then Pact's Verifier makes its
 * request, which goes out through the gateway as any step of the run, and judges the answer.
 * @param run without specs
 * @returns the result of the run, `conformant` where every contract holds: a spec stands for an interaction, an area for a contract
 */
export async function verifyContracts(
  run: RunOptions,
  { contracts, meanings, secrets = [] }: Verifying,
): Promise<RunResult> {
  const { suite, configuration, signal } = run
  const names = contracts.map(contractName)
  const works = contracts.flatMap((contract, index) => {
    // Where two have the same name, the whole path tells them apart.
    const name = names[index] ?? ''
    const area = names.indexOf(name) === names.lastIndexOf(name) ? name : contract.file
    return contract.interactions.map(each => workOf(each, contract, area, { run, meanings }))
  })
  const open = works.filter(({ left }) => !left)
  const pact = new PactProcess()
  const { deadlineMs } = configuration
  const verify: Verify = async (spec, means) => {
    const work = open.find(each => each.spec === spec) as Work
    const { interaction, situation } = work
    const isLeft = situation.token === 'revoked' && !means.token?.givenBack
    const found = isLeft
      ? { error: 'its token could not be revoked before it' }
      : await verifyOne({ interaction, situation, pact, means, deadlineMs, signal })
    if ('error' in found) return { outcome: 'unreachable', expected: 'an answer', got: found.error }
    work.differences = found.differences
    const [first] = found.differences
    const { expected = '', got = '' } = first ?? {}
    return first ? { outcome: 'miss', expected, got } : { outcome: 'ok' }
  }
  try {
    const specs = open.map(({ spec }) => spec)
    const result = await runSuite({
      ...run,
      suite: { ...suite, requirements: new Map() },
      configuration: { ...configuration, only: [] },
      specs,
      bodyCapBytes: MAX_BODY_BYTES,
      verify,
    })
    const isInterrupted = signal?.aborted ?? false
    const ended = new Map(open.map((work, index) => [work, result.specs[index]]))
    const records = works.map(work => recordOf(work, ended.get(work), isInterrupted ? INTERRUPTED : result.reason))
    const redactor = redactorFor(run.target)
    for (const { value, label } of secrets) redactor.hide(value, label)
    const told = records.map(({ title, area, file, message, ...rest }) => ({
      ...rest,
      ...presentable({ title, area, file, ...(message !== undefined && { message }) }, text => redactor.text(text)),
    }))
    const { advice: _advice, ...others } = result
    return { ...others, specs: told, ...verdictOf(told, result, isInterrupted) }
  } finally {
    await pact.close()
  }
}

function workOf(
  interaction: ContractInteraction,
  { file, interactions }: Contract,
  area: string,
  { run: { suite, configuration }, meanings }: { run: RunOptions; meanings: Meanings },
) {
  const { description, states, line, request } = interaction
  const found = request ? situationOf(interaction, meanings) : NOT_HTTP
  const situation = typeof found === 'string' ? NONE : found
  const title = states.length ? `${description}, given ${states.map(wordsOf).join(' and ')}` : description
  const words = { id: `interaction ${interactions.indexOf(interaction) + 1}`, area, title, file, line }
  const spec = specOf(words, situation, request ?? { method: 'GET', path: '/' }, suite.requests)
  const { accessControl } = situation
  /** The outcome and the reason of one that is not sent. */
  const left: [outcome: 'blocked' | 'skipped', message: string] | undefined =
    typeof found === 'string'
      ? ['blocked', found]
      : accessControl !== configuration.accessControl
        ? ['blocked', `it needs a Core with access control ${accessControl} (--access-control)`]
        : situation.token === 'expired' && configuration.profile === 'quick'
          ? ['skipped', QUICK]
          : undefined
  return { interaction, situation, spec, left, differences: [] as readonly Difference[] }
}

const NONE: Situation = { token: 'as written', credentials: 'as written', accessControl: 'on' }

/**
 * Returns the record of an interaction.
 * @param ended how its spec ended; absent where it was not sent
 * @param reason why the run ended, for one that it did not come to
 */
function recordOf(
  { interaction, spec, left, differences }: Work,
  ended: SpecRecord | undefined,
  reason: string,
): SpecRecord {
  if (left || !ended) return unrunRecord(spec, ...(left ?? (['blocked', reason] as const)))
  const { outcome, message = '', steps } = ended
  const judged = steps.at(-1)
  if (outcome === 'failed' && judged) {
    const told = differences.map(({ text, expected, got }) => `${text}: expected ${expected}, got ${got}`).join('; ')
    if (interaction.pending) return { ...ended, outcome: 'skipped', message: `${PENDING}: ${told}` }
    const { kind, exchanges: sent, missed: exchanges = sent } = judged
    const missed = differences.map(each => ({ ...each, kind, outcome: 'miss' as const, exchanges }))
    return { ...ended, message: told, steps: [...steps.slice(0, -1), ...missed] }
  }
  // What a run leaves out was not verified.
  if (outcome === 'skipped') return { ...ended, outcome: 'blocked', message: message === NOT_ENDED ? reason : message }
  if (outcome !== 'blocked') return ended
  const isUnset = steps.some(({ kind, outcome: of }) => kind === 'given' && of === 'miss')
  return {
    ...ended,
    message: isUnset ? `its provider state could not be brought about: ${message}` : (judged?.got ?? message),
  }
}

/** Returns the verdict on all interactions. An unverified interaction leaves it open, unless another one is broken. */
function verdictOf(
  specs: SpecRecord[],
  { verdict, reason, advice }: RunResult,
  isInterrupted: boolean,
): Judgement & { counts: RunResult['counts'] } {
  const counts = countOutcomes(specs)
  const { failed, passed, blocked, inconclusive } = counts
  const all = count(specs.length, 'interaction')
  const ends = (verdict: Verdict, reason: string) => ({ verdict, reason, counts })
  if (failed) return ends('nonconformant', `${failed} of ${all} ${numbered(failed, 'does', 'do')} not hold`)
  // A run that was not hindered has no verdict for want of requirements.
  const isHindered = verdict === 'untestable' && specs.some(({ message }) => message === reason)
  if (isHindered) return { ...ends(verdict, reason), ...(advice !== undefined && { advice }) }
  if (isInterrupted) return ends('incomplete', 'the verification was interrupted')
  const open = blocked + inconclusive
  if (open) return ends('incomplete', `${open} of ${all} could not be verified`)
  if (!passed) return ends('incomplete', 'nothing was verified')
  return ends(
    'conformant',
    passed === specs.length ? `${all} verified, all hold` : `${passed} of ${all} verified, none is broken`,
  )
}
