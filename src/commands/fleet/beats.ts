/** Shares how late each thread of a fleet is. The thread writes it into shared memory, and the main thread reads it there. */
import { threadId } from 'node:worker_threads'
import type { Pulse } from '../../ground/pulse.js'

/** Places in the shared memory, one for each thread. A thread that ended is replaced by one with the next number. */
const PLACES = 64
/** Numbers in each place: the count of beats, the recent delay, and the largest delay so far. Delays are in milliseconds. */
const NUMBERS = 3
/** Silence after which a thread counts as late by that silence, in milliseconds. */
const SILENT_MS = 200

/** Makes the memory that all threads of a fleet share. */
export function beatsOfThreads(): SharedArrayBuffer {
  return new SharedArrayBuffer(PLACES * NUMBERS * Int32Array.BYTES_PER_ELEMENT)
}

/**
 * Writes the delay of this thread into the shared memory at each beat.
 * @param shared see {@link beatsOfThreads}
 */
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

  /** @param id the `threadId` of the thread */
  constructor(
    shared: SharedArrayBuffer,
    private readonly id: number,
  ) {
    this.numbers = new Int32Array(shared)
  }

  /**
   * Returns how late the thread is, in milliseconds; 0 for a thread that has not begun.
   * @param nowMs the time of a clock that never goes back
   */
  lateMs(nowMs: number): number {
    const beats = this.read(0)
    if (beats === 0) return 0
    if (beats !== this.beats) this.heardMs = nowMs
    this.beats = beats
    const silentMs = nowMs - this.heardMs
    return Math.max(this.read(1), silentMs > SILENT_MS ? silentMs : 0)
  }

  /** The largest delay of the thread so far, in milliseconds. */
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
