/** The fast reader of plain YAML: every text that it reads means the same to the full YAML parser. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parseDocument } from 'yaml'
import { readDocument } from '../dist/suite/document.js'
import { plainYaml } from '../dist/suite/plain-yaml.js'
import { SuiteError } from '../dist/suite/problem.js'
import { long } from './support/long.js'

const test = suite('plain YAML')

/** Parses a text with the full YAML parser; undefined where it finds an error. */
function asParsed(text: string): unknown {
  const document = parseDocument(text, { uniqueKeys: true })
  return document.errors.length || document.warnings.length ? undefined : document.toJS()
}

const PLAIN = [
  'a: b\n',
  'a:\n  b: c\n  d: e\nf: g',
  'a:\n    b:\n     c: 1\n    d: true\n',
  '# a comment\n\na: b\n   # another\nc: d\n',
  'a: [b, c]\nd: []\ne: { f: g, h: 1 }\ni: {}\n',
  `a: "x: #y"\nb: 'it''s'.length\n`.replace("'it''s'.length", "'it is'"),
  'idle: 5%\nlifetime: 30s\nurl: https://10.0.0.1:8443/\npath: /api/v0/cores/self/users\n',
  'fingerprint: 0A:bb:12:34\nport: 0\nname: x-y_z.1\n',
  'a:\r\n  b: c\r\n',
  'a: b   \n',
]

test('plain texts are read, as the parser reads them', () => {
  for (const text of PLAIN) {
    assert.ok(plainYaml(text), text)
    assert.equal(plainYaml(text), asParsed(text), text)
  }
})

test('what is not plain is left to the parser', () => {
  const others = [
    '',
    '# nothing\n',
    'a:\n',
    'a:\nb: c\n',
    'a: b\na: c\n',
    'a: null\n',
    'null: a\n',
    'a: yes\n',
    'a: True\n',
    'a: 007\n',
    'a: 1.5\n',
    'a: 1e5\n',
    'a: 0x1f\n',
    'a: ~\n',
    'a: b # c\n',
    'a: b c\n',
    'a: b: c\n',
    'a: &x b\n',
    'a: *x\n',
    'a: !!str b\n',
    'a: |\n  b\n',
    'a: b\n  c\n',
    'a:\n  b: c\n d: e\n',
    ' a: b\nc: d\n',
    'a:\n\tb: c\n',
    '- a\n',
    '---\na: b\n',
    'a: [b, [c]]\n',
    'a: [b,, c]\n',
    'a: "b\\n"\n',
    '__proto__: a\n',
    'a: { __proto__: b }\n',
    '"a": b\n',
    '? a\n',
    '{ a: b }\n',
    'a: https:\n',
  ]
  for (const text of others) assert.is(plainYaml(text), undefined, text)
})

/** Makes a generator of numbers that look random but are always the same. */
function random(seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % below
  }
}

test('thousands of texts that are nearly plain: read the same, or not at all', () => {
  const next = random(4711)
  const pieces = [
    ...['a', 'b', 'targets', 'x-1', 'null', 'true', 'https://10.0.0.1', '5%', '1h', '12', '0', '00', '1e3', '-', '/x'],
    ...[':', ': ', ':  ', '\n', '\n  ', '\n    ', '\n ', ' ', '#', ' # c', '"x"', "'y'", '"', "'", '\\', '~', '!x'],
    ...['{ a: b }', '[a, 1]', '{', '}', '[', ']', ', ', ',', '&x', '*x', '|', '>', '\t', '\r\n', 'AA:bb', '12:34', '?'],
  ]
  let read = 0
  for (let trial = 0; trial < 30_000; trial++) {
    const base = PLAIN[next(PLAIN.length)] ?? ''
    let text = trial % 3 ? base : ''
    for (let change = 0; change <= next(6); change++) {
      const at = next(text.length + 1)
      text = text.slice(0, at) + (pieces[next(pieces.length)] ?? '') + text.slice(at + next(3))
    }
    const value = plainYaml(text)
    if (value === undefined) continue
    read++
    assert.equal(value, asParsed(text), JSON.stringify(text))
  }
  assert.ok(read > 1000, `${read}`)
})

/** Makes a configuration of several targets, each with these settings. */
function targets(count: number, settings: string): string {
  return `targets:\n${Array.from({ length: count }, (_, index) => `  t${index}: { ${settings} }\n`).join('')}`
}

long(test)('of very many problems the first thousand are told, with their places, and how many more there are', () => {
  const folder = mkdtempSync(join(tmpdir(), 'core-conformance-plain-'))
  const path = join(folder, 'config.yaml')
  const trials: [text: string, first: string, more: number][] = [
    [targets(5000, 'url: https://10.0.0.1, wrong: 1'), "2:32: unknown key 'wrong'", 4000],
    ['a: 1\n'.repeat(5000), "2:1: the key 'a' stands here twice", 3999],
  ]
  try {
    for (const [text, first, more] of trials) {
      writeFileSync(path, text)
      try {
        readDocument(path, 'config.yaml', 'config')
        assert.unreachable()
      } catch (error) {
        assert.instance(error, SuiteError)
        const { problems, message } = error as SuiteError
        assert.is(problems.length, 1001)
        assert.ok(message.startsWith(`config.yaml:${first}`), message.slice(0, 200))
        assert.match(problems[1000]?.message ?? '', new RegExp(`^and ${more} more like that$`))
      }
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test.run()
