/** `core-conformance run` for a fleet. */

import { ConfigError } from '../../config/error.js'
import type { Settings } from '../../config/settings.js'
import { planFor } from '../../engine/applicable.js'
import { clockOf } from '../../engine/clock.js'
import { type CoreHead, configurationOf, coreWithout } from '../../fleet/core.js'
import { fleetOf } from '../../fleet/fleet.js'
import type { FleetSuite } from '../../fleet/types.js'
import { count } from '../../ground/count.js'
import { resumeCommand } from '../../ground/own-command.js'
import { createBoard } from '../../report/fleet/board.js'
import { FLEET_REPORTERS } from '../../report/fleet/reporters.js'
import { namesText } from '../../report/fleet/words.js'
import { grouped } from '../../report/grouped.js'
import { inert } from '../../report/inert.js'
import { planLine } from '../../report/plan.js'
import { REPORTERS } from '../../report/reporters.js'
import { loadSpecs, revision, selectedSpecs } from '../../runner/choose-specs.js'
import type { CoreUnderTest } from '../../runner/embedded.js'
import type { Suite } from '../../suite/spec.js'
import { askPassword, type Terminal } from '../../terminal.js'
import { packageVersion } from '../../version.js'
import { beginJournal, type Sealing, sealingOf, warn } from '../one-core/begin-journal.js'
import { inputsOf, type PreparedRun, stopSignal } from '../one-core/run-and-report.js'
import { prepareFolder } from '../shared/folder.js'
import { reportersNamed } from '../shared/reporters.js'
import { configFlag, type FleetConfig, type Member } from './config.js'
import { type ReadyCore, runCores } from './cores.js'
import { comparedWith, earlierIn, forgetEarlier, keepEarlier, notYetCompared } from './earlier.js'
import { isTold, publishFleet, writeOpenFleet } from './files.js'
import { Shared } from './in-common.js'

/**
 * Runs the suite against many Cores.
 * @returns the exit code: 1 if one is nonconformant, else 3 if one could not be tested to the end, else 0
 * @throws ConfigError, ResultFileError, SuiteError or SelectionError before anything is sent
 */
export async function runFleet(config: FleetConfig, settings: Settings, terminal: Terminal): Promise<number> {
  const { outDir, members, shard, quiet, detach, atATime, since, reporters: reports, github } = config
  for (const warning of settings.unusedProxy(members.map(({ run }) => run.target.url.href))) warn(terminal, warning)
  // Read the earlier fleet first, so that a wrong file ends the command before an hour is spent.
  const earlier = await earlierIn(since)
  const prepared = await preparedMembers(members, terminal)
  const suite = suiteOf(prepared)
  await prepareFolder(outDir, [...REPORTERS, ...FLEET_REPORTERS])
  for (const { member, reporters } of prepared) await prepareFolder(member.run.outDir, reporters)
  await keepEarlier(outDir, earlier)
  const toResume = resumeCommand(outDir, configFlag(settings))
  const signal = stopSignal(terminal)
  const startedAt = new Date()
  const ready = await readyCores(prepared, terminal)
  const parts = { suite, startedAt: startedAt.toISOString(), reports, shard }
  const open = ready.map(({ head }) =>
    coreWithout(head, { reason: 'its run has not ended', advice: `finish it with: ${toResume}` }, parts.startedAt),
  )
  await writeOpenFleet(
    outDir,
    fleetOf({ ...parts, ...notYetCompared(earlier), cores: open, durationMs: 0, requirements: [] }),
  )
  const speaks = isTold(reports, config)
  if (speaks) terminal.stdout.write(`${planOf(prepared, config)}\n\n`)
  const board = !quiet
    ? createBoard(
        members.map(({ name }) => name),
        terminal.stderr,
        terminal.progress,
      )
    : undefined
  try {
    const end = await runCores(ready, {
      atATime,
      detach,
      resumeCommand: toResume,
      board,
      signal,
      terminal,
    })
    board?.stop()
    const { cores, requirements, problems, notices } = end
    const durationMs = Date.now() - startedAt.getTime()
    const fleet = comparedWith(earlier, fleetOf({ ...parts, cores, durationMs, requirements, notices }))
    const inputs = members.flatMap(({ run }) => inputsOf(run))
    const code = await publishFleet(
      fleet,
      { outDir, resumeCommand: toResume, github, quiet, problems, inputs },
      terminal,
    )
    await forgetEarlier(outDir, fleet)
    return code
  } finally {
    board?.stop()
  }
}

/** A Core with everything that is known before the first request. */
interface Prepared {
  member: Member
  suite: Suite
  reporters: Awaited<ReturnType<typeof reportersNamed>>
  met: CoreUnderTest
  run: Pick<PreparedRun, 'suite' | 'specs' | 'configuration' | 'tokenField' | 'revise'>
}

async function preparedMembers(members: readonly Member[], terminal: Terminal): Promise<Prepared[]> {
  const [suites, reporters] = [new Shared<Suite>(), new Shared<Prepared['reporters']>()]
  const told = new Set<string>()
  const credentials = await credentialsOf(members, terminal)
  const prepared: Prepared[] = []
  for (const member of members) {
    const { run, onlyLabel, name } = member
    const { configuration, tokenField, specFolders, known, contracts, target, control } = run
    const suite = await suites.of(specFolders, () => loadSpecs(specFolders))
    const specs = selectedSpecs(suite, configuration, onlyLabel)
    const revised = await revision(known, suite, warning => {
      // Cores share files: print each warning about a file once.
      if (!told.has(warning)) warn(terminal, warning)
      told.add(warning)
    })
    if (contracts.consumers.length) {
      const { prepareContracts } = await import('../contracts/folder.js')
      await prepareContracts(contracts, { specs, label: '--interactions' })
    }
    const { username = '', password = '' } = credentials.get(name) ?? {}
    prepared.push({
      member,
      suite,
      reporters: await reporters.of(run.reporters, () => reportersNamed(run.reporters, terminal)),
      met: { target: { ...target, username, password }, control, kind: 'core', close: async () => {} },
      run: { suite, specs, configuration, ...(tokenField !== undefined && { tokenField }), ...revised },
    })
  }
  return prepared
}

/** Returns the suite of the fleet: that of its first Core. All Cores normally run the same specs. */
function suiteOf([first]: readonly Prepared[]): FleetSuite {
  return { name: 'core-conformance', version: packageVersion(), specsDigest: first?.suite.digest ?? '' }
}

/**
 * Begins the journal of every Core before the first request to any, so that `resume` knows them all. Cores with one password
 * share the salt, and so the key, which takes 7 MB and some 0.07 s to make.
 */
async function readyCores(prepared: readonly Prepared[], terminal: Terminal): Promise<ReadyCore[]> {
  const keys = new Map<string, Sealing>()
  const ready: ReadyCore[] = []
  for (const { member, suite, reporters, met } of prepared) {
    const { outDir } = member.run
    const { password } = met.target
    const key = keys.get(password) ?? sealingOf(password)
    keys.set(password, key)
    const journal = await beginJournal(member.run, suite, met, clockOf(met.control), terminal, key)
    // The thread that runs the Core opens the journal again.
    journal.close()
    ready.push({
      head: headOf(member),
      outDir,
      isNew: true,
      password,
      seal: await key.seal,
      controlKey: met.control?.key,
      reporters: reporters.map(({ name }) => name),
    })
  }
  return ready
}

function headOf({ name, labels, run }: Member): CoreHead {
  const { url, label, firmware } = run.target
  return { name, url: url.origin, label, firmware, labels, configuration: configurationOf(run.configuration) }
}

/** Describes the plan: `plan: 500 Cores, 200 at a time; each 176 specs, about 1 h 4 min, up to 32 tokens held`. */
function planOf(prepared: readonly Prepared[], { atATime, shard }: FleetConfig): string {
  const plans = [...new Set(prepared.map(({ run }) => planLine(planFor(run)).replace(/^plan: /, '')))]
  const some = prepared.length > atATime ? `, ${atATime} at a time` : ''
  const part = shard ? `, shard ${shard.number} of ${shard.total}` : ''
  const each = plans.length === 1 ? plans[0] : `${plans.length} plans, the first: ${plans[0]}`
  return `plan: ${count(prepared.length, 'Core')}${some}${part}; each ${each}`
}

/**
 * Returns the user name and password of each Core, by the name of the Core.
 * @throws ConfigError that names the Cores without a user name, or without a password where there is no terminal to ask
 */
async function credentialsOf(
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
