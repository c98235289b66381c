import type { CoreChange, Since } from '../../fleet/types.js'
import { count } from '../../ground/count.js'
import { changeText } from '../fleet/words.js'
import { grouped } from '../grouped.js'
import { sentence, shown } from './text.js'

/** The colour class of each kind of change. */
const TONES: Record<CoreChange['kind'], string> = {
  'fails now': 'failed',
  opened: 'failed',
  'in doubt': 'inconclusive',
  gone: 'blocked',
  verdict: 'inconclusive',
  fixed: 'passed',
  added: 'observed',
  firmware: 'skipped',
}

const MARKS: Record<CoreChange['kind'], string> = {
  'fails now': '✗',
  opened: '✗',
  'in doubt': '?',
  gone: '–',
  verdict: '!',
  fixed: '✓',
  added: '+',
  firmware: '•',
}

/** Shows the changes since an earlier fleet, by Core. */
export function FleetChanges({ since }: { since: Since }) {
  const { startedAt, compared, changes, notices, file } = since
  return (
    <section aria-labelledby="since">
      <h2 id="since">What changed since {startedAt.slice(0, 16).replace('T', ' ')} UTC</h2>
      <p class="lead">
        {count(compared, 'Core')} compared with {shown(file, 200)}
        {changes.length === 0 && '; nothing changed'}.
      </p>
      {notices.length > 0 && (
        <ul>
          {notices.map(notice => (
            <li key={notice}>{sentence(notice)}</li>
          ))}
        </ul>
      )}
      {changes.length > 0 && (
        <ul class="left-open">
          {[...grouped(changes, ({ core }) => core)].map(([core, own]) => (
            <li key={core}>
              <b>{shown(core, 80)}</b>
              <ul class="links">
                {own.map((change, index) => (
                  <li key={index}>
                    <span class={`mark ${TONES[change.kind]}`} aria-hidden="true">
                      {MARKS[change.kind]}
                    </span>{' '}
                    {shown(changeText(change))}
                  </li>
                ))}
              </ul>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
