/** The token where only the credentials or the logon's own answer tell how it is written. */
import type { Generator } from './made.js'

/** The token as another scheme encodes it, and the very cookies that its logon set. */
export const carried: Generator = ({ token, username, cookies }) => {
  const basic = (text: string) => ({ Authorization: `Basic ${Buffer.from(text).toString('base64')}` })
  return [
    { name: 'Basic, as the password', headers: basic(`${username}:${token}`) },
    { name: 'Basic, as the user name', headers: basic(`${token}:`) },
    ...(cookies.length ? [{ name: 'the cookies that the logon set', headers: { Cookie: cookies.join('; ') } }] : []),
  ]
}
