/** Sends the six requests with plain Node, compares each status and reports nothing: the least that a tool can take. */
import { request } from 'node:https'

const { CORE_URL = '', CORE_USERNAME: username, CORE_PASSWORD: password } = process.env
const accept = { Accept: 'application/json' }

/** Sends one request on a connection of its own. Ends the process with 1 where the status differs. */
function send(method, path, headers, wanted, { body, setHost = true } = {}) {
  return new Promise((resolve, reject) => {
    const options = { method, headers, setHost, agent: false, rejectUnauthorized: false }
    const sent = request(new URL(path, CORE_URL), options, response => {
      let text = ''
      response.setEncoding('utf8').on('data', chunk => {
        text += chunk
      })
      response.on('end', () =>
        response.statusCode === wanted
          ? resolve(text)
          : reject(new Error(`${method} ${path}: ${response.statusCode} instead of ${wanted}`)),
      )
    })
    sent.on('error', reject).end(body)
  })
}

const logon = '/api/v0/logon'
const users = '/api/v0/cores/self/users'
const body = JSON.stringify({ username, password })
const { token } = JSON.parse(
  await send('POST', logon, { ...accept, 'Content-Type': 'application/json' }, 201, { body }),
)
const withToken = { ...accept, Authorization: `Bearer ${token}` }
await send('GET', users, withToken, 200)
await send('GET', users, accept, 401)
await send('GET', users, withToken, 406, { setHost: false })
await send('DELETE', logon, withToken, 204)
await send('GET', users, withToken, 401)
