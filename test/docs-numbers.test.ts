/** Compares the numbers, files and links in README and docs with the facts; one run of the whole suite yields most of them. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { XMLValidator } from 'fast-xml-parser'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DIFF_REPORTERS } from '../dist/diff/report/reporters.js'
import { unpacked } from '../dist/ground/shared-values.js'
import { filesOf } from '../dist/report/reporter.js'
import { REPORTERS } from '../dist/report/reporters.js'
import { renderMarkdown } from '../dist/report/run/render.js'
import type { RunResult } from '../dist/result.js'
import { CONFIGURATION } from '../dist/settings/configuration.js'
import { waits } from '../dist/suite/spec.js'
import { controlVariablesOf } from '../tools/mock-variables.js'
import { cli, inFolder, withMock } from './cli-support.js'
import { linksOf, PACKAGE, PAGES, read } from './support/docs.js'
import { long } from './support/long.js'
import { needs } from './support/skip.js'
import { SUITE } from './support/suite-run.js'

const test = suite('numbers and links of the docs')

/** Asserts that a page states this; the message gives the correct text. */
function says(page: string, pattern: RegExp, wanted: string): void {
  const found = [...read(page).matchAll(new RegExp(pattern, 'g'))].map(([text]) => text.replace(/\s+/g, ' '))
  assert.ok(found.length > 0, `${page} says nothing like ${pattern}`)
  for (const text of found) assert.is(text, wanted, `${page} says '${text}', and it is '${wanted}'`)
}

long(test)('a run of the whole suite: specs, outcomes, time, tokens, requests; the page of the folder stays', () =>
  withMock({ username: 'admin' }, async (core, folder, variables) => {
    mkdirSync(join(folder, 'reports'))
    writeFileSync(join(folder, 'reports', 'README.md'), 'mine')
    const env = { ...variables, ...controlVariablesOf(core) }
    const { stdout } = await cli(['run', '--explore', '0'], { cwd: folder, env, code: 0 })
    assert.is(readFileSync(join(folder, 'reports', 'README.md'), 'utf8'), 'mine')
    const told = (pattern: RegExp) => (pattern.exec(stdout)?.[0] ?? `nothing like ${pattern}`).replace(/\s+/g, ' ')
    for (const pattern of [
      /plan: \d+ specs? to run, seconds [^,\n]+, up to \d+ tokens held/,
      /\d+ specs passed, none failed/,
      /✓ \d+ passed( {2}[^\d\n]+ \d+ [a-z ]+)*(?=\n)/,
    ])
      says('README.md', pattern, told(pattern))
    const areas = stdout.split('\n').filter(line => /^[✓•–] \w+ +\d/.test(line))
    assert.ok(areas.length > 3)
    for (const line of areas) assert.ok(read('README.md').includes(`\n${line}\n`), `README.md does not say '${line}'`)
    const result = unpacked(JSON.parse(readFileSync(join(folder, 'reports', 'result.json'), 'utf8')) as RunResult)
    const { plan, tokens, specs, survey } = result
    const markdown = Buffer.byteLength(renderMarkdown(result))
    assert.ok(markdown < 8192, `a summary of a conformant Core is to be read, and has ${markdown} bytes`)
    // On a Core without peculiarities every applicable spec is run and decided, and no token is left.
    const own = specs.filter(({ area }) => area !== 'open')
    assert.equal(
      own.flatMap(({ id, outcome }) => (/^(?:blocked|inconclusive|skipped)$/.test(outcome) ? [id] : [])),
      // For the profile `long`.
      ['idle-use-resets-for-long', 'idle-stays-expired', 'revocation-lasts-longer'],
    )
    assert.equal([tokens.left, core.state().tokens.live], [0, 0])
    assert.is(core.state().tokens.issued, tokens.issued)
    const time = `about ${told(/(?<=moved by )\d+ h \d+ min/)}`
    says('README.md', /about \d+ h \d+ min/, time)
    says('README.md', /up to \d+ tokens(?= at)/, `up to ${plan?.tokens} tokens`)

    // The mock Core keeps its last requests only.
    const requests = [...survey, ...specs.flatMap(({ exchanges }) => exchanges)].map(({ request, response }) => ({
      method: request.method,
      path: request.path,
      status: response?.status ?? null,
    }))
    // A logon without Host has the right credentials, and locks nobody out.
    const isRefused = (status: number | null) => status !== null && status >= 400 && status !== 406
    const refused = requests.filter(
      ({ method, path, status }) => method === 'POST' && path.endsWith('/logon') && isRefused(status),
    )
    const logons = requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/logon'))
    const isStated = (pattern: RegExp, wanted: number) => {
      const [text = '', stated = ''] = pattern.exec(read('README.md')) ?? []
      const isNear = Math.abs(Number(stated) / wanted - 1) < 0.1
      assert.ok(isNear, `README.md says '${text}' of ${pattern}, and there are ${wanted}`)
    }
    isStated(/about (\d+) small requests/, requests.length)
    isStated(/\| Logons +\| about (\d+)/, logons.length)
    says('README.md', /\d+ with `--explore 0`/, `${refused.length} with \`--explore 0\``)
  }),
)

test('the table of what a run asks of a Core states the defaults of the settings', () => {
  const rows = read('README.md')
    .split('\n')
    .filter(line => line.startsWith('| ') && line.includes('`--'))
  for (const name of ['maxRefusedLogons', 'concurrency', 'deadline', 'patience'] as const) {
    const { flag, default: given, takes } = CONFIGURATION[name]
    const value = takes.read(given)
    assert.ok(value !== undefined)
    const [row] = rows.filter(line => line.includes(`\`--${flag}\``))
    const words = (takes.words as (value: unknown) => string)(value)
    assert.match(row ?? `no row of --${flag}`, new RegExp(`\\b${words}\\b`))
  }
})

test('the bug on the first screen is one that a run finds and prints so', () => {
  const [, block = ''] = /```console\n(✗[\s\S]*?)```/.exec(read('README.md')) ?? []
  const [, defect = ''] = /with the defect `([\w-]+)`/.exec(read('README.md')) ?? []
  return withMock({ defect }, async (_core, folder, variables) => {
    const env = { ...variables, CORE_REPORTER: 'console' }
    const { code, stdout } = await cli(['run', '--only', 'revocation-survives-logon'], { cwd: folder, env })
    const flat = (text: string) => text.replace(/\s+/g, ' ').trim()
    assert.is(code, 1)
    assert.ok(flat(stdout).includes(flat(block)), `README.md shows\n${block}\nand a run prints\n${stdout}`)
  })
})

test('the plan: how long it takes one after another, and how many specs wait', () =>
  inFolder(async folder => {
    const { stdout } = await cli(['list', '--plan'], { cwd: folder })
    const [, one = ''] = /one after another, the waits would take (.*)$/m.exec(stdout) ?? []
    const [, together = ''] = /about ([^,]*),/.exec(stdout) ?? []
    const hours = one.replace(/(\d+) d (\d+) h/, (_, days, hours) => `${Number(days) * 24 + Number(hours)} h`)
    for (const page of ['README.md', 'docs/idle-hour.md'])
      says(page, /\d+ h of waiting, overlapped into [\d hmin]+\b/, `${hours} of waiting, overlapped into ${together}`)
    const asked = SUITE.specs.filter(spec => !spec.measuresLifetime)
    const inFull = asked.filter(spec => waits(spec) && !spec.isForLong && spec.accessControl === 'on')
    says('docs/idle-hour.md', /\d+ specs wait/, `${inFull.length} specs wait`)
    const NUMBERS = 'no one two three four five six seven eight nine ten eleven twelve'.split(' ')
    const measuring = NUMBERS[SUITE.specs.length - asked.length]
    says('docs/idle-hour.md', /holds \w+ tokens more/, `holds ${measuring} tokens more`)
  }))

test('reports/README.md names every file that is there by default, and leads to the page of the others', () => {
  const page = read('reports/README.md')
  const made = REPORTERS.filter(({ byDefault }) => byDefault)
  for (const file of [...filesOf(made), ...filesOf(DIFF_REPORTERS)]) assert.ok(page.includes(`\`${file}\``), file)
  assert.match(page, /\(\.\.\/docs\/reporters\.md\)/)
})

const hasGit = spawnSync('git', ['--version']).status === 0
needs(
  test,
  hasGit,
  'there is no git',
)('the page of the reports is part of the tree, and what a run writes is not', () =>
  inFolder(async folder => {
    writeFileSync(join(folder, '.gitignore'), read('.gitignore'))
    const git = (...args: string[]) => spawnSync('git', args, { cwd: folder }).status
    assert.is(git('init', '--quiet'), 0)
    const isIgnored = (path: string) => git('check-ignore', '--quiet', path) === 0
    assert.equal(
      ['reports/result.json', 'reports/1-a/x', 'deep/reports/junit.xml'].filter(path => !isIgnored(path)),
      [],
    )
    assert.not(isIgnored('reports/README.md'))
  }),
)

/** Returns the anchors that GitHub makes from the headings of a page. */
function anchorsOf(path: string): string[] {
  return [...read(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  )
}

test('every link leads somewhere', () => {
  let links = 0
  for (const page of PAGES) {
    for (const { path, anchor } of linksOf(page)) {
      assert.ok(existsSync(join(PACKAGE, path)), `${page} links to ${path}, which is not there`)
      if (anchor !== undefined) assert.ok(anchorsOf(path).includes(anchor), `${page} links to ${path}#${anchor}`)
      links++
    }
  }
  assert.ok(links > 20)
})

test('the picture of the terminal is of the suite of today: npm run pictures makes it anew', () => {
  const svg = read('docs/terminal.svg')
  assert.is(XMLValidator.validate(svg), true)
  const shown = svg.replace(/<[^>]+>/g, '')
  const asked = SUITE.specs.filter(spec => !spec.measuresLifetime)
  const areas = [...new Set(asked.map(({ area }) => area))]
  for (const area of areas) {
    const [line = ''] = new RegExp(`^. ${area} +\\d.*$`, 'm').exec(shown) ?? []
    const told = [...line.matchAll(/(\d+) [a-z]/g)].reduce((sum, [, number]) => sum + Number(number), 0)
    const specs = asked.filter(spec => spec.area === area).length
    assert.is(told, specs, `docs/terminal.svg says '${line}', and the area has ${specs} specs: run npm run pictures`)
  }
  for (const part of ['Nonconformant, ', 'quick profile', 'rerun', 'clients']) assert.ok(shown.includes(part), part)
  const png = readFileSync(join(PACKAGE, 'docs/page.png'))
  assert.is(png.subarray(1, 4).toString(), 'PNG')
  assert.ok(png.length < 200_000, 'a picture that is loaded in a moment')
})

test('the changelog knows the version', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string }
  assert.match(read('CHANGELOG.md'), new RegExp(`^## ${version.replaceAll('.', '\\.')}$`, 'm'))
})

test.run()
