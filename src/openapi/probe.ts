/** The authenticated request of a run whose probe path is not that of the reference. */
import type { OpenApi, Operation } from './document.js'

/**
 * Adds the probe of a run to the paths, as the reference's illustration says it of every API request.
 * @param probePath as configured, with its query
 * @param template the operation of the illustration
 */
export function addProbe(paths: OpenApi['paths'], probePath: string, template: Operation): Operation {
  const [path = '', query = ''] = probePath.split(/\?(.*)/s)
  const { '406': hostMissing = {}, '4XX': refused = {} } = template.responses
  const names = [...new Set(new URLSearchParams(query).keys())]
  const operation: Operation = {
    ...template,
    operationId: 'getProbe',
    summary: 'The authenticated request of the run',
    description: 'Not named in the reference, which says of every API request what it says of the one that it shows.\n',
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
  // Braces would make a variable of it.
  const key = path.replaceAll('{', '%7B').replaceAll('}', '%7D')
  paths[key] = { ...paths[key], get: operation }
  return operation
}
