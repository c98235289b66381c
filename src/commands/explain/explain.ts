import type { Settings } from '../../config/settings.js'
import { ownCommand } from '../../ground/own-command.js'
import { CAUSES } from '../../run/judge/causes.js'
import { loadSpecs } from '../../runner/choose-specs.js'
import { CONFIGURATION } from '../../settings/configuration.js'
import { meant, SelectionError } from '../../suite/select.js'
import type { Suite } from '../../suite/spec.js'
import type { Terminal } from '../../terminal.js'
import { SPECS } from '../shared/settings.js'
import { causeText, requirementText, specText } from './text.js'

/**
 * `core-conformance explain`: explains specs, requirements and the causes that a run knows. Sends nothing. For a spec it shows what is sent in which order,
 * the purpose of each step, and the sentence of the reference. For a requirement it shows the statement, what a miss means for
 * clients, and the specs that test it.
 * @returns the exit code: 0
 * @throws SuiteError; SelectionError for an id of no spec and no requirement
 */
export async function explain(settings: Settings, { stdout }: Terminal): Promise<number> {
  const suite = await loadSpecs(settings.value(SPECS))
  const probePath = settings.value(CONFIGURATION.probePath)
  const columns = stdout.columns === undefined ? Number.POSITIVE_INFINITY : Math.min(stdout.columns, 120)
  const texts = settings.operands.map(id => {
    const spec = suite.specs.find(each => each.id === id)
    if (spec) return specText(spec, suite, probePath, columns)
    const requirement = suite.requirements.get(id.toUpperCase())
    if (requirement) return requirementText(requirement, suite, columns)
    const cause = CAUSES.find(({ name }) => name === id)
    if (cause) return causeText(cause, columns)
    throw new SelectionError(unknown(id, suite))
  })
  stdout.write(texts.join('\n'))
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
