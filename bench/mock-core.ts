/** Starts mock Cores in processes of their own, so that their processor time is not measured. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { controlVariablesOf, variablesOf } from '../tools/mock-variables.js'

/** The credentials of every mock Core here. */
export const USERNAME = 'admin'
export const PASSWORD = 'Bench-Secret-1'
/** The program as users start it. */
export const PROGRAM = fileURLToPath(new URL('../dist/bin.cjs', import.meta.url))

/** A process that serves mock Cores. */
export interface Served {
  urls: readonly string[]
  /** The variables for a run against the first of them: `CORE_URL` and the like. */
  env: Record<string, string>
  stop(): void
}

interface Told {
  url: string
  certificateFingerprint: string
  control: { url: string; key: string }
}

/** Returns the environment of this process without settings of the product. */
export function plainEnv(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('CORE_')))
}

/** Serves one, as `core-conformance mock` does. @param args further arguments, such as `--dialect FILE` */
export function serveOne(...args: string[]): Promise<Served> {
  return serve([PROGRAM, 'mock', '--json', ...args])
}

/** Serves several in one process. */
export function serveMany(cores: number): Promise<Served> {
  return serve([fileURLToPath(new URL('cores.mjs', import.meta.url)), String(cores)])
}

async function serve(args: string[]): Promise<Served> {
  const env = { ...plainEnv(), CORE_USERNAME: USERNAME, CORE_PASSWORD: PASSWORD }
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] })
  const line = await firstLine(child)
  const told = [JSON.parse(line)].flat() as Told[]
  const [first] = told
  if (!first) throw new Error('no mock Core was started')
  return {
    urls: told.map(({ url }) => url),
    env: {
      ...variablesOf(first, { username: USERNAME, password: PASSWORD }),
      ...controlVariablesOf(first),
    },
    stop: () => child.kill('SIGTERM'),
  }
}

function firstLine({ stdout, ...child }: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    if (!stdout) return reject(new Error('the mock Core has no output'))
    const lines = createInterface({ input: stdout })
    lines.once('line', resolve)
    lines.once('close', () => reject(new Error(`the mock Core ended (${child.exitCode}) before it said where it is`)))
  })
}
