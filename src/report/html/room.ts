/** What all parts of the page of a run share: its anchors, and its size, which the exchanges share out. */
import { createContext } from 'preact'
import type { RunResult, SpecRecord } from '../../result.js'

/** Largest page, in bytes of HTML: a larger one opens slowly, and mail and CI products may refuse it. */
const PAGE_BYTES = 4_400_000

/** About how many bytes a spec, a step and a folded exchange take, without the texts of the messages. */
const SPEC_BYTES = 900
const STEP_BYTES = 400
const EXCHANGE_BYTES = 450

/** Largest message, in bytes: nobody reads more, and the result file has all of it. */
const MOST = 8_000
/** Smallest message, in bytes: shorter ones could not be told apart, so exchanges are then left out. */
const LEAST = 200

/** Most exchanges of one spec that are shown, half from each end. */
export const MAX_EXCHANGES = 40

/**
 * Shares the page among the specs. Failed and inconclusive specs get most of it: people read these.
 * @returns the most bytes of HTML for each message of a spec, or of the survey; 0: show no exchanges
 */
export function roomFor({ specs, survey }: RunResult): (spec?: SpecRecord) => number {
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
  return spec => (spec && isTelling(spec) ? large : small)
}

/** Returns how many characters of a text fit into about so many bytes of HTML. */
export function fitting(text: string, bytes: number): number {
  // A character takes at least one byte, so the rest of a long body cannot fit. A body may be a megabyte.
  const start = text.slice(0, bytes)
  const taken = Buffer.byteLength(start) + 5 * (start.match(/["&<>]/g)?.length ?? 0)
  return taken <= bytes ? start.length : Math.floor((start.length * bytes) / taken)
}

/** The page that is being rendered. */
export const Page = createContext({
  /** See {@link roomFor}. */
  room: (_: SpecRecord | undefined): number => MOST,
  /** The anchors of the specs. */
  anchors: new Map<SpecRecord, string>(),
  /** The anchors of the requirements that have a row on the page. */
  stated: new Set<string>(),
  /** The anchors of the exchanges of what went well, by their texts: equal ones stand once on a page. */
  before: new Map<string, string>(),
})
