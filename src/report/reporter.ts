/** What a reporter is: one format of what was found out, and where its text goes. */

/** How a text for people is laid out. */
export interface ConsoleOptions {
  /**
   * Columns of the terminal; from 20 to 120 are used, 80 stands in for what is no number. Infinity where there is no terminal: then
   * no line is broken, so that whoever searches finds whole sentences.
   */
  columns: number
  /** Whether to colour with ANSI escapes; false for a pipe or `NO_COLOR`. */
  color: boolean
  /** Only what went wrong, and the summary. */
  quiet?: boolean
  /** Every spec, also those that passed. */
  verbose?: boolean
}

/** Where GitHub Actions is told of a run. */
export interface GithubActions {
  /** The file of the step summary, to be appended to; undefined where there is none. */
  summaryFile: string | undefined
}

/**
 * A format of a subject: of the result of a run, or of a diff. A list of them says all there is to know of each, and everything
 * else (help, schema, docs, the tests of hostile results) is made from the list.
 */
export interface Reporter<Subject> {
  /** What it is asked for by, `--reporter NAME`; of one of the user's own, the path of its module. */
  name: string
  /** What it is for, in a few words, as help and docs say it. */
  about: string
  /** The name of its file in the output folder; absent: it never writes one. */
  file?: string
  /**
   * Where its text goes when it goes to no file. `terminal`: to stdout, for people, beside the progress of a run. `pipe`: to
   * stdout where no terminal report has it, and to the file otherwise. `commands`: to the CI, which obeys it.
   */
  stream?: 'terminal' | 'pipe' | 'commands'
  /** What has to be there for it, and what to do where it is not; absent: it can be made everywhere. */
  needs?: { what: 'GitHub Actions'; otherwise: string }
  /** Which commands make it when no reporter is named. */
  byDefault?: readonly ('run' | 'report')[]
  /** Makes the text, each line ended by a line feed. `options` are for the terminal; a file is not laid out by them. */
  render(subject: Subject, options: ConsoleOptions): Promise<string>
  /**
   * Adds to the step summary what it has to say there.
   * @throws Error that says why it cannot be, and what to do
   */
  summarize?(subject: Subject, summaryFile: string): Promise<void>
}

/** The one that has stdout for people; undefined where stdout is free for a pipe. */
export function onTerminal<T>(reporters: readonly Reporter<T>[]): Reporter<T> | undefined {
  return reporters.find(({ stream }) => stream === 'terminal')
}

/** The one whose text goes to stdout as it is. Of several the first: two texts on one pipe are none. */
export function onPipe<T>(reporters: readonly Reporter<T>[]): Reporter<T> | undefined {
  return onTerminal(reporters) ? undefined : reporters.find(({ stream }) => stream === 'pipe')
}

/** The names of the files that reporters may write, without those that have none. */
export function filesOf<T>(reporters: readonly Reporter<T>[]): string[] {
  return reporters.flatMap(({ file }) => (file === undefined ? [] : [file]))
}

/** Where a text of this reporter goes, in a few words: `junit.xml`, `stdout`, `stdout, or tap.txt`. */
export function placeOf<T>({ file, stream, needs }: Reporter<T>): string {
  const places = { terminal: 'stdout', pipe: 'stdout', commands: needs?.what ?? 'the CI' }
  const place = stream && places[stream]
  return [place, file].filter(part => part !== undefined).join(', or ')
}

/** Whether the name of a reporter is the path of a module: it has a slash, and no name of ours has one. */
export function isOwnReporter(name: string): boolean {
  return /[/\\]/.test(name)
}
