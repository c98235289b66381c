import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ConfigError } from '../../config/error.js'
import type { Settings } from '../../config/settings.js'
import { strangers } from '../../fleet/belong-together.js'
import { fleetOf } from '../../fleet/fleet.js'
import { isName } from '../../fleet/name.js'
import { missingShards } from '../../fleet/shard.js'
import { sinceOf } from '../../fleet/since.js'
import type { FleetCore } from '../../fleet/types.js'
import { resumeCommand } from '../../ground/own-command.js'
import { readFleet } from '../../report/fleet/read.js'
import { FLEET_REPORTERS } from '../../report/fleet/reporters.js'
import {
  earlierFiles,
  FOUND_FOLDER,
  filesBeside,
  filesOf,
  REPORTERS,
  RESULT_FILE,
  writeReports,
} from '../../report/index.js'
import { readResult } from '../../report/read.js'
import type { OutFile } from '../../report/write.js'
import { hint } from '../../suite/problem.js'
import type { Terminal } from '../../terminal.js'
import { publishFleet } from '../fleet/files.js'
import { SINCE } from '../fleet/settings.js'
import { prepareFolder } from '../shared/folder.js'
import { OUT, QUIET } from '../shared/settings.js'
import { type FoundPart, partsIn } from './parts.js'
import { MERGE_REPORTER } from './settings.js'

/**
 * `core-conformance merge`: makes one fleet from shards, or from single results.
 * @returns the exit code that one run of the whole fleet would have
 * @throws ConfigError or ResultFileError if a part cannot be used or the parts do not belong together; Error if a file cannot be
 * written
 */
export async function merge(settings: Settings, terminal: Terminal): Promise<number> {
  const { folders, outDir, since, reporters, github, quiet } = mergeConfig(settings)
  const earlier = since === undefined ? undefined : await readFleet(since)
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
  const missing = shards[0] && { numbers: missingShards(shards), total: shards[0].total }
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
    ...(missing && { missing }),
  })
  const compared = earlier && since !== undefined ? { ...made, since: sinceOf(earlier, made, since) } : made
  return publishFleet(
    compared,
    { outDir, resumeCommand: resumeCommand(outDir), github, quiet, problems, inputs: folders },
    terminal,
  )
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

/** Reads the settings of a `merge`. */
export function mergeConfig(settings: Settings) {
  const github = settings.github()
  const all = FLEET_REPORTERS.filter(({ needs }) => !needs || github).map(({ name }) => name)
  const named = settings.value(MERGE_REPORTER)
  const stranger = named.find(name => !all.includes(name))
  if (stranger !== undefined)
    throw new ConfigError(`${settings.label('reporter')}: there is no report '${stranger}' here${hint(stranger, all)}`)
  return {
    ...settings.values({ outDir: OUT, since: SINCE, quiet: QUIET }),
    folders: settings.operands,
    reporters: named.length ? all.filter(name => named.includes(name)) : all,
    github,
  }
}
