/** Exports the reports: each turns one run result into one file or one text. */
export type { RunActivity, RunWait } from './activity.js'
export { filesBeside } from './beside.js'
export { earlierFiles } from './earlier.js'
export { createProgress, type Progress, type ProgressStream } from './progress.js'
export {
  type ConsoleOptions,
  filesOf,
  type GithubActions,
  isOwnReporter,
  onPipe,
  onTerminal,
  type Reporter,
} from './reporter.js'
export { defaultReporters, REPORTER_NAMES, REPORTERS, RESULT_FILE } from './reporters.js'
export { FOUND_FOLDER } from './reproduce.js'
export { type ReportOptions, type Written, writeReports } from './write-reports.js'
