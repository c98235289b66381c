/** Checks the figures of the bench in the README, and its peers. No time is compared with a limit here. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { PACKAGE } from './support/docs.js'

const test = suite('bench')
const read = (path: string) => readFileSync(join(PACKAGE, path), 'utf8')

test('the figures in the README are those of bench/RESULTS.md, which has a date', () => {
  const results = /<!-- bench -->\n([\s\S]*?)<!-- \/bench -->/.exec(read('bench/RESULTS.md'))?.[1] ?? 'none'
  const wall = (name: string, report: string) => {
    const rows = results.split('\n').map(line => line.split('|').map(cell => cell.trim()))
    const row = rows.find(([, command = '', made]) => command.startsWith(name) && made === report)
    return `${row?.[4]} ms`
  }
  const [sentence = ''] = /Three specs with [^(]*/.exec(read('README.md').replace(/\s+/g, ' ')) ?? []
  assert.equal(
    sentence.match(/\d+ ms/g),
    [
      wall('core-conformance run, these', 'console, JUnit'),
      wall('newman', 'console, JUnit'),
      wall('mocha + pactum', 'JUnit'),
    ],
    'README.md states these figures',
  )
  assert.match(results, /Measured on \d{4}-\d\d-\d\d, Node v\d/)
  for (const name of ['bare Node', 'curl', 'mocha + pactum', 'newman', 'Step CI', 'core-conformance run'])
    assert.ok(results.includes(`| ${name}`), name)
})

test('the tools to compare with are pinned, and no dependency of the product', () => {
  const product = JSON.parse(read('package.json')) as Record<string, Record<string, string>>
  const own = { ...product.dependencies, ...product.optionalDependencies, ...product.devDependencies }
  const { dependencies } = JSON.parse(read('bench/peers/package.json')) as { dependencies: Record<string, string> }
  assert.ok(Object.keys(dependencies).length > 2)
  for (const [name, version] of Object.entries(dependencies)) {
    assert.match(version, /^\d+\.\d+\.\d+$/, name)
    // Both sides use the same pactum, so that its cost counts on both.
    if (name === 'pactum') assert.is(own.pactum, `^${version}`)
    else assert.not(name in own, name)
  }
  assert.not(existsSync(join(PACKAGE, 'bench/peers/package-lock.json')))
})

test.run()
