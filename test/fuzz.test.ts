/** A hostile Core spoils answers in every layer, and every output stays correct. `npm run fuzz` spoils more. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { REPORTERS } from '../dist/report/reporters.js'
import { writeReports } from '../dist/report/write-reports.js'
import { inFolder } from './cli-support.js'
import { testCertificate } from './support/certificate.js'
import { FuzzCore, PASSWORD } from './support/fuzz/core.js'
import { MUTATIONS } from './support/fuzz/mutations.js'
import { faultsOf } from './support/fuzz/oracle.js'
import { long } from './support/long.js'
import { QUICK, run, SPECS } from './support/suite-run.js'

const test = suite('a hostile Core')

/** Seeds by which each mutation is met, most of them by several; the last one spoils the survey. */
const SEEDS = [4, 9, 18, 19, 21, 8]
/** Each seed gets one of these shares of the specs. */
const SHARES = 36

/** Runs one seed. Returns the number of spoilt answers by kind. */
async function fuzzed(
  seed: number,
  certificate: Awaited<ReturnType<typeof testCertificate>>,
): Promise<Map<string, number>> {
  // Every fourth seed spoils the survey too.
  const core = await new FuzzCore({
    seed,
    certificate,
    honest: seed % 4 ? 40 : 0,
    rate: seed % 4 === 1 ? 1 : 0.7,
  }).start()
  try {
    const { url } = core
    const address = { url, username: 'admin', password: PASSWORD, fingerprint: certificate.fingerprint }
    const share = (seed - Math.floor(seed / 4)) % SHARES
    const specs = SPECS.filter((_, index) => index % SHARES === share)
    const result = await run(address, { specs, configuration: { ...QUICK, deadlineMs: 400 } })
    const texts: Record<string, string> = {}
    for (const { name, file, render } of REPORTERS) {
      if (file === undefined) texts[name] = await render(result, { columns: 80, color: false })
    }
    await inFolder(async folder => {
      const { problems } = await writeReports(result, { outDir: folder, reporters: REPORTERS })
      assert.equal(problems, [])
      for (const name of readdirSync(folder)) texts[name] = readFileSync(join(folder, name), 'utf8')
    })
    assert.ok(texts['result.json'] && texts['junit.xml'] && texts['report.html'])
    const faults = faultsOf(texts)
    if (core.trapped) faults.push(`${core.trapped} connections went where the Core said`)
    assert.equal(faults, [], `seed ${seed}; repeat it with: npm run fuzz -- 0 --seed ${seed}`)
    return core.byName
  } finally {
    await core.close()
  }
}

long(test)('spoilt answers of every kind: every report is valid, no secret shows, nothing goes elsewhere', async () => {
  const certificate = await testCertificate()
  // A run mostly waits for answers that do not come.
  const runs = await Promise.all(SEEDS.map(seed => fuzzed(seed, certificate)))
  const met = new Set(runs.flatMap(byName => [...byName.keys()]))
  assert.equal(
    Object.keys(MUTATIONS).filter(name => !met.has(name)),
    [],
    'every mutation was met',
  )
})

test('the oracle sees what it is there for', () => {
  const clean = { console: 'all is well', 'report.html': '<p title="x">y</p><script>ours</script>' }
  assert.equal(faultsOf(clean), [])
  const token = 'kanariT0123456789abcdef'
  const bad: Record<string, string>[] = [
    { console: `Bearer ${token}` },
    { console: Buffer.from(`x${token}`).toString('base64') },
    { console: Buffer.from(token).toString('base64') },
    { console: Buffer.from(token).toString('hex') },
    { console: [...token].join('\\u0000') },
    { 'junit.xml': '<a>' },
    { 'result.json': '{}' },
    { console: encodeURIComponent(PASSWORD) },
    { console: '\u001b[2J' },
    { 'report.html': '<script>1</script><script>2</script>' },
    { 'report.html': '<a href="https://evil.example">x</a>' },
    { 'report.html': '<p onclick=x>' },
    { 'report.html': '<img src=x>' },
  ]
  for (const texts of bad) assert.is(faultsOf(texts).length > 0, true, JSON.stringify(texts))
})

test.run()
