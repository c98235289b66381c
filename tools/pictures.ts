/**
 * Makes the two pictures of the README: `docs/terminal.svg`, the output of a run, and `docs/page.png`, the first screen of
 * `report.html`. Both show one run of the quick profile against a mock Core that does not revoke.
 *
 * The PNG needs Chromium. The test of the docs reports a `docs/terminal.svg` from an older suite.
 *
 * Usage: npm run pictures
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { unpacked } from '../dist/ground/shared-values.js'
import { startMockCore } from '../dist/index.js'
import { CHROMIUM, startChromium } from '../test/support/chromium.js'
import { variablesOf } from './mock-variables.js'
import { terminalSvg } from './terminal-svg.js'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DOCS = join(ROOT, 'docs')

/** Fits on a first screen, and into a README without scaling down. */
const PAGE = { width: 1100, height: 720 }

const core = await startMockCore({ username: 'admin', defect: 'revoke-does-nothing' })
const folder = mkdtempSync(join(tmpdir(), 'core-conformance-pictures-'))
try {
  const env = {
    PATH: process.env.PATH ?? '',
    FORCE_COLOR: '1',
    ...variablesOf(core, core.credentials),
  }
  const args = ['run', '--target', core.url, '--profile', 'quick', '--label', 'lab', '--firmware', '10.5.0-rc1']
  const child = spawn(process.execPath, [join(ROOT, 'dist/bin.cjs'), ...args], { cwd: folder, env, stdio: 'ignore' })
  const [status] = await once(child, 'close')
  if (status !== 1) throw new Error(`the run ended with ${status}, and was to fail`)
  const { renderConsole } = await import('../dist/report/run/render.js')
  const result = unpacked(JSON.parse(readFileSync(join(folder, 'reports/result.json'), 'utf8')))
  const text = shortened(renderConsole(result, { columns: 96, color: true }))
  writeFileSync(
    join(DOCS, 'terminal.svg'),
    terminalSvg(`$ core-conformance run --target ${core.url} --profile quick\n\n${text}`),
  )
  if (CHROMIUM === undefined) process.stdout.write('docs/page.png stays as it is: there is no Chromium here\n')
  else await photograph(CHROMIUM, join(folder, 'reports/report.html'), join(DOCS, 'page.png'))
} finally {
  await core.close()
  rmSync(folder, { recursive: true })
}

/** Leaves out repeated findings of further specs, so that the picture is clear at first sight. */
function shortened(text: string): string {
  const lines = text.split('\n')
  const from = lines.findIndex(line => /^ +\S*also/.test(line))
  const to = lines.findIndex(line => line.includes('✗ Nonconformant'))
  return [...lines.slice(0, from), '    …', '', ...lines.slice(to)].join('\n')
}

async function photograph(program: string, page: string, picture: string): Promise<void> {
  const browser = await startChromium(program)
  try {
    const view = await browser.newPage({ viewport: PAGE, colorScheme: 'light' })
    await view.goto(`file://${page}`)
    await view.screenshot({ path: picture })
  } finally {
    await browser.close()
  }
}
