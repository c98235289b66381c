/** Renders the facts of a run in Markdown, folded. */
import { count } from '../../ground/count.js'
import type { RunResult } from '../../result.js'
import { grouped } from '../grouped.js'
import { folded, md, table } from './text.js'

/** Most bytes of facts: the report of a conformant run then stays below 8 KB, which people still read. */
const MOST_FACT_BYTES = 3500

/**
 * Renders the facts: a row for each situation. The names of headers, which say least, are only in result.json, and so are facts
 * without room.
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
