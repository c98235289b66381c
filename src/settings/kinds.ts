/**
 * The kinds of values that settings take: how a text becomes a value, and how messages, schemas and reports express it.
 * Over 250 lines, since all kinds stand side by side.
 */
import ms from 'ms'
import { duration } from '../duration.js'

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
function textSchema(what: string): Schema {
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

/** A switch: turned on by its flag, on or off by its variable. */
export const toggle: Kinded<boolean> & { readonly inProgram: 'switch' } = {
  ...kind<boolean, 'switch'>({
    inProgram: 'switch',
    inFile: { type: 'boolean' },
    inResult: { type: 'boolean' },
    read: text => (/^(1|true|yes|on)$/i.test(text) ? true : /^(0|false|no|off)$/i.test(text) ? false : undefined),
    wrong: () => 'must be 1 or 0',
    words: value => (value ? 'on' : 'off'),
  }),
  none: false,
}

/** Takes any text. @param placeholder name of the value in the help */
export function text(placeholder: string) {
  return kind<string, 'text'>({
    inProgram: 'text',
    placeholder,
    isVerbatim: true,
    read: given => given,
    wrong: () => '',
  })
}

/** Takes the path of a file or a folder. @param placeholder name of the value in the help */
export function file(placeholder = 'FILE') {
  return { ...text(placeholder), isPath: () => true }
}

const MOST_OF_A_LINE = 100

/** Takes a text that fits on a line of a report, without unreadable characters. */
export function line(placeholder: string) {
  return {
    ...text(placeholder),
    read: (given: string) => {
      const trimmed = given.trim()
      return trimmed && trimmed.length <= MOST_OF_A_LINE && !/\p{C}/u.test(trimmed) ? trimmed : undefined
    },
    wrong: () => `must be a name of 1 to ${MOST_OF_A_LINE} characters that can be read`,
  }
}

/** Takes one of a few words. */
export function oneOf<const W extends string>(...words: readonly W[]) {
  return kind<W, 'text'>({
    inProgram: 'text',
    placeholder: words.join('|'),
    inFile: { enum: words },
    inResult: { enum: words },
    read: given => words.find(word => word === given),
    wrong: given => `must be ${words.join(', ').replace(/, (?=[^,]*$)/, ' or ')}, not '${given}'`,
  })
}

interface Items {
  /** Name of one item in messages about the configuration file. */
  item?: string
  /** Schema of an item in the configuration file; default: any text. */
  schema?: Schema
  /** Whether the configuration file may have an empty list. */
  mayBeEmpty?: boolean
  /** Whether an item names a file or a folder. */
  isPath?: (text: string) => boolean
}

/** Takes texts with commas between, each once; empty where nobody gives any. */
export function list(
  placeholder: string,
  { item = 'some text', schema = textSchema(item), mayBeEmpty = false, isPath = () => false }: Items = {},
): Kinded<string[]> & { readonly inProgram: 'list' } {
  const parts = (given: string) => [...new Set(given.split(',').map(part => part.trim()))].filter(Boolean)
  return {
    ...kind<string[], 'list'>({
      inProgram: 'list',
      placeholder,
      isList: true,
      isVerbatim: true,
      inFile: { type: 'array', ...(!mayBeEmpty && { minItems: 1 }), uniqueItems: true, items: schema },
      inResult: { type: 'array', items: { description: 'One of them.', type: 'string', minLength: 1 } },
      read: given => (parts(given).length ? parts(given) : undefined),
      wrong: () => 'names nothing: give it a value, or leave it out',
      words: value => value.join(',') || 'none',
      write: value => value.join(','),
      isPath,
    }),
    none: [],
  }
}

/** A time as `ms` reads it. The declarations of the package name no type of `ms`, which has none of its own. */
type Span = `${number}${'' | ' '}${'ms' | 's' | 'm' | 'h' | 'd'}`

/** Takes a span of time with its unit, and gives milliseconds. The bounds are such texts. */
export function time({ atLeast, atMost }: { atLeast: Span; atMost: Span }) {
  const read = (given: string) => {
    const value = SPAN.test(given) ? ms(given as ms.StringValue) : Number.NaN
    return value >= ms(atLeast) && value <= ms(atMost) ? value : undefined
  }
  return kind<number, 'time'>({
    inProgram: 'time',
    placeholder: 'TIME',
    inFile: { type: 'string', pattern: SPAN.source, $comment: 'a time with its unit, such as 30s, 5m or 1h' },
    inResult: { type: 'number', exclusiveMinimum: 0 },
    read,
    wrong: given =>
      `must be a time from ${atLeast} to ${atMost}, with its unit, such as ${read(`${given}s`) ? `${given}s` : '30s, 5m or 1h'}; not '${given}'`,
    words: value => duration(value),
    write: value => (value % 1000 === 0 ? `${value / 1000}s` : `${value}ms`),
  })
}

/** A time with its unit, as a text and as the pattern of a schema, which has no flags. */
const SPAN = /^\d+(\.\d+)?\s*[a-zA-Z]+$/

const PERCENTAGE = /^\d+(\.\d+)?%$/

/** Takes a percentage, and gives a fraction: `5%` is 0.05. The bounds are percentages. */
export function percent({ atLeast, atMost, such }: { atLeast: number; atMost: number; such: string }) {
  const written = (value: number, decimals: number) => Number((value * 100).toFixed(decimals))
  return kind<number, 'text'>({
    inProgram: 'text',
    placeholder: 'PERCENT',
    inFile: { type: 'string', pattern: PERCENTAGE.source, $comment: `a percentage, such as ${such}` },
    inResult: { type: 'number', minimum: 0, exclusiveMaximum: 1 },
    read: given => {
      const value = PERCENTAGE.test(given) ? Number.parseFloat(given) : Number.NaN
      return value >= atLeast && value <= atMost ? value / 100 : undefined
    },
    wrong: given => `must be a percentage from ${atLeast}% to ${atMost}%, such as ${such}; not '${given}'`,
    words: value => `${written(value, 2)}%`,
    write: value => `${written(value, 3)}%`,
  })
}

interface Bounds {
  atLeast: number
  atMost: number
}

/** Takes a whole number. */
export function whole(bounds: Bounds, placeholder = 'N') {
  return number(bounds, { placeholder, pattern: /^\d+$/, called: 'a whole number', type: 'integer' })
}

/** Takes a number that need not be whole. */
export function decimal(bounds: Bounds, placeholder = 'N') {
  return number(bounds, { placeholder, pattern: /^\d+(\.\d+)?$/, called: 'a number', type: 'number' })
}

function number(
  { atLeast, atMost }: Bounds,
  { placeholder, pattern, called, type }: { placeholder: string; pattern: RegExp; called: string; type: string },
) {
  return kind<number, 'number'>({
    inProgram: 'number',
    placeholder,
    inFile: { type, minimum: atLeast, maximum: atMost },
    inResult: { type, minimum: atLeast },
    read: given => {
      const value = pattern.test(given) ? Number(given) : Number.NaN
      return value >= atLeast && value <= atMost ? value : undefined
    },
    wrong: given => `must be ${called} from ${atLeast} to ${atMost}, not '${given}'`,
  })
}

/** Makes a kind that also takes null, for a setting that nobody gave. */
export function orNull<T, P extends InProgram>(
  taken: Kind<T> & { readonly inProgram: P },
): Kinded<T | null> & { readonly inProgram: P } {
  const said = (say: (value: T) => string) => (value: T | null) => (value === null ? 'none' : say(value))
  return {
    ...taken,
    inResult: { anyOf: [taken.inResult, { type: 'null' }] },
    words: said(taken.words),
    write: said(taken.write),
    none: null,
  }
}

/** Takes a path of the API, as it stands in a request line. @param such an example for messages */
export function apiPath(such: string) {
  return {
    ...text('PATH'),
    inResult: { type: 'string', pattern: '^/' },
    read: (given: string) => (/^\/api\/[!-~]*$/.test(given) && !given.includes('#') ? given : undefined),
    wrong: (given: string) => `must be a path below /api/, such as ${such}; not '${given}'`,
  }
}
