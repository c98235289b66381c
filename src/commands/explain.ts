import type { Settings } from '../config/settings.js'
import { sentence } from '../engine/sentence.js'
import { count } from '../ground/count.js'
import { ownCommand, quoted } from '../ground/own-command.js'
import { indented } from '../report/wrap.js'
import type { Cause } from '../run/judge/causes/cause.js'
import { CAUSES } from '../run/judge/causes.js'
import { loadSpecs } from '../runner/choose-specs.js'
import { sizeOf } from '../suite/family.js'
import { meant, SelectionError } from '../suite/select.js'
import { isSpread, pauses, type Requirement, type Spec, type Step, type Suite, waits } from '../suite/spec.js'
import type { Expectation } from '../suite/step-words.js'
import type { Terminal } from '../terminal.js'
import { EXPLAIN } from './shared/declared.js'

/**
 * `core-conformance explain`: explains specs, requirements and the causes that a run knows. Sends nothing. For a spec it shows what is sent in which order,
 * the purpose of each step, and the sentence of the reference. For a requirement it shows the statement, what a miss means for
 * clients, and the specs that test it.
 * @throws SuiteError; SelectionError for an id of no spec and no requirement
 */
export async function explain(settings: Settings, { stdout }: Terminal): Promise<number> {
  const { specs, probePath } = settings.values(EXPLAIN.settings)
  const suite = await loadSpecs(specs)
  const columns = stdout.columns === undefined ? Number.POSITIVE_INFINITY : Math.min(stdout.columns, 120)
  const put: Put = (by, text) => indented(text, by, columns)
  const texts = settings.operands.map(id => {
    const spec = suite.specs.find(each => each.id === id)
    if (spec) return specText(spec, suite, probePath, put)
    const requirement = suite.requirements.get(id.toUpperCase())
    if (requirement) return requirementText(requirement, suite, put)
    const cause = CAUSES.find(({ name }) => name === id)
    if (cause) return causeText(cause, put)
    throw new SelectionError(unknown(id, suite))
  })
  stdout.write(texts.map(lines => lines.map(line => `${line}\n`).join('')).join('\n'))
  return 0
}

/** Returns the message for a word that nothing is called by, with what it may mean. */
function unknown(id: string, { specs, requirements }: Suite): string {
  const areas = new Set(specs.map(({ area }) => area))
  const shown = (area: string) => `${ownCommand(`list --only ${area}`)} shows its specs`
  if (areas.has(id)) return `'${id}' is an area, and explain takes one spec or requirement; ${shown(id)}`
  const causes = CAUSES.map(({ name }) => name)
  const like = meant(id, [...specs.map(each => each.id), ...requirements.keys(), ...causes, ...areas])
  const area = like.find(name => areas.has(name))
  const help = like.length
    ? `did you mean ${like.map(name => `'${name}'`).join(' or ')}?${area === undefined ? '' : ` That is an area: ${shown(area)}`}`
    : `see the specs with ${ownCommand('list')}, and the requirements with ${ownCommand('list --requirements')}`
  return `there is no spec, no requirement and no cause '${id}'; ${help}`
}

const REFERENCE = 'docs/reference.md'

const MEANINGS: Record<Extract<Expectation, string>, string> = {
  accepted: 'it is answered as a fresh token is',
  'not accepted': 'it is answered in any way but as a fresh token is',
  rejected: 'it is refused, as a request without a token is',
  expired: 'it is refused as an expired token is',
  either: 'it is accepted or refused, and which is recorded',
  'nothing issued': 'no token is issued',
  issued: 'a token is issued',
  revoked: 'the token is rejected afterwards',
  open: 'its answer asks for no token',
}

/** What becomes of a requirement on a Core with access control off, in words. */
const OPEN = { must: 'it holds there too', observe: 'it can only be observed', excluded: 'it is not tested' }

/** Breaks a text into lines of the width of the terminal, indented by so many spaces. */
type Put = (by: number, text: string) => string[]

/** Explains a spec: its subject, the sentences of the reference, and its steps in order with the purpose of each. */
function specText(spec: Spec, suite: Suite, probePath: string, put: Put): string[] {
  const { id, area, title, level, file, line, given, steps, measuresLifetime, isForFull, accessControl } = spec
  const traits = [
    ...(isSpread(spec) ? ['it sends one request every half a minute while others wait'] : []),
    ...(waits(spec) && !isSpread(spec) ? ['it waits for tokens to age'] : []),
    ...(pauses(spec) ? ['it lets a moment pass'] : []),
    ...(isForFull ? [`${ownCommand('run --profile quick')} leaves it out`] : []),
    ...(measuresLifetime ? [`it runs with ${ownCommand('run --measure-lifetime')} only`] : []),
    ...(accessControl === 'off' ? ['it is for a Core with access control off'] : []),
    ...(spec.bystanders === undefined ? [] : ['other tokens are held meanwhile, to see that they stay valid']),
  ]
  const aim = level === 'must' ? 'a miss is a failure' : 'what is seen is recorded, and never fails'
  const run = accessControl === 'off' ? `run --only ${quoted(id)} --access-control off` : `run --only ${quoted(id)}`
  return [
    `${id}: ${title}`,
    ...put(2, `${area}, ${level}: ${aim} (${file}:${line})`),
    ...traits.flatMap(trait => put(2, trait)),
    '',
    'Why',
    ...spec.requirements.flatMap(({ id: name }) => {
      const requirement = suite.requirements.get(name)
      return requirement ? [...put(2, `${name}: ${requirement.text}`), ...basis(requirement, put)] : []
    }),
    '',
    'What is sent, in this order',
    ...[...given, ...steps].flatMap((step, index) =>
      stepText(step, index, index < given.length, suite, probePath, put),
    ),
    '',
    `Run it on the mock Core: ${ownCommand(`${run} mock`)}`,
    `Against your Core:       ${ownCommand(`${run} URL`)}`,
  ]
}

/** Says which sentence a requirement is made of, and what a miss means. */
function basis({ section, quote, consequence }: Requirement, put: Put): string[] {
  return [
    ...put(
      4,
      quote === undefined
        ? `the reference does not say it in a sentence; see "${section}" (${REFERENCE})`
        : `the reference, "${section}" (${REFERENCE}): ${quote}`,
    ),
    ...(consequence === undefined ? [] : put(4, `where it is not met: ${consequence}`)),
  ]
}

function stepText(step: Step, index: number, prepares: boolean, suite: Suite, probePath: string, put: Put): string[] {
  const { tests, otherwise, consequence } = step
  const aim = tests.length > 0 ? `tests ${tests.join(', ')}` : prepares ? 'prepares' : 'control'
  const told = [`${index + 1}. ${sentence(step, suite, probePath)}  [${aim}]`]
  const details = step.action === 'send' ? sendDetails(step) : []
  return [
    ...told.flatMap(text => put(2, text)),
    ...details.flatMap(text => put(5, text)),
    ...(otherwise === undefined ? [] : put(5, `else: ${otherwise}`)),
    ...(consequence === undefined ? [] : put(5, `then: ${consequence}`)),
  ]
}

function sendDetails({ expect, times, each, spares, observe, save = [] }: Extract<Step, { action: 'send' }>): string[] {
  const expected = expect.map(item => {
    if (typeof item === 'object') return `its body fits ${JSON.stringify(item.body)}`
    return typeof item === 'number' ? `it is answered ${item}` : MEANINGS[item]
  })
  return [
    ...(expected.length > 0 ? [`expected: ${expected.join(', and ')}`] : []),
    ...(times > 1 ? [`sent ${times} times`] : []),
    ...(each
      ? [`sent once for each of ${count(each.only?.length ?? sizeOf(each), 'variation')} of ${each.family}`]
      : []),
    ...(spares?.length ? [`afterwards still valid: ${spares.join(', ')}`] : []),
    ...(save.length > 0 ? [`saved: ${save.map(({ name, at }) => `{${name}} from ${at}`).join(', ')}`] : []),
    ...(observe === undefined ? [] : [`what is seen is recorded as ${observe}`]),
  ]
}

/** Explains a cause: what the judge looks for in the history of a run, and what follows. */
function causeText({ name, words, accuses, looksFor, explains, predicts }: Cause, put: Put): string[] {
  return [
    `${name}: ${words}`,
    ...put(
      2,
      accuses === undefined
        ? 'a cause: it explains what the reference does not allow, and accuses nobody'
        : `a cause: it breaks ${accuses}, which is then in doubt, and the run is not conformant`,
    ),
    '',
    ...put(2, `looked for: ${looksFor}`),
    ...put(2, `explains: ${explains}`),
    ...put(2, `predicts: ${predicts}`),
    ...(accuses === undefined ? [] : put(2, 'only where no cause that accuses nobody explains the same')),
  ]
}

/** Explains a requirement: its statement, the sentence of the reference, what a miss means, and the specs that test it. */
function requirementText(requirement: Requirement, { specs }: Suite, put: Put): string[] {
  const { id, text, level = 'must', reason, open } = requirement
  const own = specs.filter(spec => spec.requirements.some(each => each.id === id))
  return [
    `${id}: ${text}`,
    ...put(2, level === 'excluded' ? `excluded from testing: ${reason}` : level),
    ...basis(requirement, put),
    ...(open ? put(4, `with access control off: ${OPEN[open.level]}. ${open.reason}`) : []),
    ...(own.length > 0 ? ['', `Tested by ${count(own.length, 'spec')}`] : []),
    ...own.flatMap(spec => put(2, `${spec.id}: ${spec.title}`)),
  ]
}
