/**
 * The floor of a run: sends the exchanges of a plan to a mock Core with nothing but Node, and judges nothing.
 * Usage: node floor.mjs PLAN.json, a file that bench/run.ts made of a run's own result.
 */
import { readFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'

const { url, control, credentials, concurrency, chains, leapsMs } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
let free = concurrency
const queue = []

async function slot(work) {
  if (free > 0) free--
  else await new Promise(resolve => queue.push(resolve))
  try {
    return await work()
  } finally {
    const next = queue.shift()
    if (next) next()
    else free++
  }
}

function exchange(send, target, options, body) {
  return new Promise((resolve, reject) => {
    const request = send(target, options, response => {
      const chunks = []
      response.on('data', chunk => chunks.push(chunk))
      response.on('end', () => resolve(Buffer.concat(chunks).toString()))
    })
    request.on('error', reject)
    request.end(body)
  })
}

async function run(chain) {
  const tokens = {}
  // Like the product: the exchanges of a spec share a connection.
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false })
  for (const { method, path, headers, setHost, token, gives, logon } of chain) {
    const all = { ...headers, ...(token && { Authorization: `Bearer ${tokens[token] ?? token}` }) }
    const body = logon ? JSON.stringify(credentials) : undefined
    const answer = await slot(() => exchange(httpsRequest, url, { agent, method, path, headers: all, setHost }, body))
    if (gives) tokens[gives] = JSON.parse(answer).token
  }
  agent.destroy()
}

await Promise.all(chains.map(run))
for (const ms of leapsMs) {
  const headers = { Authorization: `Bearer ${control.key}`, 'Content-Type': 'application/json' }
  await exchange(httpRequest, new URL('/advance', control.url), { method: 'POST', headers }, JSON.stringify({ ms }))
}
