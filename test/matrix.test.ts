/** A cross-section of the matrix: each area, each kind of sight, and dialects that were once accused. `npm run matrix` is all of it. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const test = suite('matrix')
const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

const DEFECTS = [
  'access-no-token-accepted',
  'access-token-usable-once',
  'access-token-opens-users-only',
  'host-missing-answered-400',
  'host-missing-delete-revokes',
  'idle-lifetime-a-tenth',
  'idle-not-reset-by-get',
  'logon-password-prolonged-accepted',
  'logon-same-token-always',
  'logon-token-unusable',
  'revoke-does-nothing',
  'revoke-ends-another-instead',
  'transport-logon-cached',
  'transport-rejections-answered-200',
]
const DIALECTS = ['default', 'expiry-early', 'http10-refused', 'newest-token-only', 'rejections-419', 'token-in-header']

test('no defect of a cross-section escapes, and no honest dialect of one is accused', () => {
  const args = ['--import', 'tsx', at('../tools/matrix.ts'), ...DEFECTS, ...DIALECTS]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  assert.is(status, 0, `${stdout}${stderr}`)
  const [, defects, dialects] =
    /^(\d+) defects, 0 escaped; (\d+) dialects, 0 accused; \d+ must specs, 0 idle; \d+ s$/m.exec(stdout) ?? []
  assert.ok(Number(defects) >= DEFECTS.length, stdout)
  assert.ok(Number(dialects) >= DIALECTS.length, stdout)
  assert.match(readFileSync(at('../reports/matrix.md'), 'utf8'), /revoke-does-nothing \| .*revocation-rejects/)
})

test.run()
