/** A headless Chromium for the tests, where the machine has one. */
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

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
