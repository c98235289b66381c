/**
 * One worker of the matrix: runs the suite, in virtual time, on each subject that its parent sends, and answers with the
 * outcomes. A subject is a mock Core with one defect, or of one dialect.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { controlledClock } from '../dist/engine/clock.js'
import { runSuite } from '../dist/engine/run.js'
import { loadDialect, startMockCore } from '../dist/mock/index.js'
import type { Outcome, Verdict } from '../dist/result.js'
import { loadSuite } from '../dist/suite/load.js'

/** A mock Core that the suite is run on. */
export interface Subject {
  name: string
  kind: 'defect' | 'dialect'
  /** Of a dialect, the file. */
  file?: string
  /** Run the specs of this area only. */
  area?: string
}

/** What the suite made of a subject. */
export interface SubjectResult {
  subject: Subject
  verdict: Verdict
  reason: string
  outcomes: Record<string, Outcome>
  /** Why each spec failed, was blocked or inconclusive. */
  messages: Record<string, string>
  refusedLogons: number
  tokensLeft: number
  durationMs: number
}

const suite = loadSuite([{ path: fileURLToPath(new URL('../specs', import.meta.url)), label: 'specs' }])
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
const credentials = { username: 'operator', password: 'Correct-Horse-7-Staple' }
/** Short enough for the defects that answer nothing, and far from what an answer takes here. */
const DEADLINE_MS = 2000

async function examine(subject: Subject): Promise<SubjectResult> {
  const dialect = subject.file === undefined ? undefined : await loadDialect(subject.file)
  const accessControl = 'on' as const
  const { area } = subject
  // What only observes can neither see a defect nor accuse a dialect.
  const specs = suite.specs.filter(spec => spec.level === 'must' && (area === undefined || spec.area === area))
  const core = await startMockCore({
    ...credentials,
    accessControl,
    ...(subject.kind === 'defect' && { defect: subject.name }),
    ...(dialect && { dialect }),
  })
  const started = performance.now()
  try {
    const trust = { kind: 'insecure' as const }
    const result = await runSuite({
      suite,
      specs,
      target: { url: new URL(core.url), trust, ...credentials },
      targetKind: 'mock',
      configuration: {
        accessControl,
        idleLifetimeMs: 3_600_000,
        idleTolerance: 0.05,
        probePath: '/api/v0/cores/self/users',
        profile: 'full',
        only: [],
        concurrency: 4,
        maxRefusedLogons: 20,
        deadlineMs: DEADLINE_MS,
        maxTokens: null,
        measureLifetime: false,
      },
      clock: controlledClock(core.control),
      signal: new AbortController().signal,
      suiteVersion: version,
    })
    const told = result.specs.filter(({ outcome }) => ['failed', 'blocked', 'inconclusive'].includes(outcome))
    return {
      subject,
      verdict: result.verdict,
      reason: result.reason,
      outcomes: Object.fromEntries(result.specs.map(({ id, outcome }) => [id, outcome])),
      messages: Object.fromEntries(told.map(({ id, message }) => [id, message ?? ''])),
      refusedLogons: result.refusedLogons,
      tokensLeft: result.tokens.left,
      durationMs: performance.now() - started,
    }
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
