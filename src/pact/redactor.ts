import { Redactor } from '../core/redact.js'

/** A redactor that knows the credentials of the Core, also as the scheme Basic puts them together. */
export function redactorFor({ username, password }: { username: string; password: string }): Redactor {
  const redactor = new Redactor()
  redactor.hide(password, 'password')
  redactor.hide(Buffer.from(`${username}:${password}`).toString('base64'), 'basic-credentials')
  return redactor
}
