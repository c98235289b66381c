/** Looks at a Core with the user's eyes before a run does, and judges nothing. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Connections } from '../core/connections.js'
import { type Exchange, header, summary } from '../core/exchange.js'
import { Redactor } from '../core/redact.js'
import { DEFAULT_CONNECTIONS, Session } from '../core/session.js'
import { type Survey, survey } from '../core/survey.js'
import type { Target } from '../core/target.js'
import { hideByKind } from '../core/traces.js'
import { Transport } from '../core/transport.js'
import { credentialVariables, SECRET_VARIABLES, targetVariables } from '../engine/credentials.js'
import { makeRequest } from '../engine/requests.js'
import { count } from '../ground/count.js'
import type { Suite } from '../suite/spec.js'
import { connectionsOf, TRIED_CONNECTIONS } from './connections.js'
import type { Diagnosis, Finding, Fitting } from './finding.js'
import { reach } from './tls.js'

/** What is looked at. */
export interface Examined {
  suite: Pick<Suite, 'requests'>
  target: Omit<Target, 'username' | 'password'>
  username: string | undefined
  /** Undefined: nobody logs on. */
  password: string | undefined
  probePath: string
  tokenField: string | undefined
  deadlineMs: number
  maxRefusedLogons: number
  signal: AbortSignal
}

/** A clock that is further off makes certificates and logs hard to read. */
const CLOCK_OFF_MS = 60_000
/** Connections at a time of a run that is told nothing. */
const USUAL_CONNECTIONS = 4
/** An answer that takes longer than this part of the deadline may miss it under load. */
const SLOW_PART = 0.25

/** Looks at all of it. Every token that is issued on the way is given back. */
export async function examine(examined: Examined): Promise<Diagnosis> {
  const { target, deadlineMs } = examined
  const reached = await reach(target, deadlineMs)
  const findings = [...reached.findings]
  const { username } = examined
  const fitting: Fitting = { url: target.url.origin, ...(username !== undefined && { username }), ...reached.fitting }
  if (!reached.isThere) return { findings, fitting, isThere: false, isTestable: false }
  // What holds no secret may be asked of whoever is there.
  const asked = reached.isTrusted ? target : { ...target, trust: { kind: 'insecure' } as const }
  const talk = await Talk.begin({ ...examined, target: asked })
  const none = await talk.none()
  findings.push(...clockOf(none), ...accessOf(none, fitting))
  const served = await connectionsOf(asked, examined.probePath)
  findings.push(servedOf(served, fitting))
  const isOpen = isSuccess(none)
  if (isOpen) return { findings, fitting, isThere: true, isTestable: reached.isTrusted }
  if (!reached.isTrusted) {
    findings.push(unseen('its certificate is not trusted, and it would get the password'))
    return { findings, fitting, isThere: true, isTestable: false }
  }
  if (examined.username === undefined || examined.password === undefined) {
    const missing =
      examined.username === undefined ? 'user name (CORE_USERNAME, --username)' : 'password (CORE_PASSWORD)'
    findings.push(unseen(`no ${missing} was given`))
    return { findings, fitting, isThere: true, isTestable: false }
  }
  const found = await talk.survey()
  const { findings: told, isTestable } = talk.told(found, fitting)
  return { findings: [...findings, ...told], fitting, isThere: true, isTestable }
}

function unseen(why: string): Finding {
  return { mark: 'unseen', what: 'credentials', seen: `not tried: ${why}` }
}

function isSuccess({ response }: Exchange): boolean {
  return response !== undefined && response.status >= 200 && response.status < 300
}

function clockOf({ response }: Exchange): Finding[] {
  const date = response && header(response, 'date')
  const shownMs = Date.parse(date ?? '')
  if (Number.isNaN(shownMs)) return [{ mark: 'note', what: 'clock', seen: 'it tells no time (no Date header)' }]
  const offMs = shownMs - Date.now()
  const seconds = Math.round(Math.abs(offMs) / 1000)
  if (Math.abs(offMs) <= CLOCK_OFF_MS)
    return [{ mark: 'fine', what: 'clock', seen: 'its clock and that of this machine agree' }]
  const seen = `its clock is ${count(seconds, 'second')} ${offMs > 0 ? 'ahead of' : 'behind'} that of this machine`
  return [
    { mark: 'note', what: 'clock', seen, advice: 'no verdict depends on it; set it, so that logs can be compared' },
  ]
}

function accessOf(none: Exchange, fitting: Fitting): Finding[] {
  const seen = summary(none)
  const what = 'access control'
  if (!none.response)
    return [{ mark: 'wrong', what, seen: `no answer without a token: ${seen}`, advice: 'check that a Core is there' }]
  if (!isSuccess(none)) return [{ mark: 'fine', what, seen: `on: without a token it answers ${seen}` }]
  fitting['access-control'] = 'off'
  const advice = 'turn it on at the Core to have tokens tested; run --access-control off tests what is left'
  return [{ mark: 'change', what, seen: `off: without a token it answers ${seen}`, advice }]
}

function servedOf(served: number, fitting: Fitting): Finding {
  const what = 'connections'
  const seen = `it answers on ${served} of ${TRIED_CONNECTIONS} at a time`
  if (served >= USUAL_CONNECTIONS) return { mark: 'fine', what, seen }
  if (served === 0) return { mark: 'note', what, seen, advice: 'it may be busy: look again' }
  fitting.concurrency = served
  return {
    mark: 'change',
    what,
    seen,
    advice: `a run opens ${USUAL_CONNECTIONS} at a time: use run --concurrency ${served}`,
  }
}

/** The talk with a Core, in which every token is counted. */
class Talk {
  private constructor(
    private readonly examined: Examined,
    private readonly session: Session,
    private readonly redactor: Redactor,
    private readonly request: (name: string) => ReturnType<typeof makeRequest>,
  ) {}

  static async begin(examined: Examined): Promise<Talk> {
    const { suite, target, username = '', password = '', probePath, deadlineMs, maxRefusedLogons, signal } = examined
    const redactor = new Redactor()
    redactor.hide(password, 'password')
    const variables = { ...credentialVariables({ username, password }), ...targetVariables(target, probePath) }
    for (const name of SECRET_VARIABLES) redactor.hide(variables[name] ?? '', name)
    const request = (name: string) => makeRequest({ requests: suite.requests, variables }, name)
    const connections = new Connections(DEFAULT_CONNECTIONS)
    const transport = await Transport.create({
      target,
      deadlineMs,
      watch: connections,
      now: () => performance.now(),
      onAnswer: (sent, response) => hideByKind(redactor, sent, response),
    })
    const session = new Session({
      transport,
      redactor,
      connections,
      isEnding: () => signal.aborted,
      pause: ms => sleep(ms, undefined, { signal }),
      logonRequest: () => request('logon'),
      revokeRequest: () => request('revoke'),
      maxRefusedLogons,
    })
    return new Talk(examined, session, redactor, request)
  }

  /** The probe without a token. */
  none(): Promise<Exchange> {
    return this.session.exchange(this.request('access'))
  }

  async survey(): Promise<Survey> {
    const options = {
      session: this.session,
      probe: this.request('access'),
      logon: this.request('logon'),
      endpoints: [],
      accessControl: 'on' as const,
      tokenField: this.examined.tokenField,
      needsHttp10: false,
    }
    return survey(options).finally(() =>
      this.session.giveBack(
        this.session.tokens.filter(token => !token.givenBack),
        [],
      ),
    )
  }

  /** What a survey found, in lines. */
  told({ dialect, untestable, answers }: Survey, fitting: Fitting): Pick<Diagnosis, 'findings' | 'isTestable'> {
    const { username = '', tokenField, deadlineMs, probePath } = this.examined
    const left = this.session.tokens.filter(token => !token.givenBack).length
    const given: Finding = left
      ? {
          mark: 'note',
          what: 'tokens',
          seen: `${count(left, 'token')} of the logon may still be live`,
          advice: 'let what is left expire',
        }
      : { mark: 'fine', what: 'tokens', seen: `${count(this.session.tokens.length, 'token')} issued, and given back` }
    if (untestable || !answers) {
      const { reason = 'the Core was not understood', advice } = untestable ?? {}
      const seen = this.redactor.text(reason, false)
      const finding: Finding = { mark: 'wrong', what: 'credentials', seen, ...(advice && { advice }) }
      return { findings: [finding, ...(this.session.tokens.length ? [given] : [])], isTestable: false }
    }
    const { token, latency, acceptedStatus, logonStatus } = dialect
    const findings: Finding[] = [
      {
        mark: 'fine',
        what: 'credentials',
        seen: `${username} logs on (${logonStatus}), and its token opens ${probePath} (${acceptedStatus})`,
      },
    ]
    if (token) {
      const where = this.redactor.text(token.pointer, false)
      if (tokenField !== undefined) fitting['token-field'] = tokenField
      findings.push({
        mark: 'fine',
        what: 'token',
        seen: `it stands at ${where}: ${count(token.length, 'character')} (${token.alphabet})`,
      })
    }
    if (latency) {
      const { freshMs, keptMs, logonMs, slowestMs } = latency
      const seen = `${freshMs} ms on a new connection, ${keptMs} ms on an open one, ${logonMs} ms for a logon`
      const isSlow = slowestMs > deadlineMs * SLOW_PART
      const advice = `under load it may be late: give it more time with --deadline ${Math.ceil((slowestMs * 10) / 1000)}s`
      if (isSlow) fitting.deadline = `${Math.ceil((slowestMs * 10) / 1000)}s`
      findings.push(
        isSlow ? { mark: 'change', what: 'latency', seen, advice } : { mark: 'fine', what: 'latency', seen },
      )
    }
    return { findings: [...findings, given], isTestable: true }
  }
}
