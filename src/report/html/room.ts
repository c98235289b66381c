/** How much of each exchange the page has room for. */
import { createContext } from 'preact'
import type { RunResult, SpecRecord } from '../../result.js'

/** What a page may come to, in bytes of HTML: more is slow to open, and no mail or CI product likes it. */
const PAGE_BYTES = 4_400_000

/** What a spec, a step and a folded exchange take beside the texts of the messages, about. */
const SPEC_BYTES = 900
const STEP_BYTES = 400
const EXCHANGE_BYTES = 450

/** Of one message, however much room there is: nobody reads more, and the result file has it. */
const MOST = 8_000
/** With less one could not tell messages apart, and they are left to the result file. */
const LEAST = 200

/** So many exchanges of one spec are shown, half from each end. */
export const MAX_EXCHANGES = 40

/** What each message of a spec, or of the survey, may take, in bytes of HTML; 0: its exchanges are not shown. */
export interface Room {
  of(spec: SpecRecord | undefined): number
}

/** Shares the page: the specs that did not pass come first, since they are what is read. */
export function roomFor({ specs, survey }: Pick<RunResult, 'specs' | 'survey'>): Room {
  const isTelling = ({ outcome }: SpecRecord) => outcome === 'failed' || outcome === 'inconclusive'
  const exchanges = (of: readonly { exchanges: unknown[] }[]) =>
    of.reduce((sum, { exchanges }) => sum + Math.min(MAX_EXCHANGES, exchanges.length), 0)
  const steps = specs.reduce((sum, spec) => sum + spec.steps.length, 0)
  const free = Math.max(0, PAGE_BYTES - specs.length * SPEC_BYTES - steps * STEP_BYTES)
  const telling = exchanges(specs.filter(isTelling))
  const others = exchanges([...specs.filter(spec => !isTelling(spec)), { exchanges: survey }])
  // Each exchange has two messages.
  const share = (bytes: number, count: number) => {
    const each = Math.floor((bytes / Math.max(1, count) - EXCHANGE_BYTES) / 2)
    return each < LEAST ? 0 : Math.min(MOST, each)
  }
  const large = share(free * 0.7, telling)
  const taken = large > 0 ? telling * (EXCHANGE_BYTES + 2 * large) : 0
  const small = share(free - taken, others)
  return { of: spec => (spec && isTelling(spec) ? large : small) }
}

/** The room on the page that is being rendered. */
export const Rooms = createContext<Room>({ of: () => MOST })

/** How many characters of a text may be shown, so that its HTML takes no more than so many bytes, about. */
export function fitting(text: string, bytes: number): number {
  // Beyond what would fit if each character took one byte, nothing matters, and a body may be a megabyte.
  const start = text.slice(0, bytes)
  const taken = Buffer.byteLength(start) + 5 * (start.match(/["&<>]/g)?.length ?? 0)
  return taken <= bytes ? start.length : Math.floor((start.length * bytes) / taken)
}
