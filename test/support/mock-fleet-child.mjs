// A rack of mock Cores in a process of their own, so that they take no time of the judging process. It takes options as JSON,
// writes addresses as JSON, and ends with its stdin.
import { createServer } from 'node:net'

const [library, text] = process.argv.slice(2)
const { startMockCore } = await import(library)
const told = {}
for (const [name, options] of Object.entries(JSON.parse(text))) {
  if (options.kind === 'silent') {
    // Takes every connection and stays silent.
    const server = createServer(() => {})
    await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
    told[name] = { url: `https://127.0.0.1:${server.address().port}` }
  } else if (options.kind === 'gone') {
    const server = createServer()
    await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
    told[name] = { url: `https://127.0.0.1:${server.address().port}` }
    await new Promise(resolve => server.close(resolve))
  } else {
    const core = await startMockCore(options)
    told[name] = { url: core.url, fingerprint: core.certificateFingerprint, control: core.control }
  }
}
process.stdout.write(`${JSON.stringify(told)}\n`)
process.stdin.on('end', () => process.exit(0)).resume()
