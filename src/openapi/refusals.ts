/** Shares one schema among refusals that look alike. */
import type { OpenApi, Schema } from './document.js'

const NAME = 'Refusal'

/** Makes a component of the most frequent refusal object, if it occurs several times. Those refusals then refer to it. */
export function shareRefusals({ paths, components }: OpenApi): void {
  const media = Object.values(paths)
    .flatMap(methods => Object.values(methods))
    .flatMap(({ responses }) => Object.entries(responses))
    .flatMap(([status, { content = {} }]) => (/^4\d\d$/.test(status) ? Object.values(content) : []))
  const counts = new Map<string, number>()
  for (const { schema } of media) {
    const text = JSON.stringify(schema)
    if (schema.type === 'object') counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  const [most] = [...counts].filter(([, count]) => count > 1).sort(([, a], [, b]) => b - a)
  if (!most) return
  const [text] = most
  for (const each of media) {
    if (JSON.stringify(each.schema) === text) each.schema = { $ref: `#/components/schemas/${NAME}` }
  }
  components.schemas[NAME] = {
    title: NAME,
    description: 'How the Core words a refusal.',
    ...(JSON.parse(text) as Schema),
    'x-observed': true,
    'x-requirements': ['LOGON-21', 'ACCESS-20'],
  }
}
