/** Reads and checks the parts to merge: shards, fleets and single results in folders. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ConfigError } from '../../config/error.js'
import type { FleetPart } from '../../fleet/belong-together.js'
import { coreOf, coreWithout, requirementsOf } from '../../fleet/core.js'
import { nameOfUrl, safeName } from '../../fleet/name.js'
import { FLEET_FILE, type FleetCore, type FleetRequirement } from '../../fleet/types.js'
import { readFleet } from '../../report/fleet/read.js'
import { RESULT_FILE } from '../../report/index.js'
import { readResult } from '../../report/read.js'
import type { RunResult } from '../../result.js'

/** A part with the folders of its Cores. */
export interface FoundPart extends FleetPart {
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
export async function partsIn(folders: readonly string[], outDir: string): Promise<FoundPart[]> {
  const places = [...new Set(folders.flatMap(folder => placesIn(folder, outDir)))]
  const parts: FoundPart[] = []
  for (const place of places) {
    parts.push(existsSync(join(place, FLEET_FILE)) ? await fleetPart(place) : await singlePart(place))
  }
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
  for (const core of cores) read.push(await coreIn(where, core))
  const folders = new Map(cores.map(({ name }) => [name, join(where, name)]))
  return { where, suite, ...(shard && { shard }), cores: read, folders, requirements, startedAt, durationMs }
}

/**
 * Reads a Core from its result, which says more than the file of its fleet. Looks for the result also if the fleet file names
 * none: a run that was killed may have left one.
 */
async function coreIn(where: string, core: FleetCore): Promise<FleetCore> {
  const file = join(where, core.name, RESULT_FILE)
  if (!core.hasResult && !existsSync(file)) return coreWithout(core, core, core.startedAt)
  return coreOf(await readResult(file), core)
}

async function singlePart(where: string): Promise<FoundPart> {
  const result = await readResult(join(where, RESULT_FILE))
  const name = nameOf(result)
  const { suite, startedAt, durationMs } = result
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

/** Names a Core that ran alone: by the label that the user gave, else by its address. */
function nameOf({ target }: RunResult): string {
  return (target.label !== undefined && safeName(target.label)) || nameOfUrl(target.url)
}
