/** The page of a diff in Chromium: silent, self-contained, accessible, laid out at any width, and inert. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { diffOf } from '../dist/diff/diff.js'
import { renderDiffHtml } from '../dist/diff/report/reporters.js'
import type { Diff } from '../dist/diff/types.js'
import type { Facts, RunResult } from '../dist/result.js'
import { hostile } from './fixtures/results/pages.js'
import { result, spec } from './fixtures/results/results.js'
import * as samples from './fixtures/results/samples.js'
import {
  assertAccessible,
  assertFits,
  CHROMIUM,
  type InChromium,
  inChromium,
  NARROW,
  opened,
} from './support/chromium.js'
import { long } from './support/long.js'
import { checkMarkup } from './support/report-checks.js'
import { skip } from './support/skip.js'

const test = suite<InChromium>('the page of a diff in Chromium')

const source = (run: RunResult, file: string) => ({ file, result: run })
const [LONG, EVIL] = [
  'x'.repeat(5000),
  '</style><script>document.title="hacked"</script><img src=https://evil.example>',
]

function firmware(version: string, failing: string[], facts: Facts): RunResult {
  const specs = Array.from({ length: 24 }, (_each, index) => {
    const id = `spec-${index}`
    const requirements = [
      {
        id: `REVOKE-${index % 6}`,
        text: 'A token is refused once it was revoked.',
        section: 'S',
        consequence: 'no end',
      },
    ]
    return spec({ id, requirements, outcome: failing.includes(id) ? 'failed' : 'passed', message: 'expected, and got' })
  })
  const run = result(specs, { facts })
  return { ...run, target: { ...run.target, label: 'staging', firmware: version } }
}

const answers = (status: number, headers: string) =>
  Object.fromEntries(
    Array.from({ length: 12 }, (_each, index) => [
      [`answer-${index}.status`, status],
      [`answer-${index}.headers`, headers],
    ]).flat(),
  ) as Facts

const FIRMWARE = [
  firmware('10.4.1', [], answers(401, 'allow')),
  firmware('10.4.2', ['spec-0', 'spec-6', 'spec-12', 'spec-18', 'spec-1'], answers(403, 'allow')),
  firmware('10.5.0-rc1', ['spec-1'], answers(403, 'etag')),
  firmware('10.5.0', [], answers(403, 'etag')),
]

const attacked = (text: string): RunResult => {
  const run = result([spec({ id: text.slice(0, 400), title: text, outcome: 'failed', message: text })], {
    facts: { [`${text.slice(0, 90)}.content-type`]: text, 'x.body': `{${text.slice(0, 90)}: string}`, 'y.body': text },
    reason: text,
  })
  return { ...run, target: { ...run.target, label: text.slice(0, 300), url: text } }
}

const DIFFS: Record<string, Diff> = {
  same: diffOf([source(FIRMWARE[0] as RunResult, 'a.json'), source(FIRMWARE[0] as RunResult, 'b.json')]),
  many: diffOf(
    [...FIRMWARE, ...FIRMWARE, ...FIRMWARE].map((run, index) => source(run, `reports/${index}/result.json`)),
  ),
  unfinished: diffOf([source(samples.conformant, 'a.json'), source(samples.interrupted, 'b.json')]),
  hostile: diffOf([
    source(result([]), LONG),
    source(hostile, EVIL),
    source(result([spec({ id: EVIL.slice(0, 400) })]), EVIL),
    source(attacked(EVIL), EVIL),
    source(attacked(LONG), LONG),
    source(attacked('\u202eabc\u0000\u001b[31m'), '\u202e'),
  ]),
}

long(test)('each page is valid HTML', async () => {
  for (const diff of Object.values(DIFFS)) await checkMarkup(await renderDiffHtml(diff))
})

if (CHROMIUM === undefined) {
  skip(test, 'the page of a diff in a browser, since there is no Chromium (apt-get install chromium)')
} else {
  inChromium(test, CHROMIUM)

  const pageOf = async (name: string) => {
    const diff = DIFFS[name]
    if (!diff) throw new Error(`no such diff: ${name}`)
    return renderDiffHtml(diff)
  }

  test('no page scrolls sideways, folded or not', async context => {
    for (const name of ['many', 'hostile']) await assertFits(context, { [name]: await pageOf(name) })
  })

  long(test)('it is accessible in light and dark, wide and narrow', async context => {
    await assertAccessible(context, await pageOf('many'), 'day', 'night')
    await assertAccessible(context, await pageOf('same'), 'night')
    await assertAccessible(context, await pageOf('unfinished'), 'day')
  })

  test('hostile names, titles and bodies are text', async context => {
    await opened(context, await pageOf('hostile'), {}, async page => {
      assert.not.match(await page.title(), /hacked/)
      assert.is(await page.locator('script, img, iframe, object, form').count(), 0)
      assert.is(await page.locator('style').count(), 1)
      assert.is(await page.locator('h1').textContent(), '✗ Breaking changes')
      const links = await page.locator('a').evaluateAll(all => all.map(each => each.getAttribute('href')?.[0]))
      assert.equal([...new Set(links)], ['#'])
      const shown = (await page.locator('body').textContent()) ?? ''
      for (const character of ['\u202e', '\u001b', '\u0000']) assert.not(shown.includes(character))
      assert.ok(shown.includes('<script>document.title="hacked"</script>'))
    })
  })

  long(test)('where there is little room, each run of the matrix is in sight', async context => {
    await opened(context, await pageOf('many'), { viewport: NARROW }, async page => {
      for (const box of await page.locator('.versions tbody tr').first().locator('td').all()) {
        const { x = -1, width = 0 } = (await box.boundingBox()) ?? {}
        assert.ok(x >= 0 && x + width <= NARROW.width)
      }
    })
  })
}

test.run()
