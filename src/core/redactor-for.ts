import { Redactor } from './redact.js'

/** Makes a redactor for the credentials of the Core, also in the form of the scheme Basic. */
export function redactorFor({ username, password }: { username: string; password: string }): Redactor {
  const redactor = new Redactor()
  redactor.hide(password, 'password')
  redactor.hide(Buffer.from(`${username}:${password}`).toString('base64'), 'basic-credentials')
  return redactor
}
