/** One declaration for each setting. Parser, help, variables, configuration file, schemas and reports are made from it. */
import type { Kind } from './kind.js'

/** A part of the configuration file. */
export type Layer = 'defaults' | 'targets' | 'profiles'

/** What is declared of a setting. `T` is its value. */
export interface Declaration<T> {
  flag: string
  /** The variable that means the same; default: `CORE_` and the flag. */
  env?: string
  takes: Kind<T>
  /** What it means, for the help and the schema of the configuration file; the default is told behind it. */
  about: string
  /**
   * What it is where nobody says anything, as a user would write it; a function, where that is not to be found out before it is
   * asked for. Absent: what the kind says, or undefined.
   */
  default?: string | (() => string)
  /** The names that it takes, which the help lists below the options. */
  names?: { title: string; rows: readonly { name: string; about: string }[] }
  /** In which parts of the configuration file it may stand; absent: in none. */
  file?: readonly Layer[]
}

/** A setting as commands have it, whatever its value is. */
export type Setting = Declaration<unknown> & { readonly env: string; readonly usual: unknown }

/** The value that is read of a setting. */
export type ValueOf<D> = D extends { takes: Kind<infer T> }
  ? T | (D extends { default: unknown } ? never : D['takes'] extends { none: T } ? never : undefined)
  : never

/** A setting with what it is where nobody says anything. */
export type Declared<D> = D & { readonly env: string; readonly usual: ValueOf<D> }

/**
 * Declares a setting.
 * @throws Error for a default that it would not take
 */
export function setting<T, const D extends Declaration<T>>(declared: D & Declaration<T>): Declared<D> {
  const { flag, env = variableOf(flag), takes, default: text } = declared
  const read = (usual: string | undefined) => {
    const value = usual === undefined ? ('none' in takes ? takes.none : undefined) : takes.read(usual)
    if (usual !== undefined && value === undefined) throw new Error(`--${flag} does not take its default, ${usual}`)
    return value as ValueOf<D>
  }
  if (typeof text !== 'function') return { ...declared, env, usual: read(text) }
  return {
    ...declared,
    env,
    get usual() {
      return read(text())
    },
  }
}

/** What somebody who knows only a flag would call its variable: `CORE_IDLE_LIFETIME`. */
export function variableOf(flag: string): string {
  return `CORE_${flag.toUpperCase().replaceAll('-', '_')}`
}

/** What the help and the schema say of a setting, with its default. */
export function aboutOf({ about, default: usual }: Pick<Setting, 'about' | 'default'>): string {
  return usual === undefined ? about : `${about} (default ${typeof usual === 'function' ? usual() : usual})`
}
