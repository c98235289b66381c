import { Redactor } from './redact.js'
import type { Credentials } from './target.js'

/** Makes a redactor for the credentials of the Core, also in the form of the scheme Basic. */
export function redactorFor({ username, password }: Credentials): Redactor {
  const redactor = new Redactor()
  redactor.hide(password, 'password')
  redactor.hide(Buffer.from(`${username}:${password}`).toString('base64'), 'basic-credentials')
  return redactor
}
