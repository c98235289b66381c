/** Defines reporters: each is one format of a result, and says where its text goes. */

/** How to lay out a text for people. */
export interface ConsoleOptions {
  /**
   * Columns of the terminal, limited to 20 to 120; 80 if it is no number. Infinity where there is no terminal: then no line is
   * broken, so that searches find whole sentences.
   */
  columns: number
  /** Whether to colour with ANSI escapes; false for a pipe or `NO_COLOR`. */
  color: boolean
  /** Whether to show only what went wrong, and the summary. */
  quiet?: boolean
  /** Whether to show every spec, also those that passed. */
  verbose?: boolean
}

/** Where GitHub Actions takes the report of a run. */
export interface GithubActions {
  /** The file that the step summary is appended to; undefined where there is none. */
  summaryFile: string | undefined
}

/**
 * One format of a subject, such as the result of a run or a diff. Help, schema, docs and the tests of hostile results are made
 * from the lists of reporters.
 */
export interface Reporter<Subject> {
  /** The name for `--reporter NAME`; for the user's own reporter, the path of its module. */
  name: string
  /** The purpose in a few words, as help and docs show it. */
  about: string
  /** The name of its file in the output folder; absent: the reporter writes no file. */
  file?: string
  /** Text that every such file holds: it tells that the file is ours, and may be replaced. */
  mark?: string
  /**
   * Where its text goes if not to a file. `terminal`: to stdout, for people, beside the progress of a run. `pipe`: to stdout
   * if no terminal report goes there, else to the file. `commands`: to the CI, which obeys it.
   */
  stream?: 'terminal' | 'pipe' | 'commands'
  /** The surroundings that the reporter needs, and what to do without them; absent: it works everywhere. */
  needs?: { what: 'GitHub Actions'; otherwise: string }
  /** The commands that make this report when the user names no reporter. */
  byDefault?: readonly ('run' | 'report')[]
  /** Makes the text, each line ended by a line feed. `options` matter only for the terminal, not for files. */
  render(subject: Subject, options: ConsoleOptions): Promise<string>
  /**
   * Appends the report to the step summary.
   * @throws Error that says why the summary cannot be written, and what to do
   */
  summarize?(subject: Subject, summaryFile: string): Promise<void>
}

/** Returns the reporter that writes to stdout for people; undefined where stdout is free for a pipe. */
export function onTerminal<T>(reporters: readonly Reporter<T>[]): Reporter<T> | undefined {
  return reporters.find(({ stream }) => stream === 'terminal')
}

/** Returns the reporter whose text goes to a pipe on stdout. Only the first one does: a pipe can hold one text. */
export function onPipe<T>(reporters: readonly Reporter<T>[]): Reporter<T> | undefined {
  return onTerminal(reporters) ? undefined : reporters.find(({ stream }) => stream === 'pipe')
}

/** Lists the names of the files that reporters may write. */
export function filesOf(reporters: readonly { file?: string }[]): string[] {
  return reporters.flatMap(({ file }) => (file === undefined ? [] : [file]))
}

/** Says where the text of a reporter goes: `junit.xml`, `stdout`, `stdout, or tap.txt`. */
export function placeOf<T>({ file, stream, needs }: Reporter<T>): string {
  const places = { terminal: 'stdout', pipe: 'stdout', commands: needs?.what ?? 'the CI' }
  const place = stream && places[stream]
  return [place, file].filter(part => part !== undefined).join(', or ')
}

/** Whether the name of a reporter is the path of a module: it has a slash, and our own names have none. */
export function isOwnReporter(name: string): boolean {
  return /[/\\]/.test(name)
}
