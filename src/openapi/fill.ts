/** Fills the document of the reference with a run's observations of a Core. */
import { grouped, type Some } from '../ground/grouped.js'
import { isSpec } from '../result/outcomes.js'
import type { RunResult } from '../result.js'
import { contentOf, describeToken, samplesOf, shapeOf, TOKEN_SCHEMA } from './content.js'
import { type OpenApi, type Operation, referenceDocument } from './document.js'
import { isFault, type OperationId, type Situation, situationsOf } from './situations.js'

const USERS_PATH = '/api/v0/cores/self/users'

const anyOf = new Intl.ListFormat('en', { type: 'disjunction' })

/** The components for the accepted answers of each operation. */
const COMPONENTS: Record<string, { name: string; description: string }> = {
  logon: { name: 'LogonResponse', description: 'The answer to correct credentials; it carries the token.' },
  getUsers: { name: 'Users', description: 'The users of the Core, with the fields that were seen.' },
}

/**
 * Makes the OpenAPI document of a Core as a run observed it: statuses, media types, shapes of bodies with examples, and the
 * token. Unobserved parts stay as the reference leaves them; observed parts are marked `x-observed`.
 * @param result of any verdict
 */
export function observedDocument(result: RunResult): OpenApi {
  const document = referenceDocument()
  describeRun(document, result)
  const token = describeToken(result)
  if (token) {
    document.components.schemas[TOKEN_SCHEMA] = token.schema
    document.components.securitySchemes.bearer['x-observed'] = token.schema['x-observed']
  }
  const filling = { document, result, tokenExample: token?.example ?? '' }
  const { post: logon, delete: revokeToken } = document.paths['/api/v0/logon'] ?? {}
  const users = document.paths[USERS_PATH]?.get
  if (!logon || !revokeToken || !users) throw new Error('contracts/openapi.yaml misses an operation')
  const { probePath } = result.configuration
  const getUsers = probePath === USERS_PATH ? users : addProbe(document.paths, probePath, users)
  for (const [id, operation] of Object.entries({ logon, revokeToken, getUsers }))
    fillOperation(filling, operation, situationsOf(result, id as OperationId))
  shareRefusals(document)
  dropUnused(document)
  return document
}

function describeRun({ info }: OpenApi, { suite, target, verdict, configuration, specs }: RunResult): void {
  // A known failure is still a failure. Values that a user pinned are not observations of the Core.
  const failed = specs.flatMap(spec => (isSpec(spec) && /^(failed|known failure)$/.test(spec.outcome) ? [spec.id] : []))
  const core = target.kind === 'mock' ? 'its mock Core' : 'a Core'
  info.title += ', as observed'
  info.description += `
**Observed.** What is marked \`x-observed\` was seen by core-conformance in one run against ${core}. The reference does not
state it, and another Core or another firmware may do otherwise. What the run did not see is as the reference leaves it.
`
  info['x-observed'] = {
    suite: suite.version,
    specsDigest: suite.specsDigest,
    profile: configuration.profile,
    accessControl: configuration.accessControl,
    verdict,
    ...(failed.length > 0 && { failed }),
  }
}

/** What is filled, of what, with which example in place of the token. */
interface Filling {
  document: OpenApi
  result: RunResult
  tokenExample: string
}

function fillOperation(filling: Filling, operation: Operation, situations: Situation[]): void {
  if (situations.length === 0) return
  operation['x-observed'] = Object.fromEntries(situations.map(({ name, status }) => [name, status]))
  const told = situations.filter(situation => !isFault(situation, filling.result))
  const needsNoToken = told.some(({ name, kind }) => name === 'no-token' && kind === 'accepted')
  if (needsNoToken) operation.security = [{}, { bearer: [] }]
  // OpenAPI allows no other statuses; those stand in x-observed only.
  const allowed = told.filter(({ status }) => status >= 100 && status <= 599)
  const byStatus = grouped(allowed, ({ status }) => String(status))
  for (const ofStatus of byStatus.values()) fillStatus(filling, operation, ofStatus)
}

/**
 * Fills in one status of an operation.
 * @param situations all of that status
 */
function fillStatus(
  { document: { components }, result, tokenExample }: Filling,
  { operationId, responses }: Operation,
  situations: Some<Situation>,
): void {
  const [{ status }] = situations
  const isSuccess = status >= 200 && status <= 299
  const samples = samplesOf(result, situations)
  const accepted = samples.filter(({ kind }) => kind === 'accepted')
  const isJson = accepted.length > 0 && accepted.every(({ isJson, value }) => isJson && value !== undefined)
  const component = isSuccess && isJson ? COMPONENTS[operationId] : undefined
  if (component) {
    const { title, 'x-requirements': requirements } = components.schemas[component.name] ?? {}
    components.schemas[component.name] = {
      title,
      description: component.description,
      ...shapeOf(accepted),
      'x-observed': true,
      'x-requirements': requirements,
    }
  }
  const content = contentOf(samples, tokenExample, component?.name)
  responses[status] = {
    description: describe(situations, components.responses),
    'x-observed': situations.map(({ name }) => name),
    ...(content && { content }),
  }
  // Beside an accepted answer, the other situations say nothing more about bodies.
  const isTold =
    accepted.length > 0 || situations.some(({ kind, answers }) => kind === 'accepted' && answers.length > 0)
  if (isSuccess && isTold) {
    const { 'x-requirements': requirements } = responses.default ?? {}
    const description = 'Every other answer. The reference shows neither status nor body.\n'
    responses.default = { description, 'x-requirements': requirements }
  }
}

function describe(situations: Situation[], known: OpenApi['components']['responses']): string {
  const abouts = (wanted: Situation['kind']) =>
    situations.filter(({ kind, name }) => kind === wanted && name !== 'missing-host').map(({ about }) => about)
  const [accepted, refused] = [abouts('accepted'), abouts('refused')]
  return [
    ...(situations.some(({ name }) => name === 'missing-host') ? [known.HostMissing?.description ?? ''] : []),
    ...(accepted.length > 0 ? [`Seen as the answer to ${anyOf.format(accepted)}.\n`] : []),
    ...(refused.length > 0 ? [`Seen as the refusal of ${anyOf.format(refused)}.\n`] : []),
  ].join('\n')
}

/** Removes components that are no longer referenced. */
function dropUnused(document: OpenApi): void {
  for (const group of ['responses', 'schemas'] as const)
    for (const name of Object.keys(document.components[group])) {
      const ref = JSON.stringify({ $ref: `#/components/${group}/${name}` }).slice(1, -1)
      if (!JSON.stringify(document).includes(ref)) delete document.components[group][name]
    }
  if (Object.keys(document.components.responses).length === 0) {
    const { responses: _, ...components } = document.components
    document.components = components as OpenApi['components']
  }
}

/**
 * Adds the probe of a run to the paths. The reference's illustration holds for every API request.
 * @param probePath as configured, with its query
 * @param template the operation of the illustration
 */
function addProbe(paths: OpenApi['paths'], probePath: string, template: Operation): Operation {
  const [path = '', query = ''] = probePath.split(/\?(.*)/s)
  const { '406': hostMissing = {}, '4XX': refused = {} } = template.responses
  const names = [...new Set(new URLSearchParams(query).keys())]
  const operation: Operation = {
    ...template,
    operationId: 'getProbe',
    summary: 'The authenticated request of the run',
    description:
      'The reference does not name this path. Its rules for the request that it shows hold for every API request.\n',
    ...(names.length > 0 && {
      parameters: names.map(name => ({
        name,
        in: 'query' as const,
        description: 'As sent in the run.',
        schema: { type: 'string' },
        example: new URLSearchParams(query).get(name) ?? '',
      })),
    }),
    responses: {
      '406': hostMissing,
      '4XX': refused,
      default: { description: 'The answer to an accepted request. The reference shows neither status nor body.\n' },
    },
  }
  // Braces would make a variable.
  const key = path.replaceAll('{', '%7B').replaceAll('}', '%7D')
  paths[key] = { ...paths[key], get: operation }
  return operation
}

const NAME = 'Refusal'

/** Makes a component of the most frequent refusal object, if it occurs several times. Those refusals then refer to it. */
function shareRefusals({ paths, components }: OpenApi): void {
  const media = Object.values(paths)
    .flatMap(methods => Object.values(methods))
    .flatMap(({ responses }) => Object.entries(responses))
    .flatMap(([status, { content = {} }]) => (/^4\d\d$/.test(status) ? Object.values(content) : []))
  const objects = media.filter(({ schema }) => schema.type === 'object')
  const alike = [...grouped(objects, ({ schema }) => JSON.stringify(schema)).values()]
  const [most] = alike.filter(({ length }) => length > 1).sort((a, b) => b.length - a.length)
  if (!most) return
  components.schemas[NAME] = {
    title: NAME,
    description: 'How the Core words a refusal.',
    ...most[0].schema,
    'x-observed': true,
    'x-requirements': ['LOGON-21', 'ACCESS-20'],
  }
  for (const each of most) each.schema = { $ref: `#/components/schemas/${NAME}` }
}
