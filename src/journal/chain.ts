/**
 * How the lines of a journal hold together. Each has its number `n` and a code `mac` over itself and the code of the line
 * before it, so that none can be changed, left out, doubled or moved. Behind the first line stands how many there are, in a
 * line of fixed width that is written over, so that none can be cut off at the end.
 */

import { timingSafeEqual } from 'node:crypto'
import { count, numbered } from '../ground/count.js'
import type { Line } from './line.js'
import type { Seal } from './seal.js'

/** Where a chain stands: how many lines it has, and the code of the last. */
export interface ChainEnd {
  lines: number
  mac: string
}

/** Before the first line. */
export const NO_LINES: ChainEnd = { lines: 0, mac: '' }

/** The line that comes next in a chain. */
export function chained(line: Line, { lines, mac }: ChainEnd, seal: Seal): { text: string; end: ChainEnd } {
  const body = JSON.stringify({ n: lines + 1, ...line })
  const end = { lines: lines + 1, mac: seal.mac(mac, body) }
  return { text: `${body.slice(0, -1)},"mac":"${end.mac}"}`, end }
}

const CHAINED = /^\{"n":(\d{1,9}),.*,"mac":"([\w+/]{43}=)"\}$/s

/**
 * Follows a chain over one more line.
 * @param text the line as it stands in the file
 * @returns why that is not the line that was written there, or where the chain stands behind it
 */
export function follow(text: string, before: ChainEnd, seal: Seal): string | ChainEnd {
  const [, number, mac = ''] = CHAINED.exec(text) ?? []
  if (number === undefined) return 'has no number or no code'
  const lines = before.lines + 1
  if (Number(number) !== lines)
    return `is number ${number} of the journal and stands where number ${lines} was written: lines are missing, doubled or moved`
  const body = `${text.slice(0, text.lastIndexOf(',"mac":"'))}}`
  return isSame(seal.mac(before.mac, body), mac) ? { lines, mac } : 'is not as it was written'
}

/** As many digits as any journal has lines. */
const DIGITS = 9

/** The line that says how many lines there are; as long whatever it says. */
export function countLine({ lines, mac }: ChainEnd, seal: Seal): string {
  const count = String(lines).padStart(DIGITS, '0')
  return JSON.stringify({ type: 'count', lines: count, mac: seal.mac(`count ${count}`, mac) })
}

const COUNT = /^\{"type":"count","lines":"(\d{9})","mac":"([\w+/]{43}=)"\}$/

/** Whether a line is one that says how many there are. */
export function isCountLine(text: string | undefined): boolean {
  return text !== undefined && COUNT.test(text)
}

/**
 * Reads how many lines there have to be.
 * @param macs the codes of all lines that are there
 * @returns why the count does not fit these lines; undefined where it does
 */
export function miscount(text: string, macs: string[], seal: Seal): string | undefined {
  const [, written = '', mac = ''] = COUNT.exec(text) ?? []
  const lines = Number(written)
  if (lines > macs.length)
    return `says ${count(lines, 'line')}, and ${macs.length} ${numbered(macs.length, 'is', 'are')} there: the last ones are missing`
  // A process that was killed between the two has written a line more than it has counted.
  if (lines < macs.length - 1)
    return `says ${count(lines, 'line')}, and ${macs.length} ${numbered(macs.length, 'is', 'are')} there`
  return isSame(seal.mac(`count ${written}`, macs[lines - 1] ?? ''), mac) ? undefined : 'is not as it was written'
}

function isSame(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}
