/** A run in virtual time against a limit that is a function of the time: what its pacer makes of it, in a second of this machine. */
import { type Paced, Pacer } from '../../dist/core/pacer.js'

/** Whether what arrives now is served. */
export type Serves = (ms: number) => boolean

/** A bucket that each request fills and that empties at this rate, with room for a burst beside, as nginx has it. */
export function bucket(rate: number, burst: number): Serves {
  let level = 0
  let lastMs = 0
  return ms => {
    level = Math.max(0, level - ((ms - lastMs) * rate) / 1000)
    lastMs = ms
    if (level > burst) return false
    level++
    return true
  }
}

/** So many in a span that slides, as HAProxy counts them: all that came in this one, and a part of those in the one before. */
export function sliding(most: number, spanMs: number): Serves {
  let fromMs = 0
  let here = 0
  let before = 0
  return ms => {
    const spans = Math.floor((ms - fromMs) / spanMs)
    if (spans > 0) {
      before = spans === 1 ? here : 0
      here = 0
      fromMs = spans === 1 ? fromMs + spanMs : ms
    }
    here++
    return here + Math.floor((before * (fromMs + spanMs - ms)) / spanMs) <= most
  }
}

/** As many in each second of the clock. What comes beyond is followed by a ban, which begins anew with each try, as mod_evasive has it. */
export function banning(most: number, banMs: number): Serves {
  let second = -1
  let here = 0
  let untilMs = 0
  return ms => {
    if (Math.floor(ms / 1000) > second) here = 0
    second = Math.floor(ms / 1000)
    if (ms >= untilMs && ++here <= most) return true
    untilMs = ms + banMs
    return false
  }
}

/** What becomes of a request that is turned away: 429 at once, 500 after 2 s, nothing, no connection, or the answer of a ban. */
export type Beyond = 'refused' | 'tarpit' | 'silent' | 'unconnected' | 'banned'

/** What a run met. */
export interface Outcome {
  ms: number
  /** How many requests were served, and connections opened for them, and how many of either were turned away. */
  served: number
  opened: number
  away: number
  notice: string | undefined
}

const TARPIT_MS = 2000
const DEADLINE_MS = 10_000
const CALLERS = 4
/** One of so many requests is a logon, and so many of a hundred open a connection. */
const LOGON_EACH = 4
const OPENING = 0.35
const PAUSES_MS = [50, 400]
const CONNECT_PAUSES_MS = [50, 200, 400, 800, 1500]

/** Sends requests as a run does: a third of them one after another, the others from several callers. */
export async function runAgainst(serves: Serves, beyond: Beyond, requests: number): Promise<Outcome> {
  let nowMs = 0
  let seed = 5
  let turn = 0
  let hasHung = false
  const sleepers: { atMs: number; turn: number; wake: () => void }[] = []
  const met = { served: 0, opened: 0, away: 0 }
  const pacer = new Pacer({ now: () => nowMs, patienceMs: 1e9, over: () => {} })
  const chance = () => {
    seed = (seed * 16_807) % 2_147_483_647
    return seed / 2_147_483_647
  }
  const sleep = (ms: number) =>
    new Promise<void>(wake => sleepers.push({ atMs: nowMs + Math.max(ms, 0), turn: turn++, wake }))

  /** Opens a connection. Returns whether there is one. */
  async function opened(connects: number): Promise<boolean> {
    const openedMs = nowMs
    await sleep(1 + chance() * 4)
    if (beyond !== 'unconnected' || serves(nowMs)) {
      met.opened++
      await sleep(2 + chance() * 6)
      return true
    }
    met.away++
    pacer.unconnected(openedMs)
    await sleep(CONNECT_PAUSES_MS[connects] ?? 2000)
    return false
  }

  async function turnedAway(kind: Paced, sentMs: number, tries: number): Promise<void> {
    if (beyond === 'refused' || beyond === 'banned') await sleep(1)
    else {
      await sleep(TARPIT_MS - (nowMs - sentMs))
      pacer.unanswered(kind, sentMs)
      // Once the run knows that there will be no answer it waits no longer.
      await sleep(beyond === 'tarpit' ? 2 : pacer.mayBeDropping && hasHung ? 0 : DEADLINE_MS - TARPIT_MS)
      pacer.forget(sentMs)
      hasHung = true
    }
    pacer.landed(sentMs)
    if (beyond === 'silent') pacer.dropped(kind, sentMs)
    else if (beyond === 'banned') pacer.banned(sentMs)
    else if (beyond === 'tarpit' && tries === 0) pacer.lost(kind, sentMs)
    else pacer.refused(kind, sentMs, undefined)
    if (beyond === 'banned' && tries > 0) pacer.putOff()
    else if (beyond !== 'refused') await sleep(PAUSES_MS[tries] ?? 1000)
  }

  async function one(): Promise<void> {
    const kind = chance() < 1 / LOGON_EACH ? 'logon' : 'any'
    let opens = chance() < OPENING
    for (let tries = 0, connects = 0; ; ) {
      await pacer.admit(
        kind,
        async ms => {
          await sleep(ms)
          return false
        },
        { opens: () => opens },
      )
      const openedMs = nowMs
      if (opens && !(await opened(connects++))) continue
      await sleep(pacer.dueMs(kind))
      const sentMs = pacer.sent(kind)
      // Now and then one is late, on its way.
      await sleep(0.3 + chance() * 1.5 + (chance() < 0.02 ? chance() * 40 : 0))
      if (beyond === 'unconnected' || serves(nowMs)) {
        await sleep(1 + chance() * 2)
        met.served++
        pacer.landed(sentMs)
        pacer.taken(kind, sentMs, { opens, openedMs })
        return
      }
      met.away++
      await turnedAway(kind, sentMs, tries++)
      opens ||= beyond === 'silent'
    }
  }

  let left = Math.floor(requests / 3)
  const caller = async () => {
    while (left-- > 0) await one()
  }
  let isOver = false
  const all = caller()
    .then(() => {
      left = requests - Math.floor(requests / 3)
      return Promise.all(Array.from({ length: CALLERS }, caller))
    })
    .then(() => {
      isOver = true
    })
  while (!isOver) {
    await new Promise(setImmediate)
    sleepers.sort((one, other) => one.atMs - other.atMs || one.turn - other.turn)
    const next = sleepers.shift()
    nowMs = Math.max(nowMs, next?.atMs ?? nowMs)
    next?.wake()
  }
  await all
  return { ms: nowMs, ...met, notice: pacer.notice }
}
