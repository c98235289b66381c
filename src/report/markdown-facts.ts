/** The facts of a run in Markdown, folded. */
import { count } from '../ground/count.js'
import type { RunResult } from '../result.js'
import { grouped } from './grouped.js'
import { folded, md, table } from './markdown-text.js'

/** Of the facts: with the rest of a conformant run it makes less than 8 KB, which a reader still looks through. */
const MOST_FACT_BYTES = 3500

/**
 * What was seen of what the reference leaves open: a row for each situation. The names of headers, which say least, are left to
 * result.json, and so is what there is no room for.
 */
export function facts(result: RunResult): string {
  const all = Object.entries(result.facts)
  if (all.length === 0) return ''
  const told = all.filter(([name]) => !name.endsWith('.headers'))
  const rows = [...grouped(told, ([name]) => name.replace(/\.[^.]*$/, ''))].map(([situation, own]) => [
    md(situation),
    own.map(([name, value]) => md(`${name.slice(situation.length + 1)} ${String(value)}`.trim())).join('; '),
  ])
  const shown: string[][] = []
  let bytes = 0
  for (const row of rows) {
    bytes += Buffer.byteLength(row.join(' | '))
    if (bytes > MOST_FACT_BYTES) break
    shown.push(row)
  }
  const rest = `\n\nAll ${count(all.length, 'fact')} are in result.json.`
  const part = shown.length < rows.length || told.length < all.length ? rest : ''
  return folded('Seen, where the reference says nothing', `${table(['Of', 'Seen'], shown)}${part}`)
}
