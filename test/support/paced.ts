/** A pacer on a clock that only pauses move. */
import * as assert from 'uvu/assert'
import { type Paced, Pacer } from '../../dist/core/pacer.js'

/** Makes the pacer, what moves its clock, and numbers that look like chance. @param seed another one gives other numbers */
export function pacing({ patienceMs = 60_000, seed = 7 } = {}) {
  let nowMs = 0
  const reasons: string[] = []
  const pacer = new Pacer({ now: () => nowMs, patienceMs, over: reason => reasons.push(reason) })
  const admit = async (kind: Paced = 'any', opens = false) => {
    const pause = async (ms: number) => {
      nowMs += ms
      return false
    }
    await pacer.admit(kind, pause, { opens: () => opens })
    return nowMs
  }
  const pass = (ms: number) => {
    nowMs += ms
  }
  const chance = () => {
    seed = (seed * 16_807) % 2_147_483_647
    return seed / 2_147_483_647
  }
  return { pacer, admit, reasons, now: () => nowMs, pass, chance }
}

/** Tries of several callers at a time, on a clock that moves as soon as all of them wait. */
export async function crowd({
  callers = 4,
  tries,
  seed = 7,
  attempt,
}: {
  callers?: number
  /** How many of them have to be served. */
  tries: number
  seed?: number
  /** Makes one try, and returns whether it was served. */
  attempt: (at: {
    pacer: Pacer
    now: () => number
    pass: (ms: number) => Promise<void>
    chance: () => number
  }) => Promise<boolean>
}): Promise<{ pacer: Pacer; tookMs: number; away: number }> {
  let nowMs = 0
  const waiting: { untilMs: number; wake: () => void }[] = []
  const pass = (ms: number) => new Promise<void>(wake => waiting.push({ untilMs: nowMs + Math.max(ms, 0), wake }))
  const { chance } = pacing({ seed })
  const pacer = new Pacer({ now: () => nowMs, patienceMs: 3_600_000, over: () => {} })
  let left = tries
  let away = 0
  const caller = async () => {
    while (left > 0) {
      left--
      while (!(await attempt({ pacer, now: () => nowMs, pass, chance }))) away++
    }
  }
  const all = Promise.all(Array.from({ length: callers }, caller))
  let isOver = false
  all.finally(() => {
    isOver = true
  })
  while (!isOver) {
    await new Promise(setImmediate)
    const [next] = waiting.sort((one, other) => one.untilMs - other.untilMs).splice(0, 1)
    nowMs = next?.untilMs ?? nowMs
    next?.wake()
  }
  await all
  return { pacer, tookMs: nowMs, away }
}

/** Asserts that the notice tells this rate, to a fifth. */
export function assertTold({ notice = '' }: Pacer, rate: number, what = 'requests'): void {
  const [, told] = new RegExp(`takes about ([\\d.]+) ${what} a second`).exec(notice) ?? []
  assert.ok(Math.abs(Number(told) / rate - 1) <= 0.2, notice)
}
