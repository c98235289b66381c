import { testedNodes } from '../version.js'
import type { Finding } from './finding.js'

/** Says whether the suite is tested on the Node that runs it. */
export function nodeFinding(): Finding {
  const { node } = process.versions
  const tested = testedNodes()
  const told = `${tested.slice(0, -1).join(', ')} and ${tested.at(-1)}`
  const isTested = tested.includes(Number.parseInt(node, 10))
  if (isTested) return { mark: 'fine', what: 'Node', seen: `${node}; the suite is tested on ${told}` }
  return { mark: 'note', what: 'Node', seen: `the suite is tested on Node ${told}, and this is ${node}` }
}
