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

/** Asserts that the notice tells this rate, to a fifth. */
export function assertTold({ notice = '' }: Pacer, rate: number, what = 'requests'): void {
  const [, told] = new RegExp(`takes about ([\\d.]+) ${what} a second`).exec(notice) ?? []
  assert.ok(Math.abs(Number(told) / rate - 1) <= 0.2, notice)
}
