/**
 * The kinds of values that settings take: how a text becomes a value, and how messages, schemas and reports express
 * that value.
 */

/** A JSON Schema, or a part of one. */
export type Schema = Readonly<Record<string, unknown>>

/** How a program gives a value: a text, milliseconds or a text such as `90s`, a number, a boolean, or texts. */
export type InProgram = 'text' | 'time' | 'number' | 'switch' | 'list'

/** One kind of value. `T` is the value; texts come from flags, variables and the configuration file. */
export interface Kind<T> {
  /** Name of the value in the help, such as `TIME`; absent for a switch. */
  readonly placeholder?: string
  /** Whether it may be given more than once, or with commas. */
  readonly isList?: boolean
  /** Whether reports show the value unchanged, in code letters. */
  readonly isVerbatim?: boolean
  readonly inProgram: InProgram
  /** Schema of a value in the configuration file. */
  readonly inFile: Schema
  /** Schema of a value in a result. */
  readonly inResult: Schema
  /** Reads the value of a text; undefined for a text without one. */
  read(text: string): T | undefined
  /**
   * Says what is wrong with such a text, in words that follow the name of the setting: `must be on or off, not 'x'`.
   */
  wrong(text: string): string
  /** Describes a value for people. */
  words(value: T): string
  /** Writes a value as {@link read} takes it. */
  write(value: T): string
  /**
   * Whether a text names a file or a folder. In the configuration file a relative path starts at the folder of that
   * file.
   */
  isPath(text: string): boolean
  /** Whether a text leaves the value open, such as `random`. Then any value fits it. */
  isAny(text: string): boolean
}

/** A kind with a value for a setting that nobody gave. */
export type Kinded<T> = Kind<T> & { readonly none: T }

/** Schema of any text. Messages about the configuration file take their words from `$comment`. */
export const SOME_TEXT: Schema = textSchema('some text')

/** Makes the schema of a text that is not empty. @param what the name of the text in messages */
export function textSchema(what: string): Schema {
  return { type: 'string', pattern: '\\S', $comment: what }
}

/** Makes a kind from what is special about it. Everything else is as for a text. */
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
