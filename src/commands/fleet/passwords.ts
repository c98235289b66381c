/** Finds the passwords of a fleet: in the environment or `.env`, else by a prompt, once for all Cores of a user. */
import { ConfigError } from '../../config/error.js'
import { count } from '../../ground/count.js'
import { namesText } from '../../report/fleet/words.js'
import { grouped } from '../../report/grouped.js'
import { inert } from '../../report/inert.js'
import { askPassword, type Terminal } from '../../terminal.js'
import type { Member } from './config.js'

/**
 * Returns the user name and password of each Core, by the name of the Core.
 * @throws ConfigError that names the Cores without a user name, or without a password where there is no terminal to ask
 */
export async function credentialsOf(
  members: readonly Member[],
  terminal: Terminal,
): Promise<Map<string, { username: string; password: string }>> {
  const found = new Map<string, { username: string; password: string }>()
  const nameless = members.filter(({ run }) => run.username === undefined && run.configuration.accessControl === 'on')
  if (nameless.length)
    throw new ConfigError(
      `no user name for ${namesText(nameless.map(({ name }) => name))}: set CORE_USERNAME, pass --username, or say it in the configuration file`,
    )
  const silent: Member[] = []
  for (const member of members) {
    const { username = '', password, configuration } = member.run
    // An open Core needs no logon, so the run sends none.
    if (password === undefined && configuration.accessControl === 'on') silent.push(member)
    else found.set(member.name, { username, password: password ?? '' })
  }
  if (silent.length && !terminal.stdin.isTTY) {
    const [first] = silent
    const names = namesText(silent.map(({ name }) => name))
    throw new ConfigError(
      `no password for ${names}: set ${first?.passwordVariables.join(' or ') ?? 'CORE_PASSWORD'}, in the environment or in .env`,
    )
  }
  for (const [username, of] of grouped(silent, ({ run }) => run.username ?? '')) {
    const where =
      of.length === 1 ? of[0]?.name : `${count(of.length, 'Core')} (${namesText(of.map(({ name }) => name))})`
    const password = await askPassword(terminal, `Password of ${inert(username)} on ${where}: `)
    for (const { name } of of) found.set(name, { username, password })
  }
  return found
}
