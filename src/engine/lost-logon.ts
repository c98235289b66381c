import { type Exchange, isCut } from '../core/exchange.js'
import { NotSent } from '../core/not-sent.js'
import type { Survey } from '../core/survey.js'
import type { Spec } from '../suite/spec.js'
import type { RunContext } from './context.js'
import { roleRequest } from './requests.js'
import type { SpecEnd } from './spec-end.js'
import { SpecRun } from './spec-run.js'

/**
 * Judges a Core that takes the credentials, as far as the run can see, and does not return a token: it breaks LOGON-1.
 * Either the survey's logon got a success that never arrived whole, or it got no answer while a logon with a wrong
 * password is refused in time. Without a token there is no control, so no other spec can run.
 * @param specs the first of them that begins with a logon is taken
 * @returns that spec with its end; undefined where there is none, where the second answer differs, or where the
 *   credentials may be wrong
 */
export async function judgeLostLogon(
  specs: Spec[],
  { isCut: wasCut, isUnanswered }: Survey,
  context: RunContext,
): Promise<{ spec: Spec; end: SpecEnd } | undefined> {
  const spec = specs.find(
    ({ level, given, steps }) => level === 'must' && !given.length && steps[0]?.action === 'logon',
  )
  if (!spec || !(wasCut || (isUnanswered && (await refusesWrong(context))))) return undefined
  const run = new SpecRun(spec, context)
  await run.judge()
  const end = await run.end()
  const [logon] = end.record.exchanges
  const isSame = logon && (wasCut ? isCut(logon) : !logon.response && logon.error?.kind === 'deadline')
  return end.record.outcome === 'failed' && isSame ? { spec, end } : undefined
}

/**
 * Whether the Core refuses a wrong password in time. A Core that delays wrong logons shows nothing about right ones.
 */
async function refusesWrong({ session, parts }: RunContext): Promise<boolean> {
  const { username = '', 'wrong-password': password = '' } = parts.variables
  const wrong = roleRequest(parts, 'logon', { body: { username, password } })
  const refused: Exchange | undefined = await session.wrongLogon(wrong).catch((error: unknown) => {
    if (error instanceof NotSent) return undefined
    throw error
  })
  const status = refused?.response?.status ?? 0
  return status >= 400 && status < 500
}
