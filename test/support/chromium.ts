/** A headless Chromium for the tests, where the machine has one. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import type { Test } from 'uvu'
import * as assert from 'uvu/assert'
import { makeFolder } from './folder.js'

/** The places of Chromium on Linux distributions and macOS. */
const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

const { CHROMIUM: given } = process.env

/** The path of the program, which the variable CHROMIUM may name; undefined where there is none, or where the variable is empty. */
export const CHROMIUM: string | undefined = given === undefined ? PLACES.find(existsSync) : given || undefined

/** Starts a browser that sends nothing by itself; the caller closes it. */
export function startChromium(executablePath: string): Promise<Browser> {
  const quiet = [
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--disable-quic',
    '--no-first-run',
  ]
  // CI runs as root in containers, where Chromium's own sandbox cannot start. The browser only sees our own pages.
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', ...quiet] })
}

/** The windows in which pages are looked at. */
export const WIDE = { width: 1280, height: 900 }
export const NARROW = { width: 400, height: 800 }

/** What the tests of pages share. */
export interface InChromium {
  browser: Browser
}

/** Starts a browser before the tests of a suite, and closes it afterwards. */
export function inChromium(test: Test<InChromium>, executablePath: string): void {
  test.before(async context => {
    context.browser = await startChromium(executablePath)
  })
  test.after(({ browser }) => browser.close())
}

/** Opens a page from a file. The page must print nothing and request nothing but itself. */
export async function opened(
  { browser }: InChromium,
  html: string,
  options: BrowserContextOptions,
  use: (page: Page) => Promise<void>,
): Promise<void> {
  const path = join(makeFolder(), 'page.html')
  writeFileSync(path, html)
  const url = pathToFileURL(path).href
  const context = await browser.newContext({ viewport: WIDE, ...options })
  const page = await context.newPage()
  const [told, asked]: [string[], string[]] = [[], []]
  page.on('console', message => told.push(message.text()))
  page.on('pageerror', error => told.push(error.message))
  page.on('request', request => asked.push(request.url()))
  try {
    await page.goto(url)
    await use(page)
    assert.equal(told, [])
    assert.equal([...new Set(asked.map(each => each.split('#')[0]))], [url])
  } finally {
    await context.close()
  }
}

/** Returns how much wider a page is than its window. */
export const surplus = (page: Page) =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')

const UNFOLDED = 'for (const each of document.querySelectorAll("details")) each.open = true'

/** Asserts that pages have one headline and never scroll sideways, wide and narrow, folded and unfolded. @param pages by name */
export async function assertFits(context: InChromium, pages: Record<string, string>): Promise<void> {
  for (const [name, html] of Object.entries(pages))
    await opened(context, html, {}, async page => {
      assert.is(await page.locator('h1').count(), 1)
      for (const way of ['folded', 'unfolded']) {
        if (way === 'unfolded') await page.evaluate(UNFOLDED)
        for (const viewport of [WIDE, NARROW]) {
          await page.setViewportSize(viewport)
          assert.is(await surplus(page), 0, `${name} at ${viewport.width}, ${way}`)
        }
      }
    })
}

/** Asserts that an unfolded page is accessible: wide and light by day, narrow and dark by night. It takes a second of processor time. */
export async function assertAccessible(
  context: InChromium,
  html: string,
  ...times: ('day' | 'night')[]
): Promise<void> {
  for (const time of times) {
    const [viewport, colorScheme] = time === 'day' ? [WIDE, 'light' as const] : [NARROW, 'dark' as const]
    await opened(context, html, { viewport, colorScheme }, async page => {
      await page.evaluate(UNFOLDED)
      assert.equal(await barriers(page), [], time)
    })
  }
}

/** Lists what keeps people from using a page, by axe. */
async function barriers(page: Page): Promise<unknown> {
  const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
  // The page's own policy does not apply to code that the test evaluates in it.
  await page.evaluate(readFileSync(axe, 'utf8'))
  return page.evaluate(
    'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + " " + nodes[0].html))',
  )
}
