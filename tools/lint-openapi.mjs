/** Checks contracts/openapi.yaml with @redocly/cli, without its requests for news. */
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const { resolve } = createRequire(import.meta.url)
const manifest = resolve('@redocly/cli/package.json')
const { bin } = createRequire(import.meta.url)(manifest)
const { status } = spawnSync(
  process.execPath,
  [join(dirname(manifest), bin.redocly), 'lint', 'contracts/openapi.yaml'],
  {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', REDOCLY_TELEMETRY: 'off' },
    stdio: 'inherit',
  },
)
process.exitCode = status ?? 1
