/**
 * Times whole processes against the same mock Core, in turn in one go: the product, and a bare Node script that sends the
 * same exchanges and judges nothing (the floor). Prints medians and their ratio; times are for reading, not for passing.
 *
 * Usage: npm run bench [-- ROUNDS]
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { renderHtml } from '../dist/report/html/render.js'
import type { ExchangeRecord, RunResult } from '../src/result.js'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const rounds = Number(process.argv[2] ?? 11)
const username = 'admin'
const password = 'Bench-Secret-1'
const LIFETIME_MS = 3_600_000
/** The five flows of the suite. */
const FIVE_FLOWS = [
  'logon-issues-token',
  'logon-tokens-distinct',
  'access-with-token',
  'access-without-token*',
  'host-missing-logon*',
  'host-missing-access-http*',
  'host-missing-revoke-http*',
  'revocation-rejects',
  'idle-expires',
  'idle-use-resets',
]

/** The exchanges of a run as chains: those of a spec after each other, specs side by side. */
function toChains({ survey, specs }: RunResult) {
  return [survey, ...specs.map(({ exchanges }) => exchanges)].map(exchanges => exchanges.map(toStep))
}

function toStep({ request, response }: ExchangeRecord) {
  const { method, path, headers } = request
  const plain = headers.filter(([name]) => !['Authorization', 'Host', 'Connection'].includes(name))
  const authorization = headers.find(([name]) => name === 'Authorization')?.[1]
  return {
    method,
    path,
    headers: Object.fromEntries(plain),
    setHost: headers.some(([name]) => name === 'Host'),
    token: authorization?.replace('Bearer ', ''),
    logon: method === 'POST',
    gives: /\[token[^\]]*\]/.exec(response?.body ?? '')?.[0],
  }
}

function wallMs(args: string[], env: NodeJS.ProcessEnv): number {
  const start = performance.now()
  const { status, stderr } = spawnSync(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`)
  return performance.now() - start
}

/** How long the HTML report of a thousand specs takes, made of those of a run, in a warm process. */
function pageMs(result: RunResult): { ms: number; bytes: number } {
  const { specs } = result
  const many = Array.from({ length: 1000 }, (_, index) => specs[index % specs.length]).filter(
    spec => spec !== undefined,
  )
  const run = { ...result, specs: many.map((spec, index) => ({ ...spec, id: `${spec.id}-${index}` })) }
  const times = Array.from({ length: 5 }, () => {
    const start = performance.now()
    renderHtml(run)
    return performance.now() - start
  })
  return { ms: median(times), bytes: Buffer.byteLength(renderHtml(run)) }
}

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

const folder = mkdtempSync(join(tmpdir(), 'core-conformance-bench-'))
const base = { ...process.env, CORE_USERNAME: username, CORE_PASSWORD: password }
const mock = spawn(process.execPath, [at('../dist/cli.js'), 'mock'], { env: base, stdio: ['ignore', 'pipe', 'ignore'] })
try {
  const started = await new Promise<string>(resolve => {
    let text = ''
    mock.stdout.on('data', chunk => {
      text += chunk
      if (/Control key.*\n/.test(text)) resolve(text)
    })
  })
  const told = (name: string) => new RegExp(`^${name} +(\\S+)$`, 'm').exec(started)?.[1] ?? ''
  const url = told('Mock Core')
  const control = { url: told('Control'), key: told('Control key') }
  const env = {
    ...base,
    CORE_URL: url,
    CORE_FINGERPRINT: told('Certificate'),
    CORE_CONTROL_URL: control.url,
    CORE_CONTROL_KEY: control.key,
    CORE_OUT: folder,
    CORE_ONLY: FIVE_FLOWS.join(','),
  }
  const product = [at('../dist/cli.js'), 'run']
  wallMs(product, env)
  const result = JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8')) as RunResult
  const chains = toChains(result)
  const exchanges = chains.flat().length
  const { concurrency } = result.configuration
  const leapsMs = [LIFETIME_MS * 0.6, LIFETIME_MS * 0.45]
  const plan = join(folder, 'plan.json')
  writeFileSync(
    plan,
    JSON.stringify({ url, control, credentials: { username, password }, concurrency, chains, leapsMs }),
  )
  const floor = [at('floor.mjs'), plan]
  wallMs(floor, env)
  const times = { product: [] as number[], floor: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    times.product.push(wallMs(product, env))
    times.floor.push(wallMs(floor, env))
  }
  const [a, b] = [median(times.product), median(times.floor)]
  const page = pageMs(result)
  process.stdout.write(`${result.counts.passed} specs, ${exchanges} exchanges, ${rounds} rounds, medians of whole processes
core-conformance run  ${a.toFixed(0)} ms
floor (bare Node)     ${b.toFixed(0)} ms
ratio                 ${(a / b).toFixed(2)}
HTML of 1000 specs    ${page.ms.toFixed(0)} ms, ${(page.bytes / 1e6).toFixed(1)} MB
`)
} finally {
  mock.kill('SIGTERM')
  rmSync(folder, { recursive: true, force: true })
}
