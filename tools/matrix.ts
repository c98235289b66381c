/**
 * Runs the matrix: the suite, in memory and in virtual time, on a mock Core with each defect and of each honest dialect. It proves four
 * things: no defect escapes; a defect accuses only requirements that it breaks; no honest dialect is accused; and no `must`
 * spec is idle (some defect fails it).
 *
 * A defect is run with the specs of its area and with those that name a requirement that it breaks. With --all it is run with
 * every spec, which tests attribution best and takes more than twice as long. In any case a cross-section is run with every
 * spec, on mock Cores with room for 3, 10 and 20 tokens, and a sample with the mock Core and the command line in processes of
 * their own.
 *
 * Defects that show only after a sequence of requests go to the explorer, with a few specs. Honest dialects are explored a
 * little, too.
 *
 * Writes the table of defects and specs to reports/matrix.md, and prints the counts. Exit code 1 when a proof fails, 2 for
 * unusable arguments.
 * Usage: npm run matrix [-- [--sample | --all | --fewer-specs] [--max-tokens N | --all-limits] NAME…]
 *
 * --sample takes a few subjects of every area, in a minute; CI does so. Each NAME is a part of the names of the subjects to
 * run. With --max-tokens all mock Cores have room for that many tokens; with --all-limits each is run with every limit. Named
 * subjects are run with every spec, unless --fewer-specs is given.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { listDefects } from '../dist/mock/index.js'
import { CONFIGURATION } from '../dist/settings/configuration.js'
import { loadSuite } from '../dist/suite/load.js'
import { isAcquitted, judgeDefect, type SubjectResult } from './matrix-judge.js'
import { matrixPage } from './matrix-page.js'
import { chooseSubjects, labelOf, SAMPLE, SAMPLE_FOR_ALL_SPECS, type Subject } from './matrix-subjects.js'
import { examineAll } from './matrix-workers.js'

/** Subjects that take longer are printed: speed these up first when the matrix gets slow. */
const SLOW_MS = 8000
const MOST_REFUSED_LOGONS = CONFIGURATION.maxRefusedLogons.usual

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const { values, parts } = readArguments()
const defects = await listDefects()
const suite = loadSuite([{ path: at('../specs'), label: 'specs' }])
const isForAllSpecs = values.all || (parts.length > 0 && !values['fewer-specs'] && !values.sample)
const subjects = chooseSubjects(defects, {
  parts,
  allLimits: values['all-limits'] ?? false,
  ...(values['max-tokens'] !== undefined && { maxTokens: Number(values['max-tokens']) }),
})
  // What only begins like one of the sample is not of it.
  .filter(({ name }) => !values.sample || parts.includes(name))
  .map(subject => (isForAllSpecs ? subject : withFewerSpecs(subject)))

function readArguments() {
  const options = {
    all: { type: 'boolean' },
    'all-limits': { type: 'boolean' },
    'fewer-specs': { type: 'boolean' },
    'max-tokens': { type: 'string' },
    sample: { type: 'boolean' },
  } as const
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true })
    if (values.sample && positionals.length) throw new Error('--sample has names of its own: give it, or names')
    const parts = values.sample ? [...SAMPLE, SAMPLE_FOR_ALL_SPECS] : positionals
    if (values['max-tokens'] !== undefined && !/^[1-9]\d*$/.test(values['max-tokens'])) {
      throw new Error('--max-tokens takes a whole number, 1 or more')
    }
    return { values, parts }
  } catch (error) {
    process.stderr.write(`matrix: ${error instanceof Error ? error.message : error}\n`)
    process.stderr.write(
      'Usage: npm run matrix [-- [--sample | --all | --fewer-specs] [--max-tokens N | --all-limits] NAME…]\n',
    )
    process.exit(2)
  }
}

/** Leaves out specs that can hardly see a defect; keeps all where no spec is of its area. */
function withFewerSpecs(subject: Subject): Subject {
  const defect = defects.find(({ name }) => name === subject.name)
  const isWhole =
    (values.sample && subject.name === SAMPLE_FOR_ALL_SPECS) ||
    subject.kind === 'dialect' ||
    subject.explore !== undefined ||
    subject.maxTokens !== undefined ||
    subject.inProcesses
  if (isWhole || defect === undefined || !suite.specs.some(({ area }) => area === defect.area)) return subject
  const specs = suite.specs.filter(
    ({ area, requirements }) => area === defect.area || requirements.some(({ id }) => defect.requirements.includes(id)),
  )
  return { ...subject, specs: specs.map(({ id }) => id) }
}

function judgeAll(results: readonly SubjectResult[]) {
  return results.flatMap(result => {
    const defect = defects.find(({ name }) => name === result.subject.name)
    return defect === undefined ? [] : [{ result, defect, ...judgeDefect(defect, result) }]
  })
}

function say(title: string, lines: readonly string[]): void {
  if (lines.length) process.stdout.write(`${title}:\n${lines.map(line => `  ${line}\n`).join('')}`)
}

const started = performance.now()
const results = await examineAll(subjects)
const judged = judgeAll(results.filter(({ subject }) => subject.kind === 'defect'))
const honest = results.filter(({ subject }) => subject.kind === 'dialect')
const escaped = judged.filter(({ escaped }) => escaped)
const misjudged = judged.filter(({ wrongly }) => wrongly.length > 0)
const accused = honest.filter(result => !isAcquitted(result))
const must = suite.specs.filter(({ level }) => level === 'must')
const idle = parts.length ? [] : must.filter(({ id }) => !results.some(({ outcomes }) => outcomes[id] === 'failed'))
const greedy = results.filter(
  ({ refusedLogons, subject }) => subject.explore === undefined && refusedLogons > MOST_REFUSED_LOGONS,
)
const explored = results.filter(({ found }) => found.length > 0)
const folder = at('../reports')
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'matrix.md'), matrixPage(results, judged, suite.specs))

say(
  'escaped defects',
  escaped.map(({ result, defect }) => {
    const seen = Object.keys(result.notMet).join(', ') || 'nothing'
    return `${labelOf(result.subject)}: breaks ${defect.requirements.join(', ')}, accused was ${seen}; ${result.verdict}: ${result.reason}`
  }),
)
say(
  'accused of what others broke',
  misjudged.flatMap(({ result, defect, wrongly }) =>
    wrongly.map(
      id =>
        `${labelOf(result.subject)}: accused ${id} for ${defect.requirements.join(', ')} (${result.notMet[id]?.join(', ')})`,
    ),
  ),
)
say(
  'accused dialects',
  accused.map(({ subject, verdict, reason, messages }) => {
    const why = Object.entries(messages).map(([id, message]) => `      ${id}: ${message}`)
    return [`${labelOf(subject)}: ${verdict}, ${reason}`, ...why.slice(0, 6)].join('\n')
  }),
)
say(
  'idle specs',
  idle.map(({ id }) => id),
)
const slow = results.filter(({ durationMs }) => durationMs > SLOW_MS)
say(
  `over ${SLOW_MS / 1000} s`,
  slow.map(({ subject, durationMs }) => `${labelOf(subject)}: ${(durationMs / 1000).toFixed(1)} s`),
)
say(
  `more than ${MOST_REFUSED_LOGONS} refused logons`,
  greedy.map(({ subject, refusedLogons }) => `${labelOf(subject)}: ${refusedLogons}`),
)
const count = (of: readonly { subject: Subject }[]) => new Set(of.map(({ subject }) => subject.name)).size
const limited = results.filter(({ subject }) => subject.maxTokens !== undefined).length
const own = results.filter(({ subject }) => subject.inProcesses).length
const counts = [
  `${count(judged.map(({ result }) => result))} defects, ${escaped.length} escaped, ${misjudged.length} misjudged`,
  `${count(honest)} dialects, ${accused.length} accused`,
  ...(explored.length > 0 ? [`${count(explored)} defects seen by the explorer`] : []),
  `${must.length} must specs, ${idle.length} idle`,
  `${results.length} runs, ${limited} of them with a limit of tokens, ${own} in processes of their own`,
  `${((performance.now() - started) / 1000).toFixed(0)} s`,
]
process.stdout.write(`${counts.join('; ')}\n`)
const isWrong = [escaped, misjudged, accused, idle, greedy].some(({ length }) => length > 0) || results.length === 0
process.exitCode = isWrong ? 1 : 0
