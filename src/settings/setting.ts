/**
 * Declares settings, each once. Parser, help, variables, configuration file, schemas and reports are made from the
 * declarations.
 */
import type { Kind } from './kinds.js'

/** A part of the configuration file. */
export type Layer = 'defaults' | 'targets' | 'profiles'

/** A kind of names that a shell completes, and that only the program knows: `topics` are what `explain` explains. */
export type Names = 'targets' | 'profiles' | 'specs' | 'topics' | 'defects' | 'scenarios'

/** The declaration of a setting. `T` is its value. */
export interface Declaration<T> {
  flag: string
  /** Name of its environment variable; default: `CORE_` and the flag. */
  env?: string
  takes: Kind<T>
  /** Its meaning, for the help and the schema of the configuration file. The default is added to it. */
  about: string
  /**
   * Its default, as a user would write it. A function computes it when it is first needed. Absent: the value of the
   * kind, or undefined.
   */
  default?: string | (() => string)
  /** Names that it takes; the help lists them below the options. */
  names?: { title: string; rows: readonly { name: string; about: string }[] }
  /** The names that a shell completes for it. */
  completes?: Names
  /** The parts of the configuration file that may contain it; absent: none. */
  file?: readonly Layer[]
}

/** A setting with a value of any type, for commands. */
export type Setting = Declaration<unknown> & { readonly env: string; readonly usual: unknown }

/** The type of the value of a setting. */
export type ValueOf<D> = D extends { takes: Kind<infer T> }
  ? T | (D extends { default: unknown } ? never : D['takes'] extends { none: T } ? never : undefined)
  : never

/** The type of the values of settings, by the names that a table gives them. */
export type ValuesOf<T> = { -readonly [K in keyof T]: ValueOf<T[K]> }

/** A setting with its default value. */
export type Declared<D> = D & { readonly env: string; readonly usual: ValueOf<D> }

/**
 * Declares a setting that results do not record.
 * @param about its meaning, for the help and the schema of the configuration file
 * @param more nothing about its type is taken from the table that it stands in
 */
export function setting<T, K extends Kind<T>, const M extends More = Record<never, never>>(
  flag: string,
  takes: K & Kind<T>,
  about: string,
  more?: M,
): Declared<{ flag: string; takes: K; about: string } & NoInfer<M>> {
  return declared<T, { flag: string; takes: K; about: string } & M>({ flag, takes, about, ...(more as M) })
}

/** What a setting may have beside its flag, its kind and its meaning. */
type More = Partial<Omit<Declaration<unknown>, 'flag' | 'takes' | 'about'>>

/** Completes the declaration of a setting. @throws Error for a default that the setting does not take */
export function declared<T, const D extends Declaration<T>>(declared: D & Declaration<T>): Declared<D> {
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

/** Returns the environment variable of a flag: `CORE_IDLE_LIFETIME`. */
export function variableOf(flag: string): string {
  return `CORE_${flag.toUpperCase().replaceAll('-', '_')}`
}

/** Returns the meaning of a setting, with its default. */
export function aboutOf({ about, default: usual }: Setting): string {
  return usual === undefined ? about : `${about} (default ${typeof usual === 'function' ? usual() : usual})`
}
