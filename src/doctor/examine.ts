/** Looks at a Core before the first run: says what a run would find, and judges nothing. */

import { once } from 'node:events'
import type { Socket } from 'node:net'
import { connector } from '../core/connect.js'
import { type Exchange, header, summary } from '../core/exchange.js'
import { OutOfPatience } from '../core/patience.js'
import { DEFAULT_CONNECTIONS } from '../core/session.js'
import type { Place } from '../core/target.js'
import { count } from '../ground/count.js'
import { signsInWords } from '../settings/refused.js'
import { testedNodes } from '../version.js'
import { type Diagnosis, type Finding, type Fitting, found } from './finding.js'
import { type Examined, talkWith } from './talk.js'
import { examineConnection } from './tls.js'

/** Largest difference of clocks that is not worth a note. A larger one makes logs hard to compare. */
const CLOCK_OFF_MS = 60_000

/**
 * Looks at everything that a run needs of a Core. Revokes every token that is issued on the way.
 * @throws Error where `signal` was aborted, after the tokens were revoked
 */
export function examine(examined: Examined): Promise<Diagnosis> {
  // An abort also ends pauses with an error: report the interruption instead.
  return look(examined).finally(() => refuseInterrupted(examined))
}

function refuseInterrupted({ signal }: Examined): void {
  if (signal.aborted) throw new Error('interrupted, before all was looked at')
}

async function look(examined: Examined): Promise<Diagnosis> {
  const { target, username, configuration } = examined
  const { isTrusted, ...reached } = await examineConnection(target, configuration.deadlineMs)
  refuseInterrupted(examined)
  const fitting: Fitting = { url: target.url.origin, ...(username !== undefined && { username }), ...reached.fitting }
  const known = { ...reached, findings: [nodeFinding(), ...reached.findings], fitting, isTestable: false }
  if (!known.isThere) return known
  try {
    return { ...known, isTestable: await ask(examined, isTrusted, known) }
  } catch (error) {
    if (!(error instanceof OutOfPatience)) throw error
    const advice = 'look why the Core leaves requests unanswered, then look again'
    known.findings.push(found('wrong', 'answers', error.message, advice))
    return known
  }
}

/**
 * Asks the Core, and adds what it answers to what is known.
 * @returns whether a run would find everything it needs
 * @throws OutOfPatience where it does not answer any more
 */
async function ask(examined: Examined, isTrusted: boolean, { findings, fitting }: Diagnosis): Promise<boolean> {
  const { target, username, password, configuration } = examined
  // The requests below hold no secret, so they may go to a server that is not trusted.
  const asked = isTrusted ? target : { ...target, trust: { kind: 'insecure' } as const }
  const talk = await talkWith({ ...examined, target: asked })
  const none = await talk.probe()
  const mayLogOn = isTrusted && username !== undefined && password !== undefined
  // A refusal may be a success with an error in its body, or a closed connection: only a token tells.
  const early = mayLogOn && (isSuccess(none) || !none.response) ? await talk.survey() : undefined
  const refused = early?.answers?.probe.tells ? early.dialect.refused : undefined
  findings.push(clockOf(none), accessOf(none, refused, fitting))
  const served = await connectionsOf(asked, configuration.probePath)
  findings.push(servedOf(served, fitting))
  refuseInterrupted(examined)
  if (isSuccess(none) && !refused) return isTrusted
  const missing = username === undefined ? 'user name (CORE_USERNAME, --username)' : 'password (CORE_PASSWORD)'
  if (!isTrusted) findings.push(unseen('its certificate is not trusted, and it would get the password'))
  else if (!mayLogOn) findings.push(unseen(`no ${missing} was given`))
  if (!mayLogOn) return false
  const surveyed = talk.findingsOf(early ?? (await talk.survey()), fitting)
  findings.push(...surveyed.findings)
  return surveyed.isTestable
}

function unseen(why: string): Finding {
  return found('unseen', 'credentials', `not tried: ${why}`)
}

function isSuccess({ response, error }: Exchange): boolean {
  return response !== undefined && error === undefined && response.status >= 200 && response.status < 300
}

function clockOf({ response }: Exchange): Finding {
  const date = response && header(response, 'date')
  const shownMs = Date.parse(date ?? '')
  if (Number.isNaN(shownMs)) return found('note', 'clock', 'it sends no time (no Date header)')
  const offMs = shownMs - Date.now()
  const seconds = Math.round(Math.abs(offMs) / 1000)
  if (Math.abs(offMs) <= CLOCK_OFF_MS) return found('fine', 'clock', 'its clock and that of this machine agree')
  const seen = `its clock is ${count(seconds, 'second')} ${offMs > 0 ? 'ahead of' : 'behind'} that of this machine`
  return found('note', 'clock', seen, 'no verdict depends on it; set it, so that logs can be compared')
}

function accessOf(none: Exchange, refused: readonly string[] | null | undefined, fitting: Fitting): Finding {
  const what = 'access control'
  if (refused) return found('fine', what, `on: it refuses a request without a token by ${signsInWords(refused)}`)
  const seen = summary(none)
  const check = 'check that a Core is there'
  if (!none.response || none.error) return found('wrong', what, `no whole answer without a token: ${seen}`, check)
  if (!isSuccess(none)) return found('fine', what, `on: without a token it answers ${seen}`)
  fitting['access-control'] = 'off'
  const advice = 'turn it on at the Core to have tokens tested; run --access-control off tests what is left'
  const isPage = header(none.response, 'content-type')?.startsWith('text/html')
  const answered = `off: without a token it answers ${seen}${isPage ? ', a page (text/html)' : ''}`
  return found('change', what, answered, isPage ? `${check}; if so, ${advice}` : advice)
}

function servedOf(served: number, fitting: Fitting): Finding {
  const what = 'connections'
  const seen = `it answers on ${served} of ${TRIED_CONNECTIONS} at a time`
  if (served >= DEFAULT_CONNECTIONS) return found('fine', what, seen)
  if (served === 0) return found('note', what, seen, 'it may be busy: look again')
  fitting.concurrency = served
  return found('change', what, seen, `a run opens ${DEFAULT_CONNECTIONS} at a time: use run --concurrency ${served}`)
}

/** Says whether the suite is tested on the Node that runs it. */
function nodeFinding(): Finding {
  const { node } = process.versions
  const tested = testedNodes()
  const told = `${tested.slice(0, -1).join(', ')} and ${tested.at(-1)}`
  const isTested = tested.includes(Number.parseInt(node, 10))
  if (isTested) return found('fine', 'Node', `${node}; the suite is tested on ${told}`)
  return found('note', 'Node', `the suite is tested on Node ${told}, and this is ${node}`)
}

/** Connections that are tried: twice as many as a run opens by default. */
const TRIED_CONNECTIONS = DEFAULT_CONNECTIONS * 2
/** Longest wait for an answer on each connection. TLS handshakes of 2 s were seen, and handshakes queue. */
const PATIENCE_MS = 5000

/**
 * Counts how many of {@link TRIED_CONNECTIONS} are answered while all of them are open. Each sends the probe without a token,
 * so nobody logs on.
 */
async function connectionsOf(target: Place, path: string): Promise<number> {
  const connect = connector(target)
  const opened = await Promise.allSettled(Array.from({ length: TRIED_CONNECTIONS }, () => connect(PATIENCE_MS)))
  const sockets = opened.flatMap(each => (each.status === 'fulfilled' ? [each.value] : []))
  try {
    const answers = await Promise.all(sockets.map(socket => isAnswered(socket, target.url, path)))
    return answers.filter(Boolean).length
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}

async function isAnswered(socket: Socket, url: URL, path: string): Promise<boolean> {
  const signal = AbortSignal.timeout(PATIENCE_MS)
  const first = Promise.race([once(socket, 'data', { signal }), once(socket, 'close', { signal })])
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${url.host}\r\nAccept: application/json\r\n\r\n`)
  const [chunk] = await first.catch(() => [])
  return Buffer.isBuffer(chunk) && chunk.toString('latin1').startsWith('HTTP/')
}
