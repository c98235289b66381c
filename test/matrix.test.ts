import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const test = suite('matrix')
const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

test('no defect escapes, no honest dialect is accused, no must spec is idle', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', at('../tools/matrix.ts')], {
    encoding: 'utf8',
  })
  assert.is(status, 0, `${stdout}${stderr}`)
  const [, defects, dialects] =
    /^(\d+) defects, 0 escaped; (\d+) dialects, 0 accused; \d+ must specs, 0 idle; \d+ s$/m.exec(stdout) ?? []
  assert.ok(Number(defects) >= 60, stdout)
  assert.ok(Number(dialects) >= 20, stdout)
  assert.match(readFileSync(at('../reports/matrix.md'), 'utf8'), /revoke-does-nothing \| .*revocation-rejects/)
})

test.run()
