/**
 * The matrix: runs the suite, in virtual time, on a mock Core with each defect and on one of each honest dialect, and proves
 * three things: no defect escapes, no honest dialect is accused, and no `must` spec is idle (each is failed by some defect).
 *
 * Writes the table of defects and specs to reports/matrix.md, and prints the counts. Exit code 1 when something is not so.
 * Usage: npm run matrix [-- [--all] NAME…]
 *
 * A defect is put to the specs of its own area, which are to see it; with --all to every spec. Each NAME is a part of the
 * names of the subjects to run.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { listDefects } from '../dist/mock/index.js'
import { loadSuite } from '../dist/suite/load.js'
import type { Subject, SubjectResult } from './matrix-worker.js'

/** What takes longer than this is told, since it is what to mend first when the matrix gets slow. */
const SLOW_MS = 4000

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const all = process.argv.includes('--all')
const parts = process.argv.slice(2).filter(part => part !== '--all')
const defects = await listDefects()
const suite = loadSuite([{ path: at('../specs'), label: 'specs' }])

function subjects(): Subject[] {
  const folder = at('../contracts/dialects')
  const dialects = readdirSync(folder)
    .filter(file => file.endsWith('.yaml'))
    .sort()
    .map((file): Subject => ({ name: file.replace('.yaml', ''), kind: 'dialect', file: join(folder, file) }))
  const areas = new Set(suite.specs.map(({ area }) => area))
  const faulty = defects.map(
    ({ name, area }): Subject => ({
      name,
      kind: 'defect',
      ...(!all && areas.has(area) && !(name in SEEN_BY_OTHERS) && { area }),
    }),
  )
  const upper = { name: 'access-token-case-ignored', kind: 'defect' as const, area: 'access' }
  // Of the default dialect's tokens only one case can be changed, and a Core that ignores the case has to meet the other too.
  const twice = dialects.flatMap(({ name, file }): Subject[] =>
    name === 'token-upper-case-hex' && file ? [{ ...upper, file }] : [],
  )
  // Those that take long, since they answer slowly, first: the others fill the time.
  return [...dialects, ...faulty, ...twice].filter(
    ({ name }) => !parts.length || parts.some(part => name.includes(part)),
  )
}

/** Hands the subjects to workers, more than there are processors: those with a slow subject hardly use one. */
async function examineAll(subjects: Subject[]): Promise<SubjectResult[]> {
  const results: SubjectResult[] = []
  const waiting = [...subjects]
  const work = (worker: ChildProcess) =>
    new Promise<void>((resolve, reject) => {
      const next = () => {
        const subject = waiting.shift()
        if (subject) worker.send(subject)
        else {
          worker.disconnect()
          resolve()
        }
      }
      worker.on('message', (message: SubjectResult | { subject: Subject; error: string }) => {
        if ('error' in message) return reject(new Error(`${message.subject.name}: ${message.error}`))
        results.push(message)
        next()
      })
      worker.on('exit', code => code && reject(new Error(`a worker ended with ${code}`)))
      next()
    })
  const workers = Array.from({ length: 3 * availableParallelism() }, () =>
    fork(at('matrix-worker.ts'), { execArgv: ['--import', 'tsx'] }),
  )
  try {
    await Promise.all(workers.map(work))
  } finally {
    for (const worker of workers) if (worker.connected) worker.disconnect()
  }
  return results.sort((a, b) => (a.subject.name < b.subject.name ? -1 : 1))
}

const failedOf = ({ outcomes }: SubjectResult) => Object.keys(outcomes).filter(id => outcomes[id] === 'failed')

/**
 * Defects that specs of another area see, and the requirement by which they do: a valid token that is rejected at one
 * endpoint cannot be told from a token that may not go there, but one that cannot be revoked can.
 */
const SEEN_BY_OTHERS: Record<string, string> = { 'access-token-opens-users-only': 'REVOKE-1' }

/** A defect is seen when the run says so: a spec that names the broken requirement fails, or no logon can succeed at all. */
function isSeen(result: SubjectResult): boolean {
  const defect = defects.find(({ name }) => name === result.subject.name)
  const failed = suite.specs.filter(({ id }) => result.outcomes[id] === 'failed')
  const broken = SEEN_BY_OTHERS[result.subject.name] ?? defect?.requirement
  if (failed.some(spec => spec.requirements.some(({ id }) => id === broken))) return true
  return result.verdict === 'untestable' && defect?.requirement === 'LOGON-1'
}

function table(results: SubjectResult[]): string {
  const rows = results
    .filter(({ subject }) => subject.kind === 'defect')
    .map(result => `| ${result.subject.name} | ${failedOf(result).join(', ') || `— (${result.reason})`} |`)
  const proofs = suite.specs
    .filter(({ level }) => level === 'must')
    .map(
      ({ id }) =>
        `| ${id} | ${
          results
            .filter(result => result.outcomes[id] === 'failed')
            .map(({ subject }) => subject.name)
            .join(', ') || '—'
        } |`,
    )
  const dialects = results
    .filter(({ subject }) => subject.kind === 'dialect')
    .map(({ subject, verdict, reason }) => `| ${subject.name} | ${verdict} | ${reason} |`)
  return `# Matrix

## Defects, and the specs that fail

| Defect | Specs |
|---|---|
${rows.join('\n')}

## Specs, and the defects that fail them

| Spec | Defects |
|---|---|
${proofs.join('\n')}

## Honest dialects

| Dialect | Verdict | Reason |
|---|---|---|
${dialects.join('\n')}
`
}

const started = performance.now()
const results = await examineAll(subjects())
const faulty = results.filter(({ subject }) => subject.kind === 'defect')
const honest = results.filter(({ subject }) => subject.kind === 'dialect')
const escaped = faulty.filter(result => !isSeen(result))
const accused = honest.filter(({ verdict }) => verdict !== 'conformant')
const must = suite.specs.filter(({ level, accessControl }) => level === 'must' && accessControl === 'on')
const idle = parts.length ? [] : must.filter(({ id }) => !results.some(({ outcomes }) => outcomes[id] === 'failed'))
const greedy = results.filter(({ refusedLogons }) => refusedLogons > 20)
const folder = at('../reports')
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'matrix.md'), table(results))
const say = (title: string, lines: string[]) =>
  lines.length && process.stdout.write(`${title}:\n${lines.map(line => `  ${line}\n`).join('')}`)
say(
  'escaped defects',
  escaped.map(
    result => `${result.subject.name}: ${result.verdict}, ${result.reason}; failed: ${failedOf(result).join(', ')}`,
  ),
)
say(
  'accused dialects',
  accused.map(
    ({ subject, verdict, reason, messages }) =>
      `${subject.name}: ${verdict}, ${reason}\n${Object.entries(messages)
        .map(([id, message]) => `      ${id}: ${message}`)
        .slice(0, 6)
        .join('\n')}`,
  ),
)
say(
  'idle specs',
  idle.map(({ id }) => id),
)
const slow = results.filter(({ durationMs }) => durationMs > SLOW_MS)
say(
  `over ${SLOW_MS / 1000} s`,
  slow.map(({ subject, durationMs }) => `${subject.name}: ${(durationMs / 1000).toFixed(1)} s`),
)
say(
  'more than 20 refused logons',
  greedy.map(({ subject, refusedLogons }) => `${subject.name}: ${refusedLogons}`),
)
const seconds = ((performance.now() - started) / 1000).toFixed(0)
process.stdout.write(
  `${faulty.length} defects, ${escaped.length} escaped; ${honest.length} dialects, ${accused.length} accused; ${must.length} must specs, ${idle.length} idle; ${seconds} s\n`,
)
process.exitCode = escaped.length || accused.length || idle.length || greedy.length ? 1 : 0
