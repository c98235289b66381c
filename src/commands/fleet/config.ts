/** Reads the configuration of a run of many Cores. */

import { join } from 'node:path'
import { SAID } from '../../config/origin.js'
import type { Settings } from '../../config/settings.js'
import { targetSecret } from '../../config/variables.js'
import { isName, nameOfUrl, sameName } from '../../fleet/name.js'
import { listDigest, shareOf } from '../../fleet/shard.js'
import { FLEET_FILE, OPEN_FLEET_FILE } from '../../fleet/types.js'
import { ConfigError } from '../../ground/config-error.js'
import { count } from '../../ground/count.js'
import { ownCommand } from '../../ground/own-command.js'
import { FLEET_REPORTERS } from '../../report/fleet/reporters.js'
import { filesOf, isOwnReporter } from '../../report/reporter.js'
import { REPORTERS, RESULT_FILE } from '../../report/reporters.js'
import { runConfig, shownSettings } from '../one-core/config.js'
import { CORES, OUT, SINCE } from '../shared/declared.js'
import { namedReporters } from '../shared/given.js'
import { type Named, type Share, selectionOf, shareOfSettings } from './targets.js'

/** The configuration of a `run` of many Cores; its `members` are those of this machine's shard, sorted by name. */
export type FleetConfig = NonNullable<ReturnType<typeof fleetConfig>>

export type Member = ReturnType<typeof memberOf>

/** Settings that differ from Core to Core, so that one value cannot hold for all. */
const OF_ONE = ['label', 'control-url'] as const

/**
 * Reads a {@link FleetConfig} from the settings.
 * @returns undefined if the user named one Core or none: then {@link singleSettings} gives the settings of the run
 * @throws ConfigError for the first value that cannot be used, for two Cores with one name or address, and for an empty shard
 */
export function fleetConfig(settings: Settings) {
  const selection = selectionOf(settings)
  const share = shareOfSettings(settings)
  if (!selection?.isMany && (!share || !selection)) {
    refuseFleetFlags(settings, share)
    return undefined
  }
  for (const flag of OF_ONE) {
    const given = settings.get(flag, SAID)
    if (given)
      throw new ConfigError(
        `${given.label} is of one Core, and many are named: say it of each target in the configuration file`,
      )
  }
  const given = settings.values({ outDir: OUT, atATime: CORES, since: SINCE })
  const members = selection.named.map(named => memberOf(named, settings, given.outDir))
  refuseAlike(members, selection.named)
  return {
    ...given,
    ...shownSettings(settings),
    ...shared(members, share, settings),
    reporters: fleetReportersOf(settings),
  }
}

/** Returns the settings of a run of one Core. An operand may name that Core instead of `--target`. */
export function singleSettings(settings: Settings): Settings {
  const [target] = settings.operands
  return target === undefined ? settings : settings.forTarget(target, 'the target', {})
}

/** Lists the reports of a fleet that can be made here. */
export function fleetReports(settings: Settings): string[] {
  const isInGithub = settings.github() !== undefined
  return FLEET_REPORTERS.filter(({ needs }) => !needs || isInGithub).map(({ name }) => name)
}

/** Lists the fleet reports that the user named, else all of them. Reporters of the user's own are for single Cores. */
export function fleetReportersOf(settings: Settings): string[] {
  const named = namedReporters(settings)
  return fleetReports(settings).filter(name => !named || named.includes(name))
}

function refuseFleetFlags(settings: Settings, share: Share | undefined): void {
  // It changes nothing for one Core, and a wrong value is a mistake all the same.
  settings.value(CORES)
  const since = settings.get('since')
  const flag = share ? settings.get('shard') : since
  if (!flag) return
  const instead = flag === since ? `; for two results there is '${ownCommand('diff')}'` : ''
  throw new ConfigError(
    `${flag.label} is for many Cores: name them with --target, --targets or --all-targets${instead}`,
  )
}

/** Reads the run of one Core, as if the user had named only this Core. Its name is also that of its folder. */
function memberOf({ target, label }: Named, settings: Settings, outDir: string) {
  const isNamed = !target.includes('://')
  const name = isNamed ? target : nameOfUrl(target)
  const out = join(outDir, name)
  const own = settings.forTarget(target, label, { out })
  const { target: core, ...run } = runConfig(own)
  if (!core) throw new ConfigError(`${label} has no URL`)
  const [reporters, contracts] = [reportersOfCore(run.reporters), { ...run.contracts, dir: join(out, 'contracts') }]
  return {
    name,
    labels: isNamed ? (settings.configFile?.labels(target) ?? {}) : {},
    run: { ...run, target: core, reporters, contracts },
    /** The name in messages of the setting that selects its specs. */
    onlyLabel: own.get('only')?.label,
    passwordVariables: [...(isNamed ? [targetSecret('CORE_PASSWORD', target)] : []), 'CORE_PASSWORD'],
  }
}

/**
 * Lists the reports of each Core in a fleet: of the named ones those that are files, and always the result. The fleet's own
 * reports are made from the results.
 */
export function reportersOfCore(names: readonly string[]): string[] {
  const ours = REPORTERS.filter(
    ({ name, file }) => file !== undefined && (names.includes(name) || file === RESULT_FILE),
  )
  return [...ours.map(({ name }) => name), ...names.filter(isOwnReporter)]
}

/** File names that the fleet itself uses. */
const TAKEN = new Set([FLEET_FILE, OPEN_FLEET_FILE, ...filesOf(FLEET_REPORTERS), ...filesOf(REPORTERS)].map(sameName))

/** Refuses two Cores with one folder, and two runs of one Core: those would end each other's tokens. */
function refuseAlike(members: readonly Member[], named: readonly Named[]): void {
  const [names, urls] = [new Map<string, string>(), new Map<string, string>()]
  for (const [index, { name, run }] of members.entries()) {
    const label = named[index]?.label ?? ''
    if (!isName(name) || TAKEN.has(sameName(name)))
      throw new ConfigError(
        `${label}: '${name}' cannot be the name of a Core in a fleet, since its folder would be called so: give it another name in the configuration file`,
      )
    const { origin } = run.target.url
    const [twin, double] = [urls.get(origin), names.get(sameName(name))]
    const who = `${name} (${label})`
    if (twin !== undefined)
      throw new ConfigError(
        `${twin} and ${who} are the same Core (${origin}), and two runs at a time would disturb each other: name it once`,
      )
    if (double !== undefined)
      throw new ConfigError(
        `${double} and ${who} would both have the folder ${name}: give one of them a name of its own in the configuration file`,
      )
    names.set(sameName(name), who)
    urls.set(origin, who)
  }
}

function shared(all: Member[], share: Share | undefined, settings: Settings) {
  if (!share) return { members: shareOf(all, 1, 1), shard: undefined }
  const { number, total } = share
  const members = shareOf(all, number, total)
  if (!members.length)
    throw new ConfigError(
      `${settings.label('shard')}: of ${count(all.length, 'Core')}, shard ${number} of ${total} has none: make no more than ${count(all.length, 'shard')}`,
    )
  const of = listDigest(
    all.map(({ name, run }) => ({ name, url: run.target.url.origin, configuration: run.configuration })),
  )
  return { members, shard: { number, total, of } }
}
