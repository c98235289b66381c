/** Draws the content of a terminal as an SVG: text that can be searched and copied, not pixels. */

/** The colours of picocolors, on the dark ground of the picture. */
const COLORS: Record<number, string> = {
  31: '#ff7b72',
  32: '#56d364',
  33: '#e3b341',
  36: '#39c5cf',
}
const [GROUND, TEXT, DIM] = ['#0d1117', '#e6edf3', '#8b949e']

/** The width of a character of a 13 px monospace font, the height of a line, and the margin. */
const [CHARACTER, LINE, MARGIN] = [7.83, 18, 16]

interface Look {
  color?: string
  isBold?: boolean
  isDim?: boolean
}

/**
 * Draws a terminal.
 * @param text with colour escapes only, each line ended by a line feed
 */
export function terminalSvg(text: string): string {
  const lines = text.trimEnd().split('\n').map(piecesOf)
  const columns = Math.max(...lines.map(pieces => pieces.reduce((sum, [part]) => sum + [...part].length, 0)))
  const [width, height] = [Math.ceil(columns * CHARACTER) + 2 * MARGIN, lines.length * LINE + 2 * MARGIN]
  const rows = lines.map((pieces, index) => {
    const spans = pieces.map(([part, look]) => `<tspan${attributes(look)}>${escaped(part)}</tspan>`).join('')
    return `<text x="${MARGIN}" y="${MARGIN + (index + 1) * LINE - 5}">${spans}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="What a run prints">
<rect width="${width}" height="${height}" rx="8" fill="${GROUND}"/>
<g fill="${TEXT}" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="13" style="white-space:pre" xml:space="preserve">
${rows.filter(row => !row.includes('"></text>')).join('\n')}
</g>
</svg>
`
}

function piecesOf(line: string): [string, Look][] {
  const pieces: [string, Look][] = []
  let look: Look = {}
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the code splits at escapes
  for (const [index, part] of line.split(/\u001b\[(\d+)m/).entries()) {
    if (index % 2 === 0) {
      if (part !== '') pieces.push([part, look])
    } else look = changed(look, Number(part))
  }
  return pieces
}

function changed(look: Look, code: number): Look {
  if (code === 1) return { ...look, isBold: true }
  if (code === 2) return { ...look, isDim: true }
  if (code === 22) return { ...look, isBold: false, isDim: false }
  if (code === 39) return { isBold: look.isBold ?? false, isDim: look.isDim ?? false }
  const color = COLORS[code]
  return color === undefined ? look : { ...look, color }
}

function attributes({ color, isBold, isDim }: Look): string {
  const fill = color ?? (isDim ? DIM : undefined)
  return `${fill ? ` fill="${fill}"` : ''}${isBold ? ' font-weight="bold"' : ''}`
}

function escaped(text: string): string {
  return text.replace(/[&<>]/g, character => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[character] ?? character)
}
