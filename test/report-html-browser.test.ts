/** The pages of a run and of a fleet in Chromium: silent, accessible, laid out at any width, and usable by keyboard. */
import type { Locator, Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { coreOf, requirementsOf } from '../dist/fleet/core.js'
import { renderFleetHtml } from '../dist/report/html/fleet-page.js'
import { renderHtml } from '../dist/report/html/page.js'
import { everything, hostile } from './fixtures/results/pages.js'
import { fleet } from './fixtures/results/results.js'
import * as samples from './fixtures/results/samples.js'
import {
  assertAccessible,
  assertFits,
  CHROMIUM,
  type InChromium,
  inChromium,
  NARROW,
  opened,
  surplus,
  WIDE,
} from './support/chromium.js'
import { long } from './support/long.js'
import { skip } from './support/skip.js'

const test = suite<InChromium>('the HTML reports in Chromium')

const { conformant, failing, untestable } = samples
/** Two hundred Cores of two models and three firmwares; every tenth fails, every fiftieth cannot be tested. */
const FLEET = fleet(
  Array.from({ length: 200 }, (_, index) => {
    const run = index % 50 === 7 ? untestable : index % 10 === 3 ? failing : conformant
    const target = { ...run.target, firmware: `2.${index % 3}.0` }
    return coreOf({ ...run, target }, { name: `lab-core-${index}`, labels: { model: `M${index % 2}` } })
  }),
  requirementsOf(failing),
)

if (CHROMIUM === undefined) {
  skip(test, 'the HTML report in a browser, since there is no Chromium (apt-get install chromium)')
} else {
  inChromium(test, CHROMIUM)

  /** Clicks a link within the page, and waits until the page shows its target: its script hears of that a moment later. */
  const follow = async (page: Page, link: Locator, status: string) => {
    await link.click()
    await page.locator('#filter-status', { hasText: status }).waitFor({ state: 'attached' })
  }

  test('every page is silent, asks for nothing, and never scrolls sideways', context => {
    const runs = Object.entries({ interrupted: samples.interrupted, everything, hostile })
    return assertFits(context, Object.fromEntries(runs.map(([name, run]) => [name, renderHtml(run)])))
  })

  long(test)('it is accessible in light and dark, wide and narrow, folded and unfolded', async context => {
    await assertAccessible(context, renderHtml(everything), 'day', 'night')
    await assertAccessible(context, renderHtml(samples.conformant), 'day')
  })

  long(test)('light and dark differ, and print is light', async context => {
    const background = async (page: Page) => page.evaluate('getComputedStyle(document.body).backgroundColor')
    await opened(context, renderHtml(samples.failing), { colorScheme: 'dark' }, async page => {
      assert.is(await background(page), 'rgb(20, 23, 26)')
      await page.emulateMedia({ media: 'print' })
      assert.is(await background(page), 'rgb(255, 255, 255)')
      assert.is(await page.locator('nav').isVisible(), false)
      assert.ok((await page.pdf()).length > 10_000)
    })
    // What goes on behind an edge has a shade there, which the page's colour covers at the end.
    await opened(context, renderHtml(samples.failing), { viewport: NARROW }, async page => {
      for (const what of ['nav ul', '.scroll'])
        assert.is(
          await page.evaluate(`getComputedStyle(document.querySelector('${what}')).backgroundAttachment`),
          'local, local, scroll, scroll',
          what,
        )
    })
    // A4 is some 700 pixels wide within its margins.
    await opened(context, renderHtml(everything), { viewport: { width: 690, height: 1000 } }, async page => {
      await page.emulateMedia({ media: 'print' })
      assert.is(await surplus(page), 0)
      // A failure fills pages, so it must not be kept in one piece: the first page would be empty.
      const breaks = (what: string) => page.evaluate(`getComputedStyle(document.querySelector('${what}')).breakInside`)
      assert.is(await breaks('.item'), 'auto')
      assert.is(await breaks('li'), 'avoid')
      for (const what of ['.exchange', '.item details', '.timeline', '.first-try'])
        assert.is(await page.locator(`${what} >> visible=true`).count(), 0, what)
      assert.match(await page.locator('footer').innerText(), /Print leaves out the timeline and what is folded/)
      // On paper nothing can be unfolded, so everything must be open.
      const isVisible = () =>
        page.evaluate('document.querySelector("[aria-labelledby=left-open] details:not([open]) p").checkVisibility()')
      assert.is(await isVisible(), true)
      await page.emulateMedia({ media: 'screen' })
      assert.is(await isVisible(), false)
    })
    await opened(context, renderHtml(samples.failing), { colorScheme: 'light' }, async page => {
      assert.is(await background(page), 'rgb(255, 255, 255)')
    })
  })

  test('the filter shows the outcomes and words that are asked for', async context => {
    await opened(context, renderHtml(samples.failing), {}, async page => {
      const ids = () =>
        page
          .locator('details.spec[open]:visible .story')
          .evaluateAll(all => all.map(each => (each as { id: string }).id))
      const status = () => page.locator('#filter-status').textContent()
      assert.is((await ids()).length, 2 + 1, 'the stories of what failed or is inconclusive are unfolded')
      assert.is(await status(), '12 specs')
      await page.getByRole('checkbox', { name: 'passed' }).uncheck()
      assert.is(await status(), '5 of 12 specs')
      await page.getByRole('checkbox', { name: 'failed' }).uncheck()
      await page.getByLabel('Words').fill('LOGON')
      assert.is(await status(), '1 of 12 specs')
      assert.is(await page.locator('.area:visible').count(), 1)
      await page.getByRole('button', { name: 'Unfold all' }).click()
      assert.equal(await ids(), ['spec-missing-host-logon'])
      // A link to a hidden element shows it.
      await follow(page, page.locator('[aria-labelledby=failed] a').first(), '12 specs')
      assert.ok((await ids()).includes('spec-revoked-token-is-refused'))
    })
  })

  test('a spec leads to its requirements, and a requirement to its specs', async context => {
    await opened(context, renderHtml(everything), {}, async page => {
      await page.locator('#spec-broken-again .about a', { hasText: 'HOST-1' }).click()
      await page.locator('tr:target', { hasText: 'in doubt' }).waitFor()
      await page.locator('tr:target a', { hasText: 'broken-again' }).click()
      await page.locator('details[open] :focus').first().waitFor()
      await page.locator('section[aria-labelledby="doubted"] a').click()
      await page.locator('tr:target', { hasText: 'HOST-1' }).waitFor()
    })
  })

  long(test)('the keyboard reaches everything that does something, and one sees where it is', async context => {
    for (const viewport of [WIDE, NARROW]) {
      await opened(context, renderHtml(everything), { viewport }, async page => {
        const all = await page.evaluate(
          `[...document.querySelectorAll('a, summary, button, input, [tabindex="0"]')].filter(each => each.checkVisibility({ contentVisibilityAuto: true })).length`,
        )
        const reached = new Set<string>()
        for (let presses = 0; presses < 200; presses++) {
          await page.keyboard.press('Tab')
          const [name, outline] = (await page.evaluate(`(() => {
            const { activeElement } = document
            const all = [...document.querySelectorAll('*')]
            const { outlineStyle, outlineWidth } = getComputedStyle(activeElement)
            return [activeElement === document.body ? '' : String(all.indexOf(activeElement)), outlineStyle + ' ' + outlineWidth]
          })()`)) as [string, string]
          if (name === '' || reached.has(name)) break
          reached.add(name)
          assert.match(outline, /^(solid|auto) [1-9]/)
        }
        assert.is(reached.size, all)
      })
    }
  })

  long(test)('where the user chooses the colours, nothing is lost', async context => {
    await opened(context, renderHtml(everything), { forcedColors: 'active', colorScheme: 'dark' }, async page => {
      const style = (selector: string, property: string) =>
        page.evaluate(`getComputedStyle(document.querySelector('${selector}')).${property}`)
      const text = await style('body', 'color')
      assert.is.not(text, await style('body', 'backgroundColor'))
      assert.is(await style('.touched', 'fill'), text)
      assert.is(await style('line.actual', 'stroke'), text)
      assert.is.not(await style('.item', 'borderLeftColor'), 'rgba(0, 0, 0, 0)')
      // Each outcome has a mark of its own.
      const marks = await page.locator('.tally .mark').allTextContents()
      assert.is(new Set(marks).size, 9)
    })
  })

  long(test)('without scripts all is there, unfolds, and a link finds its spec', async context => {
    await opened(context, renderHtml(samples.failing), { javaScriptEnabled: false }, async page => {
      assert.is(await page.locator('#filter').isVisible(), false)
      assert.is(await page.locator('details.spec').count(), 12)
      const passed = page.locator('details.spec.passed').first()
      assert.is(await passed.locator('.story').isVisible(), false)
      await passed.locator('> summary').click()
      assert.is(await passed.locator('.story').isVisible(), true)
      await page.locator('[aria-labelledby=failed] a').first().click()
      assert.ok(await page.locator('#spec-revoked-token-is-refused').isVisible())
    })
  })

  const shownCores = (page: Page) => page.locator('table.matrix tbody th a:visible', { hasText: /^lab-core-/ }).count()

  test('the page of a fleet never scrolls sideways, asks for nothing but itself, and shows the Cores that are asked for', async context => {
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
