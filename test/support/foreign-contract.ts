/** Contracts as other tools write them. */

/** Makes a contract of one interaction. @param more what else the interaction says, and of which consumer it is */
export function pactOf(request: object, response: object, more: { consumer?: string; [key: string]: unknown } = {}) {
  const { consumer = 'app', ...others } = more
  return JSON.stringify({
    consumer: { name: consumer },
    provider: { name: 'core' },
    interactions: [{ description: 'one', request, response, ...others }],
    metadata: { pactSpecification: { version: '3.0.0' } },
  })
}
