/** Checks every report of every run: it is valid, it is inert, and it holds no secret. */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { validate as validateCtrf } from 'ctrf'
import { XMLValidator } from 'fast-xml-parser'
import { HtmlValidate } from 'html-validate'
import { marked } from 'marked'
import { Parser } from 'tap-parser'
import * as assert from 'uvu/assert'
import { validateXML } from 'xmllint-wasm'
import { SCRIPTS_FOLDER } from '../../dist/report/scripts.js'
import type { RunResult } from '../../dist/result.js'
import { assertInert } from './inert.js'
import { FILES } from './reporters.js'

const read = (...path: string[]) => readFileSync(join(...path), 'utf8')
const XSD = read(import.meta.dirname, '..', 'fixtures', 'junit.xsd')
let schema: ValidateFunction | undefined
/** What a result has to be, compiled when the first is looked at: that takes half a second of a processor. */
function resultSchema(): ValidateFunction {
  schema ??= new Ajv2020({ strict: true, allowUnionTypes: true }).compile(
    JSON.parse(read(import.meta.dirname, '..', '..', 'contracts', 'result.schema.json')),
  )
  return schema
}
const html = new HtmlValidate({
  extends: ['html-validate:standard', 'html-validate:a11y', 'html-validate:document'],
  // The renderer has its own style for attributes.
  rules: { 'attribute-boolean-style': 'off', 'void-style': 'off', 'long-title': 'off' },
})

const CHECKS: Record<string, (text: string, result: RunResult) => void | Promise<void>> = {
  'badge.svg': svg => {
    assert.is(XMLValidator.validate(svg), true)
    assertInert(svg)
  },
  'ctrf.json': checkCtrf,
  'junit.xml': checkJunit,
  'report.html': checkHtml,
  'report.md': checkMarkdown,
  'result.json': json => {
    const isResult = resultSchema()
    assert.ok(isResult(JSON.parse(json)), JSON.stringify(isResult.errors?.slice(0, 3)))
  },
  'tap.txt': checkTap,
}

/** Checks a report file: it is valid, and inert for its readers. */
export async function checkReport(file: string, text: string, result: RunResult): Promise<void> {
  const check = CHECKS[file]
  assert.ok(check, `nothing checks the report ${file}: add what it has to be to CHECKS`)
  await check?.(text, result)
}

/** Reads and checks all reports in a folder. @returns the result */
export async function checkReports(folder: string): Promise<RunResult> {
  assert.equal(
    readdirSync(folder)
      // The journal is gone when no work is left; the scripts lie beside the reports.
      .filter(name => !name.startsWith('journal') && name !== SCRIPTS_FOLDER)
      .sort(),
    FILES,
  )
  const result = JSON.parse(read(folder, 'result.json')) as RunResult
  for (const file of FILES) await checkReport(file, read(folder, file), result)
  return result
}

/** Checks that JUnit is what every reader takes. */
export async function checkXml(xml: string): Promise<void> {
  const { errors } = await validateXML({
    xml: [{ fileName: 'junit.xml', contents: xml }],
    schema: [{ fileName: 'junit.xsd', contents: XSD }],
  })
  assert.equal(
    errors.map(({ rawMessage }) => rawMessage),
    [],
  )
}

async function checkJunit(xml: string, { specs }: RunResult): Promise<void> {
  await checkXml(xml)
  assertInert(xml)
  assert.not.match(xml, /\[\[(ATTACHMENT|\/?PROPERTY)/)
  const { length } = xml.match(/<testcase /g) ?? []
  assert.ok(length === specs.length || length === specs.length + 1, `${length} cases of ${specs.length} specs`)
}

/** Checks that a page is valid and accessible. */
export async function checkMarkup(page: string): Promise<void> {
  const { results } = await html.validateString(page)
  const told = results.flatMap(({ messages }) =>
    messages.map(({ ruleId, line, message }) => `${ruleId} ${line} ${message}`),
  )
  assert.equal(told.slice(0, 5), [])
}

/** Checks that a page is valid and accessible, and runs nothing but its own script. */
export async function checkHtml(page: string): Promise<void> {
  await checkMarkup(page)
  assertInert(page)
  assert.is((page.match(/<script/g) ?? []).length, 1, 'the script of the page, and no other')
  assert.not.match(page, /<(?:img|iframe|object|embed|base|link)\b|\son\w+="/)
}

function checkCtrf(json: string, { specs, verdict }: RunResult): void {
  const report = JSON.parse(json)
  const { valid, errors } = validateCtrf(report) as { valid: boolean; errors?: unknown[] }
  assert.ok(valid, JSON.stringify(errors?.slice(0, 3)))
  const { tests, extra } = report.results.summary
  assert.is(extra.verdict, verdict)
  assert.ok(tests === specs.length || tests === specs.length + 1)
}

function checkTap(text: string, { specs, verdict }: RunResult): void {
  const strangers: unknown[] = []
  const parser = new Parser()
  for (const event of ['extra', 'bailout', 'child', 'pragma'])
    parser.on(event, (...what: unknown[]) => strangers.push(what))
  parser.end(text)
  const { results } = parser
  assert.equal(strangers, [])
  assert.ok(results)
  assert.ok(results?.count === specs.length || results?.count === specs.length + 1)
  assert.is(results?.ok, verdict === 'conformant' || verdict === 'pending')
  assertInert(text)
}

/** The elements that the report itself uses. */
const OWN = new Set('h1 h2 h3 h4 p strong em table thead tbody tr th td code pre ul li details summary'.split(' '))

/** Checks that Markdown holds only our own elements. */
export function checkMarkdown(markdown: string): void {
  const page = marked.parse(markdown, { gfm: true, async: false })
  const strangers = [...page.matchAll(/<([a-z][a-z0-9]*)/g)].map(([, name = '']) => name).filter(name => !OWN.has(name))
  assert.equal([...new Set(strangers)], [])
  // Comments of a script within a fence are no headings.
  const told = markdown.replace(/^(`{3,})text\n[\s\S]*?^\1$/gm, '')
  assert.is((told.match(/^# /gm) ?? []).length, 1)
  assertInert(markdown.replaceAll('\u200b', ''))
}

/** Checks the output of a process: it holds nothing that a terminal or GitHub Actions obeys, except our own commands. */
export function checkOutput(stdout: string, stderr: string): void {
  for (const text of [stdout, stderr]) {
    assertInert(text)
    assert.not.match(text, /\.[jt]s:\d+/)
  }
  // Nothing between the fences is obeyed; the text outside is ours.
  const outside = stdout.replace(/^::stop-commands::(\S+)\n[\s\S]*?\n::\1::$/gm, '')
  for (const line of outside.split('\n').filter(text => /^\s*(::|##\[)/.test(text)))
    assert.match(line, /^::(error|warning|notice) (file=[^,:]+,line=\d+,)?title=[^:]*::[^\n]*$/)
  assert.not.match(outside, /^\s*::(stop-commands|error file=x)/m)
  assert.not.match(stderr, /^\s*(::|##\[)/m)
}

/** Returns everything in a folder, including hidden files, as texts by their paths. */
export function textsIn(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {}
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  return Object.fromEntries(
    files.map(file => [join(file.parentPath, file.name), readFileSync(join(file.parentPath, file.name), 'latin1')]),
  )
}

/** Returns the forms of a text inside base64, at each of the three offsets. */
function insideBase64(text: string): string[] {
  return [0, 1, 2].map(shift => {
    const encoded = Buffer.from('\0'.repeat(shift) + text).toString('base64')
    return encoded.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + text.length) * 8) / 6))
  })
}

/** Asserts that no text holds a trace of a secret: words that occur only in secrets, in every encoding that keeps letters. */
export function assertNoTrace(texts: Record<string, string>, traces: string[]): void {
  const lower = Object.entries(texts).map(([path, text]) => [path, text, text.toLowerCase()] as const)
  for (const trace of traces) {
    const forms = [trace, Buffer.from(trace).toString('hex'), ...insideBase64(trace)]
    for (const form of forms) {
      for (const [path, text, searched] of lower) {
        const at = searched.indexOf(form.toLowerCase())
        assert.ok(at < 0, `'${form}' (of ${trace}) shows in ${path}: …${text.slice(Math.max(0, at - 300), at + 200)}…`)
      }
    }
  }
}
