/** The progress of several runs side by side, told as that of one. */
import type { RunActivity } from './activity.js'
import type { Progress } from './progress.js'

/**
 * Joins the activities of runs.
 * @param names of the runs, which their specs are told with
 * @returns for each run what shows its activity
 */
export function jointProgress(progress: Progress, names: string[]): ((activity: RunActivity) => void)[] {
  const latest: (RunActivity | undefined)[] = names.map(() => undefined)
  return names.map((_name, index) => activity => {
    latest[index] = activity
    const known = latest.flatMap((each, place) => (each ? [{ ...each, name: names[place] ?? '' }] : []))
    const sum = (of: (each: RunActivity) => number) => known.reduce((total, each) => total + of(each), 0)
    progress.show({
      done: sum(({ done }) => done),
      failed: sum(({ failed }) => failed),
      total: sum(({ total }) => total),
      startedMs: Math.min(...known.map(({ startedMs }) => startedMs)),
      endsMs: Math.max(...known.map(({ endsMs }) => endsMs)),
      waits: known
        .flatMap(({ name, waits }) => waits.map(wait => ({ ...wait, spec: `${name} ${wait.spec}`.trimEnd() })))
        .sort((a, b) => a.untilMs - b.untilMs),
    })
  })
}
