import type { Locator, Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { renderHtml } from '../dist/report/html/page.js'
import { everything, hostile } from './fixtures/results/pages.js'
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

const test = suite<InChromium>('the HTML report in Chromium')

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
    const runs = Object.entries({ ...samples, everything, hostile })
    return assertFits(context, Object.fromEntries(runs.map(([name, run]) => [name, renderHtml(run)])))
  })

  long(test)('it is accessible in light and dark, wide and narrow, folded and unfolded', async context => {
    await assertAccessible(context, renderHtml(everything), 'day', 'night')
    await assertAccessible(context, renderHtml(samples.failing), 'night')
    await assertAccessible(context, renderHtml(samples.conformant), 'day')
    await assertAccessible(context, renderHtml(samples.interrupted), 'night')
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

  long(test)('the filter says how many are left, and is no obstacle for links', async context => {
    await opened(context, renderHtml(everything), {}, async page => {
      const status = page.getByRole('status')
      const words = page.getByLabel('Words')
      assert.is(await status.textContent(), '14 specs')
      await words.fill('nothing has this in it')
      assert.is(await status.textContent(), '0 of 14 specs')
      assert.is(await page.locator('.area:visible').count(), 0)
      await follow(page, page.locator('.matrix a', { hasText: 'idle' }), '14 specs')
      // Also a second time, with the same target.
      await words.fill('use-1')
      assert.is(await status.textContent(), '2 of 14 specs')
      await follow(page, page.locator('.matrix a', { hasText: 'idle' }), '14 specs')
      const outcomes = await page
        .locator('#filter input[type=checkbox]')
        .evaluateAll(all => all.map(each => (each as unknown as { value: string }).value))
      for (const outcome of outcomes) await page.locator(`#filter input[value="${outcome}"]`).uncheck()
      for (const outcome of outcomes) {
        await page.locator(`#filter input[value="${outcome}"]`).check()
        const shown = await page
          .locator('details.spec:visible')
          .evaluateAll(all => all.map(each => (each as unknown as { dataset: Record<string, string> }).dataset.outcome))
        assert.equal([...new Set(shown)], [outcome])
        await page.locator(`#filter input[value="${outcome}"]`).uncheck()
      }
      assert.is(outcomes.length, 9)
    })
  })

  long(test)('the button to unfold says what it would do', async context => {
    await opened(context, renderHtml(everything), {}, async page => {
      const button = page.locator('#unfold')
      assert.is(await button.textContent(), 'Unfold all')
      await button.click()
      assert.is(await button.textContent(), 'Fold all')
      await page.locator('details.spec > summary').first().click()
      await page.locator('#unfold', { hasText: 'Unfold all' }).waitFor()
      await page.getByLabel('Words').fill('broken-too')
      assert.is(await button.textContent(), 'Fold all')
      await button.click()
      assert.is(await page.locator('details.spec[open]:visible').count(), 0)
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

  long(test)('the keyboard reaches what can be opened, and a link unfolds its spec', async context => {
    await opened(context, renderHtml(samples.conformant), {}, async page => {
      await page.keyboard.press('Tab')
      assert.is(await page.evaluate('document.activeElement.textContent.trim()'), 'Skip to the report')
      const summary = page.locator('details.spec > summary').first()
      await summary.focus()
      await page.keyboard.press('Enter')
      assert.ok(
        await page
          .locator('details.spec')
          .first()
          .evaluate(each => (each as { open?: boolean }).open),
      )
      await page.keyboard.press('Tab')
      assert.is(await page.evaluate('document.activeElement.closest(".exchange") !== null'), true)
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
}

test.run()
