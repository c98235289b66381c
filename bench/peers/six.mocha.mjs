/** Sends the six requests as a user of mocha and pactum writes them. */
import pactum from 'pactum'

const { CORE_URL, CORE_USERNAME: username, CORE_PASSWORD: password } = process.env
const logon = `${CORE_URL}/api/v0/logon`
const users = `${CORE_URL}/api/v0/cores/self/users`
/** Makes a request that does not verify the certificate, as with all tools here. */
const spec = core =>
  pactum
    .spec()
    .withCore({ rejectUnauthorized: false, ...core })
    .withHeaders('Accept', 'application/json')
const withToken = core => spec(core).withHeaders('Authorization', `Bearer ${token}`)
let token = ''

describe('tokens of a Core', () => {
  it('a logon issues one', async () => {
    token = await spec().post(logon).withJson({ username, password }).expectStatus(201).returns('token')
  })
  it('it is accepted', () => withToken().get(users).expectStatus(200).toss())
  it('a request without one is rejected', () => spec().get(users).expectStatus(401).toss())
  it('a request without Host is rejected', () => withToken({ setHost: false }).get(users).expectStatus(406).toss())
  it('it can be revoked', () => withToken().delete(logon).expectStatus(204).toss())
  it('then it is rejected', () => withToken().get(users).expectStatus(401).toss())
})
