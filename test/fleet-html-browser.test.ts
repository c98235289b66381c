/** The page of a fleet in Chromium: silent, self-contained, and no wider than its window with two hundred Cores. */
import type { Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { coreOf, requirementsOf } from '../dist/fleet/core.js'
import { fleetOf } from '../dist/fleet/fleet.js'
import { renderFleetHtml } from '../dist/report/html/fleet-page.js'
import * as samples from './fixtures/results/samples.js'
import { CHROMIUM, type InChromium, inChromium, opened, surplus } from './support/chromium.js'
import { skip } from './support/skip.js'

const test = suite<InChromium>('the page of a fleet in Chromium')

const { conformant, failing, untestable } = samples
/** Two hundred Cores of two models and three firmwares; every tenth fails, every fiftieth cannot be tested. */
const FLEET = fleetOf({
  suite: conformant.suite,
  startedAt: conformant.startedAt,
  durationMs: 60_000,
  reports: ['html'],
  requirements: requirementsOf(failing),
  cores: Array.from({ length: 200 }, (_, index) => {
    const run = index % 50 === 7 ? untestable : index % 10 === 3 ? failing : conformant
    const target = { ...run.target, firmware: `2.${index % 3}.0` }
    return coreOf({ ...run, target }, { name: `lab-core-${index}`, labels: { model: `M${index % 2}` } })
  }),
})

if (CHROMIUM === undefined) {
  skip(test, 'the page of a fleet in a browser, since there is no Chromium (apt-get install chromium)')
} else {
  inChromium(test, CHROMIUM)

  const shownCores = (page: Page) => page.locator('table.matrix tbody th a:visible', { hasText: /^lab-core-/ }).count()

  test('it never scrolls sideways, asks for nothing but itself, and shows the Cores that are asked for', async context => {
    for (const width of [400, 1280]) {
      await opened(context, renderFleetHtml(FLEET), { viewport: { width, height: 900 } }, async page => {
        assert.is(await surplus(page), 0, `at ${width}`)
        assert.is(await shownCores(page), 200)
        await page.getByRole('searchbox').or(page.getByLabel('Words')).first().fill('lab-core-17')
        // The Core itself and ten more: lab-core-170 to lab-core-179.
        for (let tries = 0; tries < 100 && (await shownCores(page)) >= 30; tries++) await page.waitForTimeout(20)
        assert.is(await shownCores(page), 11)
      })
    }
  })
}

test.run()
