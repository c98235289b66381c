/** How late each thread of a fleet is, as the thread tells it and the main thread reads it, without a message. */
import { threadId } from 'node:worker_threads'
import type { Pulse } from '../../ground/pulse.js'

/** Threads of one fleet that are told apart: each that ended gets another in its place, with the next number. */
const PLACES = 64
/** For each: how many beats there were, how late the latest of a moment ago was, and how late the latest of all, milliseconds. */
const NUMBERS = 3
/** A thread that did not beat for so long is late by that time, whatever it told last. */
const SILENT_MS = 200

/** Memory that all threads of a fleet share. */
export function beatsOfThreads(): SharedArrayBuffer {
  return new SharedArrayBuffer(PLACES * NUMBERS * Int32Array.BYTES_PER_ELEMENT)
}

/** Has this thread tell how late it is, from now on. */
export function tellBeats(pulse: Pulse, shared: SharedArrayBuffer): void {
  const numbers = new Int32Array(shared)
  const place = placeOf(threadId)
  pulse.on(() => {
    Atomics.add(numbers, place, 1)
    Atomics.store(numbers, place + 1, Math.round(pulse.lateMs))
    Atomics.store(numbers, place + 2, Math.round(pulse.mostMs))
  })
}

/** Reads how late a thread is. */
export class Beats {
  private readonly numbers: Int32Array
  private beats = 0
  private heardMs = 0

  /** @param id of the thread */
  constructor(
    shared: SharedArrayBuffer,
    private readonly id: number,
  ) {
    this.numbers = new Int32Array(shared)
  }

  /** How late it was a moment ago, or is: milliseconds. 0 for one that has not begun. */
  lateMs(nowMs: number): number {
    const beats = this.read(0)
    if (beats === 0) return 0
    if (beats !== this.beats) this.heardMs = nowMs
    this.beats = beats
    const silentMs = nowMs - this.heardMs
    return Math.max(this.read(1), silentMs > SILENT_MS ? silentMs : 0)
  }

  /** How late it ever was, milliseconds. */
  get mostMs(): number {
    return this.read(2)
  }

  private read(number: number): number {
    return Atomics.load(this.numbers, placeOf(this.id) + number)
  }
}

function placeOf(id: number): number {
  return (id % PLACES) * NUMBERS
}
