/**
 * The laws of imports: docs/architecture.md lists the allowed arrows with their reasons, and the sources of src/ follow them.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { circlesOf, importsOf, roomOf } from './support/imports.js'

const test = suite('architecture')
const ROOT = join(import.meta.dirname, '..')
const SRC = join(ROOT, 'src')
const PAGE = readFileSync(join(ROOT, 'docs', 'architecture.md'), 'utf8')
const IMPORTS = importsOf(SRC)
const OWN = IMPORTS.filter(({ isOwn }) => isOwn)
/** Files that are no sources: built ones, and package.json. */
const MADE = ['schemas', 'program', '../package']
const code = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)

const FLOORS = new Map(
  [...PAGE.matchAll(/^\| (\d+) +\| (.*?) +\|/gm)].flatMap(([, floor, rooms = '']) =>
    code(rooms).map((room): [string, number] => [room, Number(floor)]),
  ),
)
/** The floors that every room above may use without a reason. */
const FREE = Number(/^Floors 0 to (\d+) are free for everybody/m.exec(PAGE)?.[1])
/** The arrows with their reasons, from the page. */
const REASONS = new Map(
  [...PAGE.matchAll(/^\| `(\w+)` → `(\w+)` *\| (.*?) *\|$/gm)].map(([, from, to, why = '']): [string, string] => [
    `${from} → ${to}`,
    why,
  ]),
)
const CIRCLES = [...PAGE.matchAll(/^\| ((?:`[\w/]+`, )+`[\w/]+`) *\| .*\|$/gm)]
  .map(([, names = '']) => code(names))
  .filter(names => names.some(name => name.includes('/')))

function reachedFrom(room: string): Set<string> {
  const found = new Set([room])
  for (const from of found) {
    for (const each of OWN) if (roomOf(each.from) === from) found.add(roomOf(each.to))
  }
  found.delete(room)
  return found
}

test('every import leads somewhere', () => {
  assert.ok(OWN.length > 500)
  for (const { from, to } of OWN) {
    const isThere = ['.ts', '.tsx', '/index.ts', '.cjs'].some(ending => existsSync(join(SRC, `${to}${ending}`)))
    assert.ok(isThere || MADE.includes(to), `${from} imports ${to}, which is not there`)
  }
})

test('the page knows every room, and no other', () => {
  // `result.ts` is the door of the room `result/`.
  const rooms = [...new Set(readdirSync(SRC).map(name => name.replace(/(\.d)?\.c?[jt]s$/, '')))]
  assert.equal([...FLOORS.keys()].sort(), rooms.sort(), 'docs/architecture.md, the table of floors')
})

test('every arrow between rooms goes down, and is explained', () => {
  const arrows = new Set<string>()
  for (const { from, to } of OWN) {
    const [upper, lower] = [roomOf(from), roomOf(to)]
    if (upper === lower || MADE.includes(to)) continue
    const [above = -1, below = -1] = [FLOORS.get(upper), FLOORS.get(lower)]
    assert.ok(above > below, `src/${from} imports ${to}: from floor ${above} to floor ${below}, which is not down`)
    if (below <= FREE) continue
    assert.ok(
      REASONS.has(`${upper} → ${lower}`),
      `src/${from} imports ${to}: say in docs/architecture.md why ${upper} needs ${lower}, or do without`,
    )
    arrows.add(`${upper} → ${lower}`)
  }
  const stale = [...REASONS.keys()].filter(arrow => !arrows.has(arrow))
  assert.equal(stale, [], 'arrows that the page explains and that are gone')
  for (const [arrow, why] of REASONS) assert.ok(why.length > 5, arrow)
})

test('there is no circle between rooms, and within one none that is not explained', () => {
  const place = (path: string) => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : path)
  const between = (of: (path: string) => string) =>
    OWN.map(({ from, to }) => [of(from), of(to)] as const).filter(([from, to]) => from !== to)
  assert.equal(circlesOf(between(roomOf)), [])
  assert.equal(circlesOf(between(place)), CIRCLES.map(names => [...names].sort()).sort())
  const files = OWN.map(({ from, to }) => [from, to] as const)
  assert.equal(circlesOf(files), [], 'files that import each other, be it types only')
})

test('the mock Core and what talks with it meet on the wire only', () => {
  const reached = { mock: reachedFrom('mock'), core: reachedFrom('core'), engine: reachedFrom('engine') }
  assert.not(reached.mock.has('core') || reached.mock.has('engine'), [...reached.mock].join())
  assert.not(reached.core.has('mock') || reached.engine.has('mock'), [...reached.engine].join())
})

test('reports reach neither core nor engine', () => {
  const reached = reachedFrom('report')
  assert.not(reached.has('core') || reached.has('engine'), [...reached].join())
})

test('the ground imports nothing of ours, nor does anything beside it', () => {
  for (const [room, floor] of FLOORS)
    if (floor === 0)
      assert.equal(
        [...reachedFrom(room)].filter(to => to !== '..'),
        [],
        room,
      )
})

test('pactum is known by one file, Pact by one room, and each is loaded when it is needed first', () => {
  const users = (name: RegExp) => IMPORTS.filter(({ to, isOwn }) => !isOwn && name.test(to))
  const pactum = users(/^pactum(\/|$)/)
  assert.equal([...new Set(pactum.map(({ from }) => from))], ['core/transport'])
  assert.not(pactum.some(({ isAtOnce }) => isAtOnce))
  const pact = users(/^@pact-foundation\//)
  assert.equal([...new Set(pact.map(({ from }) => roomOf(from)))], ['pact'])
  // These files load Pact at once, so nothing may load them: each is a task of a process of its own.
  const files = new Set(pact.map(({ from }) => from))
  const loaders = OWN.filter(({ to, isAtOnce }) => files.has(to) && isAtOnce)
  assert.equal(loaders, [])
})

test('the exit code is set in two places, and a process ends itself in few', () => {
  const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(path => path.endsWith('.ts'))
  const having = (what: RegExp) => sources.filter(path => what.test(readFileSync(join(SRC, path), 'utf8'))).sort()
  assert.equal(having(/process\.exitCode\s*=/), ['cli.ts', 'start.ts'])
  assert.equal(having(/process\.exit\(/), ['cli.ts', 'ground/child-process.ts', 'terminal.ts'])
})

test('a file of more than 250 lines says at its head why it is one', () => {
  const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(path => /\.tsx?$/.test(path))
  const without = sources.filter(path => {
    const text = readFileSync(join(SRC, path), 'utf8')
    const [head = ''] = text.split(/^import /m)
    return text.split('\n').length > 251 && !/in one file|one file, because|over 250 lines,/i.test(head)
  })
  assert.equal(without, [])
})

test('what the pages for contributors name is there', () => {
  for (const page of ['docs/architecture.md', 'CONTRIBUTING.md']) {
    const text = readFileSync(join(ROOT, page), 'utf8')
    const paths = code(text).filter(name =>
      /^(?:src|test|specs|contracts|docs|tools|bench|reports|\.ci)\/[^ *]*$/.test(name),
    )
    assert.ok(paths.length > 15, page)
    for (const path of paths) {
      if (/[A-Z]{3,}/.test(path.replace('README', ''))) continue // A placeholder for a name.
      assert.ok(existsSync(join(ROOT, path)), `${page} names ${path}, which is not there`)
    }
  }
})

test.run()
