/** A headless Chromium for the tests, where the machine has one. */
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** Where Linux distributions and macOS put it. */
const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** The program; undefined where there is none. */
export const CHROMIUM: string | undefined = PLACES.find(existsSync)

/** A browser that talks to nobody by itself; whoever starts it closes it. */
export function startChromium(executablePath: string): Promise<Browser> {
  const quiet = [
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--disable-quic',
    '--no-first-run',
  ]
  // CI runs as root in containers, where Chromium's own sandbox cannot start; it only sees pages of ours.
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', ...quiet] })
}
