import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Settings } from '../config/settings.js'
import { coreOf, coreWithout, requirementsOf } from '../fleet/core.js'
import { fleetOf } from '../fleet/fleet.js'
import { isName, nameOfUrl, safeName } from '../fleet/name.js'
import { type FleetPart, missingShards, strangers } from '../fleet/shard.js'
import { FLEET_FILE, type FleetCore, type FleetRequirement } from '../fleet/types.js'
import { ConfigError } from '../ground/config-error.js'
import { resumeCommand } from '../ground/own-command.js'
import { FLEET_REPORTERS } from '../report/fleet/reporters.js'
import { readFleet, readResult } from '../report/read.js'
import { filesOf } from '../report/reporter.js'
import { REPORTERS, RESULT_FILE } from '../report/reporters.js'
import { FOUND_FOLDER } from '../report/reproduce.js'
import { filesBeside } from '../report/scripts.js'
import type { OutFile } from '../report/write.js'
import { earlierFiles, writeReports } from '../report/write-reports.js'
import type { Terminal } from '../terminal.js'
import { fleetReports } from './fleet/config.js'
import { earlierFleet, publishFleet } from './fleet/files.js'
import { MERGE } from './shared/declared.js'
import { prepareFolder } from './shared/folder.js'
import { chosenReports } from './shared/given.js'

/**
 * `core-conformance merge`: makes one fleet from shards, or from single results.
 * @returns the exit code that one run of the whole fleet would have
 */
export async function merge(settings: Settings, terminal: Terminal): Promise<number> {
  const { folders, outDir, since, reporters, github, quiet } = mergeConfig(settings)
  const earlier = await earlierFleet(since)
  const parts = await partsIn(folders, outDir)
  const wrong = strangers(parts)
  if (wrong.length) throw new ConfigError(`these do not belong together, and nothing was written: ${wrong.join('; ')}`)
  refuseInPlace(parts, outDir)
  const cores = parts.flatMap(part => part.cores)
  await prepareFolder(outDir, [...REPORTERS, ...FLEET_REPORTERS])
  for (const { name, hasResult } of cores) if (hasResult) await prepareFolder(join(outDir, name), REPORTERS)
  const problems: string[] = []
  for (const part of parts)
    for (const core of part.cores) if (core.hasResult) problems.push(...(await copied(part, core, outDir)))
  const [first] = parts
  if (!first) throw new ConfigError('there is nothing to merge')
  const shards = parts.flatMap(({ shard }) => shard ?? [])
  const numbers = missingShards(shards)
  const startMs = Math.min(...parts.map(({ startedAt }) => Date.parse(startedAt)))
  const endMs = Math.max(...parts.map(({ startedAt, durationMs }) => Date.parse(startedAt) + durationMs))
  const made = fleetOf({
    suite: { name: 'core-conformance', version: first.suite.version, specsDigest: first.suite.specsDigest },
    cores,
    startedAt: new Date(startMs).toISOString(),
    durationMs: endMs - startMs,
    reports: reporters,
    requirements: parts.map(({ requirements }) => requirements).find(({ length }) => length > 0) ?? [],
    notices: cores
      .filter(({ verdict }) => verdict === 'pending')
      .map(({ name }) => `${name} is pending: finish it where it was begun, and merge again`),
    ...(numbers.length > 0 && { missing: { numbers, total: shards[0]?.total ?? 0 } }),
  })
  const showing = { outDir, earlier, resumeCommand: resumeCommand(outDir), github, quiet, problems, inputs: folders }
  return publishFleet(made, showing, terminal)
}

/** Refuses an output folder that would overwrite a part. */
function refuseInPlace(parts: readonly FoundPart[], outDir: string): void {
  for (const { where, folders } of parts) {
    const isSame = resolve(where) === resolve(outDir)
    const isIn = [...folders].some(([name, folder]) => resolve(folder) === resolve(join(outDir, name)))
    if (isSame || isIn) throw new ConfigError(`${where} is what would be written to: name another folder with --out`)
    const stray = [...folders.keys()].find(name => !isName(name))
    if (stray !== undefined)
      throw new ConfigError(`${where} names a Core '${stray}' that cannot be the name of a folder`)
  }
}

/**
 * Reads the files of a folder. Leaves out what is no plain file: a symbolic link in a part could publish any file of this machine.
 * @param names paths from the folder on
 */
function filesIn(folder: string, names: readonly string[]): OutFile[] {
  return names.flatMap(path => {
    const place = join(folder, path)
    const isPlain = lstatSync(place, { throwIfNoEntry: false })?.isFile()
    return isPlain ? [{ path, text: readFileSync(place, 'utf8') }] : []
  })
}

/**
 * Copies the reports of a Core into its folder of the fleet. Makes the Core's page if the part has none: the page of the fleet
 * links to it.
 * @returns what could not be made, in sentences
 */
async function copied({ folders }: FoundPart, { name }: FleetCore, outDir: string): Promise<string[]> {
  const [from, to] = [folders.get(name) ?? '', join(outDir, name)]
  const found = join(from, FOUND_FOLDER)
  const isFolder = lstatSync(found, { throwIfNoEntry: false })?.isDirectory()
  const findings = isFolder ? readdirSync(found).map(each => join(FOUND_FOLDER, each)) : []
  const copies = filesIn(from, [...filesOf(REPORTERS), ...findings])
  const has = (file: string | undefined) => copies.some(({ path }) => path === file)
  const absent = REPORTERS.filter(({ file, byDefault }) => byDefault && file !== undefined && !has(file))
  const result = await readResult(join(from, RESULT_FILE))
  // Make the scripts that show a failure again from the result, and copy none: the user runs these scripts and trusts them.
  const scripts = filesBeside(result, true).filter(({ path }) => !has(path))
  const files = { beside: [...copies, ...scripts], replaces: earlierFiles(to) }
  return (await writeReports(result, { outDir: to, reporters: absent, ...files })).problems
}

export function mergeConfig(settings: Settings) {
  const { reporters, ...given } = settings.values(MERGE.settings)
  const all = fleetReports(settings)
  return {
    ...given,
    folders: settings.operands,
    reporters: chosenReports(settings, reporters, all, ' here'),
    github: settings.github(),
  }
}

/** A part with the folders of its Cores. */
interface FoundPart extends FleetPart {
  /** The folder with the reports of each Core, by the name of the Core. */
  folders: ReadonlyMap<string, string>
  requirements: FleetRequirement[]
  startedAt: string
  durationMs: number
}

/**
 * Reads the parts in these folders. If a folder is no part itself, reads the parts in the folders inside it.
 * @param outDir the output folder, which is no part
 * @throws ConfigError for a folder without parts; ResultFileError for a file that cannot be used
 */
async function partsIn(folders: readonly string[], outDir: string): Promise<FoundPart[]> {
  const places = [...new Set(folders.flatMap(folder => placesIn(folder, outDir)))]
  const parts: FoundPart[] = []
  for (const place of places)
    parts.push(existsSync(join(place, FLEET_FILE)) ? await fleetPart(place) : await singlePart(place))
  return parts
}

function placesIn(given: string, outDir: string): string[] {
  // The name of a fleet or result file stands for its folder.
  const folder =
    given.replace(/[/\\]+$/, '').replace(/(^|[/\\])(?:fleet|result)\.json$/, '') || (/^[/\\]/.test(given) ? '/' : '.')
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new ConfigError(`${given} is no folder: name folders of reports`)
  if (isPart(folder)) return [folder]
  const inside = readdirSync(folder, { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(({ name }) => join(folder, name))
    // The output of an earlier merge is no part.
    .filter(place => isPart(place) && resolve(place) !== resolve(outDir))
    .sort()
  if (inside.length) return inside
  throw new ConfigError(
    `there is neither ${FLEET_FILE} nor ${RESULT_FILE} in ${given}, nor in a folder in it: name the folders that runs left (their --out)`,
  )
}

function isPart(folder: string): boolean {
  return existsSync(join(folder, FLEET_FILE)) || existsSync(join(folder, RESULT_FILE))
}

async function fleetPart(where: string): Promise<FoundPart> {
  const { suite, shard, cores, requirements, startedAt, durationMs } = await readFleet(join(where, FLEET_FILE))
  const read: FleetCore[] = []
  for (const core of cores) {
    const file = join(where, core.name, RESULT_FILE)
    // The result says more than the file of its fleet. A run that was killed may have left one that this file does not name.
    const isThere = core.hasResult || existsSync(file)
    read.push(isThere ? coreOf(await readResult(file), core) : coreWithout(core, core, core.startedAt))
  }
  const folders = new Map(cores.map(({ name }) => [name, join(where, name)]))
  return { where, suite, ...(shard && { shard }), cores: read, folders, requirements, startedAt, durationMs }
}

async function singlePart(where: string): Promise<FoundPart> {
  const result = await readResult(join(where, RESULT_FILE))
  const { target, suite, startedAt, durationMs } = result
  // Its name is the label that the user gave, else its address.
  const name = (target.label !== undefined && safeName(target.label)) || nameOfUrl(target.url)
  return {
    where,
    suite,
    cores: [coreOf(result, { name })],
    folders: new Map([[name, where]]),
    requirements: requirementsOf(result),
    startedAt,
    durationMs,
  }
}
