/** `core-conformance run` for a fleet. */

import type { Settings } from '../../config/settings.js'
import { planFor } from '../../engine/applicable.js'
import { coreWithout } from '../../fleet/core.js'
import { fleetOf } from '../../fleet/fleet.js'
import { ConfigError } from '../../ground/config-error.js'
import { count, listed } from '../../ground/count.js'
import { grouped } from '../../ground/grouped.js'
import { once } from '../../ground/once.js'
import { resumeCommand } from '../../ground/own-command.js'
import { newSeal } from '../../journal/own-key.js'
import { FLEET_REPORTERS } from '../../report/fleet/reporters.js'
import { inert } from '../../report/inert.js'
import { planLine } from '../../report/plan.js'
import { onTerminal } from '../../report/reporter.js'
import { REPORTERS } from '../../report/reporters.js'
import { ownCore } from '../../runner/embedded.js'
import { askPassword, type Terminal } from '../../terminal.js'
import { packageVersion } from '../../version.js'
import { stopSignal } from '../one-core/console.js'
import { begin, inputsOf, meansOf, type Prepared, prepare, prepareFolders, warn } from '../one-core/run.js'
import { prepareFolder } from '../shared/folder.js'
import type { FleetConfig, Member } from './config.js'
import { earlierFleet, keepEarlier, writeOpenFleet } from './files.js'
import { type CoreTask, taskOf } from './share.js'
import { finishFleet } from './shares.js'

/**
 * Runs the suite against many Cores.
 * @returns the exit code: 1 if one is nonconformant, else 3 if one could not be tested to the end, else 0
 */
export async function runFleet(config: FleetConfig, settings: Settings, terminal: Terminal): Promise<number> {
  const { outDir, members, shard, since, reporters: reports } = config
  for (const warning of settings.unusedProxy(members.map(({ run }) => run.target.url.href))) warn(terminal, warning)
  // Read the earlier fleet first, so that a wrong file ends the command before an hour is spent.
  const earlier = await earlierFleet(since)
  const passwords = await passwordsOf(members, terminal)
  const means = meansOf(terminal)
  const prepared = new Map<Member, Prepared>()
  for (const member of members)
    prepared.set(member, await prepare(member.run, member.run.outDir, means, member.onlyLabel))
  const all = [...prepared.values()]
  await prepareFolder(outDir, [...REPORTERS, ...FLEET_REPORTERS])
  for (const each of all) await prepareFolders(each, '--interactions')
  await keepEarlier(outDir, earlier)
  const toResume = resumeCommand(outDir, settings.given('config', 'flag')?.text)
  const signal = stopSignal(terminal)
  const startedAt = new Date().toISOString()
  const tasks = await beginAll(prepared, passwords, terminal)
  const open = { reason: 'its run has not ended', advice: `finish it with: ${toResume}` }
  const fleet = fleetOf({
    // All Cores normally run the same specs.
    suite: { name: 'core-conformance', version: packageVersion(), specsDigest: all[0]?.suite.digest ?? '' },
    startedAt,
    reports,
    shard,
    cores: tasks.map(({ head }) => coreWithout(head, open, startedAt)),
    durationMs: 0,
    requirements: [],
  })
  await writeOpenFleet(outDir, fleet, earlier)
  const forPeople = onTerminal(FLEET_REPORTERS.filter(({ name }) => reports.includes(name)))
  if (forPeople && !config.quiet) terminal.stdout.write(`${planOf(all, config)}\n\n`)
  const how = { ...config, inputs: all.flatMap(({ told }) => inputsOf(told)), earlier, resumeCommand: toResume }
  return finishFleet({ ...fleet, cores: [] }, tasks, how, signal, terminal)
}

/**
 * Begins the journal of every Core before the first request to any, so that `resume` knows them all. Cores with one password
 * share the salt, and so the key, which takes 7 MB and some 0.07 s to make.
 */
async function beginAll(
  prepared: ReadonlyMap<Member, Prepared>,
  passwords: ReadonlyMap<string, string>,
  terminal: Terminal,
): Promise<CoreTask[]> {
  const sealOf = once((password: string) => newSeal(password))
  const tasks: CoreTask[] = []
  for (const [member, own] of prepared) {
    const { username = '', target, control } = member.run
    const password = passwords.get(member.name) ?? ''
    const made = await sealOf(password)
    const met = ownCore({ ...target, username, password }, control)
    const { line, journal } = await begin(own, met, made, terminal)
    // The process that runs the Core opens the journal again.
    journal.close()
    tasks.push(taskOf(member, line, { ...own, seal: made.seal, password, controlKey: control?.key }))
  }
  return tasks
}

/** Describes the plan: `plan: 500 Cores, 200 at a time; each 176 specs, about 1 h 4 min, up to 32 tokens held`. */
function planOf(prepared: readonly Prepared[], { atATime, shard }: FleetConfig): string {
  const plans = [...new Set(prepared.map(run => planLine(planFor(run)).replace(/^plan: /, '')))]
  const some = prepared.length > atATime ? `, ${atATime} at a time` : ''
  const part = shard ? `, shard ${shard.number} of ${shard.total}` : ''
  const each = plans.length === 1 ? plans[0] : `${plans.length} plans, the first: ${plans[0]}`
  return `plan: ${count(prepared.length, 'Core')}${some}${part}; each ${each}`
}

/**
 * Returns the password of each Core, by the name of the Core. An open Core needs none.
 * @throws ConfigError that names the Cores without a user name, or without a password where there is no terminal to ask
 */
async function passwordsOf(members: readonly Member[], terminal: Terminal): Promise<Map<string, string>> {
  const found = new Map(members.map(({ name, run }) => [name, run.password ?? '']))
  const closed = members.filter(({ run }) => run.configuration.accessControl === 'on')
  const nameless = closed.filter(({ run }) => run.username === undefined)
  if (nameless.length)
    throw new ConfigError(
      `no user name for ${listed(nameless.map(({ name }) => name))}: set CORE_USERNAME, pass --username, or say it in the configuration file`,
    )
  const silent = closed.filter(({ run }) => run.password === undefined)
  if (silent.length && !terminal.stdin.isTTY) {
    const [first] = silent
    const names = listed(silent.map(({ name }) => name))
    throw new ConfigError(
      `no password for ${names}: set ${first?.passwordVariables.join(' or ') ?? 'CORE_PASSWORD'}, in the environment or in .env`,
    )
  }
  for (const [username, of] of grouped(silent, ({ run }) => run.username ?? '')) {
    const where = of.length === 1 ? of[0]?.name : `${count(of.length, 'Core')} (${listed(of.map(({ name }) => name))})`
    const password = await askPassword(terminal, `Password of ${inert(username)} on ${where}: `)
    for (const { name } of of) found.set(name, password)
  }
  return found
}
