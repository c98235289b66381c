/**
 * A worker of the matrix: runs the suite, in virtual time, on each subject that its parent sends, and returns the findings. A
 * subject is a mock Core with one defect, or of one dialect.
 */
import { fileURLToPath } from 'node:url'
import { clockOf } from '../dist/engine/clock.js'
import { type DialectData, loadDialect, startMockCore } from '../dist/mock/index.js'
import { perform } from '../dist/runner/perform.js'
import { recordOf } from '../dist/settings/record.js'
import { loadSuite } from '../dist/suite/load.js'
import { coreInMemory } from './core-in-memory.js'
import { type SubjectResult, summaryOf } from './matrix-judge.js'
import { runInProcesses } from './matrix-processes.js'
import type { Subject } from './matrix-subjects.js'

const suite = loadSuite([{ path: fileURLToPath(new URL('../specs', import.meta.url)), label: 'specs' }])
const credentials = { username: 'operator', password: 'Correct-Horse-7-Staple' }
/** Longest exchange: short for the defects that never answer, far longer than an answer takes here. */
const DEADLINE_MS = 2000

async function dialectOf({ file, maxTokens }: Subject): Promise<DialectData> {
  const dialect = file === undefined ? {} : await loadDialect(file)
  return maxTokens === undefined ? dialect : { ...dialect, limits: { tokens: maxTokens } }
}

/** Returns the number of explored requests: few for honest dialects, since nothing may be found. */
function exploredBy({ kind, explore, accessControl }: Subject): number {
  return explore ?? (kind === 'dialect' && accessControl === undefined ? 150 : 0)
}

/** Number of seeds to explore until something is found: one seed, as in one night, shows nine in ten of these defects. */
const SEEDS = 3

/** Starts the mock Core of a subject: in memory, which costs a third less, unless its defect is one of TLS. */
async function coreOf({ needsTls }: Subject, options: Parameters<typeof startMockCore>[0]) {
  if (!needsTls) return { reached: (await coreInMemory(options)).reached, close: async () => {} }
  const core = await startMockCore(options)
  const target = { url: new URL(core.url), trust: { kind: 'insecure' as const }, ...credentials }
  return { reached: { target, clock: clockOf(core.control) }, close: () => core.close() }
}

async function examine(subject: Subject): Promise<SubjectResult> {
  for (let seed = 1; ; seed++) {
    const result = await examineFrom(subject, seed)
    const hasFound = Object.keys(result.notMet).length > 0
    if (subject.explore === undefined || hasFound || seed === SEEDS) return result
  }
}

async function examineFrom(subject: Subject, seed: number): Promise<SubjectResult> {
  const accessControl: 'on' | 'off' = subject.accessControl ?? 'on'
  // Observing specs can neither see a defect nor accuse a dialect.
  const specs = suite.specs.filter(spec => spec.level === 'must' && (subject.specs?.includes(spec.id) ?? true))
  const did = { met: [] as string[], triggered: 0, shown: 0 }
  const options = {
    ...credentials,
    mutantDid: (what: 'met' | 'triggered' | 'shown', part = '') => {
      if (what === 'met') did.met.push(part)
      else did[what]++
    },
    accessControl,
    ...(subject.kind === 'defect' && { defect: subject.name }),
    dialect: await dialectOf(subject),
  }
  const started = performance.now()
  if (subject.inProcesses) {
    const result = await runInProcesses(options, { deadlineMs: DEADLINE_MS })
    return summaryOf(subject, result, performance.now() - started)
  }
  const core = await coreOf(subject, options)
  try {
    const configuration = {
      // The mock Core locks no account.
      ...recordOf(({ usual }) => usual),
      accessControl,
      // In virtual time, waits of two lifetimes cost nothing.
      profile: subject.profile ?? ('long' as const),
      deadlineMs: DEADLINE_MS,
      explore: {
        requests: subject.exploreRequests ?? (subject.profile === undefined ? exploredBy(subject) : null),
        durationMs: null,
      },
      seed,
    }
    const result = await perform({ suite, specs, ...core.reached, targetKind: 'mock', configuration })
    return { ...summaryOf(subject, result, performance.now() - started), did }
  } finally {
    await core.close()
  }
}

process.on('message', (subject: Subject) => {
  examine(subject).then(
    result => process.send?.(result),
    error => {
      process.send?.({ subject, error: String(error?.stack ?? error) })
    },
  )
})
process.on('disconnect', () => process.exit())
