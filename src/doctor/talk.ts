/** Sends the requests of `doctor` to a Core (the probe, a logon, the survey), and turns the answers into findings. */

import { setTimeout as sleep } from 'node:timers/promises'
import { Connections } from '../core/connections.js'
import type { WireRequest } from '../core/exchange.js'
import { hideByKind } from '../core/hide-by-kind.js'
import { Pacer } from '../core/pacer.js'
import { pauseAsked } from '../core/pause.js'
import { redactorFor } from '../core/redactor-for.js'
import { DEFAULT_CONNECTIONS, DEFAULT_PATIENCE_MS, Session } from '../core/session.js'
import { type Survey, survey } from '../core/survey.js'
import type { Place } from '../core/target.js'
import { Transport } from '../core/transport.js'
import { credentialVariables, SECRET_VARIABLES, targetVariables } from '../engine/credentials.js'
import { roleRequest } from '../engine/requests.js'
import { count } from '../ground/count.js'
import { isSafe } from '../ground/methods.js'
import type { ConfigurationRecord } from '../settings/record.js'
import type { Role } from '../suite/roles.js'
import type { Suite } from '../suite/spec.js'
import { type Fitting, found } from './finding.js'

/** The Core to look at, and how. */
export interface Examined {
  suite: Suite
  target: Place
  username: string | undefined
  /** Undefined: `doctor` does not log on. */
  password: string | undefined
  configuration: ConfigurationRecord
  tokenField: string | undefined
  signal: AbortSignal
}

/** Part of the deadline beyond which an answer counts as slow. A slower answer may miss the deadline under load. */
const SLOW_PART = 0.25

/** Opens a session of requests to one Core, which knows every token that was issued to it. Sends nothing that holds a secret. */
export async function talkWith(examined: Examined) {
  const { suite, target, username = '', password = '', configuration, tokenField, signal } = examined
  const { probePath, deadlineMs, maxRefusedLogons } = configuration
  const redactor = redactorFor({ username, password })
  const variables = { ...credentialVariables({ username, password }), ...targetVariables(target, probePath) }
  for (const name of SECRET_VARIABLES) redactor.hide(variables[name] ?? '', name)
  const request = (role: Role) => roleRequest({ requests: suite.requests, variables }, role)
  // Some Cores refuse by closing the connection: then only a request that was answered before shows that others are served.
  let served: WireRequest | undefined
  const now = () => performance.now()
  const connections = new Connections(DEFAULT_CONNECTIONS)
  const session = new Session({
    transport: await Transport.create({
      target,
      deadlineMs,
      watch: connections.crowding,
      now,
      onAnswer: (sent, response) => hideByKind(redactor, sent, response),
    }),
    redactor,
    connections,
    pacer: new Pacer({ now, patienceMs: DEFAULT_PATIENCE_MS }),
    isEnding: () => signal.aborted,
    pause: ms => sleep(ms, undefined, { signal }),
    maxRefusedLogons,
    logonRequest: () => request('logon'),
    revokeRequest: () => request('revoke'),
    controlRequest: () => served ?? request('probe'),
    tried: ({ request: asked, response }) => {
      if (response && isSafe(asked.method) && !pauseAsked(response)) served = asked
    },
  })
  return {
    /** Sends the probe without a token. */
    probe: () => session.exchange(request('probe')),
    /** Runs the survey, then revokes its tokens. */
    survey: () =>
      survey({
        session,
        probe: request('probe'),
        logon: request('logon'),
        endpoints: [],
        accessControl: 'on',
        tokenField,
        refused: configuration.refused,
        needsHttp10: false,
      }).finally(() => session.giveBack(living(session.tokens), [])),
    /** Turns a survey into findings, and adds the settings that fit to `fitting`. */
    findingsOf({ dialect, untestable, answers }: Survey, fitting: Fitting) {
      const left = living(session.tokens).length
      const given = left
        ? found(
            'note',
            'tokens',
            `${count(left, 'token')} of the logon may still be live`,
            'wait until they have expired',
          )
        : found('fine', 'tokens', `${count(session.tokens.length, 'token')} issued, and given back`)
      if (untestable || !answers) {
        const { reason = 'the Core was not understood', advice } = untestable ?? {}
        const finding = found('wrong', 'credentials', redactor.text(reason, false), advice || undefined)
        return { findings: [finding, ...(session.tokens.length ? [given] : [])], isTestable: false }
      }
      const { token, latency, acceptedStatus, logonStatus } = dialect
      const isRead = acceptedStatus !== null && acceptedStatus < 300
      const logsOn = `${username} logs on (${logonStatus}), and its token`
      const findings = [
        isRead
          ? found('fine', 'credentials', `${logsOn} opens ${probePath} (${acceptedStatus})`)
          : found(
              'note',
              'credentials',
              `${logsOn} is told from others, but may not read ${probePath} (${acceptedStatus})`,
              'name a path that this user may read (--probe-path), so that more can be tested',
            ),
      ]
      if (token) {
        const where = redactor.text(token.pointer, false)
        if (tokenField !== undefined) fitting['token-field'] = tokenField
        const seen = `it stands at ${where}: ${count(token.length, 'character')} (${token.alphabet})`
        findings.push(found('fine', 'token', seen))
      }
      if (latency) {
        const { freshMs, keptMs, logonMs, slowestMs } = latency
        const seen = `${freshMs} ms on a new connection, ${keptMs} ms on an open one, ${logonMs} ms for a logon`
        if (slowestMs > deadlineMs * SLOW_PART) {
          fitting.deadline = `${Math.ceil((slowestMs * 10) / 1000)}s`
          const advice = `under load it may be late: give it more time with --deadline ${fitting.deadline}`
          findings.push(found('change', 'latency', seen, advice))
        } else findings.push(found('fine', 'latency', seen))
      }
      return { findings: [...findings, given], isTestable: true }
    },
  }
}

function living(tokens: Session['tokens']) {
  return tokens.filter(token => !token.givenBack)
}
