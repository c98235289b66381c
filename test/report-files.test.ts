import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { renderJson } from '../dist/report/json.js'
import { createFolder, writeWhole } from '../dist/report/write.js'
import { writeReports } from '../dist/report/write-reports.js'
import type { RunResult } from '../dist/result.js'
import { conformant, failing } from './fixtures/results/samples.js'
import { makeFolder } from './support/folder.js'
import { reporters } from './support/reporters.js'

const test = suite<{ folder: string }>('report files')

test.before.each(context => {
  context.folder = makeFolder()
})

test.after.each(({ folder }) => {
  chmodSync(folder, 0o700)
})

/** Returns the message of the error that rejects a promise. */
async function rejection(promise: Promise<unknown>): Promise<string> {
  try {
    await promise
  } catch (error) {
    assert.instance(error, Error)
    return error instanceof Error ? error.message : ''
  }
  assert.unreachable('it did not fail')
  return ''
}

const both = reporters('junit', 'json')

test('a report that cannot be made is told without its content, and the others are written', async ({ folder }) => {
  const unrenderable = { ...failing, plan: { kanari: 1n } } as unknown as RunResult
  const { paths, problems } = await writeReports(unrenderable, { outDir: folder, reporters: both })
  assert.equal(problems, [
    'Cannot make the report json: internal error (TypeError); please report this, with result.json.',
  ])
  assert.equal(paths, [join(folder, 'junit.xml')])
  assert.equal(readdirSync(folder), ['junit.xml'])
})

test('a file where the folder should be is told once', async ({ folder }) => {
  const outDir = join(folder, 'file')
  writeFileSync(outDir, 'mine')
  assert.equal(await writeReports(failing, { outDir, reporters: both }), {
    paths: [],
    problems: [
      `Cannot create the folder ${outDir}: a file of that name is in the way. Remove it, or choose another folder with --out.`,
    ],
  })
  assert.is(readFileSync(outDir, 'utf8'), 'mine')
  const { problems } = await writeReports(failing, { outDir: join(outDir, 'below'), reporters: both })
  assert.match(problems.join(), /a part of the path is a file, not a folder\. Choose another folder with --out\.$/)
})

test('a folder that may not be written', async ({ folder }) => {
  await writeReports(conformant, { outDir: folder, reporters: reporters('json') })
  chmodSync(folder, 0o555)
  // Root may write anywhere, so root becomes nobody here. Nobody may be unable to read this checkout, so nothing loads after
  // that.
  const root = process.geteuid?.() === 0
  if (root) process.seteuid?.(65534)
  try {
    assert.match(
      await rejection(writeWhole(join(folder, 'result.json'), renderJson(failing), '--out')),
      /^Cannot write .*: this user may not write there\. Change its permissions, or choose another folder with --out\.$/,
    )
    assert.match(
      await rejection(createFolder(join(folder, 'new'), undefined)),
      /^Cannot create the folder .*: this user may not write there\. Change its permissions, or choose another folder\.$/,
    )
  } finally {
    if (root) process.seteuid?.(0)
  }
  assert.is(readFileSync(join(folder, 'result.json'), 'utf8'), renderJson(conformant))
})

test.run()
