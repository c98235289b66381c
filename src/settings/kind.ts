/** What a setting can take: how a text becomes a value, and how messages, schemas and reports say that value. */

/** A JSON Schema, or a part of one. */
export type Schema = Readonly<Record<string, unknown>>

/** How a program gives a value: a text, milliseconds or a text such as `90s`, a number, a truth value, or texts. */
export type InProgram = 'text' | 'time' | 'number' | 'switch' | 'list'

/** One kind of value. `T` is the value; texts are what flags, variables and the configuration file say. */
export interface Kind<T> {
  /** How the help calls the value, such as `TIME`; absent for a switch. */
  readonly placeholder?: string
  /** Whether it may be given more than once, or with commas. */
  readonly isList?: boolean
  /** Whether reports show the value as it stands, in the letters of code. */
  readonly isVerbatim?: boolean
  readonly inProgram: InProgram
  /** A value in the configuration file. */
  readonly inFile: Schema
  /** A value in a result. */
  readonly inResult: Schema
  /** The value that a text means; undefined where it means none. */
  read(text: string): T | undefined
  /** What is wrong with a text that means none, behind the name of the setting: `must be on or off, not 'x'`. */
  wrong(text: string): string
  /** A value for people. */
  words(value: T): string
  /** A value as {@link read} takes it. */
  write(value: T): string
  /** Whether a text names a file or a folder; in the configuration file a relative one is meant from where that file is. */
  isPath(text: string): boolean
  /** Whether a text leaves the value open, such as `random`: then any value is what was meant. */
  isAny(text: string): boolean
}

/** A kind that has a value also where nobody says anything. */
export type Kinded<T> = Kind<T> & { readonly none: T }

/** Some text; messages about the configuration file take their words from `$comment`. */
export const SOME_TEXT: Schema = textSchema('some text')

/** The schema of a text that is not empty. @param what how messages call it */
export function textSchema(what: string): Schema {
  return { type: 'string', pattern: '\\S', $comment: what }
}

/** Makes a kind of what is special about it; everything else is as of a text. */
export function kind<T, const P extends InProgram>(
  special: Pick<Kind<T>, 'read' | 'wrong'> & Partial<Kind<T>> & { inProgram: P },
): Kind<T> & { readonly inProgram: P } {
  return {
    inFile: SOME_TEXT,
    inResult: { type: 'string', minLength: 1 },
    words: value => String(value ?? 'none'),
    write: value => String(value ?? ''),
    isPath: () => false,
    isAny: () => false,
    ...special,
  }
}
