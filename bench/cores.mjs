/** Serves this many mock Cores in one process, and prints their URLs in one line of JSON. Usage: node cores.mjs NUMBER */
import { startMockCore } from '../dist/index.js'

const { CORE_USERNAME: username, CORE_PASSWORD: password } = process.env
const told = []
while (told.length < Number(process.argv[2])) {
  const { url, certificateFingerprint, control } = await startMockCore({ username, password })
  told.push({ url, certificateFingerprint, control: { url: control.url, key: control.key } })
}
process.stdout.write(`${JSON.stringify(told)}\n`)
