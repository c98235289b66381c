/** Makes tables that read well in a terminal and in Markdown. */
import type { Cost } from './growth.js'
import type { Summary } from './measure.js'
import type { Peer } from './peers.js'

/** Makes a table. The columns after the first `left` are numbers, aligned to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[], left = 1): string {
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map(row => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) => {
    const padded = cells.map((cell, column) =>
      column < left ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
    )
    return `| ${padded.join(' | ')} |`
  }
  const rule = widths.map((width, column) => (column < left ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  return [line(head), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n')
}

const ms = (value: number | undefined, digits = 0) => (value === undefined ? '?' : value.toFixed(digits))

/** One command of the comparison. */
export interface Row extends Pick<Peer, 'name' | 'version' | 'report'>, Summary {
  requests: number
}

/** Makes the table of all commands. Their processor times are divided by that of each row of `beside`. */
export function comparison(rows: readonly Row[], beside: readonly Row[]): string {
  const times = (a: number | undefined, b: number | undefined) => (a === undefined || !b ? '?' : (a / b).toFixed(2))
  return table(
    ['command', 'report', 'requests', 'wall, ms', 'quarters', 'processor, ms', ...beside.map(row => `÷ ${row.name}`)],
    rows.map(({ name, version, report, requests, wallMs, lowMs, highMs, cpuMs }) => [
      `${name} ${version}`.trim(),
      report,
      String(requests),
      ms(wallMs),
      `${ms(lowMs)}–${ms(highMs)}`,
      ms(cpuMs),
      ...beside.map(row => times(cpuMs, row.cpuMs)),
    ]),
    2,
  )
}

/**
 * Makes the table of a growth.
 * @param of the thing that grows: `specs`, `Cores`, `answers`
 */
export function costs(of: string, rows: readonly Cost[]): string {
  return table(
    [of, 'specs', 'requests', 'wall, ms', 'processor, ms', 'ms a spec', 'ms a request'],
    rows.map(({ size, specs, requests, wallMs, cpuMs }) => [
      size,
      String(specs),
      String(requests),
      ms(wallMs),
      ms(cpuMs),
      ms(cpuMs && cpuMs / specs, 1),
      ms(cpuMs && cpuMs / requests, 2),
    ]),
  )
}
