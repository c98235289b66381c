/** Makes links from the page of a fleet to the pages of its Cores. */
import type { FleetCore } from '../../fleet/types.js'
import { requirementAnchor } from './anchors.js'
import { shown } from './text.js'

/** Returns the address of a Core's page, relative to the page of the fleet; undefined where there is none. */
export function pageOf(
  { name, hasResult }: Pick<FleetCore, 'name' | 'hasResult'>,
  requirement?: string,
): string | undefined {
  if (!hasResult) return undefined
  const anchor = requirement === undefined ? undefined : requirementAnchor(requirement)
  return `${encodeURIComponent(name)}/report.html${anchor === undefined ? '' : `#${anchor}`}`
}

/** Shows the name of a Core as a link to its page. */
export function CoreLink({ core, requirement }: { core: FleetCore; requirement?: string }) {
  const href = pageOf(core, requirement)
  const name = shown(core.name, 80)
  return href === undefined ? <span>{name}</span> : <a href={href}>{name}</a>
}
