import { useContext } from 'preact/hooks'
import { duration } from '../../duration.js'
import { count } from '../../ground/count.js'
import type { ExchangeRecord, RequestRecord, SpecRecord } from '../../result.js'
import { clip, inertLines } from '../inert.js'
import { fitting, Page } from './room.js'
import { shown } from './text.js'

/** Whether nobody looks for the cause of anything in the exchanges of a spec. */
const WENT_WELL: ReadonlySet<SpecRecord['outcome']> = new Set(['passed', 'observed', 'unexpected pass'])

/** Whether a spec went well, so that of equal exchanges one is shown. */
export function wentWell(spec: SpecRecord | undefined): boolean {
  return spec === undefined || WENT_WELL.has(spec.outcome)
}

/** An exchange to show, and how many others of its step it stands for. */
export interface Told {
  exchange: ExchangeRecord
  alike?: number
}

/**
 * Shows one exchange, folded. Its line names the request and the answer. One of a spec that went well which stands on the page
 * already is a link to that.
 */
export function Exchange({ exchange, spec, alike = 0 }: Told & { spec?: SpecRecord }) {
  const { room: roomOf, before: shownBefore } = useContext(Page)
  const room = roomOf(spec)
  if (room === 0) return null
  const { request, response, error, atMs, durationMs } = exchange
  // Two exchanges are equal to a reader where these are: the response, and all of it.
  const headers = response?.headers.filter(([name]) => !/^date$/i.test(name)) ?? []
  const came = wentWell(spec) ? JSON.stringify([{ ...response, headers }, error]) : undefined
  const whole = came && JSON.stringify(request) + came
  const before = shownBefore.get(whole ?? '')
  if (before !== undefined)
    return (
      <a href={`#${before}`}>
        {shown(`${request.method} → ${answer(exchange)}`, 80)}
        {alike > 0 && `, and ${alike} more`}
      </a>
    )
  const anchor = whole && `x${shownBefore.size + 1}`
  const sameResponse = shownBefore.get(came ?? '')
  for (const key of [whole, came]) if (key && anchor && !shownBefore.has(key)) shownBefore.set(key, anchor)
  const asked = `${request.method} ${request.path} HTTP/${request.httpVersion}`
  const answered = response ? `HTTP/${response.httpVersion} ${response.status} ${response.statusText}`.trimEnd() : ''
  return (
    <details class="exchange">
      <summary>
        <code>{shown(`${request.method} ${request.path}`, 160)}</code> → <code>{answer(exchange)}</code>
        {alike > 0 && <span class="muted"> and {alike} more with this answer</span>}
      </summary>
      {/* Inside, so that a link to it unfolds it. */}
      <p class="muted" id={anchor}>
        Sent {duration(atMs)} after the start, took {duration(durationMs)}.
      </p>
      <Message name="Request" text={messageText(asked, request)} room={room} />
      {sameResponse !== undefined && (
        <p class="label">
          Response <a href={`#${sameResponse}`}>as above</a>
        </p>
      )}
      {response && sameResponse === undefined && (
        <Message name="Response" text={messageText(answered, response)} room={room} />
      )}
      {response && !response.complete && <p>The response is not complete: {count(response.bodyBytes, 'byte')} came.</p>}
      {error && (
        <p>
          No whole response ({error.kind}): {shown(error.message)}
        </p>
      )}
    </details>
  )
}

function answer({ response, error }: ExchangeRecord): string {
  if (response) return shown(`${response.status} ${response.statusText}`.trim(), 80)
  return error ? `no response (${error.kind})` : 'no response'
}

function Message({ name, text, room }: { name: string; text: string; room: number }) {
  const length = fitting(text, room)
  const left = text.length - length
  return (
    <>
      <p class="label">{name}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be in reach of the keyboard */}
      <pre tabIndex={0}>
        <code>{inertLines(clip(text, length))}</code>
      </pre>
      {left > 0 && <p class="muted">{count(left, 'more character')} in the result file.</p>}
    </>
  )
}

/** Writes a message as it stood on the wire. */
function messageText(first: string, { headers, body }: Pick<RequestRecord, 'headers' | 'body'>): string {
  const head = [first, ...headers.map(([name, value]) => `${name}: ${value}`)]
  return [...head, ...(body ? ['', body] : [])].join('\n')
}
