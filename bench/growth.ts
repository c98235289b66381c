/** Measures how the cost of a run grows: with the specs, the Cores, and the length of the answers. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { count } from '../src/ground/count.js'
import type { RunResult } from '../src/result.js'
import { inTurn, type Summary, spend } from './measure.js'
import { PASSWORD, PROGRAM, plainEnv, serveMany, serveOne, USERNAME } from './mock-core.js'

/** The cost at one size. */
export interface Cost extends Summary {
  /** Such as `80 specs`. */
  size: string
  specs: number
  requests: number
}

/** Three specs that send the six requests. */
const SIX = 'revocation-rejects,access-without-token-http11,host-missing-access-http11'
const AREA = 'revocation'

/** Runs the product. @param folder where its reports go */
function run(args: string[], env: Record<string, string>, folder: string) {
  const steps = [() => [process.execPath, PROGRAM, 'run', '--explore', '0', '--out', folder, ...args]]
  return spend({ name: `run ${args.join(' ')}`, steps }, { ...plainEnv(), ...env }, folder)
}

/** Returns how many specs ran, and how many requests they and the survey sent. */
function told(file: string): Pick<Cost, 'specs' | 'requests'> {
  const { specs, survey } = JSON.parse(readFileSync(file, 'utf8')) as RunResult
  const ran = specs.filter(({ exchanges }) => exchanges.length > 0)
  return { specs: ran.length, requests: survey.length + ran.flatMap(({ exchanges }) => exchanges).length }
}

/** Makes separate folders, so that no run finds files of another. */
function folders(folder: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const path = join(folder, `run-${index}`)
    mkdirSync(path, { recursive: true })
    return path
  })
}

/** Measures the whole suite on the embedded mock Core, quick and full, with the processor time of the mock Core. */
export function wholeSuite(folder: string, rounds: number): Cost[] {
  const profiles = ['quick', 'full']
  const outs = folders(join(folder, 'whole'), profiles.length)
  const commands = profiles.map((profile, index) => () => run(['--profile', profile], {}, outs[index] ?? folder))
  return inTurn(commands, rounds, 0).map((cost, index) => ({
    size: `${profiles[index]} profile`,
    ...told(join(outs[index] ?? folder, 'result.json')),
    ...cost,
  }))
}

/** Measures an area of the suite, and the same with copies of its specs. */
export async function bySpecs(folder: string, rounds: number, times = [1, 4, 16]): Promise<Cost[]> {
  const text = readFileSync(fileURLToPath(new URL(`../specs/${AREA}.yaml`, import.meta.url)), 'utf8')
  const outs = folders(join(folder, 'specs'), times.length)
  const core = await serveOne()
  try {
    const commands = times.map((time, index) => {
      const own = join(folder, `copies-${time}`)
      mkdirSync(own, { recursive: true })
      for (let copy = 2; copy <= time; copy++) writeFileSync(join(own, `${AREA}-${copy}.yaml`), copied(text, copy))
      const args = ['--only', `${AREA}*`, '--profile', 'quick', ...(time > 1 ? ['--specs', own] : [])]
      return () => run(args, core.env, outs[index] ?? folder)
    })
    return inTurn(commands, rounds, 0).map((cost, index) => {
      const { specs, requests } = told(join(outs[index] ?? folder, 'result.json'))
      return { size: `${specs} specs`, specs, requests, ...cost }
    })
  } finally {
    core.stop()
  }
}

/** Renames the specs of a file. Names in contracts must be unique, so the copies lose them. */
function copied(text: string, copy: number): string {
  return text
    .replace(
      /^(area|( {2}- id|) +title|( {2}- id)): .*$/gm,
      line => `${line}${line.includes('title') ? ' ' : '-'}${copy}`,
    )
    .replace(/^ *interaction: \{.*\}\n/gm, '')
}

/** Measures fleets of several sizes, three specs on each Core. */
export async function byCores(folder: string, rounds: number, sizes = [1, 10, 100]): Promise<Cost[]> {
  const outs = folders(join(folder, 'cores'), sizes.length)
  const cores = await serveMany(Math.max(...sizes))
  const env = { CORE_USERNAME: USERNAME, CORE_PASSWORD: PASSWORD, CORE_INSECURE: '1' }
  try {
    const commands = sizes.map((size, index) => {
      const targets = join(folder, `targets-${size}.txt`)
      writeFileSync(targets, cores.urls.slice(0, size).join('\n'))
      return () => run(['--only', SIX, '--targets', targets], env, outs[index] ?? folder)
    })
    return inTurn(commands, rounds, 0).map((cost, index) => {
      const size = sizes[index] ?? 0
      const one = told(join(outs[index] ?? folder, nameOf(cores.urls[0] ?? ''), 'result.json'))
      const [specs, requests] = [one.specs * size, one.requests * size]
      return { size: count(size, 'Core'), specs, requests, ...cost }
    })
  } finally {
    cores.stop()
  }
}

/** Returns the folder name of a Core that is known by its URL only. */
function nameOf(url: string): string {
  return new URL(url).host.replace(':', '-')
}

/** Measures three specs on Cores whose list of users has several lengths. */
export async function byAnswers(folder: string, rounds: number, kilobytes = [1, 100, 1000]): Promise<Cost[]> {
  const outs = folders(join(folder, 'answers'), kilobytes.length)
  const cores = await Promise.all(
    kilobytes.map(size => {
      const dialect = join(folder, `users-${size}.yaml`)
      const users = Array.from({ length: size }, (_, id) => ({
        id,
        name: 'x'.repeat(1000 - `{"id":${id},"name":""},`.length),
      }))
      writeFileSync(dialect, JSON.stringify({ title: `${size} KB`, answers: { users: { body: users } } }))
      return serveOne('--dialect', dialect)
    }),
  )
  try {
    const commands = cores.map(
      ({ env }, index) =>
        () =>
          run(['--only', SIX], env, outs[index] ?? folder),
    )
    return inTurn(commands, rounds, 0).map((cost, index) => {
      const size = kilobytes[index] ?? 0
      return {
        size: size < 1000 ? `${size} KB` : `${size / 1000} MB`,
        ...told(join(outs[index] ?? folder, 'result.json')),
        ...cost,
      }
    })
  } finally {
    for (const core of cores) core.stop()
  }
}
