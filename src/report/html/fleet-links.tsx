/** Links from the page of a fleet into the pages of its Cores. */
import type { FleetCore } from '../../fleet/types.js'
import { requirementAnchor } from './anchors.js'
import { shown } from './text.js'

/** Where the page of a Core stands, from that of its fleet; undefined where it has none. */
export function pageOf(
  { name, hasResult }: Pick<FleetCore, 'name' | 'hasResult'>,
  requirement?: string,
): string | undefined {
  if (!hasResult) return undefined
  const anchor = requirement === undefined ? undefined : requirementAnchor(requirement)
  return `${encodeURIComponent(name)}/report.html${anchor === undefined ? '' : `#${anchor}`}`
}

/** The name of a Core, as a link into its page. */
export function CoreLink({ core, requirement }: { core: FleetCore; requirement?: string }) {
  const href = pageOf(core, requirement)
  const name = shown(core.name, 80)
  return href === undefined ? <span>{name}</span> : <a href={href}>{name}</a>
}
