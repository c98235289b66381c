import type { LogonStep, SendStep, Step } from '../suite/spec.js'
import { ANYONE, RUN_TOKENS, type Span, type TokenRef, UNKNOWN_TOKEN } from '../suite/step-words.js'
import { makeRequest, type Templates } from './requests.js'

/**
 * Describes a step in a sentence for reports. Variables stay in braces, so that the sentence cannot contain a secret.
 */
export function sentence(step: Step, parts: Templates, probePath: string): string {
  switch (step.action) {
    case 'logon':
      return `${logon(step)}${beside(step)}`
    case 'send':
      return `${request(step, parts, probePath)}${beside(step)}`
    case 'wait':
      return `wait until token ${step.token} ${step.since === 'used' ? 'has been unused for' : 'is as old as'} ${span(step.span)}`
    case 'later':
      return 'a moment later'
    case 'opaque':
      return `token ${step.token} holds no credentials`
    case 'distinct':
      return `tokens ${step.tokens.join(' and ')} differ`
  }
}

const BODY_LATE = 'whose body comes a moment later'

function logon(step: LogonStep): string {
  const where = step.isNew ? ' on a new connection' : ''
  const late = step.isBodyLate ? `, ${BODY_LATE}` : ''
  return `log on${where} and get token ${step.token}${form(step)}${over(step.http)}${late}`
}

function request(step: SendStep, parts: Templates, probePath: string): string {
  const { method, path } = makeRequest({ ...parts, variables: { 'probe-path': probePath } }, step.request, step)
  const { token, body, headers, without, connection, behind, isChunked, isBodyLate, breaksOff } = step
  const shown = [
    `${method} ${path.replaceAll('%7B', '{').replaceAll('%20', ' ').replaceAll('%7D', '}')}`,
    token && `with ${tokenText(token)}`,
    Object.keys(headers).length > 0 &&
      `with ${Object.entries(headers)
        .map(([name, value]) => `${name}: ${[value].flat().join(' and ')}`)
        .join(', ')}`,
    body !== undefined && `with the body ${typeof body === 'string' ? body || '(empty)' : JSON.stringify(body)}`,
    without.length > 0 && `without ${without.join(', ')}`,
    connection === 'new' && 'on a new connection',
    connection === 'alpn' && 'on a connection that speaks TLS as phones do',
    connection === 'named' && 'on a connection whose TLS handshake names the server',
    connection === 'resumed' && 'on a connection that resumes the TLS session',
    connection === 'tls-1.2' && 'on a connection that speaks TLS 1.2',
    behind !== undefined && `right behind a request ${behind === ANYONE ? 'without a token' : `with token ${behind}`}`,
    isChunked && 'in chunks',
    isBodyLate && BODY_LATE,
    breaksOff && `broken off ${breaksOff === 'answer' ? 'before the answer' : `within the ${breaksOff}`}`,
  ]
  return shown.filter(Boolean).join(' ') + form(step) + over(step.http)
}

function form({ each }: Pick<SendStep, 'each'>): string {
  return each?.only ? ` as ${each.family}: ${each.only.join(' and ')}` : ''
}

function tokenText({ name, change }: TokenRef): string {
  if (name === UNKNOWN_TOKEN) return 'a token that was never issued'
  const ofRun = RUN_TOKENS.get(name)
  if (ofRun) return `each of ${ofRun}`
  if (!change) return `token ${name}`
  if (change.endsWith('character')) {
    return `token ${name}, ${change === 'one character' ? change : `its ${change}`} changed`
  }
  return `token ${name}, ${change.replace(' ', '-')}${change.endsWith('case') ? 'd' : ''}`
}

function over(http: '1.0' | '1.1'): string {
  return http === '1.0' ? ' over HTTP/1.0' : ''
}

function beside({ isBeside }: Step): string {
  return isBeside ? ', at the same time' : ''
}

function span(value: Span): string {
  if (value === 'within lifetime') return 'nearly its lifetime'
  return value === 'past lifetime' ? 'more than its lifetime' : `${Math.round(value.fraction * 100)} % of its lifetime`
}
