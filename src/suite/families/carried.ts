/** Carries the token in ways that depend on the credentials or on the answer to the logon. */
import type { Generator } from './made.js'

/** Encodes the token as another scheme does, and sends the very cookies that its logon set. */
export const carried: Generator = ({ token, username, cookies }) => {
  const basic = (text: string) => ({ Authorization: `Basic ${Buffer.from(text).toString('base64')}` })
  return [
    { name: 'Basic, as the password', headers: basic(`${username}:${token}`) },
    { name: 'Basic, as the user name', headers: basic(`${token}:`) },
    ...(cookies.length ? [{ name: 'the cookies that the logon set', headers: { Cookie: cookies.join('; ') } }] : []),
  ]
}
