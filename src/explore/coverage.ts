import type { Exploration, SpecRecord } from '../result.js'
import type { Lowered } from './lower.js'

/** Number of parts of the lifetime by which ages are counted. */
const PARTS = 10

/** Counts the transitions of the model that were walked, and how long valid tokens had been unused at each use. */
export class Coverage {
  private readonly walked = new Map<string, Exploration['transitions'][number]>()
  private readonly ages = new Array<number>(PARTS).fill(0)

  /** Notes the steps of a sequence that went as the reference says. */
  note(steps: readonly Lowered[], { steps: records }: SpecRecord): void {
    for (const [index, { transition }] of steps.entries()) {
      if (!transition || records[index]?.outcome !== 'ok') continue
      const { from, by, age } = transition
      const key = `${from} ${by}`
      const known = this.walked.get(key) ?? { from, by, times: 0 }
      known.times++
      this.walked.set(key, known)
      if (from !== 'issued' || age === undefined) continue
      const part = Math.min(Math.floor(age * PARTS), PARTS - 1)
      this.ages[part] = (this.ages[part] ?? 0) + 1
    }
  }

  /** Adds the counts of an earlier process. */
  add({ transitions, ages }: Exploration): void {
    for (const { from, by, times } of transitions) {
      const known = this.walked.get(`${from} ${by}`) ?? { from, by, times: 0 }
      known.times += times
      this.walked.set(`${from} ${by}`, known)
    }
    for (const [part, times] of ages.entries()) this.ages[part] = (this.ages[part] ?? 0) + times
  }

  /** Returns all counts, sorted. */
  told(): Pick<Exploration, 'transitions' | 'ages'> {
    const keys = [...this.walked.keys()].sort()
    return { transitions: keys.flatMap(key => this.walked.get(key) ?? []), ages: [...this.ages] }
  }
}
