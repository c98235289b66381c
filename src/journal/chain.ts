/**
 * Chains the lines of a journal. Each line has its number `n` and a code `mac` over itself and the code of the line
 * before it. So no line can be changed, left out, doubled or moved. The second line holds the number of lines. It has a
 * fixed width and is written over, so that no line can be cut off at the end.
 */

import { timingSafeEqual } from 'node:crypto'
import { count, numbered } from '../ground/count.js'
import type { Line } from './line.js'
import type { Seal } from './seal.js'

/** The end of a chain: its number of lines, and the code of the last. */
export interface ChainEnd {
  lines: number
  mac: string
}

/** The chain before its first line. */
export const NO_LINES: ChainEnd = { lines: 0, mac: '' }

export function chainLine(line: Line, { lines, mac }: ChainEnd, seal: Seal): { text: string; end: ChainEnd } {
  const body = JSON.stringify({ n: lines + 1, ...line })
  const end = { lines: lines + 1, mac: seal.mac(mac, body) }
  return { text: `${body.slice(0, -1)},"mac":"${end.mac}"}`, end }
}

const CHAINED = /^\{"n":(\d{1,9}),.*,"mac":"([\w+/]{43}=)"\}$/s

/**
 * Follows a chain over one more line.
 * @param text the line as it stands in the file
 * @returns the chain's end after the line; or a text that says why the run did not write this line here
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

/** Most lines that are written before their number is: a line, and the secrets that came before it. */
const MOST_AT_ONCE = 2

/** More digits than any journal has lines. */
const DIGITS = 9

/** Makes the line with the number of lines. Its length never changes. */
export function countLine({ lines, mac }: ChainEnd, seal: Seal): string {
  const count = String(lines).padStart(DIGITS, '0')
  return JSON.stringify({ type: 'count', lines: count, mac: seal.mac(`count ${count}`, mac) })
}

const COUNT = /^\{"type":"count","lines":"(\d{9})","mac":"([\w+/]{43}=)"\}$/

/** Whether a line is the one with the number of lines. */
export function isCountLine(text: string | undefined): boolean {
  return text !== undefined && COUNT.test(text)
}

/**
 * Checks the number of lines.
 * @param macs the codes of all lines present
 * @returns why the number does not fit these lines; undefined where it does
 */
export function miscount(text: string, macs: string[], seal: Seal): string | undefined {
  const [, written = '', mac = ''] = COUNT.exec(text) ?? []
  const lines = Number(written)
  if (lines > macs.length)
    return `says ${count(lines, 'line')}, and ${macs.length} ${numbered(macs.length, 'is', 'are')} there: the last ones are missing`
  // A process that was killed between the two writes has not counted the lines that it wrote last.
  if (lines < macs.length - MOST_AT_ONCE)
    return `says ${count(lines, 'line')}, and ${macs.length} ${numbered(macs.length, 'is', 'are')} there`
  return isSame(seal.mac(`count ${written}`, macs[lines - 1] ?? ''), mac) ? undefined : 'is not as it was written'
}

function isSame(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}
