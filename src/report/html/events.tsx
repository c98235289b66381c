/** Shows the events on the Core that spoiled specs, each event once. */

import { useContext } from 'preact/hooks'
import { count } from '../../ground/count.js'
import type { RunResult } from '../../result.js'
import { eventText } from '../words.js'
import { Anchors } from './anchors.js'
import { Links } from './coverage.js'
import { sentence } from './text.js'

/** Shows the events of a run, with links to the specs that they spoiled. */
export function Events({ result: { events = [], specs } }: { result: RunResult }) {
  const anchors = useContext(Anchors)
  if (events.length === 0) return null
  return (
    <section aria-labelledby="events">
      <h2 id="events">What happened</h2>
      <ul class="left-open">
        {events.map((event, index) => {
          const spoiled = specs.filter(spec => event.specs.includes(spec.id) && anchors.has(spec))
          return (
            <li key={index}>
              {sentence(eventText(event))}
              {spoiled.length > 0 && (
                <details>
                  <summary>{count(spoiled.length, 'spec')}</summary>
                  <Links specs={spoiled} />
                </details>
              )}
            </li>
          )
        })}
      </ul>
    </section>
  )
}
