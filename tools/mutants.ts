/**
 * Measures what the suite sees of defects that nobody wrote down: makes mutants (src/mock/defects/mutants/), runs the suite on a
 * mock Core with each, in memory and in virtual time, and prints the score by requirement and by kind of trigger; the escaped ones,
 * each with why; and the misjudged ones, for which a requirement was accused that they do not break.
 *
 * Why one escaped:
 * - `never sent`: no request had this trigger, or was of this kind; `never together`: some had each part, none had all;
 * - `never shown`: some had all, and no answer differed from that of an honest Core;
 * - an answer differed, and the suite accused another requirement (`blamed on another`), doubted (`in doubt`), told a reason not to
 *   judge (`excused`), or says nothing (`not judged`).
 *
 * Exit code 1 where fewer are seen than --at-least (percent), or one is misjudged; 2 for wrong usage.
 * Usage: npm run mutants -- COUNT [--seed N] [--profile quick|full] [--only PART,PART] [--explore REQUESTS] [--explored-only]
 *   [--at-least PERCENT] [--workers N] [--list]
 *
 * With the profile quick, those that show only in a run that waits are left out. --only takes those whose name, or a requirement, holds a
 * PART. --explore explores with so many requests; with --explored-only hardly any spec is run beside it. --list prints the mutants, and
 * runs nothing.
 */
import { parseArgs } from 'node:util'
import { drawMutants, type Mutant } from '../dist/mock/index.js'
import type { SubjectResult } from './matrix-judge.js'
import { judgeDefect } from './matrix-judge.js'
import { EXPLORED_WITH, type Subject } from './matrix-subjects.js'
import { examineAll } from './matrix-workers.js'

const USAGE =
  'Usage: npm run mutants -- COUNT [--seed N] [--profile quick|full] [--only PART,PART] [--explore REQUESTS] [--explored-only] [--at-least PERCENT] [--workers N] [--list]\n'

/** What the suite made of a mutant. */
interface Judged {
  mutant: Mutant
  result: SubjectResult
  /** Absent where it was seen. */
  why?: string
  wrongly: string[]
}

const { count, seed, profile, only, atLeast, workers, list, explore, exploredOnly } = readArguments()
const drawn = (await drawMutants(seed, count)).filter(
  ({ name, requirements }) => only?.split(',').some(part => name.includes(part) || requirements.includes(part)) ?? true,
)
const mutants = drawn.filter(({ needsWaiting }) => profile === 'full' || !needsWaiting)
const startedMs = performance.now()
if (list) for (const { name, about, requirements } of mutants) say(`${name} (${requirements.join(', ')})\n    ${about}`)
else report(await judgeAll())

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        seed: { type: 'string', default: '1' },
        profile: { type: 'string', default: 'full' },
        only: { type: 'string' },
        'at-least': { type: 'string', default: '0' },
        workers: { type: 'string' },
        explore: { type: 'string' },
        'explored-only': { type: 'boolean', default: false },
        list: { type: 'boolean', default: false },
      },
    })
    const { profile } = values
    if (profile !== 'quick' && profile !== 'full') throw new Error('--profile is quick or full')
    const [count] = positionals
    return {
      count: whole(count, 'COUNT', 1),
      seed: whole(values.seed, '--seed', 0),
      profile: profile as 'quick' | 'full',
      only: values.only,
      atLeast: whole(values['at-least'], '--at-least', 0),
      workers: values.workers === undefined ? undefined : whole(values.workers, '--workers', 1),
      explore: values.explore === undefined ? undefined : whole(values.explore, '--explore', 0),
      exploredOnly: values['explored-only'],
      list: values.list,
    }
  } catch (error) {
    process.stderr.write(`mutants: ${error instanceof Error ? error.message : error}\n${USAGE}`)
    process.exit(2)
  }
}

function whole(text: string | undefined, name: string, atLeast: number): number {
  const value = Number(text)
  if (text === undefined || !Number.isInteger(value) || value < atLeast)
    throw new Error(`${name} takes a whole number, ${atLeast} or more`)
  return value
}

async function judgeAll(): Promise<Judged[]> {
  const how = {
    ...(explore !== undefined && { exploreRequests: explore }),
    ...(exploredOnly && { specs: EXPLORED_WITH }),
  }
  const subjects = mutants.map(({ name, needsTls }): Subject => ({ name, kind: 'defect', profile, needsTls, ...how }))
  const results = new Map((await examineAll(subjects, workers)).map(result => [result.subject.name, result]))
  return mutants.map(mutant => {
    const result = results.get(mutant.name)
    if (result === undefined) throw new Error(`there is no result for ${mutant.name}`)
    const { escaped, wrongly } = judgeDefect({ area: 'access', ...mutant }, result)
    return { mutant, result, wrongly, ...(escaped && { why: whyEscaped(mutant, result, wrongly) }) }
  })
}

function whyEscaped({ parts, requirements, mayAlso }: Mutant, result: SubjectResult, wrongly: string[]): string {
  const { did = { met: [], triggered: 0, shown: 0 }, inDoubt, verdict, reason } = result
  const unmet = parts.filter(part => !did.met.includes(part))
  if (unmet.length > 0) return `never sent: ${unmet.join(', ')}`
  if (did.triggered === 0) return 'never together'
  if (did.shown === 0) return 'never shown'
  if (wrongly.length > 0) return `blamed on another: ${wrongly.join(', ')}`
  if (inDoubt.some(id => requirements.includes(id) || mayAlso.includes(id))) return 'in doubt'
  return verdict === 'conformant' ? 'not judged' : `excused: ${verdict}, ${reason}`
}

function report(judged: readonly Judged[]): void {
  const escaped = judged.filter(({ why }) => why !== undefined)
  const misjudged = judged.filter(({ wrongly }) => wrongly.length > 0)
  table('requirement', judged, ({ mutant }) => mutant.requirements.slice(0, 1))
  table('kind of trigger', judged, ({ mutant }) => (mutant.groups.length ? mutant.groups : ['(none)']))
  table('why it escaped', escaped, ({ why = '' }) => [why.replace(/:.*/s, '')])
  section(
    'escaped',
    escaped.map(({ mutant, result, why }) => {
      const { triggered = 0, shown = 0 } = result.did ?? {}
      return `${mutant.name} (${mutant.requirements.join(', ')}): ${why}; triggered ${triggered}, shown ${shown}`
    }),
  )
  section(
    'misjudged',
    misjudged.map(({ mutant, result, wrongly }) => {
      const by = wrongly.map(id => `${id} (${result.notMet[id]?.join(', ')})`)
      return `${mutant.name} (${mutant.requirements.join(', ')}): accused ${by.join(', ')}`
    }),
  )
  const seen = judged.length - escaped.length
  const percent = (100 * seen) / Math.max(judged.length, 1)
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0)
  if (drawn.length > judged.length)
    say(`\n${drawn.length - judged.length} show only in a run that waits, and were left out`)
  say(
    `\n${judged.length} mutants of seed ${seed}, ${profile}: ${seen} seen (${percent.toFixed(1)} %), ${escaped.length} escaped, ${misjudged.length} misjudged; ${seconds} s`,
  )
  process.exitCode = judged.length === 0 || percent < atLeast || misjudged.length > 0 ? 1 : 0
}

/** Prints how many were seen of those of each kind. */
function table(title: string, judged: readonly Judged[], kindsOf: (judged: Judged) => readonly string[]): void {
  const kinds = [...new Set(judged.flatMap(kindsOf))].sort()
  if (kinds.length === 0) return
  say(`\n${title.padEnd(24)}  made  seen`)
  for (const kind of kinds) {
    const of = judged.filter(each => kindsOf(each).includes(kind))
    say(
      `${kind.padEnd(24)}  ${String(of.length).padStart(4)}  ${String(of.filter(({ why }) => !why).length).padStart(4)}`,
    )
  }
}

function section(title: string, lines: readonly string[]): void {
  if (lines.length) say(`\n${title}:\n${lines.map(line => `  ${line}`).join('\n')}`)
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
