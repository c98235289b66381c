/** Adds the authenticated request of a run whose probe path differs from the reference's path. */
import type { OpenApi, Operation } from './document.js'

/**
 * Adds the probe of a run to the paths. The reference's illustration holds for every API request.
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
