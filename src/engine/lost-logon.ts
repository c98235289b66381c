import { type Exchange, isCut } from '../core/exchange.js'
import { NotSent } from '../core/session.js'
import type { Survey } from '../core/survey.js'
import type { Spec } from '../suite/spec.js'
import type { RunContext } from './context.js'
import { roleRequest } from './requests.js'
import type { SpecEnd } from './spec-end.js'
import { SpecRun } from './spec-run.js'

const NO_WAITS = { begins() {}, ends() {} }

/**
 * Judges a Core that took the credentials, as far as can be seen, and does not return the token: it breaks LOGON-1. Either the logon was
 * answered with success, but never came whole in the survey; or it was never answered, while one with a wrong password is refused
 * in time. Nothing can be controlled without a token, so no other spec can run.
 * @param specs of which the first is taken that does nothing before it logs on
 * @returns that spec with its end; undefined where there is none, where the second answer is of another kind, or where the credentials
 *   may be wrong
 */
export async function judgeLostLogon(
  specs: Spec[],
  { isCut: wasCut, isUnanswered }: Pick<Survey, 'isCut' | 'isUnanswered'>,
  context: RunContext,
  signal: AbortSignal,
): Promise<{ spec: Spec; end: SpecEnd } | undefined> {
  const spec = specs.find(
    ({ level, given, steps }) => level === 'must' && !given.length && steps[0]?.action === 'logon',
  )
  if (!spec || !(wasCut || (isUnanswered && (await refusesWrong(context))))) return undefined
  const run = new SpecRun(spec, context, signal, NO_WAITS)
  await run.judge()
  const end = await run.end()
  const [logon] = end.record.exchanges
  const isSame = logon && (wasCut ? isCut(logon) : !logon.response && logon.error?.kind === 'deadline')
  return end.record.outcome === 'failed' && isSame ? { spec, end } : undefined
}

/** Whether a wrong password is refused in time: a Core that lets those wait who mistype tells nothing of the right one. */
async function refusesWrong({ session, parts }: RunContext): Promise<boolean> {
  const { username = '', 'wrong-password': password = '' } = parts.variables
  const wrong = roleRequest(parts, 'logon', { body: { username, password } })
  const refused: Exchange | undefined = await session.wrongLogon(wrong, []).catch((error: unknown) => {
    if (error instanceof NotSent) return undefined
    throw error
  })
  const status = refused?.response?.status ?? 0
  return status >= 400 && status < 500
}
