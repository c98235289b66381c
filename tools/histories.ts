/**
 * Tries the judge of `src/run/judge` without a Core: on histories that models of devices make (`test/support/histories/`), so
 * many of honest ones and as many of faulty ones.
 *
 * Honest: nothing may be accused. Faulty: where the fault shows, its requirement is to be in doubt, by the right cause.
 * Prints the figures of each kind, and the shortest history of each kind that is judged wrongly; `--json` those with all
 * entries. Exit code 1 when an honest device was accused, or fewer than 99 % of the causes are right; 2 for wrong usage.
 * Usage: npm run histories -- N [--seed S] [KIND…]; a KIND is a part of the names of the kinds to try
 */
import { parseArgs } from 'node:util'
import fc from 'fast-check'
import { FAULT_NAMES } from '../test/support/histories/device.js'
import { FAULTS, faulty, HONEST, honest, judged, played, type Scene } from '../test/support/histories/kinds.js'

/** So many tokens must have ended wrongly before what ended them can be told. */
const SEVERAL = 3
/** The part of the causes that are to be right. */
const RIGHT = 0.99

const { positionals, values } = readArguments()
const [number = '', ...parts] = positionals
const [total, seed] = [Number(number), Number(values.seed ?? 1)]
if (!Number.isInteger(total) || total < 1 || !Number.isInteger(seed)) usage()

const wanted = (name: string) => !parts.length || parts.some(part => name.includes(part))
const startedMs = performance.now()
const honestKinds = Object.keys(HONEST).filter(wanted)
const faultyKinds = FAULT_NAMES.filter(wanted)

say('honest device               histories  with a contradiction  explained  accused')
const sums = honestKinds.map(kind => tryHonest(kind, Math.ceil(total / honestKinds.length)))
say('\nfaulty device                             histories  shown  in doubt  telling  cause right')
const marks = faultyKinds.map(kind => tryFaulty(kind, Math.ceil(total / faultyKinds.length)))

const accused = sums.reduce((sum, each) => sum + each.accused, 0)
const total_ = (of: (mark: (typeof marks)[number]) => number) => marks.reduce((sum, each) => sum + of(each), 0)
const [shown, doubted, telling, right] = [
  total_(each => each.shown),
  total_(each => each.doubted),
  total_(each => each.told),
  total_(each => each.right),
]
const part = (some: number, of: number) => `${((100 * some) / Math.max(1, of)).toFixed(2)} %`
say(
  `\n${sums.reduce((sum, each) => sum + each.tried, 0)} honest histories: ${accused} accused; ${total_(each => each.tried)} faulty ones: ${shown} show the fault, ${part(doubted, shown)} of them in doubt; in ${telling} it can be told, ${part(right, telling)} with the right cause; seed ${seed}, ${((performance.now() - startedMs) / 1000).toFixed(1)} s, ${(process.cpuUsage().user / 1e6).toFixed(1)} s of a processor`,
)
process.exitCode = accused || right < RIGHT * telling ? 1 : 0

function tryHonest(kind: string, tried: number) {
  const isFine = (scene: Scene) => judged(scene, played(scene).history).every(({ accuses }) => accuses === undefined)
  let [contradicted, explained, accused] = [0, 0, 0]
  const causes = new Map<string, number>()
  for (const scene of fc.sample(honest(kind), { numRuns: tried, seed })) {
    const found = judged(scene, played(scene).history)
    if (!found.length) continue
    contradicted++
    if (found.every(({ accuses }) => accuses === undefined)) explained++
    else accused++
    for (const name of new Set(found.map(({ cause }) => cause))) causes.set(name, (causes.get(name) ?? 0) + 1)
  }
  say(
    `${kind.padEnd(28)}${pad(tried, 9)}${pad(contradicted, 22)}${pad(explained, 11)}${pad(accused, 9)}  ${list(causes)}`,
  )
  if (accused && values.shrink) shrink(honest(kind), tried, isFine)
  return { tried, accused }
}

function tryFaulty(kind: (typeof FAULT_NAMES)[number], tried: number) {
  const { breaks, causes, isOfSeveral } = FAULTS[kind]
  const least = isOfSeveral ? SEVERAL : 1
  let [shown, doubted, told, right] = [0, 0, 0, 0]
  const others = new Map<string, number>()
  const isRight = (scene: Scene) => {
    const { history, shown } = played(scene)
    const found = judged(scene, history)
    return shown < least ? !shown || found.length > 0 : found.some(({ cause }) => causes.includes(cause))
  }
  for (const scene of fc.sample(faulty(kind), { numRuns: tried, seed })) {
    const played_ = played(scene)
    if (!played_.shown) continue
    shown++
    const found = judged(scene, played_.history)
    if (found.some(({ accuses }) => accuses !== undefined)) doubted++
    if (played_.shown < least) continue
    told++
    if (found.some(({ accuses, cause }) => accuses === breaks && causes.includes(cause))) right++
    else
      for (const name of new Set(found.length ? found.map(each => each.cause) : ['nothing']))
        others.set(name, (others.get(name) ?? 0) + 1)
  }
  say(
    `${kind.padEnd(42)}${pad(tried, 9)}${pad(shown, 7)}${pad(doubted, 10)}${pad(told, 9)}${pad(right, 13)}  ${list(others)}`,
  )
  if (right < told && values.shrink) shrink(faulty(kind), tried, isRight)
  return { tried, shown, doubted, told, right }
}

/** Prints the shortest scene that is judged wrongly, with its history. */
function shrink(scenes: fc.Arbitrary<Scene>, numRuns: number, isFine: (scene: Scene) => boolean): void {
  const { counterexample } = fc.check(fc.property(scenes, isFine), { numRuns, seed })
  const [scene] = counterexample ?? []
  if (!scene) return
  const { history } = played(scene)
  say(JSON.stringify(scene))
  say(`  judged: ${JSON.stringify(judged(scene, history))}`)
  for (const { told: text, sentAt, receivedAt, token, issued, answer } of history)
    say(
      `  ${sentAt.toFixed(0)}-${receivedAt.toFixed(0)} ${text} ${answer} ${token ?? ''}${issued === undefined ? '' : ` -> ${issued}`}`,
    )
}

function list(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([name, count]) => `${name} ${count}`).join(', ')
}

function pad(value: number, width: number): string {
  return String(value).padStart(width)
}

function readArguments() {
  const options = { seed: { type: 'string' }, shrink: { type: 'boolean' } } as const
  try {
    return parseArgs({ options, allowPositionals: true })
  } catch {
    return usage()
  }
}

function usage(): never {
  process.stderr.write('Usage: npm run histories -- N [--seed S] [--shrink] [KIND…], with whole numbers\n')
  process.exit(2)
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
