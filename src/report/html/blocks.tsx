/** Renders blocks as HTML. */
import { type ComponentChildren, Fragment } from 'preact'
import { MARKS } from '../../result/outcomes.js'
import {
  type Block,
  type Cell,
  type Line,
  type Row,
  type Section as SectionBlock,
  type Table,
  type TableRow,
  textOf,
} from '../blocks.js'
import { clip, inert, inertLines } from '../inert.js'
import { Bar, Columns, classOf, Mark, Said, Section } from './parts.js'
import { Prose, sentence, shown, unbroken } from './text.js'

/** The labels of rows whose values are sentences. */
const SENTENCES: ReadonlySet<string> = new Set(['for clients', 'spec', 'also', 'seen', 'did', 'note', 'why', 'fix'])

/** Shows blocks. @param props `level`: of the next heading */
export function Blocks({ blocks, level = 2 }: { blocks: readonly Block[]; level?: number }) {
  return (
    <>
      {blocks.map((block, index) => (
        <One key={index} block={block} level={level} />
      ))}
    </>
  )
}

function One({ block, level }: { block: Block; level: number }) {
  if ('section' in block) return isEmpty(block) ? null : <Part part={block} level={level} />
  if ('item' in block)
    return (
      <article class={`item ${classOf(block.tone)}`}>
        <Heading level={level}>
          <Mark tone={block.tone} mark={MARKS[block.tone]} /> <Text line={block.item} isSentence isProse />
        </Heading>
        <Blocks blocks={block.blocks} level={level + 1} />
      </article>
    )
  if ('rows' in block) return <Rows rows={block.rows} />
  if ('list' in block)
    return (
      <ul class={block.list.some(({ mark }) => mark !== undefined) ? 'marked' : undefined}>
        {block.list.map(({ text, mark, tone }, index) => (
          <li key={index}>
            {mark !== undefined && <Mark tone={tone} mark={mark} />} <Text line={text} isSentence />
          </li>
        ))}
      </ul>
    )
  if ('table' in block) return <Cells table={block} />
  if ('tally' in block)
    return (
      <>
        <Bar shares={block.tally.map(({ tone, text }) => [tone, Number.parseInt(text, 10)])} />
        <ul class="tally">
          <li>{shown(block.all, 80)}</li>
          {block.tally.map(({ tone, mark, text }) => (
            <li key={text}>
              <Mark tone={tone} mark={mark} /> {text}
            </li>
          ))}
        </ul>
      </>
    )
  if ('details' in block)
    return (
      <details>
        <summary>
          <Text line={block.details} isSentence />
        </summary>
        <Blocks blocks={block.blocks} level={level} />
      </details>
    )
  if ('code' in block)
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be in reach of the keyboard
      <pre tabIndex={0}>
        <code>{inertLines(clip(block.code, 20_000))}</code>
      </pre>
    )
  if ('only' in block) return isElsewhere(block) ? null : <Blocks blocks={block.blocks} level={level} />
  const { text, tone, mark } = block
  return (
    <p class={tone && (tone === 'muted' || tone === 'strong' ? tone : 'toned')}>
      {mark !== undefined && <Mark tone={tone} mark={mark} />} <Text line={text} isSentence />
    </p>
  )
}

/** Whether a section has nothing for a page. */
export function isEmpty({ blocks }: SectionBlock): boolean {
  return blocks.every(block => isElsewhere(block) || ('only' in block && block.blocks.length === 0))
}

function isElsewhere(block: Block): boolean {
  return 'only' in block && !/^(file|page)$/.test(block.only)
}

function Heading({ level, children }: { level: number; children: ComponentChildren }) {
  const Tag = `h${Math.min(level, 6)}` as 'h2'
  return <Tag>{children}</Tag>
}

function Part({ part: { section, id, tone, blocks }, level }: { part: SectionBlock; level: number }) {
  const title = <Text line={section} isSentence />
  if (id !== undefined && level === 2)
    return (
      <Section id={id} title={title}>
        <Blocks blocks={blocks} level={level + 1} />
      </Section>
    )
  return (
    <div class={tone && `part ${classOf(tone)}`}>
      <Heading level={level}>{title}</Heading>
      <Blocks blocks={blocks} level={level + 1} />
    </div>
  )
}

function Rows({ rows }: { rows: readonly Row[] }) {
  return (
    <dl class="rows">
      {rows.map(([label, text], index) => (
        <Fragment key={index}>
          {label !== '' && <dt>{shown(label, 80)}</dt>}
          <dd class={label === '' ? 'more' : undefined}>
            {label === 'rerun' ? (
              <code>{shown(textOf(text), 2000)}</code>
            ) : (
              <Text line={text} isSentence={SENTENCES.has(label)} />
            )}
          </dd>
        </Fragment>
      ))}
    </dl>
  )
}

function Cells({ table: { table, cells: all, class: name } }: { table: Table }) {
  const heads = table.map(head => shown(head, 60))
  const bodies: TableRow[][] = []
  for (const row of all)
    if (row.group === undefined && bodies.length > 0) bodies.at(-1)?.push(row)
    else bodies.push([row])
  const whole = (
    <table class={name === 'matrix' ? name : `stack ${name ?? ''}`.trimEnd()}>
      <Columns names={heads} />
      {bodies.map((rows, index) => (
        <tbody key={index}>
          {rows.map((row, at) => (
            <TableRowOf key={at} row={row} heads={heads} isLabelled={name !== 'matrix'} />
          ))}
        </tbody>
      ))}
    </table>
  )
  if (name === undefined) return whole
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be in reach of the keyboard
    <section class="scroll" aria-label={`Table of ${name}`} tabIndex={0}>
      {whole}
    </section>
  )
}

function TableRowOf({ row, heads, isLabelled }: { row: TableRow; heads: readonly string[]; isLabelled: boolean }) {
  const { cells, tone, mark, id, group, outcome, words } = row
  const [first = '', ...others] = cells
  if (group !== undefined)
    return (
      <tr>
        <th class="section-name" scope="rowgroup" colSpan={heads.length}>
          <span>{shown(group, 160)}</span>
        </th>
      </tr>
    )
  return (
    <tr id={id} data-outcome={outcome} data-words={words && shown(words, 600)}>
      <th scope="row">
        {mark !== undefined && <Mark tone={tone} mark={mark} />} <Inside cell={first} isSentence />
      </th>
      {others.map((cell, at) => (
        <td key={at} class={toneIn(cell)}>
          {isLabelled && <span class="cell-label">{heads[at + 1]} </span>}
          <Inside cell={cell} />
        </td>
      ))}
    </tr>
  )
}

function Inside({ cell, isSentence = false }: { cell: Cell; isSentence?: boolean }) {
  if (typeof cell === 'object' && 'blocks' in cell) return <Blocks blocks={cell.blocks} />
  return <Text line={cell} isSentence={isSentence} isProse />
}

function toneIn(line: Cell): string | undefined {
  const piece = typeof line === 'string' || 'blocks' in line ? undefined : line[0]
  if (typeof piece !== 'object' || piece.tone === undefined) return undefined
  return `${classOf(piece.tone)}${piece.isChanged ? ' changed' : ''}`
}

/** Shows a line. @param props `isSentence`: whether it begins with a capital letter; `isProse`: see {@link Prose} */
function Text({ line, isSentence = false, isProse }: { line: Line; isSentence?: boolean; isProse?: true }) {
  const pieces = typeof line === 'string' ? [line] : line
  return (
    <>
      {pieces.map((piece, index) => {
        const first = isSentence && index === 0
        if (typeof piece === 'string') {
          const told = first ? `${sentence(piece)}${/\s$/.test(piece) ? ' ' : ''}` : unbroken(clip(inert(piece), 600))
          return isProse ? <Prose key={index} text={told} /> : told
        }
        const { text, href, as, tone, said } = piece
        const told = first && as === undefined ? sentence(text) : shown(text, as === 'name' ? 80 : 600)
        const inside = as === 'code' ? <code>{told}</code> : said ? <Said mark={told} text={said} /> : told
        if (href !== undefined) return <a href={href}>{inside}</a>
        return tone === 'muted' || tone === 'strong' ? <span class={tone}>{inside}</span> : inside
      })}
    </>
  )
}
