/**
 * Proves the explorer, in virtual time and one process: it finds nothing on honest Cores, and its findings are correct.
 *
 * Without --defects: explores a mock Core of each honest dialect in turn, each time from another seed. It prints every finding;
 * none is allowed. With --defects: explores each defect that shows in sequences only, and proves each finding on new mock
 * Cores. The written spec must fail on the defect and pass on an honest Core. Without any one of its steps it must not show the
 * defect.
 *
 * Exit code 1 when a proof fails, 2 for unusable arguments. 500 explorations take some ten minutes.
 * Usage: node --import tsx tools/explorations.ts [--defects] [--times 500] [--from SEED] [--requests 150] [NAME…]
 *
 * Each NAME is a part of the names of the dialects or defects to explore; --times counts honest explorations.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { parse } from 'yaml'
import type { Action } from '../dist/explore/action.js'
import { type Bounds, type Lowered, lower } from '../dist/explore/lower.js'
import { toSpec } from '../dist/explore/sequence.js'
import { without } from '../dist/explore/shrink.js'
import { listDefects, loadDialect } from '../dist/mock/index.js'
import type { FindingRecord, RunResult } from '../dist/result.js'
import type { RawStep } from '../dist/suite/raw-step.js'
import type { Spec } from '../dist/suite/spec.js'
import { type Exploring, explored, findingsOf, withFound } from '../test/support/explore.js'
import { SUITE } from '../test/support/suite-run.js'
import { NOT_YET } from './matrix-subjects.js'

/** This many requests find nearly every defect; see the matrix. */
const REQUESTS_FOR_DEFECTS = 2500
/** About as many as a run on the mock Core sends by default. */
const REQUESTS_FOR_HONEST = 150
const HOUR = 3_600_000
/** Wide enough for every sequence found so far. */
const BOUNDS: Bounds = {
  timing: { lifetimeMs: HOUR, validMs: HOUR * 0.95, withinMs: HOUR * 0.95, expiredMs: HOUR * 1.05, requestMs: 20 },
  tokens: 200,
  wrongLogons: 50,
}

const ONCE: Exploring = { requests: 0, configuration: { maxRefusedLogons: 100 } }

const wanted = readArguments()
process.exitCode = (await (wanted.defects ? proveFindings() : exploreHonest())) ? 0 : 1

function readArguments() {
  const text = { type: 'string' } as const
  const options = { defects: { type: 'boolean' }, times: text, from: text, requests: text } as const
  try {
    const { values, positionals: parts } = parseArgs({ options, allowPositionals: true })
    const number = (name: 'times' | 'from' | 'requests') => {
      const value = values[name]
      if (value !== undefined && !/^\d+$/.test(value)) throw new Error(`--${name} takes a whole number`)
      return value === undefined ? undefined : Number(value)
    }
    const [times = 500, from = 0, requests] = [number('times'), number('from'), number('requests')]
    return { defects: values.defects ?? false, times, from, requests, parts }
  } catch (error) {
    process.stderr.write(`explorations: ${error instanceof Error ? error.message : error}\n`)
    process.exit(2)
  }
}

function isWanted(name: string): boolean {
  return wanted.parts.length === 0
    ? !NOT_YET.includes(name.replace('.yaml', ''))
    : wanted.parts.some(part => name.includes(part))
}

/** Explores honest Cores. @returns whether nothing was found */
async function exploreHonest(): Promise<boolean> {
  const folder = fileURLToPath(new URL('../contracts/dialects', import.meta.url))
  const files = readdirSync(folder).filter(name => name.endsWith('.yaml') && isWanted(name))
  const names = isWanted('default') ? [undefined, ...files] : files
  const counts = { found: 0, sequences: 0, requests: 0, cut: 0, unexplored: 0, left: 0 }
  for (let number = 0; number < wanted.times; number++) {
    const file = names[number % names.length]
    const dialect = file === undefined ? {} : await loadDialect(join(folder, file))
    const seed = wanted.from + number
    const result = await explored({ dialect, seed, requests: wanted.requests ?? REQUESTS_FOR_HONEST })
    const { exploration } = result
    counts.sequences += exploration?.sequences ?? 0
    counts.requests += exploration?.requests ?? 0
    counts.cut += exploration?.cut ?? 0
    if (!exploration?.sequences) counts.unexplored++
    // A logon without an answer may have issued a token. It is counted but is no finding.
    counts.left += result.tokens.left
    const isFine = result.verdict === 'conformant' && findingsOf(result).length === 0
    if (isFine) continue
    counts.found++
    say(`${file ?? 'the default dialect'}, seed ${seed}: ${result.verdict}, ${result.reason}`)
    for (const { yaml } of findingsOf(result)) say(yaml)
  }
  const { found, sequences, requests, cut, unexplored, left } = counts
  say(
    `${wanted.times} explorations of ${names.length} honest Cores: ${found} with a finding; ${sequences} sequences, ${cut} of them cut short, ${requests} requests; ${unexplored} were not to be explored; ${left} tokens may be left`,
  )
  return found === 0
}

/** Proves the findings on defects. @returns whether every finding is correct */
async function proveFindings(): Promise<boolean> {
  const defects = (await listDefects()).filter(({ area, name }) => area === 'sequence' && isWanted(name))
  const wrong: string[] = []
  let proved = 0
  let without_ = 0
  for (const { name: defect } of defects) {
    const configuration = { maxRefusedLogons: 100 }
    const result = await explored({ defect, configuration, requests: wanted.requests ?? REQUESTS_FOR_DEFECTS })
    for (const found of findingsOf(result).filter(({ state }) => state === 'confirmed')) {
      const { misses, steps } = await proof(defect, found)
      proved++
      without_ += steps
      for (const miss of misses) {
        wrong.push(`${defect}: ${found.id} ${miss}`)
        say(`${defect}: ${found.id} ${miss}\n${found.yaml}`)
      }
    }
  }
  say(`${defects.length} defects, ${proved} confirmed findings, ${without_} steps left out; ${wrong.length} not so`)
  return wrong.length === 0
}

async function proof(defect: string, found: FindingRecord): Promise<{ misses: string[]; steps: number }> {
  const misses: string[] = []
  const again = withFound(found)
  if (outcomeOf(await explored({ ...again, ...ONCE, defect })) !== 'failed') misses.push('does not repeat')
  if (outcomeOf(await explored({ ...again, ...ONCE })) !== 'passed') misses.push('does not pass on an honest Core')
  if (!found.isShortest) return { misses, steps: 0 }
  const actions = actionsOf(found)
  const kind = lower(actions, BOUNDS)?.at(-1)?.kind
  for (const index of actions.keys()) {
    const steps = lower(without(actions, index, index + 1), BOUNDS)
    if (!steps?.some(step => step.kind === kind)) continue
    const spec = toSpec(steps, { id: found.id, title: 'shorter', requirements: [] }, SUITE)
    const result = await explored({ specs: [spec], ...ONCE, defect })
    if (showsAt(result, steps) === kind) misses.push(`shows without its step ${index + 1} of ${actions.length}`)
  }
  return { misses, steps: actions.length }
}

function outcomeOf({ specs }: RunResult): string | undefined {
  return specs[0]?.outcome
}

/** Returns the kind of the step that contradicts the reference; undefined where none does. */
function showsAt({ specs: [record] }: RunResult, steps: readonly Lowered[]): Lowered['kind'] {
  const at = record?.steps.findIndex(({ outcome, kind }) => outcome === 'miss' && kind === 'check') ?? -1
  return steps[at]?.kind
}

/** Returns the single actions of a finding without their expectations. Requests go by their roles, as in the explorer. */
function actionsOf({ yaml }: FindingRecord): Action[] {
  const { specs } = parse(yaml) as { specs: [{ given?: RawStep[]; steps: RawStep[] }] & Spec[] }
  const [{ given = [], steps }] = specs
  return [...given, ...steps].flatMap(({ expect: _, tests: __, control: ___, send, times = 1, ...others }) => {
    const role = SUITE.requests.get(send ?? '')?.role
    const action: Action = role ? { send: role, ...others } : others
    return Array.from({ length: times }, () => action)
  })
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
