/** A diff as an HTML page: one self-contained file that loads nothing and has no script. */
import { createHash } from 'node:crypto'
import { type ComponentChildren, h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { CONSEQUENCES, type Comparison, type Diff } from '../diff/types.js'
import { cellText, countsText, headline, type Told, told, untold, worstOf } from './diff-words.js'
import { clip, inert } from './inert.js'
import { count } from './words.js'

/** More of one text is in diff.json. */
const MOST = 1000

const STYLE = `
:root { color-scheme: light dark; --text: #1c1e21; --ground: #fff; --line: #d5d8dc; --muted: #555b63;
  --breaking: #a4161a; --risky: #7a4d00; --harmless: #1a6334; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e8ea; --ground: #16181b; --line: #3a3f45; --muted: #a8b0b8;
  --breaking: #ff8b8b; --risky: #f0b429; --harmless: #6fd08c; } }
body { margin: 0 auto; max-width: 70rem; padding: 1.5rem 1rem 4rem; color: var(--text); background: var(--ground);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; } h2 { margin-top: 2.5rem; font-size: 1.25rem; } h3 { font-size: 1rem; }
.breaking { color: var(--breaking); } .risky { color: var(--risky); } .harmless, .same { color: var(--harmless); }
.muted { color: var(--muted); }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: .4rem .6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; min-width: 8rem; }
th { font-weight: 600; }
.failed { color: var(--breaking); font-weight: 600; }
@media print { body { max-width: none; padding: 0; } tr { break-inside: avoid; } .scroll { overflow: visible; } }
`

/** Any text as one line; the renderer escapes it. */
const shown = (text: string) => inert(clip(text, MOST))

function table(name: string, head: string[], lines: ComponentChildren[][]) {
  // What scrolls must be in reach of the keyboard.
  return h(
    'section',
    { class: 'scroll', tabIndex: 0, 'aria-label': shown(name) },
    h(
      'table',
      null,
      h('thead', null, h('tr', null, ...head.map(text => h('th', { scope: 'col' }, shown(text))))),
      h(
        'tbody',
        null,
        ...lines.map(([first, ...rest]) =>
          h('tr', null, h('th', { scope: 'row' }, first), ...rest.map(cell => h('td', null, cell))),
        ),
      ),
    ),
  )
}

function changeRow({ kind, what, of, seen, requirements, why }: Told): ComponentChildren[] {
  const word = kind === 'failure' ? 'fails now: ' : kind === 'mended' ? 'mended: ' : ''
  return [
    [`${word}${shown(what)}`, seen !== undefined && h('div', { class: 'muted' }, shown(seen))],
    [...of, ...requirements].map(shown).join(', '),
    shown(why),
  ]
}

function section({ runs }: Diff, comparison: Comparison) {
  const [from, to] = [runs[comparison.from], runs[comparison.to]].map(run => shown(run?.name ?? ''))
  const changes = told(comparison)
  const groups = CONSEQUENCES.flatMap(consequence => {
    const group = changes.filter(change => change.consequence === consequence)
    if (!group.length) return []
    const name = `${consequence}, ${from} to ${to}`
    return [
      h('h3', { class: consequence }, consequence),
      table(name, ['Change', 'Of', 'For clients'], group.map(changeRow)),
    ]
  })
  const { stillFailing } = comparison
  const notes = [
    ...comparison.notices,
    ...(stillFailing.length ? [`still failing: ${stillFailing.join(', ')}`] : []),
    ...untold(comparison.notCompared).map(({ what, of, why }) => `not compared: ${what}, ${why}: ${of.join(', ')}`),
  ]
  return h(
    'section',
    null,
    h('h2', null, `${from} → ${to}`),
    h('p', null, `${countsText(comparison)}; ${count(comparison.compared, 'spec')} compared.`),
    ...groups,
    notes.length > 0 && h('ul', { class: 'muted' }, ...notes.map(note => h('li', null, shown(note)))),
  )
}

function matrix({ runs, matrix: rows }: Diff) {
  const lines = rows.map(({ requirement, text, cells }) => [
    shown(requirement),
    shown(text),
    ...cells.map(cell => h('span', { class: cell.state.replaceAll(' ', '-') }, cellText(cell))),
  ])
  const head = ['Requirement', 'Statement', ...runs.map(({ name }) => name)]
  return h('section', null, h('h2', null, 'Requirements'), table('Requirements', head, lines))
}

/** A diff as an HTML page; with three runs or more, with the matrix of firmware and requirement. */
export function renderDiffHtml(diff: Diff): string {
  const worst = worstOf(diff)
  const names = diff.runs.map(({ name }) => shown(name)).join(' → ')
  const digest = createHash('sha256').update(STYLE).digest('base64')
  const runs = diff.runs.map(({ name, verdict, reason, url, startedAt, file }) =>
    [name, `${verdict}: ${reason}`, url, `${startedAt.slice(0, 16).replace('T', ' ')} UTC`, file].map(shown),
  )
  const page = h(
    'html',
    { lang: 'en' },
    h(
      'head',
      null,
      h('meta', { charset: 'utf-8' }),
      h('meta', {
        'http-equiv': 'Content-Security-Policy',
        content: `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'`,
      }),
      h('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
      h('title', null, clip(`${headline(diff)}: ${names}`, 65)),
      h('style', { dangerouslySetInnerHTML: { __html: STYLE } }),
    ),
    h(
      'body',
      null,
      h(
        'main',
        null,
        h('h1', { class: worst.replaceAll(' ', '-') }, headline(diff)),
        table('Runs', ['Run', 'Verdict', 'Core', 'Started', 'File'], runs),
        ...diff.comparisons.map(comparison => section(diff, comparison)),
        diff.runs.length > 2 && matrix(diff),
      ),
    ),
  )
  return `<!DOCTYPE html>\n${renderToString(page)}\n`
}
